#include "algorithm/levels/levels.hpp"
#include "tests/associated.hpp"
#include "tests/test.hpp"
#include "verify/verify.hpp"

using namespace tutti;
using algorithm::Acting;
using graph::LevelTree;
using schedule::Protocol;
using schedule::Schedule;
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
std::set<int> roots(Collective collective, int ranks) {
    if (!has_root(collective)) {
        return {0};
    }
    return ranks > 64 ? std::set<int>{ranks / 2} : std::set<int>{0, ranks / 2, ranks - 1};
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

void check_proved(const LevelTree& tree) {
    for_each_schedule(tree, [&](Acting acting, const Schedule& made) {
        const algorithm::Protocols protocols = protocols_of(acting, made.collective(), tree);
        for (const auto& [takes, protocol] : {std::pair{protocols.pulled, Protocol::zero_copy},
                                              {protocols.in_place, Protocol::in_place},
                                              {protocols.eager, Protocol::eager}}) {
            if (takes) {
                INFO(row_name(acting), " ", to_string(made.collective()), " ", made.root(), " ", shown(tree));
                const verify::Report report =
                    verify::verify(schedule::synchronise(made, protocol), Requirement::rank_order);
                REQUIRE_MESSAGE(report.ok(), report.text());
            }
        }
    });
}

/// The butterfly's tree over so many ranks as verify::expression writes it.
std::string butterfly(int ranks) {
    return test::in_tree(
        static_cast<std::size_t>(ranks), [](std::size_t rank) { return "x" + std::to_string(rank); },
        [](const std::string& left, const std::string& right) {
            const bool is_one = right.find('+') == std::string::npos;
            return left + (is_one ? " + " + right : " + (" + right + ")");
        });
}

void check_bracketing(const LevelTree& tree) {
    REQUIRE(tree.is_aligned());
    const int ranks = tree.ranks();
    for_each_schedule(tree, [&](Acting acting, const Schedule& made) {
        if (!detail::traits_of(made.collective()).reduces()) {
            return;
        }
        INFO(row_name(acting), " ", to_string(made.collective()), " ", shown(tree));
        // Other ranks and blocks are proved to be alike, but for prefixes.
        const bool differ = made.collective() == Collective::scan || made.collective() == Collective::exscan;
        for (int rank = made.root(); rank < (differ ? ranks : made.root() + 1); ++rank) {
            const int block = made.blocks() == 1 ? 0 : rank;
            const int operands = !differ ? ranks : made.collective() == Collective::scan ? rank + 1 : rank;
            if (operands > 0 && (!differ || ranks <= 32 || rank % 37 == 0)) {
                REQUIRE(verify::expression(made, rank, block) == butterfly(operands));
            }
        }
    });
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
        ++trees;
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            if (row.make_on == nullptr || !takes(row, tree.ranks())) {
                continue;
            }
            INFO(to_string(row.collective), " ", row.name, " ", shown(tree));
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

TEST_CASE("a way that does not take a collective on a tree is refused") {
    const LevelTree uneven = LevelTree::nested(5, {{3, 2}});
    CHECK_THROWS_AS(levels(Collective::alltoall, uneven, Acting::exchange), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::barrier, uneven, Acting::shares), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::shift, uneven, Acting::leaders), std::invalid_argument);
    CHECK_THROWS_AS(levels(Collective::broadcast, uneven, Acting::leaders, 5), std::invalid_argument);
}
