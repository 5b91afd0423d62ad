// A rank that comes late, in every way of calling.

#include "../fast_clock.hpp"
#include "called.hpp"

namespace {

/// A call in which some rank waits for `late`.
Called called(Collective collective, std::size_t count, int late, int members) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    const int root = traits.input.others == detail::Part::none ? late : (late + 1) % members;
    return {.collective = collective,
            .count = count,
            .in_place = false,
            .root = traits.is_rooted()      ? root
                    : traits.takes_number() ? 1
                                            : 0};
}

/// The last rank, unless nobody waits for that.
int late_rank(Collective collective, int members) {
    return detail::traits_of(collective).is_prefix() ? 0 : members - 1;
}

struct Late {
    std::vector<Thrown> ranks;
    Thrown run;
    int count(Kind kind) const { return static_cast<int>(std::ranges::count(ranks, kind, &Thrown::kind)); }
};

bool has_waited(const Way& way, const std::string& text, std::chrono::milliseconds timeout) {
    const std::string before = "has waited ";
    const std::size_t at = text.find(before);
    if (at == std::string::npos || !mentions(text, " ms in")) {
        return false;
    }
    const std::chrono::milliseconds waited(std::atol(text.c_str() + at + before.size()));
    return waited >= timeout && waited <= timeout + way.abilities.extra_wait;
}

/// The call of all ranks, of which `late` comes when all others have been told.
Late call_late(Ranks& ranks, const Called& called, int late, Timeout timeout = {}) {
    Late told{std::vector<Thrown>(static_cast<std::size_t>(ranks.size())), {}};
    std::atomic<int>& ended = ranks.common();
    told.run = thrown_by([&] {
        ranks.run([&](WayCaller& me) {
            while (me.rank() == late && ended < ranks.size() - 1) {
                std::this_thread::yield();
            }
            Thrown& thrown = told.ranks[static_cast<std::size_t>(me.rank())];
            thrown = thrown_by(me, called, timeout);
            ++ended;
            if (me.rank() == late && thrown.kind == Kind::nothing) { // it has had nothing to wait for
                thrown = thrown_by(me, {.collective = Collective::barrier});
            }
        });
    });
    share(ranks, told.ranks);
    return told;
}

} // namespace

TEST_CASE(
    "a rank that waits for a late one is told where that is, in every collective, and so is the late one") {
    for (const Way& way : all_ways()) {
        for (const int members : reduced ? std::vector{2, 3} : std::vector{2, 3, 5, 9}) {
            if (!way.abilities.calls_alone) {
                continue;
            }
            const auto ranks = way.make(with_timeout(members, 20ms));
            std::optional<FastClock> clock(4);
            for (const Collective collective : detail::all_collectives) {
                for (const std::size_t n : {std::size_t{1}, std::size_t{20'000}}) {
                    const int late = late_rank(collective, members);
                    const Late told = call_late(*ranks, called(collective, n, late, members), late);
                    const Thrown& of_first = told.ranks[late == 0 ? 1 : 0];
                    const bool is_run_told = !way.is_async() && way.abilities.run_reports_all;
                    const std::string text = is_run_told ? told.run.text : of_first.text;
                    INFO(way.name, ", ", members, " members, ", to_string(collective), " of ", n, ": ", text);
                    CHECK(has_waited(way, text, 20ms));
                    // In a process of two ranks, the other one may be the first that has waited for long
                    // enough.
                    const std::string of_late =
                        way.abilities.in_one_process
                            ? (way.is_async() ? "rank " : "member ") + std::to_string(late) + " has "
                            : "process " + std::to_string(std::min(late, 1)) +
                                  ": it has ended, hangs, or is late";
                    CHECK(((!way.abilities.in_one_process && members > 2) || mentions(text, of_late)));
                    CHECK(told.ranks[static_cast<std::size_t>(late)].kind == Kind::timeout);
                    const int timeouts = told.count(Kind::timeout);
                    CHECK(timeouts >= 2);
                    CHECK(timeouts + told.count(Kind::nothing) == members);
                    CHECK(told.run.kind == (is_run_told ? Kind::timeout : Kind::nothing));
                }
            }
            clock.reset();
            const Late again = call_late(*ranks, called(Collective::allreduce, 1, 0, members), -1, 60s);
            CHECK(again.count(Kind::nothing) == members);
        }
    }
}

TEST_CASE("a call may have a timeout of its own, and a wrong one is an argument error") {
    for (const Way& way : all_ways()) {
        if (!way.abilities.calls_alone) {
            continue;
        }
        INFO(way.name);
        const Called barrier{.collective = Collective::barrier};
        const auto patient = way.make(with_timeout(2, 60s));
        std::optional<FastClock> clock(4);
        for (const auto timeout : {50ms, 200ms}) {
            const Late told = call_late(*patient, barrier, 1, timeout);
            CHECK(told.count(Kind::timeout) == 2);
            CHECK(has_waited(way, told.ranks[0].text, timeout));
            CHECK(mentions(told.ranks[0].text, "operation 1, barrier"));
        }
        clock.reset();
        CHECK(call_late(*patient, barrier, -1, 60.5s).count(Kind::nothing) == 2);
        const Late wrong = call_late(*patient, barrier, -1, -5ms);
        CHECK(wrong.count(Kind::argument) == 2);
        CHECK(
            mentions(wrong.ranks[0].text, "barrier: `options.timeout` is -5 ms, must be positive, or never"));
        // A call that may wait for ever is not ended by the timeout of its group.
        const auto hasty = way.make(with_timeout(2, 30ms));
        clock.emplace(4);
        std::atomic<bool> right{true};
        hasty->run([&](WayCaller& me) {
            if (me.rank() == 1) {
                test::sleep_for(90ms);
            }
            right = thrown_by(me, barrier, never).kind == Kind::nothing && right;
        });
        CHECK(right);
    }
}
