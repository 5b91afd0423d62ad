// Members that move, that are divided by the machine, and that fail by their own wish; the functions that
// teams and groups run, and where teams are placed.

#include "machine/files.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"
#include "support.hpp"

#include <tutti/placement.hpp>

static_assert(std::is_nothrow_move_assignable_v<Member>);
static_assert(!std::is_copy_assignable_v<Start> && !std::is_copy_assignable_v<Prepare>);
static_assert(noexcept(std::declval<const Member&>().rank()));
static_assert(noexcept(std::declval<const Member&>().size()));
static_assert(noexcept(std::declval<const Member&>().cpu()));
static_assert(noexcept(std::declval<const Team&>().size()));
static_assert(noexcept(std::declval<const Group&>().size()));

namespace {

void do_nothing(Member& /*me*/) {}
int size_of(const Member& me) {
    return me.size();
}

/// Neither copyable nor made from nothing.
struct Ticket {
    explicit Ticket(int given) : number(std::make_unique<int>(given)) {}
    std::unique_ptr<int> number;
};

/// The machine that hwloc has been told to describe, or this one.
machine::Machine described() {
    const char* const synthetic = std::getenv("HWLOC_SYNTHETIC");
    return synthetic != nullptr ? machine::from_synthetic(synthetic) : machine::here();
}

} // namespace

TEST_CASE("a member that is assigned to leaves its group first") {
    Group one(1);
    Group other(1);
    Member a = one.join(0);
    Member b = other.join(0);
    CHECK(thrown_by([&] { a = one.join(0); }).kind == Kind::argument); // it has not left yet
    a = std::move(b);
    const Member again = one.join(0);
    CHECK(thrown_by([&] { const Member second = other.join(0); }).kind == Kind::argument);
    Member& itself = a;
    a = std::move(itself);
    a.barrier();
    CHECK(thrown_by([&] { const Member second = other.join(0); }).kind == Kind::argument);
}

TEST_CASE("a member that was assigned makes all calls in its new group") {
    Team team(4, {.placement = Placement::none});
    CHECK(on_all(team, [](Member& me) {
        std::optional<Member> part;
        part = me.split(me.rank(), 0);              // alone
        part = me.split(me.rank() / 2, -me.rank()); // into an engaged optional
        Member all = me.dup();
        std::swap(*part, all);
        bool is_good = part->size() == 4 && part->rank() == me.rank() && part->start.size() == 4 &&
                       all.size() == 2 && all.rank() == 1 - me.rank() % 2 && all.prepare.rank() == all.rank();
        for (Member* const group : {&*part, &all}) {
            const int members = group == &all ? 2 : 4;
            const int one = 1;
            int sums[3] = {};
            sums[0] = group->allreduce(one, sum);
            group->start.allreduce(one, sums[1], sum).wait();
            Persistent step = group->prepare.allreduce(one, sums[2], sum);
            step.start();
            step.wait();
            is_good = is_good && sums[0] == members && sums[1] == members && sums[2] == members;
        }
        return is_good;
    }));
    check_usable(team);
}

TEST_CASE("a member that gives up releases the others with its text, and its run throws that") {
    for (const bool is_in_group : {false, true}) {
        Team team(3, {.placement = Placement::none});
        Group group(3);
        const auto part = [](Member& me) {
            me.barrier(); // which may not have ended everywhere when the member gives up
            me.rank() == 1 ? me.abort("no bread left") : void();
            me.barrier();
        };
        const Ended ended =
            run(team, [&](Member& me) { is_in_group ? group.run(me.rank(), part) : part(me); });
        for (const int rank : {0, 2}) {
            check_thrown(ended.each.of(rank), Kind::aborted, {"no bread left"});
        }
        check_thrown(ended.each.of(1), is_in_group ? Kind::error : Kind::aborted, {"no bread left"});
        CHECK(ended.run.kind == Kind::error);
        CHECK(ended.run.text == "no bread left");
        check_usable(team);
    }
}

TEST_CASE("an abort without a text has one that names it, however the function ends") {
    for (const bool throws_then : {false, true}) {
        const auto part = [&](Member& me) {
            me.abort("");
            if (throws_then) {
                me.barrier(); // throws Aborted
            }
            return me.rank();
        };
        Team team(1, {.placement = Placement::none});
        Group group(1);
        for (const Thrown& thrown :
             {thrown_by([&] { team.run(part); }), thrown_by([&] { group.run(0, part); })}) {
            CHECK(thrown.kind == Kind::error);
            CHECK(thrown.text == "abort() was called without a text");
        }
        CHECK(thrown_by([&] { group.run(0, part); }).kind == Kind::aborted);
    }
}

// Also run with machines that hwloc is told to describe: see CMakeLists.txt.
TEST_CASE("a split by level makes one group of each part of the machine") {
    const machine::Machine machine = described();
    const std::vector<int> allowed = machine::here().os_indices();
    Team team(static_cast<int>(allowed.size()) + 1, {.placement = Placement::cpus(allowed)});
    const std::vector<int> cpus = team.cpus();
    REQUIRE(std::ranges::find(cpus, -1) == cpus.end());
    CHECK(team.run([](Member& me) { return me.cpu(); }) == cpus);
    const std::pair<Level, int machine::Pu::*> levels[] = {{Level::socket, &machine::Pu::package},
                                                           {Level::numa_node, &machine::Pu::numa},
                                                           {Level::l3, &machine::Pu::l3},
                                                           {Level::l2, &machine::Pu::l2},
                                                           {Level::core, &machine::Pu::core}};
    for (const auto& each : levels) {
        const auto part_of = [&](int rank) {
            const auto pu =
                std::ranges::find(machine.pus, cpus[static_cast<std::size_t>(rank)], &machine::Pu::os_index);
            return pu == machine.pus.end() ? -1 : (*pu).*each.second;
        };
        const auto mates = team.run([&](Member& me) {
            Member part = me.split(each.first);
            std::vector<int> ranks(static_cast<std::size_t>(part.size()));
            part.allgather(me.rank(), ranks);
            return ranks;
        });
        for (int rank = 0; rank < team.size(); ++rank) {
            std::vector<int> expected;
            for (int other = 0; other < team.size(); ++other) {
                if (part_of(other) == part_of(rank)) {
                    expected.push_back(other);
                }
            }
            INFO("level ", static_cast<int>(each.first), ", member ", rank);
            CHECK(mates[static_cast<std::size_t>(rank)] == expected);
        }
    }
}

TEST_CASE("members that split by different levels are told") {
    check_fails(2, Kind::mismatch, {"member 0 calls split by L3, but member 1 calls split by core"},
                [](Member& me) { static_cast<void>(me.split(me.rank() == 0 ? Level::l3 : Level::core)); });
    check_fails(
        2, Kind::mismatch, {"member 0 calls split, but member 1 calls split by socket"},
        [](Member& me) { static_cast<void>(me.rank() == 0 ? me.split(0, 0) : me.split(Level::socket)); });
}

TEST_CASE("a run returns what the members return, in the order of their ranks") {
    for (const TeamOptions& options : team_options()) {
        Team team(3, options);
        static_assert(std::is_void_v<decltype(team.run(do_nothing))>);
        team.run(do_nothing);
        CHECK(team.run(size_of) == std::vector<int>(3, 3));
        CHECK(team.run(&Member::rank) == std::vector<int>{0, 1, 2});
        CHECK(team.run([](Member& me) { return me.rank() == 1; }) == std::vector<bool>{false, true, false});
        CHECK(team.run([](const auto& me) { return std::string(5, static_cast<char>('a' + me.rank())); }) ==
              std::vector<std::string>{"aaaaa", "bbbbb", "ccccc"});
        const std::vector<Ticket> tickets = team.run([](Member& me) { return Ticket(me.rank()); });
        CHECK(*tickets.at(2).number == 2);
        const std::vector<int> numbers = {4, 5, 6};
        CHECK(team.run([&](Member& me) -> const int& { return numbers[index_of(me)]; }) == numbers);
        CHECK(thrown_by([&] {
                  team.run([](Member& me) { return me.rank() == 2 ? throw std::domain_error("no") : 1; });
              }).text == "no");
        check_usable(team);
    }
}

TEST_CASE("a function that is run may be one that can only be moved") {
    Team team(2, {.placement = Placement::none});
    Group group(1);
    CHECK(team.run([step = std::make_unique<int>(7)](Member& me) { return me.rank() + *step; }) ==
          std::vector<int>{7, 8});
    CHECK(group.run(0, [step = std::make_unique<int>(7)](Member& /*me*/) { return Ticket(*step); }).number !=
          nullptr);
    int calls = 0;
    group.run(0, [&calls](Member& /*me*/) mutable { ++calls; });
    CHECK(calls == 1);
    CHECK(group.run(0, &Member::size) == 1);
    CHECK(thrown_by([&] {
              group.run(0, [](Member& /*me*/) -> int { throw std::domain_error("no"); });
          }).text == "no");
}

TEST_CASE("a team or group that is asked to run nothing says so") {
    Team team(2, {.placement = Placement::none});
    Group group(1);
    void (*const nothing)(Member&) = nullptr;
    const std::function<int(Member&)> empty;
    int (Member::*const no_member)() const noexcept = nullptr;
    const auto check = [&](const auto& function) {
        check_thrown(thrown_by([&] { team.run(function); }), Kind::argument, {"function", "Member&"});
        check_thrown(thrown_by([&] { group.run(0, function); }), Kind::argument, {"function", "Member&"});
    };
    check(nothing);
    check(empty);
    check(no_member);
    check_usable(team);
    CHECK(group.run(0, size_of) == 1);
}

TEST_CASE("a team without a number of members has one on each allowed CPU") {
    std::vector<int> cpus = Team().cpus();
    std::vector<int> allowed = cpus_of_placement(Placement::compact, 0);
    std::ranges::sort(cpus);
    std::ranges::sort(allowed);
    CHECK(cpus == allowed);
    CHECK(Team({.placement = Placement::none}).cpus() == std::vector<int>(cpus.size(), -1));
    CHECK(Team(2, {.caller_is_member = true}).cpus().front() == -1);
}

// On the machine of topology/fixtures/two-kinds.xml, as far as the process may use its CPUs.
TEST_CASE("a team of kinds of cores has a member on each of their CPUs" * doctest::skip()) {
    const auto of = [](const Placement& placement) { return cpus_of_placement(placement, 0); };
    const std::vector<int> fast = of(Placement::performance);
    const std::vector<int> slow = of(Placement::efficient);
    CHECK(fast.front() == 1);
    CHECK(slow.front() == 0);
    CHECK(of(Placement::parse("performance,efficient")).size() == fast.size() + slow.size());
    CHECK(Team({.placement = Placement::performance}).cpus() == fast);
    CHECK(Team(2, {.placement = Placement::efficient}).cpus().front() == 0);
    check_rejected("Team: placement: no allowed CPU is of the kind medium; the machine has performance (CPU",
                   [] { Team(1, {.placement = Placement::medium}); });
}

TEST_CASE("a team takes CPUs that no other team has, or says that it shares them") {
    const auto all = static_cast<int>(cpus_of_placement(Placement::compact, 0).size());
    const auto shares = [](const Team& team) { return mentions(team.pinning().front(), "another team"); };
    const Team first(1);
    REQUIRE(first.cpus().front() >= 0);
    CHECK_FALSE(shares(first));
    if (all >= 2) {
        const Team second(1);
        CHECK(second.cpus() != first.cpus());
        CHECK_FALSE(shares(second));
        CHECK_FALSE(shares(first));
    }
    {
        const Team unpinned(all, {.placement = Placement::none});
        const Team asked(1, {.placement = Placement::cpus(first.cpus())});
        CHECK(asked.cpus() == first.cpus());
        CHECK(shares(asked));
        CHECK(shares(first));
    }
    CHECK_FALSE(shares(first)); // any more
    const Team everywhere;
    CHECK(everywhere.size() == all);
    CHECK(shares(first));
    const Team crowded(1);
    CHECK(shares(crowded));
}

TEST_CASE("teams that must share CPUs are dealt over all of them") {
    const auto all = cpus_of_placement(Placement::compact, 0).size();
    std::vector<std::unique_ptr<Team>> teams;
    std::map<int, int> members;
    for (std::size_t i = 0; i < 2 * all; ++i) {
        teams.push_back(std::make_unique<Team>(1));
        ++members[teams.back()->cpus().front()];
        CHECK(mentions(teams.back()->pinning().front(), "another team") == (i >= all));
    }
    CHECK(members.size() == all);
    for (const auto& [cpu, count] : members) {
        CHECK(count == 2);
    }
    for (const auto& team : teams) {
        CHECK(mentions(team->pinning().front(), "another team"));
    }
}
