// Every allocation of every call fails in turn, alone and with all later ones, in every way of calling that
// members have.

#include "../famine.hpp"
#include "called.hpp"

namespace {

/// Whether this thread is in the call.
thread_local bool starves = false;

} // namespace

bool tutti::test::admits_allocation(Manner manner) noexcept {
    return !starves || famine.admits(manner);
}

namespace {

constexpr int members = 3;
using Ends = std::array<Outcome, members>;

/// Makes the call in a new group and lets allocations fail. A member that runs out of memory leaves.
Ends call_in_famine(const Way& way, const Called& called, long admitted, bool lasts) {
    Ends outcomes{};
    std::barrier meet(members);
    const auto ranks = way.make({.members = members});
    const auto run = [&](WayCaller& me) {
        OwnCall own(called, me.rank(), me.size());
        OwnCall own_barrier({.collective = Collective::barrier}, me.rank(), me.size());
        const WayCall call = own.call();
        const WayCall barrier = own_barrier.call();
        meet.arrive_and_wait();
        if (me.rank() == 0) {
            famine.begin(admitted, lasts);
        }
        meet.arrive_and_wait();
        Outcome& outcome = outcomes[static_cast<std::size_t>(me.rank())];
        std::exception_ptr thrown;
        outcome = outcome_of([&] {
            try {
                starves = true;
                me.begin(call)->wait();
                starves = false;
                me.begin(barrier)->wait(); // in which those learn of it that waited for nobody
            } catch (...) {
                starves = false;
                thrown = std::current_exception();
                throw;
            }
        });
        if (thrown != nullptr) { // the others are released by its end
            std::rethrow_exception(thrown);
        }
    };
    static_cast<void>(thrown_by([&] { ranks->run(run); }));
    famine.armed = false;
    // The call that was not prepared to the end.
    CHECK(thrown_by([&] {
              ranks->run([&](WayCaller& me) { check_thrown(thrown_by(me, called), Kind::nothing); });
          }).kind == Kind::nothing);
    return outcomes;
}

} // namespace

TEST_CASE("a member that runs out of memory in a call releases the others, in every way of calling") {
    for (const Way& way : all_ways()) {
        if (!way.abilities.calls_alone || way.is_async()) {
            continue;
        }
        for (const Collective collective : detail::all_collectives) {
            for (const std::size_t count : {std::size_t{1}, std::size_t{1000}}) {
                // The others prepare the same.
                if (reduced && way.name != "blocking" &&
                    (count == 1 || !detail::traits_of(collective).is_same_for_all())) {
                    continue;
                }
                const Called called{.collective = collective, .count = count, .in_place = false};
                call_in_famine(way, called, 0, false); // the text of a failure stays with its thread
                check_starved(
                    std::string(way.name) + ", " + std::string(to_string(collective)) + " of " +
                        std::to_string(count),
                    [&](long admitted, bool lasts) { return call_in_famine(way, called, admitted, lasts); });
            }
        }
    }
}
