// The functions that teams and groups run, and where teams are placed.
#include "machine/placement.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

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

} // namespace

TEST_CASE("a run returns what the members return, in the order of their ranks") {
    for (const TeamOptions& options : test::team_options()) {
        Team team(3, options);
        static_assert(std::is_void_v<decltype(team.run(do_nothing))>);
        team.run(do_nothing);
        CHECK(team.run(size_of) == std::vector<int>(3, 3));
        CHECK(team.run(&size_of) == std::vector<int>(3, 3));
        CHECK(team.run([](Member& me) { return me.rank() == 1; }) == std::vector<bool>{false, true, false});
        CHECK(team.run([](const auto& me) { return std::string(5, static_cast<char>('a' + me.rank())); }) ==
              std::vector<std::string>{"aaaaa", "bbbbb", "ccccc"});
        const std::vector<Ticket> tickets = team.run([](Member& me) { return Ticket(me.rank()); });
        CHECK(*tickets.at(2).number == 2);
        const std::vector<int> numbers = {4, 5, 6};
        CHECK(team.run([&](Member& me) -> const int& {
            return numbers[static_cast<std::size_t>(me.rank())];
        }) == numbers);
        CHECK(thrown_by([&] {
                  team.run([](Member& me) { return me.rank() == 2 ? throw std::domain_error("no") : 1; });
              }).text == "no");
        test::check_usable(team);
    }
}

TEST_CASE("a function that is run may be one that can only be moved") {
    Team team(2, {.placement = "none"});
    Group group(1);
    auto function = [step = std::make_unique<int>(5)](Member& me) { return me.rank() + *step; };
    CHECK(team.run(std::move(function)) == std::vector<int>{5, 6});
    CHECK(team.run([step = std::make_unique<int>(7)](Member& me) { return me.rank() + *step; }) ==
          std::vector<int>{7, 8});
    CHECK(group.run(0, [step = std::make_unique<int>(7)](Member& /*me*/) { return Ticket(*step); }).number !=
          nullptr);
    int calls = 0;
    group.run(0, [&calls](Member& /*me*/) mutable { ++calls; });
    CHECK(calls == 1);
    CHECK(group.run(0, size_of) == 1);
    CHECK(group.run(0, [](auto& me) { return me.rank() == 0; }));
    CHECK(thrown_by([&] {
              group.run(0, [](Member& /*me*/) -> int { throw std::domain_error("no"); });
          }).text == "no");
}

TEST_CASE("a member function of Member can be run") {
    Team team(3, {.placement = "none"});
    CHECK(team.run(&Member::rank) == std::vector<int>{0, 1, 2});
    CHECK(Group(1).run(0, &Member::size) == 1);
}

TEST_CASE("a team or group that is asked to run nothing says so") {
    Team team(2, {.placement = "none"});
    Group group(1);
    void (*const nothing)(Member&) = nullptr;
    const std::function<int(Member&)> empty;
    int (Member::*const no_member)() const noexcept = nullptr;
    for (const Thrown& thrown :
         {thrown_by([&] { team.run(nothing); }), thrown_by([&] { team.run(empty); }),
          thrown_by([&] { team.run(no_member); }), thrown_by([&] { group.run(0, no_member); }),
          thrown_by([&] { group.run(0, nothing); }), thrown_by([&] { group.run(0, empty); })}) {
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "function"));
        CHECK(mentions(thrown.text, "Member&"));
    }
    test::check_usable(team);
    CHECK(group.run(0, size_of) == 1);
}

TEST_CASE("a team without a number of members has one on each allowed CPU") {
    std::vector<int> cpus = Team().cpus();
    std::vector<int> allowed = cpus_of_placement("compact", 0);
    std::ranges::sort(cpus);
    std::ranges::sort(allowed);
    CHECK(cpus == allowed);
    CHECK(Team({.placement = "none"}).cpus() == std::vector<int>(cpus.size(), -1));
    CHECK(Team(2, {.caller_is_member = true}).cpus().front() == -1);
}

// On the machine of topology/fixtures/two-kinds.xml, as far as the process may use its CPUs.
TEST_CASE("a team of kinds of cores has a member on each of their CPUs" * doctest::skip()) {
    const auto of = [](const char* placement) { return cpus_of_placement(placement, 0); };
    const std::vector<int> fast = of("performance");
    const std::vector<int> slow = of("efficient");
    CHECK(fast.front() == 1);
    CHECK(slow.front() == 0);
    CHECK(of("performance,efficient").size() == fast.size() + slow.size());
    CHECK(Team({.placement = "performance"}).cpus() == fast);
    CHECK(Team(2, {.placement = "efficient"}).cpus().front() == 0);
    const Thrown thrown = test::thrown_by([] { Team(1, {.placement = "medium"}); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(thrown.text.starts_with(
        "Team: placement: no allowed CPU is of the kind medium; the machine has performance (CPU"));
}

TEST_CASE("a team takes CPUs that no other team has, or says that it shares them") {
    const auto all = static_cast<int>(cpus_of_placement("compact", 0).size());
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
        const Team unpinned(all, {.placement = "none"});
        const Team asked(1, {.placement = std::to_string(first.cpus().front())});
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
    const auto all = cpus_of_placement("compact", 0).size();
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
