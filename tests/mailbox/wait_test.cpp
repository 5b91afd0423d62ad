// How a wait goes through its stages, on a CPU whose other users are played by the test.
#include "../test.hpp"
#include "mailbox/wait.hpp"
#include "played_system.hpp"

using namespace tutti::mailbox;

namespace {

constexpr long turn_ns = 3'000'000;

/// The thread that has the CPU when it is yielded.
enum class Other { nobody, process, member };

/// One CPU of which nothing is known. The test sets the time.
class OneCpu : public tutti::test::PlayedSystem {
public:
    Other other = Other::nobody;
    int yields = 0;
    long passed_ns = later_ns();
    /// How long ago the thread has yielded the CPU that comes to it now.
    long behind_ns = 0;

    void yield() override {
        ++yields;
        passed_ns += behind_ns != 0 || other == Other::nobody ? 0 : turn_ns;
        behind_ns = 0;
        used_ns_ += other == Other::member ? 100 * turn_ns : 0;
    }
    int cpu() override { return number; }
    long now_ns() override { return (passed_ns += look_at_clock_ns) - behind_ns; }
    long used_ns() override { return used_ns_; }

    void pass_until_all_spin() {
        constexpr long interval_ns = 128'000'000;
        passed_ns += interval_ns - passed_ns % interval_ns;
    }

    const int number = next_++;

private:
    static constexpr long look_at_clock_ns = 1'000;
    static inline int next_ = 500;
    long used_ns_ = later_ns();
};

constexpr WaitPolicy yields_first{.spin_ns = 0, .yield_ns = 200'000};
constexpr WaitPolicy spins_first{.spin_ns = 100'000, .yield_ns = 100'000};

/// Yields in a wait for nothing that is over when it would sleep.
int yields_in_wait(OneCpu& system, const WaitPolicy& wait_policy) {
    WaitHistory history;
    system.yields = 0;
    Backoff backoff(wait_policy, {history});
    while (system.yields == 0 && backoff.pass() != Backoff::Next::sleep) {
    }
    return system.yields;
}

/// How a wait begins that is over after `length_ns`.
struct Begun {
    bool spins;
    bool yields;
    bool sleeps;
};

Begun begin_wait(OneCpu& system, WaitHistory& history, long length_ns, const CpusInSight& cpus = {}) {
    const long since_ns = system.passed_ns;
    system.yields = 0;
    Backoff backoff(spins_first, {history, cpus});
    const Backoff::Next first = backoff.pass();
    const Begun begun{.spins = first == Backoff::Next::check && system.yields == 0,
                      .yields = system.yields != 0,
                      .sleeps = first == Backoff::Next::sleep};
    for (Backoff::Next next = first; system.passed_ns - since_ns < length_ns;) {
        system.passed_ns += next == Backoff::Next::sleep ? length_ns : 0;
        next = backoff.pass();
    }
    return begun;
}

/// Counts how often an event count is notified, and sees nothing.
class CountedNotifications {
public:
    static inline int notified = 0;

    std::uint32_t seen() const noexcept { return 0; }
    void notify() noexcept { ++notified; }
    void sleep(std::uint32_t /*seen*/, std::int64_t /*bound_ns*/) noexcept {}
};

} // namespace

TEST_CASE_TEMPLATE("a wait that ends by an exception leaves no sleeper for whom it notifies", Waiters,
                   StdWaiters, SureWaiters) {
    BasicEventCount<Waiters, CountedNotifications> event;
    const auto throws = []() -> bool { throw std::runtime_error("the group has failed"); };
    CountedNotifications::notified = 0;
    CHECK_THROWS_AS(event.sleep(throws, 1), std::runtime_error);
    event.notify_if_needed();
    CHECK(CountedNotifications::notified == 0);
}

TEST_CASE("a wait spins, then yields, then sleeps") {
    OneCpu system;
    CHECK(yields_in_wait(system, yields_first) == 1);
    CHECK(yields_in_wait(system, spins_first) == 1);
    CHECK(yields_in_wait(system, {}) == 0);
    WaitHistory history;
    Backoff spinning({.spin_ns = WaitPolicy::for_good_ns, .yield_ns = 0}, {history});
    bool slept = false;
    for (int i = 0; i < 10'000; ++i) {
        slept = slept || spinning.pass() == Backoff::Next::sleep;
    }
    CHECK_FALSE(slept);
}

TEST_CASE("a CPU that members use is yielded to them however long they take") {
    OneCpu system;
    system.other = Other::member;
    for (int i = 0; i < 10; ++i) {
        CHECK(yields_in_wait(system, yields_first) == 1);
    }
}

TEST_CASE("a CPU that other processes want is not yielded to them again and again") {
    OneCpu system;
    system.other = Other::process;
    int waits = 0;
    while (yields_in_wait(system, yields_first) == 1 && waits < 100) {
        ++waits;
    }
    CHECK(waits == 3);
    CHECK(yields_in_wait(system, spins_first) == 0);
    CHECK(yields_in_wait(system, {.spin_ns = 0, .yield_ns = WaitPolicy::for_good_ns}) == 1); // never sleeps

    const auto turns_until_yield = [&] {
        int turns = 0;
        for (; yields_in_wait(system, yields_first) == 0; ++turns) {
            system.passed_ns += turn_ns;
        }
        return turns;
    };
    const int first = turns_until_yield(); // it is tried again, in vain
    const int second = turns_until_yield();
    CHECK(first >= 30);
    CHECK(second == 2 * first);
    for (int i = 0; i < 20; ++i) {
        CHECK(turns_until_yield() * turn_ns <= 1'000'000'000 + turn_ns);
    }
    system.other = Other::nobody;
    turns_until_yield();
    // One more long turn is not enough after many waits that were short.
    for (int i = 0; i < 10'000; ++i) {
        yields_in_wait(system, yields_first);
    }
    system.other = Other::process;
    CHECK(yields_in_wait(system, yields_first) == 1);
    CHECK(yields_in_wait(system, yields_first) == 1);
}

TEST_CASE("threads that have yielded a CPU to the same turn of another process have lost it once") {
    OneCpu system;
    const auto lose_once = [&] {
        system.other = Other::process;
        for (int thread = 0; thread < 10; ++thread) {
            system.behind_ns = thread == 0 ? 0 : turn_ns;
            yields_in_wait(system, yields_first);
        }
        system.other = Other::nobody;
    };
    lose_once();
    CHECK(yields_in_wait(system, yields_first) == 1);
    for (int i = 0; i < 2; ++i) {
        system.passed_ns += turn_ns;
        lose_once();
    }
    CHECK(yields_in_wait(system, yields_first) == 0); // three times is often enough
}

TEST_CASE("a wait for a thread on the same CPU yields at once, unless that one is elsewhere by now") {
    OneCpu system;
    LastCpus cpus(3);
    WaitHistory history;
    CHECK(begin_wait(system, history, 10'000, cpus.of(0)).spins); // nobody has been seen anywhere
    CHECK(begin_wait(system, history, 10'000, cpus.of(0)).spins); // what it has shown itself does not count

    begin_wait(system, history, 0, cpus.of(1)); // another thread, on the same CPU
    system.other = Other::member;
    CHECK(begin_wait(system, history, 10'000, cpus.of(0, 2)).spins);
    CHECK(begin_wait(system, history, 10'000, cpus.of(0, 1)).yields);
    CHECK(history.shares_cpu());
    CHECK(eager_looks(spins_first, history) == 1);
    CHECK(begin_wait(system, history, 10'000, cpus.of(0)).yields);

    system.other = Other::nobody;
    CHECK(begin_wait(system, history, 10'000, cpus.of(0, 1)).yields);
    CHECK(system.yields == 1); // then it spins
    CHECK_FALSE(history.shares_cpu());
    CHECK(eager_looks(spins_first, history) > 1);

    OneCpu elsewhere;
    CHECK(begin_wait(elsewhere, history, 10'000, cpus.of(0, 1)).spins);
}

TEST_CASE("after three long waits a thread sleeps at once until one has been short") {
    OneCpu system;
    WaitHistory history;
    system.pass_until_all_spin();
    system.passed_ns += 5'000'000;
    for (int i = 0; i < 3; ++i) {
        CHECK(begin_wait(system, history, 5'000'000).spins);
    }
    CHECK(begin_wait(system, history, 5'000'000).sleeps);
    system.pass_until_all_spin();
    CHECK(begin_wait(system, history, 5'000'000).spins);
    system.pass_until_all_spin();
    system.passed_ns += 5'000'000;                     // that is over
    CHECK(begin_wait(system, history, 50'000).sleeps); // this one was short
    CHECK(begin_wait(system, history, 5'000'000).spins);
    CHECK(begin_wait(system, history, 5'000'000).spins);
    CHECK(begin_wait(system, history, 5'000'000).spins);
    CHECK(begin_wait(system, history, 5'000'000).sleeps);
}
