// Arguments that are rejected before any other member learns of the call.

#include "support.hpp"

#include <tutti/placement.hpp>

namespace {

using Numbers = std::vector<std::size_t>;

/// Member 0 rejects each of these calls with this part of the text.
void check_all(const std::vector<std::pair<const char*, Part>>& calls, int members = 2) {
    for (const auto& [says, call] : calls) {
        check_rejected(members, says, call);
    }
}

std::span<int> null(std::size_t count) {
    return {static_cast<int*>(nullptr), count};
}

} // namespace

TEST_CASE("a group or team has 1 to 65535 members; a rank out of range is named with the range") {
    for (const int members : {0, -1, 65536}) {
        const std::string says = "members is " + std::to_string(members);
        CHECK(mentions(check_rejected(says, [&] { Group group(members); }), "1..65535"));
        check_rejected(says, [&] { Team team(members); });
    }
    Group group(4);
    CHECK(group.size() == 4);
    for (const int rank : {-1, 4, 1000}) {
        const auto join = [&] { static_cast<void>(group.join(rank)); };
        CHECK(mentions(check_rejected("rank is " + std::to_string(rank), join), "0..3"));
    }
}

TEST_CASE("placements are checked") {
    for (const std::string placement : {"compactt", "", "0-", "1,,2", "-3", "x", "999999"}) {
        INFO(placement);
        check_rejected("placement", [&] { Team team(2, {.placement = Placement::parse(placement)}); });
    }
    CHECK_THROWS_AS(Team(2, {.placement = Placement::cpus({})}), ArgumentError);
    CHECK_THROWS_AS(Team(2, {.placement = Placement::cpus({0, -1})}), ArgumentError);
    CHECK(Placement::cpus({4, 0, 1, 2}).text() == "4,0-2");
    CHECK((Placement().text() == "compact" && Placement(Placement::efficient).text() == "efficient"));
    static_assert(!std::convertible_to<const char*, Placement> && !std::convertible_to<int, Placement> &&
                  !std::convertible_to<Placement::Rule, int>);
    CHECK(Team(3, {.placement = Placement::scatter}).size() == 3);
    CHECK(Team(3, {.placement = Placement::none}).pinning().size() == 3);
    CHECK(Team().size() >= 1);
    const int cpu = cpus_of_placement(Placement::compact, 1).front();
    CHECK(Team({.placement = Placement::cpus({cpu})}).size() == 1);
    CHECK(Team({.placement = Placement::cpus({cpu, cpu, cpu})}).size() == 3);
    CHECK(PinnedThread(cpu).is_pinned());
    CHECK(!PinnedThread(-1).is_pinned());
}

TEST_CASE("a seat is taken until its member, moved or not, is destroyed; a member keeps its group") {
    auto group = std::make_unique<Group>(1);
    {
        Member first = group->join(0);
        Member second = std::move(first);
        CHECK(second.rank() == 0);
        CHECK(second.size() == 1);
        CHECK(second.allreduce(5, sum) == 5);
        check_rejected("rank 0 is taken", [&] { static_cast<void>(group->join(0)); });
    }
    Member me = group->join(0);
    CHECK(me.rank() == 0);
    group.reset();
    CHECK(me.allreduce(2.0, sum) == 2);
}

TEST_CASE("null, and buffers that overlap, after a call of the same shape that was correct") {
    const std::vector<int> in(4, 1);
    std::vector<int> data(7, 2);
    const auto part = [&](std::size_t first) { return std::span(data).subspan(first, 4); };
    Group group(1);
    Member me = group.join(0);
    me.allreduce(in, part(0), sum);
    check_rejected("`out`", [&] { me.allreduce(in, null(4), sum); });
    me.allreduce(in, part(0), sum);
    check_rejected("overlap", [&] { me.allreduce(part(0), part(3), sum); });
    me.allreduce(in, part(0), sum);
    check_rejected("overlap", [&] { me.allreduce(part(3), part(0), sum); });
    me.allreduce(in, part(3), sum);
    me.allreduce(part(3), part(3), sum);
    CHECK(data == std::vector<int>(7, 1));
}

TEST_CASE("overlapping buffers") {
    std::vector<int> data(20);
    const auto part = [&](std::size_t first, std::size_t count) {
        return std::span(data).subspan(first, count);
    };
    check_all({
        {"overlap", [&](Member& me) { me.allreduce(part(0, 10), part(9, 10), sum); }},
        {"overlap", [&](Member& me) { me.allreduce(part(5, 10), part(0, 10), sum); }},
        {"overlap", [&](Member& me) { me.reduce_scatter(part(0, 10), part(5, 5), sum); }},
        {"overlap", [&](Member& me) { me.allgather(part(10, 10), part(0, 20)); }},
        {"overlap", [&](Member& me) { me.allgather(part(1, 9), part(0, 18)); }},
        {"overlap", [&](Member& me) { me.scan(part(0, 3), part(1, 3), sum); }},
        {"in place", [&](Member& me) { me.reduce(part(0, 2), part(0, 2), sum, 0); }},
    });
}

TEST_CASE("numbers of elements that do not fit together, and wrong counts") {
    std::vector<int> one(1), two(2), three(3), four(4), five(5), six(6);
    const Counts one_two({1, 2}), two_three({2, 3});
    const CountsOnAll on_all({1, 2});
    const auto scatter = [&](const Numbers& counts) {
        return [&, counts](Member& me) { me.reduce_scatter(six, two, Counts(counts), sum); };
    };
    check_all({
        {"same number", [&](Member& me) { me.allreduce(three, four, sum); }},
        {"same number", [&](Member& me) { me.reduce(two, three, sum, 0); }},
        {"same number", [&](Member& me) { me.scan(two, three, sum); }},
        {"same number", [&](Member& me) { me.exscan(two, three, sum); }},
        {"same number", [&](Member& me) { me.shift(two, three, 1); }},
        {"must have 8", [&](Member& me) { me.reduce_scatter(six, four, sum); }},
        {"multiple of 2", [&](Member& me) { me.reduce_scatter(five, sum); }},
        {"must have 8", [&](Member& me) { me.allgather(four, six); }},
        {"multiple of 2", [&](Member& me) { me.allgather(five); }},
        {"equal blocks", [&](Member& me) { me.alltoall(three, three); }},
        {"must have 4", [&](Member& me) { me.gather(two, three, 0); }},
        {"must have 4", [&](Member& me) { me.scatter(three, two, 0); }},
        {"`counts` has 3 entries", scatter({2, 2, 2})},
        {"`counts` has 1 entries", scatter({6})},
        {"`counts` has 0 entries", scatter({})},
        {"add up to 7", scatter({2, 5})},
        {"`counts[0]` is 3", scatter({3, 3})},
        {"overflow", scatter({std::size_t(-1), 7})},
        {"add up to 3", [&](Member& me) { me.reduce_scatter(six, one_two, sum); }},
        {"`counts[0]` is 1", [&](Member& me) { me.gather(two, three, on_all, 0); }},
        {"add up to 3", [&](Member& me) { me.allgather(two, four, one_two); }},
        // The root must have the counts that only it gives.
        {"`counts` has 0 entries, must have one for each", [&](Member& me) { me.gather(two, Counts(), 0); }},
        {"`block` has 1 element, but `counts[0]` is 2",
         [&](Member& me) { me.gather(one, five, two_three, 0); }},
        {"`block` has 1 element, but `counts[0]` is 2",
         [&](Member& me) { me.scatter(five, one, two_three, 0); }},
    });
    check_rejected(1, "must have 4", [&](Member& me) { me.allgather(four, six); });
}

TEST_CASE("displacements that cannot be right") {
    std::vector<int> five(5);
    const std::vector<int> in(5);
    const std::span two = std::span(in).first(2);
    const Counts overlapping({2, 2}, {0, 1}), apart({2, 2}, {0, 2}), beyond({2, 2}, {0, 9});
    const auto allgather = [&](const Numbers& counts, const Numbers& places) {
        return [&, counts, places](Member& me) { me.allgather(two, five, Counts(counts, places)); };
    };
    const auto exchange = [&](const Numbers& to, const Numbers& from) {
        return [&, to, from](Member& me) { me.alltoall(in, Counts({2, 2}, to), five, Counts({2, 2}, from)); };
    };
    check_all({
        {"`counts` has 1 displacements, must have one for each of the 2", allgather({2, 2}, {0})},
        {"`counts` has 1 entries, must have one for each of the 2 members", allgather({2}, {0})},
        {"allgather: `out` has 5 elements, but block 1 has 2 from displacement 4 on",
         allgather({2, 2}, {0, 4})},
        {"but block 0 has 2 from displacement 1844", allgather({2, 2}, {~std::size_t{0}, 0})},
        {"but block 1 has 1844", allgather({2, ~std::size_t{0}}, {0, 2})},
        {"allgather: blocks 0 and 1 of `out` overlap: each is written", allgather({2, 2}, {1, 0})},
        {"`block` has 2 elements, but `counts[0]` is 3", allgather({3, 1}, {0, 4})},
        {"`in` has 5 elements, but block 1 has 2 from displacement 4 on", exchange({0, 4}, {0, 2})},
        {"`out` has 5 elements, but block 1", exchange({0, 0}, {0, 4})},
        {"blocks 0 and 1 of `out` overlap", exchange({0, 0}, {3, 2})},
        {"blocks 0 and 1 of `inout` overlap", [&](Member& me) { me.alltoall(five, overlapping); }},
        {"gather: blocks 0 and 1 of `out` overlap",
         [&](Member& me) { me.gather(two, five, overlapping, 0); }},
        {"scatter: `in` has 5 elements, but block 1 has 2 from displacement 9 on",
         [&](Member& me) { me.scatter(in, std::span(five).first(2), beyond, 0); }},
        {"`root` is 2, must be in 0..1", [&](Member& me) { me.gather(in, five, apart, 2); }},
    });
}

TEST_CASE("buffers with displacements must be there and apart") {
    const Numbers two{2, 2}, places{3, 0};
    const Counts counts(two, places);
    std::vector<int> all(7), common(5);
    const std::span five = std::span(all).first(5), block = std::span(all).last(2);
    check_all({
        {"`block` and `out` overlap: pass separate vectors, or one in place",
         [&](Member& me) { me.allgather(std::span(all).subspan(2, 2), five, counts); }},
        {"`out` has 5 elements but is a null pointer",
         [&](Member& me) { me.allgather(block, null(5), counts); }},
        {"`inout` has 2305843009213693953 elements, more bytes than there are addresses",
         [](Member& me) {
             double one = 1; // the bytes of the span would wrap around to those of one
             me.broadcast(std::span(&one, (std::size_t{1} << 61U) + 1), 0);
         }},
        {"they must be separate vectors, or one in place",
         [&](Member& me) { me.alltoall(five, counts, five, counts); }},
        {"one vector for all members takes no displacements",
         [&](Member& me) { me.allgather(std::span(all).first(2), shared(common), counts); }},
        {"reduce_scatter: takes no displacements",
         [&](Member& me) { me.reduce_scatter(five, block, counts, sum); }},
        {"these would work: flat",
         [&](Member& me) { me.allgather(block, five, counts, {.algorithm = "direct"}); }},
    });
}

TEST_CASE("no counts at all are not taken for equal blocks, not even after a call with those") {
    std::vector<int> two(2);
    const std::array<std::size_t, 1> sizes{2};
    Group group(1);
    Member me = group.join(0);
    using Sizes = std::span<const std::size_t>;
    for (const Sizes none : {Sizes(sizes).first(0), Sizes()}) {
        me.reduce_scatter(two, two, sum);
        check_rejected("0 entries", [&] { me.reduce_scatter(two, two, Counts(none), sum); });
        me.reduce_scatter(two, sum);
        check_rejected("0 entries", [&] { me.reduce_scatter(two, Counts(none), sum); });
    }
}

TEST_CASE("other counts are noticed if a member's part and all sizes are the same, and after an error") {
    const Numbers turns[] = {{2, 1, 3}, {2, 3, 1}, {2, 3, 1}, {2, 1, 3}, // then all with one member
                             {6, 0, 0}, {0, 6, 0}, {0, 6, 0}, {6, 0, 0}};
    check_members(3, [&](Member& me) {
        const std::size_t rank = index_of(me);
        const std::vector<int> in{0, 1, 2, 3, 4, 5};
        bool right = true;
        for (const Numbers& counts : turns) {
            std::vector<int> out(counts[rank]), expected(counts[rank]);
            const Numbers overflowing{counts[0], ~std::size_t{0}, 1};
            check_rejected("overflows", [&] { me.reduce_scatter(in, out, Counts(overflowing), max); });
            const std::size_t before = std::accumulate(counts.data(), counts.data() + rank, std::size_t{0});
            std::iota(expected.begin(), expected.end(), static_cast<int>(before));
            for (int again = 0; again < 2; ++again) {
                std::ranges::fill(out, -1);
                me.reduce_scatter(in, out, Counts(counts), max);
                right = right && out == expected;
            }
        }
        return right;
    });
}

TEST_CASE("an unknown algorithm: the message lists those there are") {
    std::vector<int> data(4), half(2);
    const Options wrong{.algorithm = "quantum"};
    for (const Part& call :
         std::initializer_list<Part>{[&](Member& me) { me.allreduce(data, sum, wrong); },
                                     [&](Member& me) { me.reduce_scatter(data, half, sum, wrong); },
                                     [&](Member& me) { me.allgather(half, data, wrong); }}) {
        const std::string text = check_rejected(2, "\"quantum\"", call);
        CHECK(mentions(text, "direct, "));
        CHECK(mentions(text, "circulant"));
    }
    const std::string barrier = check_rejected(2, "dissemination", [&](Member& me) { me.barrier(wrong); });
    CHECK_FALSE(mentions(barrier, "circulant"));
    check_rejected(2, "\"census\"", [&](Member& me) { me.allgather(half, data, {.algorithm = "census"}); });
}

namespace {

/// [[1, by], [0, factor]], whose products do not commute.
struct Shear {
    int by = 0;
    int factor = 1;
    friend Shear operator*(Shear a, Shear b) { return {b.by + a.by * b.factor, a.factor * b.factor}; }
};

} // namespace

TEST_CASE("an algorithm that cannot serve: the message states why and lists those that can") {
    const auto check = [](int members, auto value, const auto& op, const Options& options,
                          const std::vector<std::string>& says) {
        const Thrown thrown{Kind::argument, check_rejected(members, says[0], [&](Member& me) {
                                value = me.allreduce(value, op, options);
                            })};
        check_thrown(thrown, Kind::argument, says);
        return thrown.text;
    };
    const Options census{.algorithm = "census"};
    const std::vector<std::string> any_order{"\"census\"", "the same bits in any order",
                                             "these would work: direct"};
    check(2, 1.0, sum, census, any_order);
    check(
        2, 1, [](int a, int b) { return a * b; }, census, any_order);
    Group group(1);
    CHECK(group.join(0).allreduce(1, sum, census) == 1);
    const std::string ranks = check(3, 1.0, sum, {.algorithm = "hypercube"},
                                    {"powers of two, not for 3 members",
                                     "these would work: direct, flat, reduce-scatter-allgather, circulant"});
    CHECK_FALSE(mentions(ranks, "hypercube,"));
    check(3, 1.0, [](double a, double b) { return a * b; }, {.algorithm = "ring"},
          {"\"ring\" swaps operands", "not known to commute", "tutti::commutative(f)",
           "these would work: direct, flat, reduce-scatter-allgather, butterfly-overlapping"});
    check(3, Shear{1, 2}, prod, {.algorithm = "ring"}, {"\"ring\" swaps operands"});
    check(3, Shear{1, 2}, std::multiplies<>(), {.algorithm = "ring"}, {"\"ring\" swaps operands"});
    check_members(3, [](Member& me) {
        return me.allreduce(1 << me.rank(), commutative(std::bit_or<>()), {.algorithm = "ring"}) == 7;
    });
    check(3, 1.0, sum, {.algorithm = "tree", .order = Order::serial},
          {"from the left", "these would work: direct, flat"});
}

TEST_CASE("an algorithm with more rounds than it may have is rejected by name") {
    Group group(40'000);
    Member me = group.join(7);
    std::vector<int> values(1000, 1);
    CHECK(mentions(check_rejected("allreduce: algorithm \"ring\" cannot serve 40000 members",
                                  [&] { me.allreduce(values, sum, {.algorithm = "ring"}); }),
                   "rounds"));
}

TEST_CASE("an algorithm that cannot work in place works on a copy") {
    for (const std::string_view name : {"flat", "census", "butterfly-overlapping"}) {
        check_members(3, [&](Member& me) {
            std::vector<int> large(25'000, 1 + me.rank());
            me.allreduce(large, sum, {.algorithm = name});
            return large == std::vector<int>(large.size(), 6);
        });
    }
}

TEST_CASE("the name of an algorithm is read during the call only") {
    Group group(1);
    Member me = group.join(0);
    std::string name = "direct";
    CHECK(me.allreduce(1, sum, {.algorithm = name}) == 1);
    name = "census";
    CHECK(me.allreduce(1, sum, {.algorithm = name}) == 1);
    check_rejected("census", [&] { static_cast<void>(me.allreduce(1.0, sum, {.algorithm = name})); });
    name = "nosuch";
    check_rejected("nosuch", [&] { static_cast<void>(me.allreduce(1, sum, {.algorithm = name})); });
}
