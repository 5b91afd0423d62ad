// Ranks of an async group for which one thread acts.

#include "support.hpp"
#include "tests/reference/calls.hpp"
#include "tests/test.hpp"
#include "tests/ways/exam.hpp"

#include <tutti/async_group.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

const std::vector<int> member_counts =
    test::reduced ? std::vector{1, 2, 3, 5, 8, 16} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

/// Not associative: only one bracketing has the right result. Has no compiled kernel.
struct Fold {
    std::uint64_t factor;
    std::int64_t operator()(std::int64_t left, std::int64_t right) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) * factor +
                                         static_cast<std::uint64_t>(right));
    }
};

/// One of all ranks after the other, in random order.
template <class Arrive>
void arrive_in_any_order(int ranks, std::mt19937& random, Arrive arrive) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<AsyncRequest> requests;
    for (const int rank : order) {
        requests.push_back(arrive(rank));
    }
    wait_all(requests);
}

using Vector = std::vector<std::int64_t>;

/// Random numbers of elements that ranks send to each other, many of them 0.
test::Lengths random_lengths(std::size_t ranks, std::mt19937& random) {
    std::vector<std::size_t> all(ranks * ranks);
    for (std::size_t& length : all) {
        length = random() % 4 == 0 ? 0 : random() % 50;
    }
    return [all, ranks](std::size_t from, std::size_t to) { return all[from * ranks + to]; };
}

/// Makes the call for all ranks on this thread. Returns whether every result is right.
bool is_right(AsyncGroup& meeting, const test::Shape& shape, const test::Reference<std::int64_t>& reference,
              std::mt19937& random) {
    std::vector<test::Vectors<std::int64_t>> calls;
    for (std::size_t rank = 0; rank < reference.members(); ++rank) {
        calls.push_back(reference.vectors(rank, shape));
    }
    arrive_in_any_order(static_cast<int>(calls.size()), random, [&](int rank) {
        AsyncRank me = meeting.at(rank);
        auto& call = calls[static_cast<std::size_t>(rank)];
        return make_call(me, shape, call, std::span<const std::int64_t>(call.in), std::span(call.out),
                         Fold{7});
    });
    return std::ranges::all_of(calls, [](const auto& call) { return call.out == call.expected; });
}

} // namespace

TEST_CASE("every collective, with irregular blocks as well, when one thread acts for all ranks") {
    std::mt19937 random(1);
    test::Pool pool(2);
    for (const bool sliced : {false, true}) {
        for (const int ranks : member_counts) {
            CAPTURE(ranks);
            AsyncGroup meeting(ranks,
                               {.executor = sliced ? pool.executor() : Executor(), .slice_bytes = 300});
            const auto size = static_cast<std::size_t>(ranks);
            const std::vector<int> roots{static_cast<int>(random() % size)};
            const test::Lengths lengths = random_lengths(size, random);
            std::vector<test::Shape> shapes = test::regular_shapes(23, roots, {1, -2});
            for (const std::optional<std::uint32_t> displaced : {std::optional<std::uint32_t>(), {5U}}) {
                const auto irregular = test::irregular_shapes(lengths, roots, displaced);
                shapes.insert(shapes.end(), irregular.begin(), irregular.end());
            }
            const test::Reference<std::int64_t> reference(ranks, test::ordinary<std::int64_t>, Fold{7});
            for (const test::Shape& shape : shapes) {
                CHECK_MESSAGE(is_right(meeting, shape, reference, random), shape.describe());
            }
        }
    }
}

TEST_CASE("one result for all") {
    AsyncGroup meeting(3);
    std::mt19937 random(2);
    const std::vector<Vector> ins{{1, 2}, {3, 4}, {5, 6}};
    Vector out(2);
    arrive_in_any_order(3, random, [&](int rank) {
        return meeting.at(rank).allreduce(ins[static_cast<std::size_t>(rank)], shared(out), sum);
    });
    CHECK(out == Vector{9, 12});
    const std::vector<std::size_t> counts{2, 0, 1};
    Vector all(3);
    arrive_in_any_order(3, random, [&](int rank) {
        const std::span own = ins[static_cast<std::size_t>(rank)];
        return meeting.at(rank).allgather(own.first(counts[static_cast<std::size_t>(rank)]), shared(all),
                                          Counts(counts));
    });
    CHECK(all == Vector{1, 2, 5});
}

TEST_CASE("some may pass one vector as both, which the others cannot know") {
    for (const int ranks : {1, 2, 3, 6}) {
        CAPTURE(ranks);
        AsyncGroup meeting(ranks);
        std::mt19937 random(3);
        const auto size = static_cast<std::size_t>(ranks);
        const test::Reference<std::int64_t> reference(ranks, test::ordinary<std::int64_t>, sum);
        for (const Collective collective : {Collective::alltoall, Collective::shift}) {
            const test::Shape shape{.collective = collective, .count = 4, .root = -1};
            std::vector<test::Vectors<std::int64_t>> calls;
            for (std::size_t rank = 0; rank < size; ++rank) {
                calls.push_back(reference.vectors(rank, shape));
            }
            const auto result = [&](int rank) -> Vector& {
                auto& call = calls[static_cast<std::size_t>(rank)];
                return rank % 2 == 0 ? call.in : call.out;
            };
            arrive_in_any_order(ranks, random, [&](int rank) {
                const Vector& in = calls[static_cast<std::size_t>(rank)].in;
                return collective == Collective::shift ? meeting.at(rank).shift(in, result(rank), shape.root)
                                                       : meeting.at(rank).alltoall(in, result(rank));
            });
            for (int rank = 0; rank < ranks; ++rank) {
                CHECK(result(rank) == calls[static_cast<std::size_t>(rank)].expected);
            }
        }
    }
}
