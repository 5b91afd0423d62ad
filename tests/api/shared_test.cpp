#include "support.hpp"

// Results in one vector that all members share.

using namespace tutti;
using namespace tutti::test;

namespace {

using Vector = std::vector<double>;

/// Element `index` of what `rank` contributes in a call; sums of a few are exact.
double element(int rank, std::size_t index, int call) {
    return static_cast<double>(
               (static_cast<std::size_t>(rank) * 31 + index * 7 + static_cast<std::size_t>(call) * 1009) %
               4096) -
           100.0 * rank;
}

Vector contribution(int rank, std::size_t count, int call) {
    Vector made(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i] = element(rank, i, call);
    }
    return made;
}

double sum_of(int members, std::size_t index, int call) {
    double sum = 0;
    for (int rank = 0; rank < members; ++rank) {
        sum += element(rank, index, call);
    }
    return sum;
}

/// Every member looks at the whole result of every call, while the others may be in the next one already.
std::size_t wrong_sums(Team& team, std::size_t count, int calls) {
    std::vector<std::size_t> wrong(static_cast<std::size_t>(team.size()), 0);
    Vector result(count, -1);
    team.run([&](Member& me) {
        for (int call = 0; call < calls; ++call) {
            const Vector mine = contribution(me.rank(), count, call);
            me.allreduce(mine, shared(result), sum);
            for (std::size_t i = 0; i < count; ++i) {
                wrong[static_cast<std::size_t>(me.rank())] +=
                    result[i] != sum_of(me.size(), i, call) ? 1U : 0U;
            }
        }
    });
    return std::accumulate(wrong.begin(), wrong.end(), std::size_t{0});
}

template <class V>
concept BroadcastTakes = requires(Member& me, V v) {
    me.broadcast(v, 0);
};

/// The exceptions of 3 members that call `function`.
template <class Function>
Outcomes outcomes_of_three(Function function) {
    Outcomes outcomes(3);
    Team team(3);
    try {
        team.run([&](Member& me) { outcomes.note(me, [&] { function(me); }); });
    } catch (const std::exception&) { // one failed, which is noted
    }
    return outcomes;
}

} // namespace

TEST_CASE("an allreduce into one vector for all gives everybody the sums, call after call") {
    const int calls = test::reduced ? 5 : 20;
    for (const int members : {1, 2, 3, 4, 7}) {
        CAPTURE(members);
        Team team(members);
        for (const std::size_t count : {0U, 1U, 2U, 5U, 64U, 1000U, 40000U}) {
            CAPTURE(count);
            CHECK(wrong_sums(team, count, count > 5000 ? 2 : calls) == 0);
        }
    }
}

TEST_CASE("the bits are those of an allreduce into vectors of one's own") {
    constexpr std::size_t count = 777;
    constexpr int members = 5;
    Team team(members);
    std::vector<float> result(count);
    std::array<bool, members> same{};
    team.run([&](Member& me) {
        std::vector<float> mine(count);
        for (std::size_t i = 0; i < count; ++i) {
            mine[i] = 1.0F / static_cast<float>(i + 3 + 17 * static_cast<std::size_t>(me.rank()));
        }
        std::vector<float> own(count);
        me.allreduce(mine, own, sum, {.algorithm = "direct"});
        me.allreduce(mine, shared(result), sum);
        same[static_cast<std::size_t>(me.rank())] = own == result;
    });
    CHECK(same == std::array{true, true, true, true, true});
}

TEST_CASE("an operator that is not commutative combines in rank order into one vector") {
    Team team(4);
    std::array<int, 3> result{};
    team.run([&](Member& me) {
        const std::array<int, 3> mine{me.rank(), 10 + me.rank(), 20 + me.rank()};
        me.allreduce(mine, shared(result), non_commutative([](int left, int) { return left; }));
    });
    CHECK(result == std::array{0, 10, 20});
}

TEST_CASE("an allgather into one vector for all, of equal and of irregular blocks") {
    constexpr int members = 4;
    Team team(members);
    const std::vector<std::size_t> counts{3, 0, 1000, 17};
    std::vector<std::uint16_t> equal(members * 9);
    std::vector<std::uint16_t> irregular(1020);
    std::array<int, members> wrong{};
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        for (int call = 0; call < 10; ++call) {
            const auto value = [&](int of) { return static_cast<std::uint16_t>(100 * call + of); };
            const std::vector<std::uint16_t> mine(9, value(me.rank()));
            const std::vector<std::uint16_t> block(counts[rank], value(me.rank()));
            me.allgather(mine, shared(equal));
            me.allgather(block, shared(irregular), Counts(counts));
            std::size_t at = 0;
            for (int of = 0; of < me.size(); ++of) {
                for (std::size_t i = 0; i < counts[static_cast<std::size_t>(of)]; ++i) {
                    wrong[rank] += irregular[at++] != value(of) ? 1 : 0;
                }
                for (std::size_t i = 0; i < 9; ++i) {
                    wrong[rank] += equal[static_cast<std::size_t>(of) * 9 + i] != value(of) ? 1 : 0;
                }
            }
        }
    });
    CHECK(wrong == std::array{0, 0, 0, 0});
}

TEST_CASE("members that give different vectors are told") {
    std::vector<int> first(8);
    std::vector<int> second(8);
    const Outcomes outcomes = outcomes_of_three([&](Member& me) {
        const std::vector<int> mine(8, 1);
        me.allreduce(mine, shared(me.rank() == 1 ? second : first), sum);
    });
    CHECK(outcomes.count(Thrown::Kind::mismatch) >= 1);
    CHECK(outcomes.count(Thrown::Kind::mismatch) + outcomes.count(Thrown::Kind::aborted) == 3);
    const std::string text = outcomes.text(Thrown::Kind::mismatch);
    INFO(text);
    CHECK(mentions(text, "`out` is not the same memory"));
    CHECK(mentions(text, "into one vector for all"));
}

TEST_CASE("a member that asks for a vector of its own does not match one that shares") {
    std::vector<int> result(6);
    const Outcomes outcomes = outcomes_of_three([&](Member& me) {
        const std::vector<int> mine(2, 1);
        std::vector<int> own(6);
        me.rank() == 2 ? me.allgather(mine, own, {.algorithm = "direct"})
                       : me.allgather(mine, shared(result));
    });
    CHECK(outcomes.count(Thrown::Kind::mismatch) >= 1);
    CHECK(outcomes.count(Thrown::Kind::nothing) == 0);
    CHECK(mentions(outcomes.text(Thrown::Kind::mismatch), "into one vector for all"));
}

TEST_CASE("what cannot leave a shared result says what can") {
    std::vector<int> result(4);
    const Outcomes outcomes = outcomes_of_three([&](Member& me) {
        const std::vector<int> mine(4, 1);
        me.allreduce(mine, shared(result), sum, {.algorithm = "ring"});
    });
    CHECK(outcomes.count(Thrown::Kind::argument) == 3);
    CHECK(mentions(outcomes.text(Thrown::Kind::argument), "these would work: direct"));
    const Outcomes overlapping = outcomes_of_three([&](Member& me) {
        me.allgather(std::span(result).subspan(static_cast<std::size_t>(me.rank()), 1),
                     shared(std::span(result).first(3)));
    });
    CHECK(overlapping.count(Thrown::Kind::argument) == 3);
    CHECK(mentions(overlapping.text(Thrown::Kind::argument), "must be separate"));
}

TEST_CASE("only vectors are shared, and only by calls that deliver to all") {
    static_assert(BroadcastTakes<std::vector<int>&>);
    static_assert(!BroadcastTakes<Shared<int>&>);
}

TEST_CASE("an operator that throws releases the members that share a vector") {
    std::vector<int> result(64);
    const Outcomes outcomes = outcomes_of_three([&](Member& me) {
        const std::vector<int> mine(64, me.rank());
        const bool fails = me.rank() == 1;
        me.allreduce(mine, shared(result), [fails](int left, int right) {
            return fails ? throw std::runtime_error("no more") : left + right;
        });
    });
    CHECK(outcomes.count(Thrown::Kind::other) == 1);
    CHECK(outcomes.count(Thrown::Kind::aborted) == 2);
}
