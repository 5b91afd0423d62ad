// Types that lie at multiples of their own alignment only, in the memory of a cluster.

#include "exam.hpp"
#include "tests/aligned.hpp"

#include <atomic>

namespace tutti::test {

namespace {

template <class T>
T element(std::size_t rank, std::size_t index) {
    return element_of<T>(value, rank, index);
}

template <std::size_t Bytes>
void examine(mpi::Member& me, std::size_t count, const Options& options) {
    using Element = Aligned<Bytes>;
    std::atomic<int> misplaced{0};
    const auto sum = [&misplaced](const Element& a, const Element& b) {
        misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
        return added(a, b);
    };
    CAPTURE(Bytes);
    CAPTURE(count);
    CAPTURE(std::string(options.algorithm));
    examine(me, only(cluster_shapes(me.size(), count), combines), options, element<Element>, sum,
            added<Element>);
    CHECK(misplaced == 0);
}

void examine_all(mpi::Member& me, const Options& options) {
    for (const std::size_t count : {1U, 3U, 33U, 700U}) {
        examine<32>(me, count, options);
        examine<128>(me, count, options);
        examine<1024>(me, count, options);
    }
}

} // namespace

TEST_CASE("operators see elements only where their alignment allows, in clusters") {
    for (const int processes : {1, 2, 3}) {
        on_processes(processes, [&](MPI_Comm part) {
            for (const int members : {1, 3}) {
                if (members > 1 && thread_level() == MPI_THREAD_SINGLE) {
                    continue;
                }
                on_members(part, members, [&](mpi::Member& me) {
                    examine_all(me, {});
                    examine_all(me, {.order = Order::serial});
                });
            }
        });
    }
}

TEST_CASE("elements of one size and two alignments may follow one another in a cluster") {
    struct Loose {
        std::int64_t values[16];
    };
    on_processes(2, [](MPI_Comm part) {
        on_members(part, thread_level() == MPI_THREAD_SINGLE ? 1 : 2, [](mpi::Member& me) {
            std::atomic<int> misplaced{0};
            const auto first = [&misplaced](const auto& a, const auto& b) {
                misplaced += lies_well(a) && lies_well(b) ? 0 : 1;
                return a;
            };
            for (const std::size_t count : {3U, 1000U}) {
                std::vector<Loose> loose(count);
                std::vector<Aligned<128>> strict(count);
                for (int round = 0; round < 2; ++round) {
                    me.allreduce(loose, first);
                    me.allreduce(strict, first);
                }
            }
            CHECK(misplaced == 0);
        });
    });
}

} // namespace tutti::test
