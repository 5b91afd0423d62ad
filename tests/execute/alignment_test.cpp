#include "../aligned.hpp"
#include "../reference/calls.hpp"
#include "rows.hpp"

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;
using test::added;
using test::Aligned;
using test::lies_well;

template <class T>
T element(std::size_t rank, std::size_t index) {
    return test::element_of<T>(test::mixed, rank, index);
}

template <std::size_t Bytes>
void examine(int members) {
    using Element = Aligned<Bytes>;
    CAPTURE(Bytes);
    CAPTURE(members);
    Team team(members, {.placement = "none"});
    std::atomic<int> misplaced{0}, wrong{0};
    const auto sum = [&misplaced](const Element& a, const Element& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    const test::Reference<Element> reference(members, element<Element>, added<Element>);
    const auto jobs = test::jobs_of(members, std::vector<std::size_t>{1, 2, 3, 7, 33, 90}, {.exact = false});
    team.run([&](Member& me) {
        for (const test::Job& job : jobs) {
            auto call = reference.vectors(static_cast<std::size_t>(me.rank()), job.shape, job.association);
            make_call(me, job.shape, call, std::span<const Element>(call.in), std::span(call.out), sum,
                      {.algorithm = job.algorithm});
            const auto same = [](const Element& a, const Element& b) {
                return std::memcmp(&a, &b, sizeof a) == 0;
            };
            wrong += std::ranges::equal(call.out, call.expected, same) ? 0 : 1;
        }
    });
    CHECK(wrong == 0);
    CHECK(misplaced.load() == 0);
}

} // namespace

TEST_CASE("operators see elements only where their alignment allows") {
    for (const int members : {1, 2, 3, 5, 8}) {
        examine<8>(members); // three and four of them travel in a slot
        examine<32>(members);
        examine<128>(members);
        examine<1024>(members); // some travel over a stage
    }
}

TEST_CASE("elements of one size and two alignments may follow one another") {
    struct Loose {
        std::uint64_t values[16];
    };
    Team team(3, {.placement = "none"});
    std::atomic<int> misplaced{0};
    const auto sum = [&misplaced](const auto& a, const auto& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    team.run([&](Member& me) {
        std::vector<Loose> loose(1000, element<Loose>(0, 0));
        std::vector<Aligned<128>> strict(1000, element<Aligned<128>>(0, 0));
        for (const auto* algorithm : {"butterfly-overlapping", "circulant"}) {
            me.allreduce(loose, sum, {.algorithm = algorithm});
            me.allreduce(strict, sum, {.algorithm = algorithm});
            me.alltoall(std::span(loose).first(999));
            me.alltoall(std::span(strict).first(999));
        }
    });
    CHECK(misplaced.load() == 0);
}
