#pragma once

#include "replaced_new.hpp"
#include "test.hpp"

#include <tutti/error.hpp>

#include <atomic>
#include <new>

namespace tutti::test {

/// Which allocations of the process fail, of those that are made while it is armed.
struct Famine {
    std::atomic<bool> armed{false};
    std::atomic<bool> lasts{false};
    /// Allocations to go until the first one that fails.
    std::atomic<long> admitted{0};
    std::atomic<long> refused{0};

    void begin(long admitted_first, bool lasts_on) {
        lasts = lasts_on;
        admitted = admitted_first;
        refused = 0;
        armed = true;
    }

    /// For admits_allocation().
    bool admits(Manner manner) noexcept {
        if (manner == Manner::asks || !armed.load(std::memory_order_relaxed)) {
            return true;
        }
        const long left = admitted.fetch_sub(1, std::memory_order_relaxed);
        const bool refuses = lasts.load(std::memory_order_relaxed) ? left <= 0 : left == 0;
        refused.fetch_add(refuses ? 1 : 0, std::memory_order_relaxed);
        return !refuses;
    }
};
inline Famine famine;

enum class Outcome { none, good, out_of_memory, aborted, error, other };

/// The exception of a function, found without an allocation.
template <class Function>
Outcome outcome_of(Function function) {
    try {
        function();
    } catch (const std::bad_alloc&) {
        return Outcome::out_of_memory;
    } catch (const Aborted&) {
        return Outcome::aborted;
    } catch (const Error&) {
        return Outcome::error;
    } catch (...) {
        return Outcome::other;
    }
    return Outcome::good;
}

/// Calls `act(admitted, lasts)` with ever more allocations before the first that fails, alone or with all
/// later ones, until `act` returns that none has failed.
template <class Act>
void while_refused(Act act) {
    for (const bool lasts : {false, true}) {
        for (long admitted = 0; act(admitted, lasts); ++admitted) {
        }
    }
}

/// `run(admitted, lasts)` makes a call, and returns how it ends on each member. Members that lack memory
/// release the others, and nothing stays behind.
template <class Run>
void check_starved(const std::string& name, Run run) {
    run(1'000'000, false);
    while_refused([&](long admitted, bool lasts) {
        INFO(name, ", admitted ", admitted, std::string(lasts ? ", then none" : ""));
        const long before = live_blocks;
        const auto outcomes = run(admitted, lasts);
        const auto members = static_cast<std::ptrdiff_t>(outcomes.size());
        CHECK(live_blocks == before);
        const auto lack = std::ranges::count(outcomes, Outcome::out_of_memory);
        const bool refused = famine.refused > 0;
        CHECK((refused ? lack >= 1 && lack <= (lasts ? members : 1) : lack == 0));
        const Outcome of_others = refused ? Outcome::aborted : Outcome::good;
        CHECK(lack + std::ranges::count(outcomes, of_others) == members);
        return refused;
    });
}

struct Least {
    double operator()(double a, double b) const { return a < b ? a : b; }
};

} // namespace tutti::test
