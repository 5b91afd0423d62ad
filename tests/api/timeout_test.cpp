// How long calls may wait: who says so, and what counts.

#include "../fast_clock.hpp"
#include "support.hpp"

namespace {

constexpr std::int64_t kept(Timeout timeout) {
    return timeout.value_or(-7ms).count();
}

template <class Number>
constexpr std::chrono::duration<Number> seconds(Number count) {
    return std::chrono::duration<Number>(count);
}

using Limits = std::numeric_limits<double>;
using Milliseconds = std::numeric_limits<std::chrono::milliseconds::rep>;

static_assert(std::is_trivially_copyable_v<Timeout> && sizeof(Timeout) == 8);
static_assert(std::is_convertible_v<std::chrono::duration<float, std::ratio<1, 3>>, Timeout>);
static_assert(!std::is_convertible_v<int, Timeout> && !std::is_convertible_v<double, Timeout>);
static_assert(std::is_aggregate_v<Options> && std::is_aggregate_v<GroupOptions>);

static_assert(!Timeout().has_value() && !Timeout() && Timeout(0s) && Timeout(0s).has_value());
static_assert(kept({}) == -7 && kept(5s) == 5000 && kept(1.5s) == 1500 && kept(1min) == 60'000);
static_assert(kept(250us) == 1 && kept(1ns) == 1 && kept(1'000'001ns) == 2 && kept(2'000'000ns) == 2);
static_assert(kept(std::chrono::nanoseconds::max()) == 9'223'372'036'855);
// Not a millisecond more than is written, whatever the binary fraction.
static_assert(kept(0.1s) == 100 && kept(0.035s) == 35 && kept(seconds(0.3F)) == 300 && kept(0.0005s) == 1);
static_assert(kept(never) == Milliseconds::max() && kept(std::chrono::hours::max()) == Milliseconds::max());
static_assert(kept(seconds(1e300)) == Milliseconds::max() &&
              kept(seconds(Limits::infinity())) == kept(never));
static_assert(kept(never - 1ms) == Milliseconds::max() - 1);
static_assert(kept(std::chrono::duration<std::uint64_t>(~std::uint64_t{0})) == Milliseconds::max());
static_assert(kept(0s) == 0 && kept(-1ms) == -1 && kept(-250us) == -1 && kept(-1.5s) == -1500);
static_assert(kept(std::chrono::milliseconds::min()) == Milliseconds::min());
static_assert(kept(std::chrono::hours::min()) == Milliseconds::min());

static_assert(Timeout(5s) == Timeout(5000ms) && Timeout(5s) == 5s && Timeout(5s) != Timeout());
static_assert(Timeout() == Timeout() && Timeout() != 0s && Timeout(never) == never);

/// A barrier to which member 1 is late by more than the short timeouts of these tests.
void barrier_after_100_ms(Member& me) {
    if (me.rank() == 1) {
        test::sleep_for(100ms);
    }
    me.barrier();
}

/// The sentences that a call and a group end with that have this timeout.
std::vector<std::string> refusals(Member& me, Timeout timeout) {
    return {thrown_by([&] { me.barrier({.timeout = timeout}); }).text,
            thrown_by([&] { me.start.barrier({.timeout = timeout}).wait(); }).text,
            thrown_by([&] { Group group(2, {.timeout = timeout}); }).text,
            thrown_by([&] { Group group(2, {.join_timeout = timeout}); }).text};
}

} // namespace

TEST_CASE("a member that waits for long logs once which members are late, unless its group does not") {
    std::vector<std::string> logged;
    set_log([&](Severity severity, std::string_view text) {
        CHECK(severity == Severity::warning);
        logged.emplace_back(text);
    });
    const auto wait_for_late_members = [](Timeout report_after, bool starts = false) {
        Group group(2, {.report_after = report_after});
        const test::FastClock clock(20);
        on_threads(2, [&](int rank) {
            Member me = group.join(rank);
            for (int call = 0; call < 2; ++call) {
                if (rank == 1) {
                    test::sleep_for(2s);
                }
                starts ? me.start.barrier().wait() : me.barrier();
            }
        });
    };
    wait_for_late_members({}); // a minute
    wait_for_late_members(never);
    CHECK(logged.empty());
    wait_for_late_members(1s);
    wait_for_late_members(1s, true);
    set_log({});
    REQUIRE(logged.size() == 2);
    for (const std::string& text : logged) {
        check_mentions(text, {"member 0 has waited 1 s in", "barrier", "at last for member 1"});
    }
}

TEST_CASE("a timeout that is not positive is reported as it was given") {
    CHECK(kept(seconds(Limits::quiet_NaN())) == 0); // no constant for clang
    const std::vector<std::pair<Timeout, std::string>> wrong{
        {0s, "0 ms"},
        {-1ms, "-1 ms"},
        {-1.5s, "-1500 ms"},
        {-250us, "-1 ms"},
        {std::chrono::milliseconds::min(), "-9223372036854775808 ms"},
        {seconds(Limits::quiet_NaN()), "not a number"}};
    run_members(1, [&](Member& me) {
        for (const auto& [timeout, text] : wrong) {
            const std::vector<std::string> all = refusals(me, timeout);
            CHECK(mentions(all[2], "GroupOptions::timeout is"));
            CHECK(mentions(all[3], "GroupOptions::join_timeout is"));
            check_rejected("GroupOptions::report_after is",
                           [after = timeout] { Group group(2, {.report_after = after}); });
            for (const std::string& refusal : all) {
                INFO(refusal);
                CHECK(refusal.ends_with("timeout" + std::string(refusal.starts_with("barrier") ? "`" : "") +
                                        " is " + text +
                                        ", must be positive, or never (tutti::never, TUTTI_NEVER)"));
            }
        }
        me.barrier({.timeout = 1.5s});
        me.barrier({.timeout = 250us});
    });
}

TEST_CASE("who tests now and then is told as well") {
    constexpr int most_tests = 12; // of 30 ms each, and of 100 ms that count at most
    const FastClock clock(4);
    Team team(2, {.placement = Placement::none, .group = {.timeout = 100ms}});
    int tests = 0;
    const Ended outcome = late_member(team, 1, [&](Member& me) {
        Request request = me.start.barrier();
        while (!request.test()) {
            tests += me.rank() == 0 ? 1 : 0;
            test::sleep_for(30ms);
        }
    });
    CHECK(outcome.run.kind == Kind::timeout);
    CHECK(tests < most_tests);
}

TEST_CASE("timeouts of members may differ, and the longest never ends a wait") {
    run_members(2, [](Member& me) {
        me.rank() == 0 ? void() : std::this_thread::sleep_for(20ms);
        me.barrier({.timeout = never - 1ms});
        CHECK(me.allreduce(1, sum, {.timeout = 60s + 1ms * me.rank()}) == 2);
    });
}

TEST_CASE("TUTTI_TIMEOUT counts where the options say nothing") {
    const FastClock clock(4);
    setenv("TUTTI_TIMEOUT", "0.03", 1);
    Team short_one(2, {.placement = Placement::none});
    Team own(2, {.placement = Placement::none, .group = {.timeout = 60s}});
    for (const char* text : {"soon", "-1", "0", "0.0", "1s", "nan", "inf", "never ", "", ".", "5.", ".5"}) {
        setenv("TUTTI_TIMEOUT", text, 1);
        CHECK(thrown_by([] { Group group(2); }).kind == Kind::nothing); // it is ignored
    }
    for (const char* text : {" 0.03", "0.03 ", "+0.03", "3e-2", "0x0.08", ".03", "0.03f", "0.0.3", "0,03"}) {
        INFO(text);
        setenv("TUTTI_TIMEOUT", text, 1);
        Team patient(2, {.placement = Placement::none});
        CHECK(thrown_by([&] { patient.run(barrier_after_100_ms); }).kind == Kind::nothing);
    }
    setenv("TUTTI_TIMEOUT", "never", 1);
    CHECK(Group(2).size() == 2);
    unsetenv("TUTTI_TIMEOUT");
    const Ended outcome = late_member(short_one, 1, [](Member& me) { me.barrier(); });
    check_thrown(outcome.run, Kind::timeout, {"has waited 30 ms"});
    CHECK(thrown_by([&] { own.run(barrier_after_100_ms); }).kind == Kind::nothing);
}

TEST_CASE("the timeout of a group and of a team can be changed") {
    Team team(2, {.placement = Placement::none});
    const FastClock clock(4);
    const auto waits_in_vain = [&] {
        return thrown_by([&] {
            team.run([](Member& me) {
                me.rank() == 0 ? void() : test::sleep_for(300ms);
                me.barrier();
            });
        });
    };
    CHECK(waits_in_vain().kind == Kind::nothing);
    team.set_timeout(30ms);
    const Thrown late = waits_in_vain();
    check_thrown(late, Kind::timeout, {"has waited 30 ms"});
    team.set_timeout(never);
    CHECK(waits_in_vain().kind == Kind::nothing);

    Group group(1, {.timeout = 5s});
    const Thrown refused = thrown_by([&] { group.set_timeout(0ms); });
    check_thrown(refused, Kind::argument, {"set_timeout: `timeout`"});
}

TEST_CASE("groups that are made of others begin with the timeout that these have then") {
    Group group(2);
    group.set_timeout(1s);
    const FastClock clock(20);
    std::atomic<bool> is_over{false};
    run_threads(group, 2, [&](Member& me) {
        Member copy = me.dup();
        me.barrier({.timeout = 60s});
        group.set_timeout(10s);
        if (me.rank() == 1) {
            await(is_over, true);
        }
        const Thrown thrown = thrown_by([&] { copy.barrier(); });
        is_over = true;
        CHECK((me.rank() == 1 || thrown.kind == Kind::timeout));
    });
}
