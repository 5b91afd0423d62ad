#include "tasks/src/async_group_state.hpp"

#include "choose/group_config.hpp"
#include "machine/pinning.hpp"
#include "machine/process.hpp"
#include "option_values.hpp"
#include "report.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <algorithm>

namespace tutti::v0_1::detail {

using tasks::DeferredCollective;

AsyncGroupState::AsyncGroupState(int ranks, AsyncGroupOptions options)
    : options_(std::move(options)),
      timeout_(library::timeout_of(options_.timeout, "AsyncGroupOptions::timeout")),
      cpus_(machine::allowed_pus()),
      wait_policy_(library::wait_policy_of(library::wait_of(Wait::automatic), ranks, cpus_)),
      ranks_(static_cast<std::size_t>(ranks)), last_cpus_(ranks), none_(*this, ranks_.size()),
      listed_([this](RollCallFormat format) { return roll_call(format); }) {
    for (RankState& state : ranks_) {
        state.at = &none_;
        state.released.set(tasks::StdCount::closed); // not 0 before close()
    }
    holds_.set(ranks_.size() + 1);
}

RequestBase& AsyncGroupState::arrive(int rank, const Call& call) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    DeferredCollective& before = *state.at;
    DeferredCollective& operation = after(before, state);
    take(operation.contribution(rank), rank, call);
    // From here on nothing fails.
    const std::uint64_t number = state.calls.number() + 1;
    state.at = &operation;
    const tasks::Contribution& shown = operation.contribution(rank);
    state.called_from.show(call.where);
    state.calls.show(number, shown.signature, shown.digest);
    before.leave(rank, number - 1);
    return operation.arrive(rank, number, call.timeout.value_or(timeout_));
}

/// Programs repeat their calls: a call that is equal to one of the operation or of the rank needs no check.
void AsyncGroupState::take(tasks::Contribution& contribution, int rank, const Call& call) {
    const std::uint64_t key = key_of(call);
    if (contribution.serves(key, call.input, call.output)) {
        contribution.repeat(call);
        return;
    }
    auto& checked = ranks_[static_cast<std::size_t>(rank)].checked;
    if (const tasks::Contribution* const known = checked.find(key, call.input, call.output)) {
        contribution.repeat(*known, call);
        return;
    }
    try {
        contribution.take(call, rank, ranks());
    } catch (ArgumentError& error) {
        library::describe(error, {.rank = rank, .collective = call.collective, .where = call.where});
        throw;
    }
    if (key != 0) {
        auto own = checked.next([] { return std::make_unique<tasks::Contribution>(); });
        own->repeat(contribution, call);
        checked.put(std::move(own));
    }
    contribution.kept.keep(contribution.call); // the program's operator may be gone when it is needed
    contribution.call.state = contribution.kept.data();
}

library::RollCall AsyncGroupState::snapshot() const {
    std::vector<library::MemberReport> reports;
    reports.reserve(ranks_.size());
    for (const RankState& state : ranks_) {
        library::MemberReport& shown = reports.emplace_back();
        shown.rank = static_cast<int>(reports.size()) - 1;
        shown.where = state.called_from.read();
        if (const auto history = state.calls.read()) {
            shown.calls.front() = history->last_call();
        }
        shown.wait = state.wait.read();
        shown.thread = shown.wait ? state.waiter.load(std::memory_order_relaxed) : 0; // for people
    }
    for (library::MemberReport& shown : reports) {
        if (!shown.wait) {
            continue;
        }
        const auto is_missing = [&](const library::MemberReport& other) {
            return other.calls.front().number() < shown.wait->number;
        };
        const auto missing = std::ranges::find_if(reports, is_missing);
        if (missing == reports.end()) { // the last has just arrived
            shown.wait.reset();
        } else {
            shown.wait->peer = missing->rank;
        }
    }
    return {{.group = "an async group of " + std::to_string(ranks()) + " ranks",
             .one = "rank",
             .all = "ranks",
             .sit = false},
            std::move(reports)};
}

void AsyncGroupState::show_wait(int rank, std::uint64_t number, std::chrono::nanoseconds since) noexcept {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    state.waiter.store(machine::this_thread(), std::memory_order_relaxed); // for people
    state.wait.show({.number = number, .since = since});
}

TimeoutError AsyncGroupState::delay(std::uint64_t number, int rank, std::chrono::milliseconds timeout,
                                    const tasks::Contribution& contribution) const {
    const Call& call = contribution.call;
    const auto missing = std::ranges::find_if(
        ranks_, [number](const RankState& state) { return state.calls.seen() < number; });
    return TimeoutError(snapshot().delay(library::Sequence::blocking, number, rank, timeout,
                                         library::text_of_call(contribution.signature, call.where)),
                        {.rank = rank,
                         .peer = missing == ranks_.end() ? -1 : static_cast<int>(missing - ranks_.begin()),
                         .operation = number,
                         .collective = call.collective,
                         .where = library::line_for_errors(call.where)});
}

void AsyncGroupState::report_dropped(std::uint64_t number, int rank,
                                     const tasks::Contribution& contribution) noexcept try {
    if (!has_warned_.test_and_set(std::memory_order_relaxed)) {
        const std::string text = "an async group of " + std::to_string(ranks()) + " ranks: rank " +
                                 std::to_string(rank) + " has dropped the request of operation " +
                                 std::to_string(number) + ", " +
                                 library::text_of_call(contribution.signature, contribution.call.where) +
                                 ", which is not over: its buffers are still in use. Keep the request, or "
                                 "call detach(). The group does not report this again";
        library::report(Severity::warning, text.c_str());
    }
} catch (const std::bad_alloc&) { // without a word
}

std::string AsyncGroupState::roll_call(RollCallFormat format) const {
    return library::required("roll_call: `format`", format) == RollCallFormat::json ? snapshot().json()
                                                                                    : snapshot().text();
}

DeferredCollective& AsyncGroupState::after(DeferredCollective& operation, RankState& state) {
    if (DeferredCollective* const next = operation.next()) {
        return *next;
    }
    DeferredCollective& opened = unused(state);
    const std::uint64_t before = opened.number();
    opened.open(state.calls.number() + 1);
    if (!operation.set_next(opened)) {
        opened.never_mind(before);
    }
    return *operation.next();
}

/// An operation that the rank keeps, or a new one. The rank adds half as many as it keeps, so that it is
/// cheap to find a free operation however many a program does not let go.
DeferredCollective& AsyncGroupState::unused(RankState& state) {
    constexpr std::size_t few = 4; // enough if every rank waits; these are in the caches
    std::size_t size = state.kept.size();
    if (size != 0) {
        DeferredCollective& one = *state.kept[++state.turn_of_few % std::min(size, few)];
        if (one.is_free()) {
            return one;
        }
    }
    for (std::size_t look = 0; look < size; ++look) {
        DeferredCollective& one = *state.kept[++state.turn % size];
        if (one.is_free()) {
            return one;
        }
    }
    state.turn = size;
    while (state.kept.size() < size + size / 2 + 1) {
        state.kept.push_back(std::make_unique<DeferredCollective>(*this, ranks_.size()));
    }
    return *state.kept[size];
}

void AsyncGroupState::let_go() noexcept {
    if (holds_.down(1) == 0) {
        delete this;
    }
}

void AsyncGroupState::close() noexcept {
    const auto behind =
        std::ranges::min_element(ranks_, {}, [](const RankState& state) { return state.calls.number(); });
    const auto rank = behind - ranks_.begin();
    for (DeferredCollective* open = behind->at->next(); open != nullptr; open = open->next()) {
        open->close(std::make_exception_ptr(
            Error("the async group has been destroyed before all ranks have arrived at operation " +
                      std::to_string(open->number()) + ": rank " + std::to_string(rank) + " has not",
                  {.peer = static_cast<int>(rank), .operation = open->number()})));
    }
    for (RankState& state : ranks_) {
        if (state.released.down(tasks::StdCount::closed + state.calls.number()) == 0) {
            let_go();
        }
    }
    let_go();
}

} // namespace tutti::v0_1::detail

namespace tutti::v0_1 {

AsyncGroup::AsyncGroup(int ranks, const AsyncGroupOptions& options) {
    if (ranks < 1 || ranks > plan::most_members) {
        throw ArgumentError("AsyncGroup: `ranks` is " + std::to_string(ranks) + ", must be in 1.." +
                            std::to_string(plan::most_members));
    }
    state_ = new detail::AsyncGroupState(ranks, options);
}

AsyncGroup::~AsyncGroup() {
    state_->close();
}

int AsyncGroup::size() const {
    return state_->ranks();
}

std::string AsyncGroup::roll_call(RollCallFormat format) const {
    return state_->roll_call(format);
}

AsyncRank AsyncGroup::at(int rank) {
    if (rank < 0 || rank >= size()) {
        throw ArgumentError("AsyncGroup: `rank` is " + std::to_string(rank) + ", must be in 0.." +
                            std::to_string(size() - 1));
    }
    return {*state_, rank, size()};
}

namespace detail {

RequestBase& arrive(AsyncGroupState& state, int rank, const Call& call) {
    return state.arrive(rank, call);
}

} // namespace detail

} // namespace tutti::v0_1
