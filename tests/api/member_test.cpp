// A membership that moves, is divided by the machine, and fails by its own wish.
#include "machine/cpu_list.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

static_assert(std::is_nothrow_move_assignable_v<Member>);
static_assert(noexcept(std::declval<const Member&>().rank()) && noexcept(
    std::declval<const Member&>()
        .size()) && noexcept(std::declval<const Member&>()
                                 .cpu()) && noexcept(std::declval<const Team&>()
                                                         .size()) && noexcept(std::declval<const Group&>()
                                                                                  .size()));

TEST_CASE("a member that is assigned to leaves its group first") {
    Group one(1);
    Group other(1);
    Member a = one.join(0);
    Member b = other.join(0);
    CHECK(thrown_by([&] { a = one.join(0); }).kind == Thrown::Kind::argument); // it has not left yet
    a = std::move(b);
    const Member again = one.join(0);
    CHECK(thrown_by([&] { const Member second = other.join(0); }).kind == Thrown::Kind::argument);
    Member& itself = a;
    a = std::move(itself);
    a.barrier();
    CHECK(thrown_by([&] { const Member second = other.join(0); }).kind == Thrown::Kind::argument);
}

TEST_CASE("a member that was assigned makes all calls in its new group") {
    Team team(4, {.placement = "none"});
    const std::vector<int> good = team.run([](Member& me) {
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
        return is_good ? 1 : 0;
    });
    CHECK(good == std::vector<int>(4, 1));
    check_usable(team);
}

TEST_CASE("a member that gives up releases the others with its text, and its run throws that") {
    for (const bool is_in_group : {false, true}) {
        Team team(3, {.placement = "none"});
        Group group(3);
        std::vector<Thrown> thrown(3);
        const auto part = [&](Member& me) {
            const auto own = static_cast<std::size_t>(me.rank());
            thrown[own] = thrown_by([&] {
                me.barrier(); // which may not have ended everywhere when the member gives up
                if (me.rank() == 1) {
                    me.abort("no bread left");
                }
                me.barrier();
            });
        };
        const Thrown of_run = thrown_by([&] {
            if (is_in_group) {
                team.run([&](Member& me) { group.run(me.rank(), part); });
            } else {
                team.run(part);
            }
        });
        for (const Thrown& each : thrown) {
            CHECK(each.kind == Thrown::Kind::aborted);
            CHECK(mentions(each.text, "no bread left"));
        }
        CHECK(of_run.kind == Thrown::Kind::error);
        CHECK(of_run.text == "no bread left");
        check_usable(team);
        Group new_group(3);
        const auto sums = team.run([&](Member& me) {
            return new_group.run(me.rank(), [](Member& own) { return own.allreduce(1, sum); });
        });
        CHECK(sums == std::vector<int>(3, 3));
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
        Team team(1, {.placement = "none"});
        Group group(1);
        for (const Thrown& thrown :
             {thrown_by([&] { team.run(part); }), thrown_by([&] { group.run(0, part); })}) {
            CHECK(thrown.kind == Thrown::Kind::error);
            CHECK(thrown.text == "abort() was called without a text");
        }
        CHECK(thrown_by([&] { group.run(0, part); }).kind == Thrown::Kind::aborted);
    }
}

namespace {

struct NamedLevel {
    Level level;
    int machine::Pu::*number;
};

/// The machine that hwloc has been told to describe, or this one.
machine::Machine described() {
    const char* const synthetic = std::getenv("HWLOC_SYNTHETIC");
    return synthetic != nullptr ? machine::from_synthetic(synthetic) : machine::here();
}

} // namespace

// Also run with machines that hwloc is told to describe: see CMakeLists.txt.
TEST_CASE("a split by level makes one group of each part of the machine") {
    const machine::Machine machine = described();
    const std::vector<int> allowed = machine::here().os_indices();
    Team team(static_cast<int>(allowed.size()) + 1, {.placement = machine::format_cpu_list(allowed)});
    const std::vector<int> cpus = team.cpus();
    REQUIRE(std::ranges::find(cpus, -1) == cpus.end());
    CHECK(team.run([](Member& me) { return me.cpu(); }) == cpus);
    for (const NamedLevel& each :
         {NamedLevel{Level::socket, &machine::Pu::package}, NamedLevel{Level::numa_node, &machine::Pu::numa},
          NamedLevel{Level::l3, &machine::Pu::l3}, NamedLevel{Level::l2, &machine::Pu::l2},
          NamedLevel{Level::core, &machine::Pu::core}}) {
        const auto part_of = [&](int rank) {
            const auto pu =
                std::ranges::find(machine.pus, cpus[static_cast<std::size_t>(rank)], &machine::Pu::os_index);
            return pu == machine.pus.end() ? -1 : (*pu).*each.number;
        };
        const auto mates = team.run([&](Member& me) {
            Member part = me.split(each.level);
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
            INFO("level ", static_cast<int>(each.level), ", member ", rank);
            CHECK(mates[static_cast<std::size_t>(rank)] == expected);
        }
    }
}

TEST_CASE("members that split by different levels are told") {
    Team team(2, {.placement = "none"});
    Thrown thrown = thrown_by([&] {
        team.run([](Member& me) { return me.split(me.rank() == 0 ? Level::l3 : Level::core).size(); });
    });
    CHECK(thrown.kind == Thrown::Kind::mismatch);
    CHECK(mentions(thrown.text, "member 0 calls split by L3, but member 1 calls split by core"));
    thrown = thrown_by([&] {
        team.run([](Member& me) {
            std::optional<Member> part;
            if (me.rank() == 0) {
                part = me.split(0, 0);
            } else {
                part = me.split(Level::socket);
            }
        });
    });
    CHECK(thrown.kind == Thrown::Kind::mismatch);
    CHECK(mentions(thrown.text, "member 0 calls split, but member 1 calls split by socket"));
    thrown = thrown_by([&] { team.run([](Member& me) { return me.split(static_cast<Level>(9)).size(); }); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(
        mentions(thrown.text, "`level` is 9, must be 0 (socket), 1 (numa_node), 2 (l3), 3 (l2) or 4 (core)"));
    check_usable(team);
}
