// Blocks that lie anywhere in a vector, and counts that only the root knows.

#include "../reference/calls.hpp"
#include "elements.hpp"
#include "support.hpp"
#include "ways.hpp"

#include <cstdint>
#include <random>
#include <span>

using namespace tutti;
using namespace tutti::test;

namespace {

using List = std::vector<std::size_t>;

/// The lengths of blocks, many of them empty; an all-to-all in place has the same in both directions.
Lengths random_lengths(std::size_t members, std::size_t most, std::mt19937& engine) {
    List all(members * members);
    for (std::size_t& length : all) {
        length = engine() % 3 == 0 ? 0 : engine() % (most + 1);
    }
    return [all, members](std::size_t from, std::size_t to) { return all[from * members + to]; };
}

std::vector<Shape> shapes_of(const Lengths& lengths, int root, std::optional<std::uint32_t> displaced) {
    std::vector<Shape> shapes = test::irregular_shapes(lengths, {root}, displaced);
    std::erase_if(shapes, [](const Shape& shape) { return shape.traits().reduces(); });
    return shapes;
}

template <class Me>
std::size_t rank_of(const Me& me) {
    return static_cast<std::size_t>(me.rank());
}

/// For calls that are not made.
constexpr auto left_of = [](const auto& left, const auto& /*right*/) { return left; };

/// Whether a call with that algorithm is right, for this member.
template <class T, class Me>
bool is_right(Me& me, const Shape& shape, const Reference<T>& reference, std::string_view algorithm) {
    Vectors<T> call = reference.vectors(rank_of(me), shape);
    const Options options{.algorithm = test::has_algorithms<Me> ? algorithm : ""};
    test::make_at_once(me, [&](auto& way) {
        return make_call(way, shape, call, std::span<const T>(call.in), std::span(call.out), left_of,
                         options);
    });
    return call.out == call.expected;
}

/// An allgather may have a member's block in its place of the result.
template <class T, class Me>
bool is_right_within_result(Me& me, Shape shape, const Reference<T>& reference) {
    shape.in_place = true;
    Vectors<T> call = reference.vectors(rank_of(me), shape);
    const Layout& layout = call.received;
    const std::size_t count = layout.counts[rank_of(me)];
    const Options flat{.algorithm = test::has_algorithms<Me> ? "flat" : ""};
    const std::span own = std::span(call.out).subspan(count == 0 ? 0 : layout.starts[rank_of(me)], count);
    test::make_at_once(me, [&](auto& way) {
        return way.allgather(own, call.out, Counts(layout.counts, layout.starts), flat);
    });
    return call.out == call.expected;
}

/// The number of wrong results of one member.
template <class T, class Me>
int wrong_results(Me& me, const std::vector<Shape>& shapes, const Reference<T>& reference) {
    std::mt19937 engine(static_cast<std::uint32_t>(me.rank()));
    int wrong = 0;
    for (Shape shape : shapes) {
        wrong += is_right(me, shape, reference, "") ? 0 : 1;
        if (shape.collective == Collective::alltoall) {
            wrong += is_right(me, shape, reference, "direct") ? 0 : 1;
            wrong += is_right(me, shape, reference, "pairwise") ? 0 : 1;
        } else if (shape.counts_at_root && !shape.in_place) { // each as it likes
            shape.in_place = engine() % 2 == 0;
            wrong += is_right(me, shape, reference, "") ? 0 : 1;
        } else if (shape.collective == Collective::allgather && !shape.in_place && shape.displaced) {
            wrong += is_right_within_result(me, shape, reference) ? 0 : 1;
        }
    }
    return wrong;
}

template <class T>
void check(const std::vector<int>& member_counts) {
    std::mt19937 engine(5);
    for (const int members : member_counts) {
        const auto size = static_cast<std::size_t>(members);
        Team team(members, {.placement = "none"});
        AsyncGroup meeting(members);
        const Reference<T> reference(
            members, [](std::size_t rank, std::size_t i) { return element<T>(rank, 0, i); }, left_of);
        for (const std::size_t most : test::reduced ? List{0, 9, 5000} : List{0, 1, 9, 9, 9, 300, 5000}) {
            const Lengths lengths = random_lengths(size, most, engine);
            const int root = static_cast<int>(engine() % size);
            const std::uint32_t seed = static_cast<std::uint32_t>(engine());
            // The second is a call that is repeated, and the third has other displacements.
            const std::vector<std::vector<Shape>> trials{
                shapes_of(lengths, root, seed), shapes_of(lengths, root, seed),
                shapes_of(lengths, root, seed + 100), shapes_of(lengths, root, {})};
            std::vector<int> wrong(size);
            team.run([&](Member& me) {
                test::in_every_way(me, meeting, [&](auto& caller) {
                    for (const std::vector<Shape>& shapes : trials) {
                        wrong[rank_of(me)] += wrong_results(caller, shapes, reference);
                        std::vector<int> one{1}; // what comes in between uses the same slots
                        test::make_at_once(caller, [&](auto& way) { return way.allreduce(one, sum); });
                        wrong[rank_of(me)] += one[0] == members ? 0 : 1;
                    }
                });
            });
            INFO(members, " members, up to ", most, " elements");
            CHECK(wrong == std::vector<int>(size));
        }
    }
}

} // namespace

TEST_CASE("blocks are read from anywhere and left anywhere, and the root alone may know their lengths") {
    check<double>(test::reduced ? std::vector{1, 2, 5} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 16});
}

TEST_CASE("so are blocks of elements of an odd size") {
    check<Odd>(test::reduced ? std::vector{3} : std::vector{1, 2, 3, 5, 8});
}

TEST_CASE("blocks that are read may overlap") {
    Team team(3, {.placement = "none"});
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        const List counts{2, 3, 1};
        const List everywhere{1, 0, 1};
        const std::vector<int> in{10, 11, 12};
        std::vector<int> out(counts[rank_of(me)]);
        me.scatter(in, out, Counts(counts, everywhere), 1);
        const std::vector<int> expected[] = {{11, 12}, {10, 11, 12}, {11}};
        wrong[rank_of(me)] += out == expected[rank_of(me)] ? 0 : 1;
        const List ones(3, 1);
        const List same(3, 2);
        const List backwards{2, 1, 0};
        std::vector<int> received(3);
        const std::vector<int> mine{0, 0, me.rank()};
        me.alltoall(mine, Counts(ones, same), received, Counts(ones, backwards));
        wrong[rank_of(me)] += received == std::vector<int>{2, 1, 0} ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
}
