#include "execute/seat.hpp"

#include "execute/disagreement.hpp"
#include "execute/group_state.hpp"
#include "mailbox/wait.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

namespace tutti::detail {

using execute::PreparedCall;

namespace {

/// Marks that an operator of the caller's may run, for a while.
class Running {
public:
    Running(bool& mark, bool runs) : mark_(mark) { mark = runs; }
    ~Running() { mark_ = false; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    Running(Running&&) = delete;
    Running& operator=(Running&&) = delete;

private:
    bool& mark_;
};

/// How often a member looks before it waits. Mostly everybody is at it: what another takes to get here is a
/// few looks, if there is a CPU for it.
int looks_of(const mailbox::Patience& patience) {
    constexpr int eager_looks = 64;
    return patience.spin_ns > 0 ? eager_looks : 1;
}

} // namespace

Seat::Seat(GroupState& group, int rank, int members)
    : group_(group), rank_(rank), plans_(group, rank, members) {}

bool Seat::is_new_here() {
    static std::atomic<std::uint64_t> threads{0};
    thread_local const std::uint64_t own = threads.fetch_add(1, std::memory_order_relaxed) + 1; // only unique
    return std::exchange(thread_, own) != own;
}

void Seat::resume(std::uint64_t epoch) {
    line_.resume(epoch);
    front_ = nullptr; // so that the next call is shown, whichever it is
    recorded_ = {};
    group_.presence(rank_).log.clear();
    // Whoever made this the time for it orders it before the next call of any member.
    group_.board(rank_).progress.put(0);
}

template <class Is>
bool Seat::bring_to_front(Is is) {
    const auto found = std::ranges::find_if(prepared_calls_, [&](const auto& call) { return is(*call); });
    if (found == prepared_calls_.end()) {
        return false;
    }
    std::rotate(prepared_calls_.begin(), found, found + 1);
    front_ = prepared_calls_.front().get();
    return true;
}

void Seat::prepare(const Call& call) {
    if (prepared_calls_.size() < most_prepared_calls) {
        prepared_calls_.reserve(most_prepared_calls);
        prepared_calls_.push_back(std::make_unique<PreparedCall>());
    }
    std::rotate(prepared_calls_.begin(), prepared_calls_.end() - 1, prepared_calls_.end());
    front_ = prepared_calls_.front().get();
    front_->prepare(call, plans_);
    bindings_.reserve(front_->prepared());
    if (front_->copied_bytes() != 0) {
        input_copy_.at_least(front_->copied_bytes(), front_->element_align());
    }
    front_->complete();
}

void Seat::record() {
    const run::Prepared& prepared = front_->prepared();
    const std::uint64_t points = prepared.plan->points;
    const bool is_first = recorded_.number == 0;
    if (!is_first && recorded_digest_ == prepared.marks.digest && recorded_.points == points) {
        return;
    }
    recorded_ = {is_first ? 1 : recorded_.number_at(line_.epoch), line_.epoch, points};
    recorded_digest_ = prepared.marks.digest;
    group_.presence(rank_).log.add(recorded_, front_->claim());
}

void Seat::run_front(const void* input, void* output, const void* state) {
    const PreparedCall& call = *front_;
    if (call.copied_bytes() != 0 && input != nullptr) {
        input = std::memcpy(input_copy_.data(), input, call.copied_bytes());
    }
    bindings_.bind(call.prepared(), input, output, state);
    Runner runner(group_.mailbox(), line_, call.prepared(), bindings_);
    const int looks = looks_of(group_.patience());
    try {
        for (run::State now = runner.advance(looks); now != run::State::done; now = runner.advance(looks)) {
            wait(runner, now);
        }
    } catch (...) {
        group_.fail(rank_, std::current_exception());
        group_.leave_failed_call(rank_);
        throw;
    }
}

void Seat::wait(Runner& runner, run::State state) {
    if (state == run::State::failed) {
        group_.failure().throw_aborted();
    }
    if (state == run::State::differs) {
        throw MismatchError(execute::text_of(runner.fault(), group_, rank_, runner.peer(), front_->claim(),
                                             front_->prepared(), bindings_));
    }
    const int peer = runner.peer();
    bool is_excused = false;
    const auto check = [&](bool takes_long) {
        if (group_.failure().raised()) {
            group_.failure().throw_aborted();
        }
        if (const auto text = takes_long ? execute::difference(group_, rank_, peer) : std::nullopt) {
            throw MismatchError(*text);
        }
        if (runner.only_settles()) {
            is_excused = group_.has_left_for_good(peer);
        } else {
            check_peer(runner);
        }
    };
    mailbox::wait_until([&] { return is_excused || runner.is_ready(); }, check, group_.board(peer).bell,
                        group_.patience());
    if (is_excused) {
        runner.stop_waiting();
    }
}

/// Throws when the peer that is waited for is in another call, or gone.
void Seat::check_peer(const Runner& runner) {
    const int peer = runner.peer();
    if (runner.meets_another_call()) {
        throw MismatchError(execute::disagreement(group_, rank_, peer));
    }
    if (group_.has_left_for_good(peer) && !runner.is_ready()) {
        if (group_.failure().raised()) { // which is why it is away
            group_.failure().throw_aborted();
        }
        const std::optional<std::string> absent = execute::absence(group_, rank_, peer);
        throw MismatchError(absent ? *absent : execute::disagreement(group_, rank_, peer));
    }
}

void Seat::run(const Call& call) {
    if (runs_operator_) {
        throw Error(std::string(to_string(execute::collective_of(call.kind))) +
                    ": called by an operator, inside another call of the same member: operators must not "
                    "make calls of the group that they reduce for");
    }
    if (!bring_to_front([&](const PreparedCall& prepared) { return prepared.serves(call); })) {
        try {
            prepare(call);
        } catch (const ArgumentError&) {
            throw; // the member may call again
        } catch (...) {
            front_ = nullptr;
            prepared_calls_.clear(); // they share what may have been given back, to ask for more
            group_.fail(rank_, std::current_exception());
            throw;
        }
    }
    record();
    const Running running(runs_operator_, call.kernels != nullptr);
    run_front(call.input, call.output, call.state);
}

bool Seat::run_again(std::uint64_t key, const void* input, void* output) {
    if (front_ == nullptr) {
        return false;
    }
    const auto serves = [&](const PreparedCall& call) {
        return call.is_for(key) && call.are_placed_alike(input, output);
    };
    if (!serves(*front_)) {
        if (runs_operator_ || !bring_to_front(serves)) {
            return false;
        }
        record();
    }
    run_front(input, output, nullptr);
    return true;
}

void execute(Seat& seat, const Call& call) {
    seat.run(call);
}

bool execute_again(Seat& seat, std::uint64_t key, const void* input, void* output) {
    return seat.run_again(key, input, output);
}

} // namespace tutti::detail
