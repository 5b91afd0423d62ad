// Counts from any range of integers, and how long their numbers must live.

#include "support.hpp"

#include <list>

using namespace tutti;
using namespace tutti::test;

namespace {

using Sizes = std::vector<std::size_t>;

Sizes numbers_of(const Counts::View& counts) {
    return {counts.span().begin(), counts.span().end()};
}

Sizes displacements_of(const Counts::View& counts) {
    return {counts.displacements().begin(), counts.displacements().end()};
}

unsigned four() {
    return 4;
}

} // namespace

TEST_CASE("counts come from any range of integers") {
    const Sizes expected{3, 0, 2};
    const int array[] = {3, 0, 2};
    CHECK(numbers_of(Counts(std::vector<int>{3, 0, 2})) == expected);
    CHECK(numbers_of(Counts(array)) == expected);
    CHECK(numbers_of(Counts(std::list<std::int64_t>{3, 0, 2})) == expected);
    CHECK(numbers_of(Counts(std::array<std::uint16_t, 3>{3, 0, 2})) == expected);
    const auto halves = std::views::transform(std::span(array), [](int n) { return n / 2; });
    CHECK(numbers_of(Counts(halves)) == Sizes{1, 0, 1});
    const Counts both(std::vector<int>{3, 0, 2}, std::vector<long>{2, 0, 0});
    CHECK(numbers_of(both) == expected);
    CHECK(displacements_of(both) == Sizes{2, 0, 0});
    CHECK(Counts::View(both).has_displacements());
    CHECK_FALSE(Counts::View(Counts(expected)).has_displacements());
    static_assert(!std::is_constructible_v<Counts, std::vector<double>> &&
                  !std::is_constructible_v<Counts, std::vector<bool>>);
}

TEST_CASE("counts come from braced lists, whose integers may have several types") {
    const Sizes expected{3, 0, 2};
    const std::size_t three = 3;
    const int two = 2;
    CHECK(numbers_of(Counts({3, 0, 2})) == expected);
    CHECK(numbers_of(Counts{three, 0, two}) == expected);
    CHECK(numbers_of(Counts{7}) == Sizes{7});
    CHECK(numbers_of(CountsOnAll({three, 0, two}).operator CountsOnAll::View().counts) == expected);
    CHECK(numbers_of(Counts{Counts{3, 0, 2}}) == expected);
    const Sizes named{1, 2};
    const Counts both[] = {Counts({1, 2}, {four(), 0}), Counts(named, {4, 0}), Counts({1, 2}, Sizes{4, 0})};
    for (const Counts& each : both) {
        CHECK(numbers_of(each) == named);
        CHECK(displacements_of(each) == Sizes{4, 0});
    }
    CHECK(numbers_of(Counts{named}) == named);
    CHECK(Counts::View(Counts{named}).span().data() == named.data()); // still not copied
    CHECK(mentions(thrown_by([] { const Counts made{1, -1}; }).text, "counts[1] is -1"));
    CHECK(mentions(thrown_by([] { const CountsOnAll made({1}, {-2}); }).text, "displacements[0] is -2"));
    static_assert(!std::is_constructible_v<Counts, int> && !std::is_constructible_v<Counts, int, int>);
    std::vector<int> right(3);
    Team team(3, {.placement = "none"});
    team.run([&](Member& me) {
        const std::vector<int> block(static_cast<std::size_t>(me.rank()) + 1, me.rank());
        std::vector<int> whole(6);
        me.gather(block, whole, Counts{1, 2, 3}, 0);
        me.gather(block, whole, CountsOnAll({1, 2, 3}, {0, 1, 3}), 1);
        me.start.allgather(block, whole, Counts({1, 2, 3})).wait();
        right[static_cast<std::size_t>(me.rank())] = whole == std::vector<int>{0, 1, 1, 2, 2, 2};
    });
    CHECK(right == std::vector<int>(3, 1));
}

TEST_CASE("numbers of std::size_t that have a name are not copied, others are") {
    Sizes named{1, 2};
    CHECK(Counts::View(Counts(named)).span().data() == named.data());
    CHECK(Counts::View(Counts(std::span(named))).span().data() == named.data());
    CHECK(Counts::View(Counts(named, named)).displacements().data() == named.data());
    const Counts kept(Sizes{1, 2}, Sizes{4, 0}); // these vectors are gone here
    Counts moved = kept;
    Counts copy = std::move(moved);
    moved = Counts(std::vector<int>{9});
    std::swap(copy, moved);
    std::swap(copy, moved);
    CHECK(numbers_of(moved) == Sizes{9});
    CHECK(numbers_of(copy) == named);
    CHECK(displacements_of(copy) == Sizes{4, 0});
    static_assert(std::is_trivially_copyable_v<Counts::View>); // calls pay for no copy and no destructor
#if defined(__cpp_lib_ranges)
    const Counts of_view(named | std::views::take(2));
    const Counts of_subrange(std::ranges::subrange(named.begin(), named.end()));
    named[0] = 55;
    CHECK(numbers_of(of_view)[0] != 55);
    CHECK(numbers_of(of_subrange)[0] != 55);
#endif
}

TEST_CASE("a negative count or displacement is named by its index") {
    const auto text = [](const auto&... numbers) {
        const Thrown thrown = thrown_by([&] { const Counts made(numbers...); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        return thrown.text;
    };
    using Ints = std::vector<int>;
    CHECK(text(Ints{1, 2, -1}) == "Counts: counts[2] is -1: it must not be negative");
    CHECK(text(Ints{1, 2}, Ints{0, -3}) == "Counts: displacements[1] is -3: it must not be negative");
    CHECK(mentions(thrown_by([] { const CountsOnAll made(Ints{-7}); }).text, "counts[0] is -7"));
}

TEST_CASE("a negative count of one member releases the others") {
    Team team(3, {.placement = "none"});
    const Thrown thrown = thrown_by([&] {
        team.run([](Member& me) {
            std::vector<int> out(3);
            me.allgather(me.rank(), out, Counts(std::vector<int>{1, me.rank() == 1 ? -1 : 1, 1}));
        });
    });
    CHECK(mentions(thrown.text, "counts[1] is -1"));
    test::check_usable(team);
}

TEST_CASE("calls of every kind have read their counts when they return") {
    constexpr int members = 3;
    Team team(members, {.placement = "none"});
    std::vector<int> right(members);
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        const std::vector<int> counts{1, 2, 3};
        const std::vector<int> expected{0, 1, 1, 2, 2, 2};
        const std::vector<int> block(rank + 1, me.rank());
        std::vector<std::vector<int>> outs(5, std::vector<int>(6));
        me.allgather(block, outs[0], Counts(counts));
        Request started = me.start.allgather(block, outs[1], Counts(std::vector<int>{1, 2, 3}));
        Sizes changed{1, 2, 3};
        Persistent prepared = me.prepare.allgather(block, outs[2], Counts(changed));
        Sizes places{0, 1, 3};
        Persistent displaced = me.prepare.allgather(block, outs[3], Counts(changed, places));
        std::ranges::fill(changed, 77);
        std::ranges::fill(places, 77);
        for (int time = 0; time < 2; ++time) {
            prepared.start();
            displaced.start();
            prepared.wait();
            displaced.wait();
        }
        started.wait();
        const Counts of_root = me.rank() == 1 ? Counts(counts) : Counts();
        Request gathered = me.start.gather(block, outs[4], of_root, 1);
        gathered.wait();
        outs[4] = me.rank() == 1 ? outs[4] : expected;
        right[rank] = static_cast<int>(std::ranges::count(outs, expected));
    });
    CHECK(right == std::vector<int>(members, 5));
}

TEST_CASE("a gather and a scatter read the root's counts only, or those of all members") {
    constexpr int members = 3;
    Team team(members, {.placement = "none"});
    std::vector<int> right(members);
    team.run([&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        const std::vector<int> block(rank + 1, me.rank());
        const std::vector<int> expected{0, 1, 1, 2, 2, 2};
        std::vector<int> whole(6), back(rank + 1);
        const std::vector<int> counts = me.rank() == 2 ? std::vector{1, 2, 3} : std::vector{9};
        me.gather(block, whole, Counts(counts), 2); // nobody reads the others' counts
        right[rank] += me.rank() != 2 || whole == expected ? 1 : 0;
        me.scatter(whole, back, Counts(counts), 2);
        right[rank] += back == block ? 1 : 0;
        std::ranges::fill(whole, 0);
        me.gather(block, whole, CountsOnAll(std::vector{1, 2, 3}), 0);
        right[rank] += me.rank() != 0 || whole == expected ? 1 : 0;
        const std::vector<int> nine{9};
        const Thrown thrown = thrown_by([&] { me.gather(block, whole, CountsOnAll(nine), 2); });
        right[rank] += mentions(thrown.text, "`counts` has 1 entries") ? 1 : 0;
    });
    CHECK(right == std::vector<int>(members, 4));
}

TEST_CASE("blocks that are read may overlap") {
    Team team(3, {.placement = "none"});
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        const Sizes counts{2, 3, 1};
        const Sizes everywhere{1, 0, 1};
        const std::vector<int> in{10, 11, 12};
        std::vector<int> out(counts[static_cast<std::size_t>(me.rank())]);
        me.scatter(in, out, Counts(counts, everywhere), 1);
        const std::vector<int> expected[] = {{11, 12}, {10, 11, 12}, {11}};
        wrong[static_cast<std::size_t>(me.rank())] +=
            out == expected[static_cast<std::size_t>(me.rank())] ? 0 : 1;
        const Sizes ones(3, 1);
        const Sizes same(3, 2);
        const Sizes backwards{2, 1, 0};
        std::vector<int> received(3);
        const std::vector<int> mine{0, 0, me.rank()};
        me.alltoall(mine, Counts(ones, same), received, Counts(ones, backwards));
        wrong[static_cast<std::size_t>(me.rank())] += received == std::vector<int>{2, 1, 0} ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
}

TEST_CASE("the block of an allgather may lie in its place of the result") {
    Team team(3, {.placement = "none"});
    team.run([](Member& me) {
        const Sizes counts{2, 1, 2}, places{4, 0, 1};
        const auto rank = static_cast<std::size_t>(me.rank());
        std::vector<int> whole(7, -1);
        const std::span own = std::span(whole).subspan(places[rank], counts[rank]);
        std::ranges::fill(own, me.rank());
        me.allgather(own, whole, Counts(counts, places), {.algorithm = "flat"});
        CHECK(whole == std::vector<int>{1, 2, 2, -1, 0, 0, -1});
    });
}
