// Counts from any range of integers, how long their numbers must live, and counts that differ between
// members.

#include "support.hpp"

#include <list>

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

const std::vector<int> one_two_three{0, 1, 1, 2, 2, 2}; // blocks of 1, 2 and 3 ranks

/// Member `rank` has as many elements of value `rank`, and one more.
std::vector<int> block_of(const Member& me) {
    return std::vector<int>(index_of(me) + 1, me.rank());
}

/// Each member makes a call of its own. All are told of the difference.
void check_all_told(int members, const std::vector<std::string>& says, const Part& call) {
    const Outcomes outcomes = check_fails(members, Kind::mismatch, {}, [&](Member& me) {
        call(me);
        me.barrier(); // where a member that has its block is told
    });
    CHECK(outcomes.count(Kind::mismatch) + outcomes.count(Kind::aborted) == members);
    for (int rank = 0; rank < members; ++rank) {
        check_thrown(outcomes.of(rank), outcomes.of(rank).kind, says);
    }
}

} // namespace

TEST_CASE("counts come from any range of integers") {
    const Sizes expected{3, 0, 2};
    const int array[] = {3, 0, 2};
    CHECK(numbers_of(Counts(std::vector<int>{3, 0, 2})) == expected);
    CHECK(numbers_of(Counts(array)) == expected);
    CHECK(numbers_of(Counts(std::list<std::int64_t>{3, 0, 2})) == expected);
#if !defined(__clang__) || __clang_major__ >= 16 // earlier ones do not compile views of libstdc++
    const auto halves = std::views::transform(std::span(array), [](int n) { return n / 2; });
    CHECK(numbers_of(Counts(halves)) == Sizes{1, 0, 1});
#endif
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
    CHECK(numbers_of(detail::RootCounts(CountsOnAll({three, 0, two})).view) == expected);
    CHECK(numbers_of(Counts{Counts{3, 0, 2}}) == expected);
    const Sizes named{1, 2};
    const Counts both[] = {Counts({1, 2}, {four(), 0}), Counts(named, {4, 0}), Counts({1, 2}, Sizes{4, 0})};
    for (const Counts& each : both) {
        CHECK(numbers_of(each) == named);
        CHECK(displacements_of(each) == Sizes{4, 0});
    }
    CHECK(numbers_of(Counts{named}) == named);
    CHECK(mentions(thrown_by([] { const CountsOnAll made({1}, {-2}); }).text, "displacements[0] is -2"));
    static_assert(!std::is_constructible_v<Counts, int> && !std::is_constructible_v<Counts, int, int>);
}

TEST_CASE("numbers are copied, except a span of std::size_t") {
    Sizes named{1, 2};
    const std::span<std::size_t> span(named);
    CHECK(Counts::View(Counts(span)).span().data() == named.data());
    CHECK(Counts::View(Counts{std::span<const std::size_t, 2>(span)}).span().data() == named.data());
    const Counts of_vector(named), of_both(span, named);
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
#if !defined(__clang__) || __clang_major__ >= 16 // earlier ones do not compile views of libstdc++
    const Counts of_view(named | std::views::take(2));
    const Counts of_subrange(std::ranges::subrange(named.begin(), named.end()));
    named[0] = 55;
    CHECK(numbers_of(of_view)[0] != 55);
    CHECK(numbers_of(of_subrange)[0] != 55);
#endif
    named[0] = 77;
    CHECK(numbers_of(of_vector) == Sizes{1, 2});
    CHECK(numbers_of(of_both) == Sizes{77, 2});
    CHECK(displacements_of(of_both) == Sizes{1, 2});
}

TEST_CASE("a negative count or displacement is named by its index") {
    using Ints = std::vector<int>;
    const Ints wrong{1, 2, -1};
    check_rejected("Counts: counts[2] is -1: it must not be negative", [&] { const Counts made(wrong); });
    check_rejected("Counts: displacements[2] is -1: it must not", [&] { const Counts made(Ints(3), wrong); });
    check_rejected("counts[0] is -7", [] { const CountsOnAll made(Ints{-7}); });
}

TEST_CASE("calls of every kind have read their counts when they return") {
    check_members(3, [](Member& me) {
        const std::vector<int> counts{1, 2, 3}, block = block_of(me);
        std::vector<std::vector<int>> outs(5, std::vector<int>(6));
        me.allgather(block, outs[0], Counts(counts));
        Request started = me.start.allgather(block, outs[1], Counts(std::vector<int>{1, 2, 3}));
        Sizes changed{1, 2, 3}, places{0, 1, 3};
        Persistent prepared = me.prepare.allgather(block, outs[2], Counts(changed));
        Persistent displaced = me.prepare.allgather(block, outs[3], Counts(changed, places));
        Sizes four{4, 4, 4}, backwards{8, 4, 0};
        const std::vector<int> in(12, me.rank());
        std::vector<int> exchanged(12, -1);
        Request displaced_blocks =
            me.start.alltoall(in, Counts(four, backwards), exchanged, Counts(four, backwards));
        std::ranges::fill(four, 77);
        std::ranges::fill(backwards, 77);
        std::ranges::fill(changed, 77);
        std::ranges::fill(places, 77);
        for (int time = 0; time < 2; ++time) {
            prepared.start();
            displaced.start();
            prepared.wait();
            displaced.wait();
        }
        started.wait();
        me.start.gather(block, outs[4], me.rank() == 1 ? Counts(counts) : Counts(), 1).wait();
        outs[4] = me.rank() == 1 ? outs[4] : one_two_three;
        displaced_blocks.wait();
        return std::ranges::count(outs, one_two_three) == 5 &&
               exchanged == std::vector<int>{2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0};
    });
}

TEST_CASE("a gather and a scatter read the root's counts only, or those of all members") {
    check_members(3, [](Member& me) {
        const std::vector<int> block = block_of(me), nine{9};
        std::vector<int> whole(6), back(block.size());
        const std::vector<int> counts = me.rank() == 2 ? std::vector{1, 2, 3} : nine;
        me.gather(block, whole, Counts(counts), 2); // nobody reads the others' counts
        const bool gathered = me.rank() != 2 || whole == one_two_three;
        me.scatter(whole, back, Counts(counts), 2);
        std::ranges::fill(whole, 0);
        me.gather(block, whole, CountsOnAll(std::vector{1, 2, 3}), 0);
        check_rejected("`counts` has 1 entries", [&] { me.gather(block, whole, CountsOnAll(nine), 2); });
        return gathered && back == block && (me.rank() != 0 || whole == one_two_three);
    });
}

TEST_CASE("blocks that are read may overlap, and that of an allgather may lie in its place of the result") {
    check_members(3, [](Member& me) {
        const std::vector<int> in{10, 11, 12}, mine{0, 0, me.rank()};
        const std::vector<int> expected[] = {{11, 12}, {10, 11, 12}, {11}};
        std::vector<int> out(expected[index_of(me)].size()), received(3), whole(7, -1);
        me.scatter(in, out, Counts({2, 3, 1}, {1, 0, 1}), 1);
        me.alltoall(mine, Counts({1, 1, 1}, {2, 2, 2}), received, Counts({1, 1, 1}, {2, 1, 0}));
        const Sizes counts{2, 1, 2}, places{4, 0, 1};
        const std::span own = std::span(whole).subspan(places[index_of(me)], counts[index_of(me)]);
        std::ranges::fill(own, me.rank());
        me.allgather(own, whole, Counts(counts, places), {.algorithm = "flat"});
        return out == expected[index_of(me)] && received == std::vector{2, 1, 0} &&
               whole == std::vector{1, 2, 2, -1, 0, 0, -1};
    });
}

TEST_CASE("a block of another length than its count is named on every member") {
    for (const int members : {2, 3, 5, 8}) {
        const auto last = static_cast<std::size_t>(members - 1);
        const std::string end = std::to_string(last);
        const Sizes counts(last + 1, 3);
        for (const std::size_t wrong : {2U, 4U, 500'000U}) {
            const std::string differs =
                " is 3, but `block` of member " + end + " has " + std::to_string(wrong) + " elements";
            const auto mine = [&](const Member& me) {
                return std::vector<double>(index_of(me) == last ? wrong : 3, 1.0);
            };
            check_all_told(members, {"gather: counts[" + end + "] of member 0" + differs}, [&](Member& me) {
                std::vector<double> out(3 * counts.size());
                me.gather(mine(me), out, Counts(counts), 0);
            });
            check_all_told(members, {"scatter: counts[" + end + "] of member 0" + differs}, [&](Member& me) {
                const std::vector<double> in(3 * counts.size());
                std::vector<double> out = mine(me);
                me.scatter(in, out, Counts(counts), 0);
            });
            check_all_told(members, {"allgather: counts[" + end + "] of member ", differs}, [&](Member& me) {
                Sizes own = counts, places(counts.size());
                own[last] = index_of(me) == last ? wrong : 3;
                std::exclusive_scan(own.begin(), own.end(), places.begin(), std::size_t{0});
                std::vector<double> out(3 * last + own[last]);
                me.allgather(mine(me), out, Counts(own, places));
            });
        }
    }
}

TEST_CASE("counts of an all-to-all in place must be those of the other member") {
    const Outcomes outcomes = check_fails(3, Kind::mismatch, {}, [](Member& me) {
        Sizes counts(3, 2);
        counts[0] = me.rank() == 2 ? 5 : 2;
        std::vector<int> inout(counts[0] + 4);
        me.alltoall(inout, Counts(counts));
        me.barrier();
    });
    CHECK(outcomes.count(Kind::mismatch) + outcomes.count(Kind::aborted) == 3);
    const std::string text = outcomes.text(Kind::mismatch);
    INFO(text);
    CHECK((mentions(text, "counts[2] of member 0 is 2, but counts[0] of member 2 is 5") ||
           mentions(text, "counts[0] of member 2 is 5, but counts[2] of member 0 is 2")));
}

TEST_CASE("members that disagree on which member has the counts are told") {
    const std::vector<int> block(2);
    const Sizes counts(3, 2), places{4, 2, 0};
    using Call = std::function<void(Member&, std::vector<int>&)>;
    const Call gather = [&](Member& me, auto& out) { me.gather(block, out, Counts(counts), 0); };
    const struct {
        Call odd, others;
        const char* says;
        std::vector<int> odd_ranks = {0, 2};
    } cases[] = {{[&](Member& me, auto& out) { me.gather(block, out, CountsOnAll(counts), 0); }, gather,
                  "by counts at the root"},
                 {[&](Member& me, auto& out) { me.gather(block, out, CountsOnAll(counts, places), 0); },
                  gather, "by counts with displacements"},
                 {[&](Member& me, auto& out) { me.allgather(block, out, Counts(counts, places)); },
                  [&](Member& me, auto& out) { me.allgather(block, out, Counts(counts)); },
                  "by counts with displacements"},
                 {[&](Member& me, auto& out) { me.scatter(out, Counts(), 0); },
                  [&](Member& me, auto& out) { me.scatter(std::span(out).first(me.rank() == 0 ? 6 : 2), 0); },
                  "by counts at the root",
                  {2}}};
    for (const auto& each : cases) {
        for (const int odd : each.odd_ranks) {
            check_all_told(3, {each.says}, [&](Member& me) {
                std::vector<int> out(6);
                (me.rank() == odd ? each.odd : each.others)(me, out);
            });
        }
    }
}
