#include "explore.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/slot.hpp"
#include "mailbox/wait.hpp"
#include "model_event.hpp"
#include "model_word.hpp"

#include <algorithm>
#include <cstdint>

namespace tutti::model {

namespace {

using Slot = mailbox::BasicSlot<Portable<as_written>>;

template <Event event>
using ModelEventCount = mailbox::BasicEventCount<ModelWaiters<event>, ModelCounter<event>>;

/// One member's slot, and its event count for those who sleep until it publishes.
template <Event event>
struct Post {
    Slot slot;
    ModelEventCount<event> event_count;

    void publish(int member, std::uint64_t epoch) {
        slot.signal(mailbox::make_tag(epoch, 0));
        Ledger::published[member] = epoch;
        event_count.notify_if_needed();
    }

    /// The library's wait, without a wait policy: it sleeps whenever a look has failed.
    void await(int owner, std::uint64_t epoch) {
        Awaited& wait = Ledger::awaited[rl::ctx().current_thread()];
        wait = {.peer = owner, .epoch = epoch};
        mailbox::WaitHistory history;
        mailbox::progress_until([&] { return slot.holds(epoch, 1); }, [](bool /*takes_long*/) {}, event_count,
                                mailbox::WaitPolicy{}, {history});
        RL_ASSERT(wait.overslept <= 1);
        Ledger::most_overslept = std::max(Ledger::most_overslept, wait.overslept);
    }
};

/// One member publishes, the others sleep until it has.
template <Event event, int members>
struct Announcement : rl::test_suite<Announcement<event, members>, members> {
    Post<event> post;
    rl::var<std::uint64_t> data;

    void before() { Ledger::published[0] = 0; }

    void thread(unsigned index) {
        if (index == 0) {
            data(RL_INFO).store(42);
            post.publish(0, 1);
        } else {
            post.await(0, 1);
            RL_ASSERT(data(RL_INFO).load() == 42);
        }
    }
};

/// Two members publish and wait for each other, several times.
template <Event event, int operations>
struct Exchange : rl::test_suite<Exchange<event, operations>, 2> {
    Post<event> posts[2];

    void before() { Ledger::published[0] = Ledger::published[1] = 0; }

    void thread(unsigned index) {
        const int member = static_cast<int>(index);
        for (std::uint64_t epoch = 1; epoch <= operations; ++epoch) {
            posts[member].publish(member, epoch);
            posts[1 - member].await(1 - member, epoch);
        }
    }
};

constexpr Event library{};
constexpr Event unbounded{.bounded = false};
constexpr Event all_relaxed{.arrive = rl::mo_relaxed, .hear = rl::mo_relaxed, .ring = rl::mo_relaxed};
constexpr Event always{.bounded = false, .always_rings = true};
constexpr Event always_arrive_relaxed{.bounded = false, .always_rings = true, .arrive = rl::mo_relaxed};
constexpr Event always_hear_relaxed{.bounded = false, .always_rings = true, .hear = rl::mo_relaxed};
constexpr Event always_ring_relaxed{.bounded = false, .always_rings = true, .ring = rl::mo_relaxed};
constexpr Event sure{.bounded = false, .looks_surely = true, .arrive = rl::mo_acq_rel};
constexpr Event sure_look_relaxed{
    .bounded = false, .looks_surely = true, .look = rl::mo_relaxed, .arrive = rl::mo_acq_rel};
constexpr Event sure_look_acquires{
    .bounded = false, .looks_surely = true, .look = rl::mo_acquire, .arrive = rl::mo_acq_rel};
constexpr Event sure_arrive_relaxed{.bounded = false, .looks_surely = true, .arrive = rl::mo_relaxed};
constexpr Event sure_hear_relaxed{
    .bounded = false, .looks_surely = true, .arrive = rl::mo_acq_rel, .hear = rl::mo_relaxed};

} // namespace

TEST_CASE("a missed notification costs at most one bounded sleep") {
    Ledger::most_overslept = 0;
    passes<Announcement<library, 2>>("event count, 1 sleeper");
    CHECK(Ledger::most_overslept == 1);
    passes<Announcement<library, 3>>("event count, 2 sleepers", {3});
    passes<Exchange<library, 1>>("event count, exchange, 1 operation", {5});
    passes<Exchange<library, 2>>("event count, exchange, 2 operations", {2});
}

// This is why sleeps are bounded: the publisher's look at the sleepers may come before its store has become
// visible, while the sleeper has already looked at the slot.
TEST_CASE("without a bound a missed notification is a hang") {
    caught<Announcement<unbounded, 2>>("event count, 1 sleeper, unbounded sleeps", rl::test_result_deadlock);
    caught<Exchange<unbounded, 1>>("event count, exchange, unbounded sleeps", rl::test_result_deadlock);
}

// The bound alone keeps waits alive, the slot alone orders the data: the event count's own orders decide only
// how often a notification is missed.
TEST_CASE("no hang whatever the event count's memory orders") {
    passes<Announcement<all_relaxed, 2>>("event count, 1 sleeper, relaxed");
    passes<Exchange<all_relaxed, 2>>("event count, exchange, 2 operations, relaxed", {2});
}

// A notification is missed only because the publisher looks for sleepers first. One who always rings misses
// nobody, thanks to the release in ring and the acquire in seen, and no sleep would need a bound. Sequential
// consistency in arrive has no partner, since publishers have no fence: nothing tells it from relaxed here
// (StdWaiters says what it is for).
TEST_CASE("a publisher who always rings misses nobody, thanks to the release and the acquire") {
    passes<Announcement<always, 2>>("event count, always notified, 1 sleeper, unbounded sleeps");
    passes<Announcement<always, 3>>("event count, always notified, 2 sleepers, unbounded sleeps", {4});
    passes<Exchange<always, 2>>("event count, always notified, exchange, unbounded sleeps", {2});
    passes<Announcement<always_arrive_relaxed, 2>>(
        "event count, always notified, arrive relaxed, unbounded sleeps");
    caught<Announcement<always_hear_relaxed, 2>>("event count, always notified, hear relaxed",
                                                 rl::test_result_deadlock);
    caught<Announcement<always_ring_relaxed, 2>>("event count, always notified, ring relaxed",
                                                 rl::test_result_deadlock);
}

// The two changes of one count have an order. If the publisher's comes first, the sleeper sees the published
// value; if the sleeper's does, the publisher wakes it.
TEST_CASE("a publisher who looks with a full barrier misses nobody") {
    passes<Announcement<sure, 2>>("sure event count, 1 sleeper, unbounded sleeps");
    passes<Announcement<sure, 3>>("sure event count, 2 sleepers, unbounded sleeps", {4});
    passes<Exchange<sure, 2>>("sure event count, exchange, unbounded sleeps", {2});
    caught<Announcement<sure_look_relaxed, 2>>("sure event count, look relaxed", rl::test_result_deadlock);
    caught<Announcement<sure_look_acquires, 2>>("sure event count, look without release",
                                                rl::test_result_deadlock);
    caught<Announcement<sure_arrive_relaxed, 2>>("sure event count, arrive relaxed",
                                                 rl::test_result_deadlock);
    caught<Announcement<sure_hear_relaxed, 2>>("sure event count, hear relaxed", rl::test_result_deadlock);
}

} // namespace tutti::model
