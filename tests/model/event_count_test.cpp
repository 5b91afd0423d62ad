#include "explore.hpp"
#include "mailbox/event_count.hpp"
#include "mailbox/slot.hpp"
#include "mailbox/wait.hpp"
#include "model_word.hpp"

namespace tutti::model {

namespace {

/// The variations of a test of the event count.
struct Event {
    /// Whether a sleep ends by itself.
    bool bounded = true;
    /// Whether a publisher rings without looking for sleepers first, which the library does not.
    bool always_rings = false;
    /// Whether it looks for them with a full barrier, as mailbox::SureWaiters does.
    bool looks_surely = false;
    rl::memory_order look = rl::mo_acq_rel;
    rl::memory_order arrive = rl::mo_seq_cst;
    rl::memory_order hear = rl::mo_acquire;
    rl::memory_order ring = rl::mo_release;
};

/// A member's current wait.
struct Awaited {
    int peer = 0;
    std::uint64_t epoch = 0;
    /// The bounded sleeps slept to the end although what it waits for was there.
    int overslept = 0;
};

/// The published and awaited values of the members, kept beside the model: it has no part in it.
struct Ledger {
    static inline std::uint64_t published[3];
    static inline Awaited awaited[3];
    /// The most that any wait overslept in any execution.
    static inline int most_overslept;

    static void woke_by_itself(int member) {
        Awaited& wait = awaited[member];
        if (published[wait.peer] >= wait.epoch) {
            wait.overslept += 1;
        }
    }
};

/// mailbox::StdWaiters under relacy, or SureWaiters.
template <Event event>
class ModelWaiters {
public:
    void arrive() noexcept { count_.fetch_add(1, event.arrive, RL_INFO); }
    void leave() noexcept { count_.fetch_sub(1, rl::mo_relaxed, RL_INFO); }
    bool any() noexcept {
        return event.always_rings || (event.looks_surely ? count_.fetch_add(0, event.look, RL_INFO)
                                                         : count_.load(rl::mo_relaxed, RL_INFO)) != 0;
    }

private:
    rl::atomic<std::uint32_t> count_{0};
};

/// mailbox::FutexCounter under relacy. The kernel compares the latest count and puts the caller to sleep in
/// one step, and wakes all that sleep in one step. A bounded sleep that nobody ends goes on for any time in
/// which the others get on, as a millisecond is.
template <Event event>
class ModelCounter {
public:
    std::uint32_t seen() const noexcept { return counter_.load(event.hear, RL_INFO); }

    void notify() noexcept {
        counter_.fetch_add(1, event.ring, RL_INFO);
        rl::ctx().sched();
        for (rl::thread_id_t member = 0; asleep_ != 0; ++member) {
            const unsigned bit = 1U << static_cast<unsigned>(member);
            if ((asleep_ & bit) != 0 && !event.bounded) {
                rl::ctx().unpark_thread(member, false, RL_INFO);
            }
            asleep_ &= ~bit;
        }
    }

    void sleep(std::uint32_t seen, std::int64_t) noexcept {
        rl::ctx().sched();
        if (counter_.debug_value() != seen) {
            rl::yield(1, RL_INFO);
            return;
        }
        const rl::thread_id_t member = rl::ctx().current_thread();
        const unsigned bit = 1U << static_cast<unsigned>(member);
        asleep_ |= bit;
        if (event.bounded) {
            rl::yield(1, RL_INFO);
        } else {
            rl::ctx().park_current_thread(false, false, false, RL_INFO);
        }
        if ((asleep_ & bit) != 0) {
            asleep_ &= ~bit;
            Ledger::woke_by_itself(member);
        }
    }

private:
    rl::atomic<std::uint32_t> counter_{0};
    unsigned asleep_ = 0;
};

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

constexpr Event unbounded{.bounded = false};
constexpr Event all_relaxed{.arrive = rl::mo_relaxed, .hear = rl::mo_relaxed, .ring = rl::mo_relaxed};
constexpr Event always{.bounded = false, .always_rings = true};
constexpr Event sure{.bounded = false, .looks_surely = true, .arrive = rl::mo_acq_rel};

} // namespace

TEST_CASE("a missed notification costs at most one bounded sleep") {
    Ledger::most_overslept = 0;
    passes<Announcement<Event{}, 2>>();
    CHECK(Ledger::most_overslept == 1);
    passes<Announcement<Event{}, 3>>({3});
    passes<Exchange<Event{}, 1>>({5});
    passes<Exchange<Event{}, 2>>({2});
}

// This is why sleeps are bounded: the publisher's look at the sleepers may come before its store has become
// visible, while the sleeper has already looked at the slot.
TEST_CASE("without a bound a missed notification is a hang") {
    caught<Announcement<unbounded, 2>>(hang);
    caught<Exchange<unbounded, 1>>(hang);
}

// The bound alone keeps waits alive, the slot alone orders the data: the event count's own orders decide only
// how often a notification is missed.
TEST_CASE("no hang whatever the event count's memory orders") {
    passes<Announcement<all_relaxed, 2>>();
    passes<Exchange<all_relaxed, 2>>({2});
}

// A notification is missed only because the publisher looks for sleepers first. One who always rings misses
// nobody, thanks to the release in ring and the acquire in seen, and no sleep would need a bound. Sequential
// consistency in arrive has no partner, since publishers have no fence: nothing tells it from relaxed here
// (StdWaiters says what it is for).
TEST_CASE("a publisher who always rings misses nobody, thanks to the release and the acquire") {
    passes<Announcement<always, 2>>();
    passes<Announcement<always, 3>>({4});
    passes<Exchange<always, 2>>({2});
    passes<Announcement<Event{.bounded = false, .always_rings = true, .arrive = rl::mo_relaxed}, 2>>();
    caught<Announcement<Event{.bounded = false, .always_rings = true, .hear = rl::mo_relaxed}, 2>>(hang);
    caught<Announcement<Event{.bounded = false, .always_rings = true, .ring = rl::mo_relaxed}, 2>>(hang);
}

// The two changes of one count have an order. If the publisher's comes first, the sleeper sees the published
// value; if the sleeper's does, the publisher wakes it.
TEST_CASE("a publisher who looks with a full barrier misses nobody") {
    passes<Announcement<sure, 2>>();
    passes<Announcement<sure, 3>>({4});
    passes<Exchange<sure, 2>>({2});
    caught<Announcement<
        Event{.bounded = false, .looks_surely = true, .look = rl::mo_relaxed, .arrive = rl::mo_acq_rel}, 2>>(
        hang);
    caught<Announcement<
        Event{.bounded = false, .looks_surely = true, .look = rl::mo_acquire, .arrive = rl::mo_acq_rel}, 2>>(
        hang);
    caught<Announcement<Event{.bounded = false, .looks_surely = true, .arrive = rl::mo_relaxed}, 2>>(hang);
    caught<Announcement<
        Event{.bounded = false, .looks_surely = true, .arrive = rl::mo_acq_rel, .hear = rl::mo_relaxed}, 2>>(
        hang);
}

} // namespace tutti::model
