#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// What a call as the only member of a group throws.
template <class Call>
Thrown alone(Call call) {
    Group group(1);
    Member me = group.join(0);
    return thrown_by([&] { call(me); });
}

/// What member 0 of two throws. No message is sent: the other member need not take part.
template <class Call>
Thrown first_of_two(Call call) {
    Group group(2);
    Member me = group.join(0);
    Member other = group.join(1);
    return thrown_by([&] { call(me); });
}

#define CHECK_ARGUMENT_ERROR(thrown, part)                                                                   \
    do {                                                                                                     \
        const Thrown found = (thrown);                                                                       \
        INFO("the message is: ", found.text);                                                                \
        CHECK(found.kind == Thrown::Kind::argument);                                                         \
        CHECK(mentions(found.text, part));                                                                   \
    } while (false)

} // namespace

TEST_CASE("a group has 1 to 65535 members") {
    for (const int members : {0, -1, 65536}) {
        const Thrown thrown = thrown_by([&] { Group group(members); });
        CHECK_ARGUMENT_ERROR(thrown, "members is " + std::to_string(members));
        CHECK(mentions(thrown.text, "1..65535"));
    }
    CHECK(Group(3).size() == 3);
}

TEST_CASE("a rank out of range is named together with the range") {
    Group group(4);
    for (const int rank : {-1, 4, 1000}) {
        const Thrown thrown = thrown_by([&] { static_cast<void>(group.join(rank)); });
        CHECK_ARGUMENT_ERROR(thrown, "rank is " + std::to_string(rank));
        CHECK(mentions(thrown.text, "0..3"));
    }
}

TEST_CASE("a seat is taken once, until its member is destroyed") {
    Group group(2);
    {
        const Member me = group.join(1);
        CHECK_ARGUMENT_ERROR(thrown_by([&] { static_cast<void>(group.join(1)); }), "rank 1 is taken");
    }
    CHECK(group.join(1).rank() == 1);
}

TEST_CASE("a member that was moved holds the seat, the old one does not") {
    Group group(1);
    {
        Member first = group.join(0);
        Member second = std::move(first);
        CHECK(second.rank() == 0);
        CHECK(second.size() == 1);
        int value = 5;
        value = second.allreduce(value, sum);
        CHECK(value == 5);
        CHECK_ARGUMENT_ERROR(thrown_by([&] { static_cast<void>(group.join(0)); }), "taken");
    }
    CHECK(group.join(0).rank() == 0);
}

TEST_CASE("a member keeps its group alive") {
    auto group = std::make_unique<Group>(1);
    Member me = group->join(0);
    group.reset();
    double value = 2;
    value = me.allreduce(value, sum);
    CHECK(value == 2);
}

TEST_CASE("team options are checked") {
    for (const int members : {-1, 0, 65536}) {
        CHECK_ARGUMENT_ERROR(thrown_by([&] { Team team(members); }), "members is " + std::to_string(members));
    }
    for (const std::string placement : {"compactt", "", "0-", "1,,2", "-3", "x", "999999"}) {
        INFO(placement);
        CHECK_ARGUMENT_ERROR(thrown_by([&] { Team team(2, {.placement = placement}); }), "placement");
    }
    CHECK(Team(3, {.placement = "scatter"}).size() == 3);
    CHECK(Team(3, {.placement = "none"}).pinning().size() == 3);
    CHECK(Team().size() >= 1);
}

TEST_CASE("a team does not run from its own member") {
    Team team(2, {.placement = "none"});
    const Thrown thrown = thrown_by([&] { team.run([&](Member&) { team.run([](Member&) {}); }); });
    CHECK(thrown.kind == Thrown::Kind::error);
    CHECK(mentions(thrown.text, "run"));
    int sum_of_ranks = -1;
    team.run([&](Member& me) {
        int value = me.rank();
        value = me.allreduce(value, sum);
        if (me.rank() == 0) {
            sum_of_ranks = value;
        }
    });
    CHECK(sum_of_ranks == 1);
}

TEST_CASE("null with a count") {
    std::vector<int> real(4);
    const std::span<int> null(static_cast<int*>(nullptr), 4);
    const std::span<int> null_half(static_cast<int*>(nullptr), 2);
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allreduce(null, real, sum); }), "`in`");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allreduce(real, null, sum); }), "`out`");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allreduce(null, sum); }), "`inout`");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce_scatter(real, null_half, sum); }),
                         "`block`");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce_scatter(null, sum); }), "null");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(null_half, real); }), "`block`");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(null); }), "null");
}

TEST_CASE("null after a call that was correct") {
    // The same shape again must not skip the checks of the addresses.
    std::vector<int> in(4, 1);
    std::vector<int> out(4);
    const std::span<int> null(static_cast<int*>(nullptr), 4);
    Group group(1);
    Member me = group.join(0);
    me.allreduce(in, out, sum);
    CHECK_ARGUMENT_ERROR(thrown_by([&] { me.allreduce(in, null, sum); }), "`out`");
    me.allreduce(in, out, sum);
    CHECK_ARGUMENT_ERROR(
        thrown_by([&] { me.allreduce(std::span(in.data(), 3), std::span(in.data() + 1, 3), sum); }),
        "overlap");
    me.allreduce(in, out, sum);
    CHECK(out == in);
}

TEST_CASE("vectors that overlap after a call that was correct") {
    std::vector<int> in(4, 1);
    std::vector<int> data(7, 2);
    const auto part = [&](std::size_t first) { return std::span(data).subspan(first, 4); };
    Group group(1);
    Member me = group.join(0);
    me.allreduce(in, part(0), sum);
    CHECK_ARGUMENT_ERROR(thrown_by([&] { me.allreduce(part(0), part(3), sum); }), "overlap");
    me.allreduce(in, part(0), sum);
    CHECK_ARGUMENT_ERROR(thrown_by([&] { me.allreduce(part(3), part(0), sum); }), "overlap");
    me.allreduce(in, part(3), sum);
    me.allreduce(part(3), part(3), sum);
    CHECK(data == std::vector<int>(7, 1));
}

TEST_CASE("overlapping vectors") {
    std::vector<int> data(20);
    const std::span all(data);
    CHECK_ARGUMENT_ERROR(
        first_of_two([&](Member& me) { me.allreduce(all.subspan(0, 10), all.subspan(9, 10), sum); }),
        "overlap");
    CHECK_ARGUMENT_ERROR(
        first_of_two([&](Member& me) { me.allreduce(all.subspan(5, 10), all.subspan(0, 10), sum); }),
        "overlap");
    CHECK_ARGUMENT_ERROR(
        first_of_two([&](Member& me) { me.reduce_scatter(all.subspan(0, 10), all.subspan(5, 5), sum); }),
        "overlap");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(all.subspan(10, 10), all); }),
                         "overlap");
    CHECK_ARGUMENT_ERROR(
        first_of_two([&](Member& me) { me.allgather(all.subspan(1, 9), all.subspan(0, 18)); }), "overlap");
}

TEST_CASE("numbers of elements that do not fit together") {
    std::vector<int> three(3), four(4), five(5), six(6);
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allreduce(three, four, sum); }), "same number");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce_scatter(six, four, sum); }), "must have 8");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce_scatter(five, sum); }), "multiple of 2");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(four, six); }), "must have 8");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(five); }), "multiple of 2");
    CHECK_ARGUMENT_ERROR(alone([&](Member& me) { me.allgather(four, six); }), "must have 4");
}

TEST_CASE("wrong counts") {
    std::vector<int> six(6), two(2);
    using Numbers = std::vector<std::size_t>;
    const auto scatter = [&](const Numbers& counts) {
        return first_of_two([&](Member& me) { me.reduce_scatter(six, two, Counts(counts), sum); });
    };
    CHECK_ARGUMENT_ERROR(scatter({2, 2, 2}), "`counts` has 3 entries");
    CHECK_ARGUMENT_ERROR(scatter({6}), "`counts` has 1 entries");
    CHECK_ARGUMENT_ERROR(scatter({}), "`counts` has 0 entries");
    CHECK_ARGUMENT_ERROR(scatter({2, 5}), "add up to 7");
    CHECK_ARGUMENT_ERROR(scatter({3, 3}), "`counts[0]` is 3");
    CHECK_ARGUMENT_ERROR(scatter({std::size_t(-1), 7}), "overflow");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) {
                             me.reduce_scatter(six, Counts(Numbers{1, 2}), sum);
                         }),
                         "add up to 3");
}

TEST_CASE("no counts at all are not taken for equal blocks, not even after a call with those") {
    std::vector<int> two(2);
    const std::array<std::size_t, 1> sizes{2};
    Group group(1);
    Member me = group.join(0);
    using Sizes = std::span<const std::size_t>;
    for (const Sizes none : {Sizes(sizes).first(0), Sizes()}) {
        me.reduce_scatter(two, two, sum);
        CHECK_ARGUMENT_ERROR(thrown_by([&] { me.reduce_scatter(two, two, Counts(none), sum); }), "0 entries");
        me.reduce_scatter(two, sum);
        CHECK_ARGUMENT_ERROR(thrown_by([&] { me.reduce_scatter(two, Counts(none), sum); }), "0 entries");
    }
}

TEST_CASE("other counts are noticed where a member's own part and all sizes stay the same") {
    Team team(3);
    using Sizes = std::vector<std::size_t>;
    using Numbers = std::vector<int>;
    const std::vector<Sizes> turns{{2, 1, 3}, {2, 3, 1}, {2, 3, 1}, {2, 1, 3}};
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        for (const Sizes& counts : turns) {
            const Numbers in{0, 1, 2, 3, 4, 5};
            Numbers out(counts[rank]);
            me.reduce_scatter(in, out, Counts(counts), max);
            const auto first = static_cast<int>(std::accumulate(
                counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rank), std::size_t{0}));
            Numbers expected(counts[rank]);
            std::iota(expected.begin(), expected.end(), first);
            wrong[rank] += out == expected ? 0 : 1;
        }
    });
    CHECK(wrong == std::vector<int>{0, 0, 0});
}

TEST_CASE("counts that leave everything with another member are noticed, and those after an error") {
    Team team(3);
    const std::vector<std::vector<std::size_t>> turns{{4, 0, 0}, {0, 4, 0}, {0, 4, 0}, {4, 0, 0}};
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        const std::vector<int> in{1, 2, 3, 4};
        for (const auto& counts : turns) {
            std::vector<int> out(counts[rank]);
            const std::vector<std::size_t> overflowing{counts[0], ~std::size_t{0}, 1};
            CHECK_ARGUMENT_ERROR(thrown_by([&] { me.reduce_scatter(in, out, Counts(overflowing), max); }),
                                 "overflows");
            for (int again = 0; again < 2; ++again) {
                std::ranges::fill(out, 0);
                me.reduce_scatter(in, out, Counts(counts), max);
                wrong[rank] += out.empty() || out == in ? 0 : 1;
            }
        }
    });
    CHECK(wrong == std::vector<int>{0, 0, 0});
}

TEST_CASE("counts are not data, and data are not counts") {
    using Sizes = std::vector<std::size_t>;
    static_assert(!detail::BufferArgument<Counts&> && !detail::BufferArgument<const Counts&> &&
                  !detail::BufferArgument<Counts>);
    static_assert(!std::is_convertible_v<Sizes, Counts> && std::is_constructible_v<Counts, Sizes&> &&
                  std::is_constructible_v<Counts, const std::array<std::size_t, 2>&>);
    Sizes data{1, 2, 3};
    Sizes counts{3};
    Group group(1);
    Member me = group.join(0);
    me.reduce_scatter(data, Counts(counts), sum);
    CHECK(data == Sizes{1, 2, 3});
    CHECK(counts == Sizes{3});
}

TEST_CASE("an unknown algorithm: the message lists those there are") {
    std::vector<int> data(4), half(2);
    const Options wrong{.algorithm = "quantum"};
    for (const Thrown& thrown : {first_of_two([&](Member& me) { me.allreduce(data, sum, wrong); }),
                                 first_of_two([&](Member& me) { me.reduce_scatter(data, half, sum, wrong); }),
                                 first_of_two([&](Member& me) { me.allgather(half, data, wrong); })}) {
        CHECK_ARGUMENT_ERROR(thrown, "\"quantum\"");
        CHECK(mentions(thrown.text, "direct, "));
        CHECK(mentions(thrown.text, "circulant"));
    }
    const Thrown barrier = first_of_two([&](Member& me) { me.barrier(wrong); });
    CHECK_ARGUMENT_ERROR(barrier, "dissemination");
    CHECK_FALSE(mentions(barrier.text, "circulant"));
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(half, data, {.algorithm = "census"}); }),
                         "\"census\"");
}

TEST_CASE("an algorithm that does not take the operator: the message lists those that do") {
    double real = 1;
    int integer = 1;
    const Options census{.algorithm = "census"};
    const auto product = [](int a, int b) { return a * b; };
    for (const Thrown& thrown :
         {first_of_two([&](Member& me) { real = me.allreduce(real, sum, census); }),
          first_of_two([&](Member& me) { integer = me.allreduce(integer, product, census); })}) {
        CHECK_ARGUMENT_ERROR(thrown, "\"census\"");
        CHECK(mentions(thrown.text, "the same bits in any order"));
        CHECK(mentions(thrown.text, "these would work: direct"));
    }
    CHECK(alone([&](Member& me) { integer = me.allreduce(integer, sum, census); }).kind ==
          Thrown::Kind::nothing);
}

TEST_CASE("an algorithm that cannot serve: the message says why and lists those that can") {
    double value = 1;
    const auto refused = [&](const Options& options, const auto& op) {
        return thrown_by([&] {
            Team team(3, {.placement = "none"});
            team.run([&](Member& me) {
                double mine = value;
                mine = me.allreduce(mine, op, options);
            });
        });
    };
    const Thrown ranks = refused({.algorithm = "hypercube"}, sum);
    CHECK_ARGUMENT_ERROR(ranks, "powers of two, not for 3 members");
    CHECK(mentions(ranks.text, "these would work: direct, flat, reduce-scatter-allgather, circulant"));
    CHECK_FALSE(mentions(ranks.text, "hypercube,"));
    const Thrown order = refused({.algorithm = "ring"}, non_commutative(sum));
    CHECK_ARGUMENT_ERROR(order, "rank order");
    CHECK(mentions(order.text,
                   "these would work: direct, flat, reduce-scatter-allgather, butterfly-overlapping"));
    const Thrown serial = refused({.algorithm = "tree", .order = Order::serial}, sum);
    CHECK_ARGUMENT_ERROR(serial, "from the left");
    CHECK(mentions(serial.text, "these would work: direct, flat"));
}

TEST_CASE("a root that does not exist") {
    std::vector<int> data(4), half(2);
    for (const int root : {-1, 2}) {
        for (const Thrown& thrown : {first_of_two([&](Member& me) { me.broadcast(data, root); }),
                                     first_of_two([&](Member& me) { me.reduce(data, sum, root); }),
                                     first_of_two([&](Member& me) { me.gather(half, data, root); }),
                                     first_of_two([&](Member& me) { me.scatter(data, half, root); })}) {
            CHECK_ARGUMENT_ERROR(thrown, "`root` is " + std::to_string(root) + ", must be in 0..1");
        }
    }
}

TEST_CASE("sizes that do not go together in the other collectives") {
    std::vector<int> two(2), three(3), four(4);
    const std::vector<std::size_t> counts{1, 2};
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce(two, three, sum, 0); }), "same number");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.scan(two, three, sum); }), "same number");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.exscan(two, three, sum); }), "same number");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.shift(two, three, 1); }), "same number");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.alltoall(three, three); }), "equal blocks");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.gather(two, three, 0); }), "must have 4");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.scatter(three, two, 0); }), "must have 4");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.gather(two, three, CountsOnAll(counts), 0); }),
                         "`counts[0]` is 1");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.allgather(two, four, Counts(counts)); }),
                         "add up to 3");
    CHECK_ARGUMENT_ERROR(first_of_two([&](Member& me) { me.reduce(two, two, sum, 0); }), "in place");
    CHECK_ARGUMENT_ERROR(
        first_of_two([&](Member& me) { me.scan(std::span(four).first(3), std::span(four).last(3), sum); }),
        "overlap");
}

TEST_CASE("members that disagree on the root are told both") {
    Team team(2, {.placement = "none"});
    const Thrown first_thrown = thrown_by([&] {
        team.run([&](Member& me) {
            std::vector<int> values(10'000);
            me.broadcast(values, me.rank());
        });
    });
    CHECK(first_thrown.kind == Thrown::Kind::mismatch);
    CHECK(mentions(first_thrown.text, "root 0"));
    CHECK(mentions(first_thrown.text, "root 1"));
}

TEST_CASE("an algorithm that cannot work in place works on a copy") {
    for (const std::string_view name : {"flat", "census", "butterfly-overlapping"}) {
        Team team(3, {.placement = "none"});
        std::vector<int> wrong(3, 0);
        team.run([&](Member& me) {
            std::vector<int> large(25'000, 1 + me.rank());
            me.allreduce(large, sum, {.algorithm = name});
            wrong[static_cast<std::size_t>(me.rank())] =
                static_cast<int>(std::ranges::count_if(large, [](int value) { return value != 6; }));
        });
        CHECK(wrong == std::vector<int>(3, 0));
    }
}

TEST_CASE("after an argument error the member may call again, and the others have waited") {
    Team team(4, {.placement = "none"});
    std::vector<int> results(4);
    std::atomic<int> refused{0};
    team.run([&](Member& me) {
        for (int i = 0; i < 20; ++i) {
            int value = me.rank();
            if (me.rank() == i % 4) {
                const Thrown thrown =
                    thrown_by([&] { value = me.allreduce(value, sum, {.algorithm = "no such"}); });
                refused += thrown.kind == Thrown::Kind::argument ? 1 : 0;
            }
            value = me.allreduce(value, sum);
            results[static_cast<std::size_t>(me.rank())] = value;
        }
    });
    CHECK(refused == 20);
    CHECK(results == std::vector<int>(4, 6));
}

TEST_CASE("the name of an algorithm is read during the call only") {
    Group group(1);
    Member me = group.join(0);
    int value = 1;
    std::string name = "direct";
    value = me.allreduce(value, sum, {.algorithm = name});
    name = "census";
    double real = 1;
    value = me.allreduce(value, sum, {.algorithm = name});
    CHECK_ARGUMENT_ERROR(thrown_by([&] { real = me.allreduce(real, sum, {.algorithm = name}); }), "census");
    name = "nosuch";
    CHECK_ARGUMENT_ERROR(thrown_by([&] { value = me.allreduce(value, sum, {.algorithm = name}); }), "nosuch");
}
