// Every allocation of every call and of what makes groups fails in turn: alone, and with all that come after.

#include "../famine.hpp"
#include "../reference/each.hpp"
#include "support.hpp"

bool tutti::test::admits_allocation(Manner manner) noexcept {
    return famine.admits(manner);
}

namespace {

constexpr int members = 4;
using Ends = std::array<Outcome, members>;

/// One member's vectors, made while there is memory.
struct Buffers : Operands<double> {
    std::vector<std::size_t> counts;
    std::vector<double>& common;
    Buffers(std::size_t elements, std::vector<double>& common_to_all)
        : Operands<double>(members, elements), counts(members, elements), common(common_to_all) {}
};

struct Scenario {
    std::string name;
    std::size_t elements;
    std::function<void(Member&, Buffers&)> part;
    /// The member has made the call before, with a tenth of the elements, so that it has been prepared, and
    /// allocations for longer vectors fail.
    bool grows = false;
};

/// Calls of other kinds than those of tests/ways.
std::vector<Scenario> scenarios() {
    std::vector<Scenario> made{
        {"serial allreduce", 100,
         [](Member& me, Buffers& my) { me.allreduce(my.all, my.all_out, sum, {.order = Order::serial}); }},
        {"shared allreduce", 100,
         [](Member& me, Buffers& my) { me.allreduce(my.all, shared(my.common), sum); }},
        {"irregular reduce_scatter", 100,
         [](Member& me, Buffers& my) {
             me.reduce_scatter(my.all, my.one, Counts(std::span(my.counts)), sum);
         }},
        {"alltoall in place, with a copy that grows", 10'000,
         [](Member& me, Buffers& my) { me.alltoall(my.all); }, true},
        {"allreduce with scratch that grows", 10'000,
         [](Member& me, Buffers& my) { me.allreduce(my.all, sum, {.algorithm = "circulant"}); }, true},
        {"irregular alltoall", 100,
         [](Member& me, Buffers& my) {
             me.alltoall(my.all, Counts(std::span(my.counts)), my.all_out, Counts(std::span(my.counts)));
         }},
        {"started allreduces", 100,
         [](Member& me, Buffers& my) {
             Request small = me.start.allreduce(my.one, Least{});
             Request large = me.start.allreduce(my.all, my.all_out, sum);
             large.wait();
             small.wait();
         }},
        {"duplicate of a part", 1, [](Member& me, Buffers& my) {
             std::optional<Member> part =
                 me.split(me.rank() == 3 ? std::nullopt : std::optional(0), -me.rank());
             if (part) {
                 part->dup().allreduce(my.one, sum);
             }
         }}};
    const auto add = [&](Collective collective, std::size_t elements, std::string_view algorithm) {
        made.push_back({std::string(to_string(collective)) + " " + std::string(algorithm), elements,
                        [=](Member& me, Buffers& my) {
                            call(me, collective, my, sum, 1, 3, {.algorithm = algorithm});
                        }});
    };
    add(Collective::barrier, 1, "dissemination");
    add(Collective::broadcast, 1000, "tree");
    return made;
}

/// Runs the scenario in a new group and lets allocations fail. A member that runs out of memory leaves.
Ends run_scenario(Team& team, const Scenario& scenario, long admitted, bool lasts) {
    Group group(members);
    std::vector<double> common(scenario.elements * members);
    Ends outcomes{};
    std::barrier meet(members);
    team.run([&](Member& helper) {
        const int rank = helper.rank();
        Buffers mine(scenario.elements, common);
        std::optional<Member> me = group.join(rank); // what a thread's first join asks for it can do without
        if (scenario.grows) {
            Buffers few(scenario.elements / 10, common);
            scenario.part(*me, few);
        } else {
            me.reset();
        }
        meet.arrive_and_wait();
        if (rank == 0) {
            famine.begin(admitted, lasts);
        }
        meet.arrive_and_wait();
        outcomes[static_cast<std::size_t>(rank)] = outcome_of([&] {
            Member own = me ? std::move(*me) : group.join(rank);
            scenario.part(own, mine);
            own.barrier();
        });
        meet.arrive_and_wait();
        famine.armed = false;
    });
    if (famine.refused != 0) { // the group has failed
        group = Group(members);
    }
    CHECK(on_all(team, [&](Member& helper) {
        Member me = group.join(helper.rank());
        Buffers mine(scenario.elements, common);
        scenario.part(me, mine); // the call that was not prepared to the end
        return me.allreduce(1, sum) == members;
    }));
    return outcomes;
}

/// Calls `make` while allocations fail, one after the other.
template <class Make>
void check_construction(Make make) {
    make();
    while_refused([&](long admitted, bool lasts) {
        INFO("admitted ", admitted, std::string(lasts ? ", then none" : ""));
        const long before = live_blocks;
        famine.begin(admitted, lasts);
        const Outcome outcome = outcome_of(make);
        famine.armed = false;
        const bool refused = famine.refused > 0;
        // A thread that has no memory to say why it is not pinned serves all the same.
        CHECK((outcome == Outcome::good || (refused && outcome == Outcome::out_of_memory)));
        CHECK(live_blocks == before);
        return refused;
    });
}

} // namespace

TEST_CASE("a member that runs out of memory in a call releases the others") {
    Team team(members, {.placement = Placement::none});
    for (const Scenario& scenario : scenarios()) {
        check_starved(scenario.name, [&](long admitted, bool lasts) {
            return run_scenario(team, scenario, admitted, lasts);
        });
    }
}

TEST_CASE("a team or group that cannot be made leaves nothing behind") {
    check_construction([] { const Team team(3, {.placement = Placement::none}); });
    check_construction([] { const Team pinned(2); });
    check_construction([] { const Group group(3); });
}

TEST_CASE("first group of a process" * doctest::skip()) {
    famine.begin(std::atol(std::getenv("TUTTI_ADMITTED")), false);
    const Outcome outcome = outcome_of([] { const Group group(3); });
    famine.armed = false;
    CHECK((outcome == Outcome::good || outcome == Outcome::out_of_memory));
}

TEST_CASE("nor does the first group of a process, which looks at the machine, end it") {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    for (int admitted = 0; admitted < 160; admitted += reduced ? 13 : 1) {
        CAPTURE(admitted);
        CHECK(std::system(("TUTTI_ADMITTED=" + std::to_string(admitted) + " '" + self +
                           "' --no-skip --test-case='first group of a process' > /dev/null")
                              .c_str()) == 0);
    }
}

TEST_CASE("without any memory the others learn what failed all the same") {
    Team team(members, {.placement = Placement::none});
    Group group(members);
    const std::exception_ptr cause = std::make_exception_ptr(std::domain_error("no more data"));
    std::array<std::array<char, 128>, members> texts{};
    std::barrier meet(members);
    team.run([&](Member& helper) {
        const auto rank = static_cast<std::size_t>(helper.rank());
        group.run(helper.rank(), [](Member& me) { me.barrier(); }); // prepared, it allocates nothing
        meet.arrive_and_wait();
        famine.begin(0, true);
        try {
            group.run(helper.rank(), [&](Member& me) {
                if (rank == 1) {
                    std::rethrow_exception(cause);
                }
                for (;;) {
                    std::this_thread::yield();
                    me.barrier();
                }
            });
        } catch (const std::exception& error) {
            std::strncpy(texts[rank].data(), error.what(), texts[rank].size() - 1);
        }
        meet.arrive_and_wait();
        famine.armed = false;
    });
    for (std::size_t rank = 0; rank < members; ++rank) {
        const std::string text = texts[rank].data();
        INFO(text);
        CHECK((text == (rank == 1 ? "no more data" : "released because member 1 failed: no more data") ||
               text == "std::bad_alloc"));
    }
}
