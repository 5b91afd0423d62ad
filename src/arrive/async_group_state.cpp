#include "arrive/async_group_state.hpp"

#include "choose/group_config.hpp"
#include "choose/wait_choice.hpp"
#include "machine/pinning.hpp"
#include "machine/thread_state.hpp"
#include "option_values.hpp"
#include "wait/error_context.hpp"
#include "wait/time_limit.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace tutti {
inline namespace TUTTI_NAMESPACE {
namespace detail {

using arrive::DeferredCollective;

AsyncGroupState::AsyncGroupState(int ranks, AsyncGroupOptions options)
    : options_(std::move(options)),
      timeout_(engine::timeout_of(options_.timeout, "AsyncGroupOptions::timeout")),
      cpus_(machine::allowed_pus()),
      wait_policy_(engine::wait_policy_of(engine::wait_of(Wait::automatic), ranks, cpus_)),
      ranks_(static_cast<std::size_t>(ranks)), last_cpus_(ranks),
      listed_([this](RollCallFormat format) { return roll_call(format); }) {}

void AsyncGroupState::begin() {
    // Stands for the time before the first one. Has no requests, and is over.
    DeferredCollective& none = unused();
    none.open(shared_from_this(), 0, ranks_.size());
    for (RankState& state : ranks_) {
        state.at = &none;
    }
}

RequestBase& AsyncGroupState::arrive(int rank, const Call& call) {
    RankState& state = ranks_[static_cast<std::size_t>(rank)];
    DeferredCollective& operation = after(*state.at);
    arrive::Contribution& contribution = operation.contribution(rank);
    take(contribution, rank, call);
    // From here on nothing fails.
    DeferredCollective& before = *std::exchange(state.at, &operation);
    show(state, operation, contribution);
    arrive::Arrival& arrival = operation.arrival(rank);
    arrival.timeout_ = call.timeout.value_or(timeout_);
    operation.arrive();
    before.drop(1);
    return arrival;
}

/// Programs repeat their calls: a call that the operation or the rank knows needs no check.
void AsyncGroupState::take(arrive::Contribution& contribution, int rank, const Call& call) {
    const std::uint64_t key = key_of(call);
    if (contribution.serves(key, call.input, call.output)) {
        contribution.repeat(call);
        return;
    }
    auto& checked = ranks_[static_cast<std::size_t>(rank)].checked;
    if (const arrive::CheckedCall* const known = checked.find(key, call.input, call.output)) {
        contribution.repeat(*known, call);
        return;
    }
    try {
        contribution.take(call, rank, ranks());
    } catch (ArgumentError& error) {
        engine::describe(error, {.rank = rank, .collective = call.collective, .where = call.where});
        throw;
    }
    if (key != 0) {
        auto own = checked.next([] { return std::make_unique<arrive::CheckedCall>(); });
        *own = contribution;
        checked.put(std::move(own));
    }
    contribution.keep_operator();
}

void AsyncGroupState::show(RankState& state, const DeferredCollective& operation,
                           const arrive::Contribution& contribution) {
    if (operation.number() == 1 || contribution.digest != state.shown_digest) {
        state.shown_digest = contribution.digest;
        state.log.add({operation.number(), operation.number(), 1}, contribution.signature);
    }
    state.called_from.show(contribution.call.where);
    state.count.publish(operation.number()); // release: pairs with snapshot()
}

engine::RollCall AsyncGroupState::snapshot() const {
    std::vector<engine::MemberReport> reports;
    reports.reserve(ranks_.size());
    for (const RankState& state : ranks_) {
        engine::MemberReport& shown = reports.emplace_back();
        shown.rank = static_cast<int>(reports.size()) - 1;
        shown.where = state.called_from.read();
        // Acquire: pairs with show(); the record of that call came before.
        const auto history = state.log.read(state.count.observe());
        if (history && !history->empty()) {
            shown.calls.front() = {.number = history->last(),
                                   .signature = history->signature(history->last())};
        }
        shown.wait = state.wait.read();
        shown.thread = shown.wait ? state.waiter.load(std::memory_order_relaxed) : 0; // for people
    }
    for (engine::MemberReport& shown : reports) {
        if (!shown.wait) {
            continue;
        }
        const auto is_missing = [&](const engine::MemberReport& other) {
            return other.calls.front().number < shown.wait->number;
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
                                    const arrive::Contribution& contribution) const {
    const Call& call = contribution.call;
    const auto missing = std::ranges::find_if(
        ranks_, [number](const RankState& state) { return state.count.observe() < number; });
    return TimeoutError(snapshot().delay(engine::Sequence::blocking, number, rank, timeout,
                                         engine::text_of_call(contribution.signature, call.where)),
                        {.rank = rank,
                         .peer = missing == ranks_.end() ? -1 : static_cast<int>(missing - ranks_.begin()),
                         .operation = number,
                         .collective = call.collective,
                         .where = engine::line_for_errors(call.where)});
}

std::string AsyncGroupState::roll_call(RollCallFormat format) const {
    return engine::required("roll_call: `format`", format) == RollCallFormat::json ? snapshot().json()
                                                                                   : snapshot().text();
}

DeferredCollective& AsyncGroupState::after(DeferredCollective& operation) {
    if (DeferredCollective* const next = operation.next()) {
        return *next;
    }
    const std::lock_guard lock(opening_);
    if (DeferredCollective* const next = operation.next()) {
        return *next;
    }
    DeferredCollective& opened = unused();
    // Of each rank one for its place and one for its request, and its own until it is over.
    opened.open(shared_from_this(), operation.number() + 1, 2 * ranks_.size() + 1);
    operation.set_next(opened);
    return opened;
}

DeferredCollective& AsyncGroupState::unused() {
    if (unused_.empty()) {
        unused_.reserve(operations_.size() + 1); // so that what is given back has room
        unused_.push_back(
            operations_.emplace_back(std::make_unique<DeferredCollective>(ranks_.size())).get());
    }
    DeferredCollective& operation = *unused_.back();
    unused_.pop_back();
    return operation;
}

void AsyncGroupState::give_back(DeferredCollective& operation) noexcept {
    const std::lock_guard lock(opening_);
    unused_.push_back(&operation);
}

void AsyncGroupState::close() noexcept {
    const auto behind =
        std::ranges::min_element(ranks_, {}, [](const RankState& state) { return state.at->number(); });
    const auto rank = behind - ranks_.begin();
    for (DeferredCollective* open = behind->at->next(); open != nullptr; open = open->next()) {
        open->end_early(std::make_exception_ptr(
            Error("the async group has been destroyed before all ranks have arrived at operation " +
                      std::to_string(open->number()) + ": rank " + std::to_string(rank) + " has not",
                  {.peer = static_cast<int>(rank), .operation = open->number()})));
    }
    for (const RankState& state : ranks_) {
        DeferredCollective* open = state.at->next();
        state.at->drop(1);
        while (open != nullptr) {
            DeferredCollective* const next = open->next();
            open->drop(2);
            open = next;
        }
    }
}

} // namespace detail
} // namespace TUTTI_NAMESPACE
} // namespace tutti
