// The places of members' vectors: decisions that must not depend on one member's addresses, memory that
// several must not share, and results in one vector for all.

#include "support.hpp"

namespace {

/// Too long for the mailbox, so that members look into each other's vectors.
constexpr std::size_t long_enough = 10'000;

/// Every member looks at the whole result of every call, while the others may be in the next one already.
bool sums_up(Member& me, std::vector<double>& result, int calls) {
    bool right = true;
    for (int call = 0; call < calls; ++call) {
        std::vector<double> mine(result.size()), expected(result.size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const int common = static_cast<int>(i % 4096) * 7 + call * 1009;
            mine[i] = me.rank() * 31 + common;
            expected[i] = me.size() * (me.size() - 1) / 2 * 31 + me.size() * common;
        }
        me.allreduce(mine, shared(result), sum);
        right = right && result == expected;
    }
    return right;
}

template <class V>
concept BroadcastTakes = requires(Member& me, V v) {
    me.broadcast(v, 0);
};
static_assert(BroadcastTakes<std::vector<int>&>);
static_assert(!BroadcastTakes<Shared<int>&>,
              "only vectors are shared, and only by calls that deliver to all");

} // namespace

TEST_CASE("the input and the output of some members only may be one vector") {
    for (const std::size_t elements : {std::size_t{1}, std::size_t{500}, long_enough}) {
        for (const std::string_view algorithm : {"", "circulant", "ring", "mesh"}) {
            INFO(elements, " elements, algorithm ", std::string(algorithm));
            check_members(3, [&](Member& me) {
                std::vector<double> in(elements, 1.0 + me.rank());
                std::vector<double> out(elements);
                std::vector<double>& target = me.rank() == 1 ? in : out;
                me.allreduce(in, target, sum, {.algorithm = algorithm});
                me.barrier();
                return target == std::vector<double>(elements, 6.0);
            });
        }
    }
}

TEST_CASE("scans, shifts and transpositions likewise") {
    run_members(3, [&](Member& me) {
        std::vector<int> out(3 * long_enough);
        const auto check = [&](auto call, int expected) {
            std::vector<int> in(3 * long_enough, 1 + me.rank());
            std::vector<int>& target = me.rank() == 2 ? in : out;
            call(in, target);
            CHECK(target == std::vector<int>(target.size(), expected));
        };
        check([&](auto& in, auto& to) { me.scan(in, to, sum); }, std::vector{1, 3, 6}[index_of(me)]);
        check([&](auto& in, auto& to) { me.shift(in, to, 1); }, std::vector{3, 1, 2}[index_of(me)]);
        std::vector<int> in(3 * long_enough), expected(in.size());
        std::vector<int>& target = me.rank() == 0 ? in : out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = 10 * me.rank() + static_cast<int>(i / long_enough);
            expected[i] = 10 * static_cast<int>(i / long_enough) + me.rank();
        }
        me.alltoall(in, target);
        CHECK(target == expected);
    });
}

TEST_CASE("members that give the same vector for their results are told") {
    std::vector<int> one(4 * long_enough);
    const std::function<void(Member&, std::vector<int>&)> calls[] = {
        [&](Member& me, std::vector<int>&) { me.broadcast(one, 2); },
        [&](Member& me, std::vector<int>& in) { me.allreduce(in, one, sum); },
        [&](Member& me, std::vector<int>& in) {
            me.reduce_scatter(in, std::span(one).first(long_enough), sum);
        },
        [&](Member& me, std::vector<int>& in) { me.allgather(std::span(in).first(long_enough), one); },
        [&](Member& me, std::vector<int>& in) { me.scan(in, one, sum); },
        [&](Member& me, std::vector<int>& in) { me.exscan(in, one, sum); },
        [&](Member& me, std::vector<int>& in) { me.alltoall(in, one); },
        [&](Member& me, std::vector<int>& in) { me.shift(in, one, 1); },
        [&](Member& me, std::vector<int>& in) { me.scatter(in, std::span(one).first(long_enough), 1); },
        [&](Member& me, std::vector<int>& in) {
            const std::vector<std::size_t> counts(4, long_enough);
            me.alltoall(in, Counts(counts), one, Counts(counts));
        },
        [&](Member& me, std::vector<int>& in) { me.allreduce(in, one, sum, {.algorithm = "ring"}); },
    };
    for (const auto& call : calls) {
        CAPTURE(&call - calls);
        check_fails(4, Kind::mismatch, {&call - calls == 0 ? "memory" : "a vector of its own"},
                    [&](Member& me) {
                        std::vector<int> in(4 * long_enough, 1);
                        call(me, in);
                    });
    }
}

TEST_CASE("a result that overlaps what another member gives is told") {
    std::vector<int> all(4 * long_enough);
    const auto part = [&](std::size_t index) {
        return std::span(all).subspan(index * long_enough, long_enough);
    };
    check_fails(2, Kind::mismatch, {"writes to memory that the other reads"}, [&](Member& me) {
        // Member 0 writes where member 1 reads.
        me.scan(part(me.rank() == 0 ? 0 : 1), part(me.rank() == 0 ? 1 : 2), sum);
    });
    check_fails(3, Kind::mismatch, {"writes to memory that the other reads"}, [&](Member& me) {
        std::vector<int> own(long_enough);
        // The members' inputs lie in the root's result, though not at their places in it.
        me.rank() == 0 ? me.gather(own, std::span(all).first(3 * long_enough), 0)
                       : me.gather(part(static_cast<std::size_t>(3 - me.rank())), std::span<int>(), 0);
    });
}

TEST_CASE("members may read the same vector, and work on parts of one") {
    std::vector<int> in(4 * long_enough, 1);
    std::vector<int> out(4 * long_enough);
    run_members(4, [&](Member& me) {
        const auto rank = index_of(me);
        std::vector<int> own(4 * long_enough);
        me.allreduce(in, own, sum);
        me.scatter(in, std::span(out).subspan(rank * long_enough, long_enough), 2);
        me.reduce_scatter(in, std::span(out).subspan(rank * long_enough, long_enough), sum);
        me.gather(std::span(in).first(long_enough), own, 1);
        me.broadcast(std::span(out).subspan(rank * long_enough, long_enough), 3);
    });
    CHECK(out == std::vector<int>(out.size(), 4));
}

TEST_CASE("a member that gets more than it gives reads no more than it gives") {
    std::vector<int> next_to_each_other{7, 0}; // what member 1 gives, and where member 0 gets it
    run_members(2, [&](Member& me) {
        const bool is_first = me.rank() == 0;
        const std::vector<std::size_t> sent =
            is_first ? std::vector{std::size_t{0}, long_enough} : std::vector{std::size_t{1}, std::size_t{0}};
        const std::vector<std::size_t> received =
            is_first ? std::vector{std::size_t{0}, std::size_t{1}} : std::vector{long_enough, std::size_t{0}};
        std::vector<int> own(long_enough, 1);
        const auto in = is_first ? std::span(own) : std::span(next_to_each_other).first(1);
        const auto out = is_first ? std::span(next_to_each_other).last(1) : std::span(own);
        me.alltoall(in, Counts(sent), out, Counts(received));
    });
    CHECK(next_to_each_other == std::vector{7, 7});
}

TEST_CASE("an allreduce into one vector for all gives everybody the sums, call after call") {
    for (const int members : {1, 2, 3, 4, 7}) {
        Team team(members);
        for (const std::size_t count : {0U, 1U, 2U, 5U, 64U, 1000U, 40000U}) {
            std::vector<double> result(count, -1);
            INFO(members, " members, ", count, " elements");
            CHECK(on_all(team, [&](Member& me) {
                return sums_up(me, result, count > 5000 ? 2 : reduced ? 5 : 20);
            }));
        }
    }
}

TEST_CASE("the bits are those of an allreduce into vectors of one's own") {
    constexpr std::size_t count = 777;
    std::vector<float> result(count);
    check_members(5, [&](Member& me) {
        std::vector<float> mine(count);
        for (std::size_t i = 0; i < count; ++i) {
            mine[i] = 1.0F / static_cast<float>(i + 3 + 17 * index_of(me));
        }
        std::vector<float> own(count);
        me.allreduce(mine, own, sum, {.algorithm = "direct"});
        me.allreduce(mine, shared(result), sum);
        return own == result;
    });
}

TEST_CASE("an operator combines in rank order into one vector, and releases all members if it throws") {
    std::array<int, 3> result{};
    run_members(4, [&](Member& me) {
        const std::array<int, 3> mine{me.rank(), 10 + me.rank(), 20 + me.rank()};
        me.allreduce(mine, shared(result), [](int left, int) { return left; });
    });
    CHECK(result == std::array{0, 10, 20});
    const Outcomes each = check_fails(3, Kind::other, {"no more"}, [&](Member& me) {
        const bool fails = me.rank() == 1;
        me.allreduce(std::array{1, 2, 3}, shared(result), [fails](int left, int right) {
            return fails ? throw std::runtime_error("no more") : left + right;
        });
    });
    CHECK(each.count(Kind::aborted) == 2);
}

TEST_CASE("an allgather into one vector for all, of equal and of irregular blocks") {
    const std::vector<std::size_t> counts{3, 0, 1000, 17};
    std::vector<std::uint16_t> equal(4 * 9);
    std::vector<std::uint16_t> irregular(1020);
    check_members(4, [&](Member& me) {
        bool right = true;
        const auto rank = index_of(me);
        for (int call = 0; call < 10; ++call) {
            const auto value = [&](int of) { return static_cast<std::uint16_t>(100 * call + of); };
            const std::vector<std::uint16_t> mine(9, value(me.rank()));
            const std::vector<std::uint16_t> block(counts[rank], value(me.rank()));
            me.allgather(mine, shared(equal));
            me.allgather(block, shared(irregular), Counts(counts));
            std::vector<std::uint16_t> expected, expected_irregular;
            for (int of = 0; of < me.size(); ++of) {
                expected.insert(expected.end(), 9, value(of));
                expected_irregular.insert(expected_irregular.end(), counts[static_cast<std::size_t>(of)],
                                          value(of));
            }
            right = right && equal == expected && irregular == expected_irregular;
        }
        return right;
    });
}

TEST_CASE("members that give different vectors are told") {
    std::vector<int> first(8);
    std::vector<int> second(8);
    check_fails(3, Kind::mismatch, {"`out` is not the same memory", "into one vector for all"},
                [&](Member& me) {
                    const std::vector<int> mine(8, 1);
                    me.allreduce(mine, shared(me.rank() == 1 ? second : first), sum);
                });
}

TEST_CASE("what cannot leave a shared result says what can") {
    std::vector<int> result(4);
    const std::vector<int> mine(4, 1);
    check_rejected(3, "these would work: direct",
                   [&](Member& me) { me.allreduce(mine, shared(result), sum, {.algorithm = "ring"}); });
    check_rejected(3, "must be separate", [&](Member& me) {
        me.allgather(std::span(result).first(1), shared(std::span(result).first(3)));
    });
}
