#include "algorithm/levels/levels.hpp"
#include "laboratory/tests/mutants.hpp"
#include "laboratory/tests/simulation.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::Acting;
using graph::LevelTree;
using schedule::Protocol;
using schedule::Schedule;
using test::Fault;
using test::Mutant;
using test::reduced;
using verify::Requirement;
using Sizes = std::vector<int>;

namespace {

constexpr int all_trees_up_to = reduced ? 4 : 6;
constexpr int samples = reduced ? 2 : 10;

/// A tree of three levels, and those of two among them: of the places between two ranks, each is a border of
/// an outer group, of an inner one, or of none.
LevelTree uneven(int ranks, const std::function<int()>& border) {
    std::vector<Sizes> levels(2, Sizes{1});
    for (int rank = 1; rank < ranks; ++rank) {
        const int which = border();
        for (int level = 0; level < 2; ++level) {
            if (which <= level) {
                levels[static_cast<std::size_t>(level)].push_back(1);
            } else {
                ++levels[static_cast<std::size_t>(level)].back();
            }
        }
    }
    return LevelTree::nested(ranks, levels);
}

/// Every tree of up to three levels and `all_trees_up_to` ranks, and for each number of ranks up to 24 some
/// drawn by a generator that starts with that number: half of them with borders everywhere alike, the others
/// with few, so that groups are large.
void for_each_uneven_tree(const std::function<void(const LevelTree&)>& use) {
    for (int ranks = 1; ranks <= all_trees_up_to; ++ranks) {
        int trees = 1;
        for (int rank = 1; rank < ranks; ++rank) {
            trees *= 3;
        }
        for (int tree = 0; tree < trees; ++tree) {
            int left = tree;
            use(uneven(ranks, [&] {
                const int border = left % 3;
                left /= 3;
                return border;
            }));
        }
    }
    for (int ranks = all_trees_up_to + 1; ranks <= 24; ++ranks) {
        std::minstd_rand random(static_cast<std::uint32_t>(ranks));
        for (int sample = 0; sample < samples; ++sample) {
            const std::uint32_t choices = sample % 2 == 0 ? 3 : 9;
            use(uneven(ranks, [&] { return static_cast<int>(std::min(random() / 64 % choices, 2UL)); }));
        }
    }
}

/// Every tree of equal groups of 2, 4, 8 or 16 with one to three levels, but for trees above `all_below`
/// ranks only those whose groups have no more children the further in they are.
void for_each_equal_tree(int most_ranks, const std::function<void(const LevelTree&)>& use) {
    constexpr int all_below = 256;
    for (const int outer : {1, 2, 4, 8, 16}) {
        for (const int middle : {1, 2, 4, 8, 16}) {
            for (const int inner : {2, 4, 8, 16}) {
                const bool twice = outer > 1 && middle == 1;
                const int ranks = outer * middle * inner;
                const bool some = ranks < all_below || (outer >= middle && middle >= inner);
                if (!twice && some && ranks <= most_ranks) {
                    use(LevelTree::equal(Sizes{outer, middle, inner}));
                }
            }
        }
    }
}

std::string shown(const LevelTree& tree) {
    std::string text;
    for (int level = 1; level < tree.last(); ++level) {
        for (int number = 0; number < tree.groups(level); ++number) {
            text += (number == 0 ? "/ " : "") + std::to_string(tree.group(level, number).count) + " ";
        }
    }
    return text + "of " + std::to_string(tree.ranks());
}

bool has_root(Collective collective) {
    return detail::traits_of(collective).takes_number();
}

/// The first root or distance, the middle one and the last; of many ranks the middle one.
Sizes roots(Collective collective, int ranks) {
    if (ranks > 64) {
        return {has_root(collective) ? ranks / 2 : 0};
    }
    if (has_root(collective)) {
        Sizes some{0, ranks / 2, ranks - 1};
        some.erase(std::unique(some.begin(), some.end()), some.end());
        return some;
    }
    return {0};
}

void for_each_schedule(const LevelTree& tree, const std::function<void(Acting, const Schedule&)>& use) {
    for (const Acting acting : algorithm::all_ways_of_acting) {
        for (const Collective collective : detail::all_collectives) {
            if (!takes(acting, collective, tree)) {
                continue;
            }
            for (const int root : roots(collective, tree.ranks())) {
                use(acting, levels(collective, tree, acting, root));
            }
        }
    }
}

void for_each_form(Acting acting, const LevelTree& tree, const Schedule& made,
                   const std::function<void(const schedule::Synchronised&)>& use) {
    const algorithm::Protocols protocols = protocols_of(acting, made.collective(), tree);
    const std::pair<bool, Protocol> all[] = {{protocols.pulled, Protocol::zero_copy},
                                             {protocols.in_place, Protocol::in_place},
                                             {protocols.eager, Protocol::eager}};
    for (const auto& [takes, protocol] : all) {
        if (takes) {
            use(schedule::synchronise(made, protocol));
        }
    }
}

void check_proved(const LevelTree& tree) {
    CAPTURE(shown(tree));
    for_each_schedule(tree, [&](Acting acting, const Schedule& made) {
        CAPTURE(to_string(acting));
        CAPTURE(to_string(made.collective()));
        CAPTURE(made.root());
        for_each_form(acting, tree, made, [&](const schedule::Synchronised& plan) {
            CAPTURE(plan.protocol);
            const verify::Report report = verify::verify(plan, Requirement::rank_order);
            REQUIRE_MESSAGE(report.ok(), report.text());
        });
    });
}

/// The butterfly's tree over ranks first .. first + count - 1 as verify::expression writes it.
std::string butterfly(int first, int count) {
    if (count == 1) {
        return "x" + std::to_string(first);
    }
    int left = 1;
    while (2 * left < count) {
        left *= 2;
    }
    const std::string right = butterfly(first + left, count - left);
    return butterfly(first, left) + (count - left == 1 ? " + " + right : " + (" + right + ")");
}

void check_bracketing(const LevelTree& tree) {
    REQUIRE(tree.is_aligned());
    CAPTURE(shown(tree));
    const int ranks = tree.ranks();
    for_each_schedule(tree, [&](Acting acting, const Schedule& made) {
        if (!detail::traits_of(made.collective()).reduces()) {
            return;
        }
        CAPTURE(to_string(acting));
        CAPTURE(to_string(made.collective()));
        // Other ranks and blocks are proved to be alike, but for prefixes.
        const bool differ = made.collective() == Collective::scan || made.collective() == Collective::exscan;
        for (int rank = made.root(); rank < (differ ? ranks : made.root() + 1); ++rank) {
            const int block = made.blocks() == 1 ? 0 : rank;
            const int operands = !differ ? ranks : made.collective() == Collective::scan ? rank + 1 : rank;
            if (operands > 0 && (!differ || ranks <= 32 || rank % 37 == 0)) {
                REQUIRE(verify::expression(made, rank, block) == butterfly(0, operands));
            }
        }
    });
}

/// Whether no schedule of the collective is right that has this fault.
bool is_always_wrong(const Mutant& mutant, Collective collective) {
    switch (mutant.fault) {
    case Fault::wait_dropped:
    case Fault::move_dropped:
    case Fault::blocks_shortened:
        return !mutant.moved_nothing;
    case Fault::operands_swapped:
    case Fault::combined_twice:
        return collective != Collective::barrier;
    default:
        return false;
    }
}

} // namespace

TEST_CASE("all collectives keep their promises on uneven trees of two and three levels, p <= 24") {
    long trees = 0;
    for_each_uneven_tree([&](const LevelTree& tree) {
        ++trees;
        check_proved(tree);
    });
    CHECK(trees > (reduced ? 70 : 500));
}

TEST_CASE("all collectives keep their promises on trees of equal groups, p <= 1024") {
    for_each_equal_tree(reduced ? 64 : 1024, check_proved);
}

TEST_CASE("on aligned groups operands are associated as by the butterfly, whatever the groups and who acts") {
    for_each_equal_tree(reduced ? 32 : 256, check_bracketing);
    check_bracketing(LevelTree::nested(20, {{16, 4}, {8, 8, 4}}));
    check_bracketing(LevelTree::nested(20, {{8, 8, 4}, {4, 4, 4, 4, 4}}));
    check_bracketing(LevelTree::nested(11, {{8, 3}, {4, 4, 2, 1}}));
    check_bracketing(LevelTree::nested(23, {{4, 4, 8, 4, 3}}));
    long aligned = 0;
    for_each_uneven_tree([&](const LevelTree& tree) {
        if (tree.is_aligned()) {
            ++aligned;
            check_bracketing(tree);
        }
    });
    CHECK(aligned > (reduced ? 15 : 50));
}

TEST_CASE("rows run on any tree, in all their forms and in the canonical order") {
    long trees = 0;
    const auto check = [&](const LevelTree& tree) {
        CAPTURE(shown(tree));
        ++trees;
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            if (row.make_on == nullptr || !takes(row, tree.ranks())) {
                continue;
            }
            CAPTURE(row.name);
            CAPTURE(to_string(row.collective));
            const Schedule made = row.make_on(tree, has_root(row) ? tree.ranks() / 2 : 0);
            for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
                if (takes(row, protocol)) {
                    CAPTURE(protocol);
                    const verify::Report report = verify::verify(schedule::synchronise(made, protocol),
                                                                 verify::requirement_of(row, tree.ranks()));
                    REQUIRE_MESSAGE(report.ok(), report.text());
                }
            }
        }
    };
    for_each_uneven_tree(check);
    for_each_equal_tree(reduced ? 32 : 128, check);
    check(LevelTree::equal(Sizes{2, 2, 2, 2, 2}));
    check(LevelTree::equal(Sizes{2, 8, 6}));
    CHECK(trees > (reduced ? 70 : 500));
}

TEST_CASE("rows run on the tree itself where it is aligned and not too deep") {
    const auto row = [](Collective collective, const char* name) {
        return *algorithm::find(collective, name);
    };
    const auto same = [](const Schedule& a, const Schedule& b) {
        bool is_same = a.ranks() == b.ranks();
        for (int rank = 0; is_same && rank < a.ranks(); ++rank) {
            is_same = a.program(rank) == b.program(rank);
        }
        return is_same;
    };
    const LevelTree tree = LevelTree::equal(Sizes{2, 4});
    CHECK(same(row(Collective::allreduce, "levels-shares").make_on(tree, 0),
               levels(Collective::allreduce, tree, Acting::shares)));
    CHECK(same(row(Collective::allreduce, "levels-exchange").make_on(tree, 0),
               levels(Collective::allreduce, tree, Acting::exchange)));
    CHECK(same(row(Collective::barrier, "levels-leaders").make_on(LevelTree::equal(Sizes{2, 2, 2}), 0),
               levels(Collective::barrier, tree, Acting::leaders)));
    // Nothing is combined: the tree as it is.
    const LevelTree threes = LevelTree::equal(Sizes{2, 3});
    CHECK(same(row(Collective::allgather, "levels-shares").make_on(threes, 0),
               levels(Collective::allgather, threes, Acting::shares)));
    CHECK(same(row(Collective::allreduce, "levels-shares").make_on(threes, 0),
               levels(Collective::allreduce, threes.aligned(), Acting::shares)));
}

TEST_CASE("faults injected into schedules on trees are reported") {
    const LevelTree trees[] = {LevelTree::equal(Sizes{2, 2}), LevelTree::equal(Sizes{2, 3}),
                               LevelTree::nested(5, {{3, 2}}), LevelTree::nested(6, {{5, 1}, {2, 3, 1}})};
    std::array<long, test::fault_count> injected{};
    const auto check = [&](const schedule::Synchronised& plan) {
        REQUIRE(verify::verify(plan, Requirement::rank_order).ok());
        test::for_each_mutant(plan, [&](const Mutant& mutant) {
            ++injected[static_cast<std::size_t>(mutant.fault)];
            if (!verify::verify(mutant.plan, Requirement::rank_order).ok()) {
                return;
            }
            CAPTURE(mutant.where);
            CAPTURE(to_string(mutant.fault));
            REQUIRE_FALSE(is_always_wrong(mutant, plan.schedule.collective()));
            for (std::uint32_t seed = 0; seed < 4; ++seed) {
                REQUIRE(test::simulate(mutant.plan, Requirement::rank_order, seed) == "");
            }
        });
    };
    for (const LevelTree& tree : trees) {
        CAPTURE(shown(tree));
        for_each_schedule(tree, [&](Acting acting, const Schedule& made) {
            if (made.root() == tree.ranks() / 2 || roots(made.collective(), tree.ranks()).size() == 1) {
                CAPTURE(to_string(acting));
                CAPTURE(to_string(made.collective()));
                for_each_form(acting, tree, made, check);
            }
        });
    }
    for (const Fault fault :
         {Fault::wait_dropped, Fault::wait_weakened, Fault::peer_shifted, Fault::blocks_shifted,
          Fault::blocks_shortened, Fault::blocks_lengthened, Fault::operands_swapped, Fault::move_dropped,
          Fault::combined_twice, Fault::space_changed, Fault::message_changed, Fault::blocks_misplaced}) {
        CAPTURE(to_string(fault));
        CHECK(injected[static_cast<std::size_t>(fault)] > 100);
    }
}

TEST_CASE("a way that does not take a collective on a tree is refused") {
    const LevelTree uneven = LevelTree::nested(5, {{3, 2}});
    CHECK_THROWS_AS(levels(Collective::alltoall, uneven, Acting::exchange), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::barrier, uneven, Acting::shares), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::shift, uneven, Acting::leaders), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::broadcast, uneven, Acting::leaders, 5), std::invalid_argument);
}
