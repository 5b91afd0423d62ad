// Every collective against what a loop over the global ranks gives.

#include "exam.hpp"
#include "tests/aligned.hpp"

namespace tutti::test {

namespace {

/// One vector of each process, which its members share.
template <class T>
class PerProcess {
public:
    /// All members see the elements that the first one passes; the others pass as many.
    PerProcess(ClusterMember& me, std::vector<T> elements) : me_(me), own_(std::move(elements)) {
        const auto address = reinterpret_cast<std::uintptr_t>(own_.data());
        first_ = reinterpret_cast<T*>(me.local().broadcast(address, 0)); // NOLINT(performance-no-int-to-ptr)
    }
    PerProcess(const PerProcess&) = delete;
    PerProcess& operator=(const PerProcess&) = delete;
    ~PerProcess() { me_.local().barrier(); } // while the others look at it

    std::span<T> span() const { return {first_, own_.size()}; }

private:
    ClusterMember& me_;
    std::vector<T> own_;
    T* first_ = nullptr;
};

bool can_share(const Shape& shape) {
    const bool broadcasts = shape.collective == Collective::broadcast;
    return shape.traits().is_same_for_all() && (!shape.in_place || broadcasts) && !shape.displaced;
}

/// The calls with one result per process.
void examine_shared(ClusterMember& me, std::size_t count, Manner manner) {
    const Reference<std::int64_t> reference(me.size(), value, std::plus<>());
    const auto rank = static_cast<std::size_t>(me.rank());
    for (const Shape& shape : only(cluster_shapes(me.size(), count), can_share)) {
        const Vectors<std::int64_t> call = reference.vectors(rank, shape);
        const PerProcess<std::int64_t> result(me, std::vector<std::int64_t>(call.out.size()));
        const std::span<const std::int64_t> in(call.in);
        const auto out = shared(result.span());
        if (shape.collective == Collective::broadcast && shape.is_root(rank)) {
            std::ranges::copy(call.out, result.span().begin());
        }
        me.local().barrier();
        complete(me, manner, [&](auto& way) {
            return shape.collective == Collective::broadcast   ? way.broadcast(out, shape.root)
                   : shape.collective == Collective::allreduce ? way.allreduce(in, out, tutti::sum)
                   : shape.is_irregular() ? way.allgather(in, out, Counts(call.received.counts))
                                          : way.allgather(in, out);
        });
        CHECK_MESSAGE(std::ranges::equal(result.span(), call.expected), shape.describe());
    }
}

void examine_blocking(ClusterMember& me) {
    for (const std::size_t count : {0U, 1U, 5U, 300U, 1000U}) {
        examine(me, count, Manner::blocking);
        examine_shared(me, count, Manner::blocking);
    }
}

void examine_requests(ClusterMember& me) {
    for (const Manner manner : {Manner::nonblocking, Manner::persistent}) {
        for (const std::size_t count : {0U, 1U, 300U}) {
            examine(me, count, manner);
            examine_shared(me, count, manner);
        }
        std::vector<Shape> many = cluster_shapes(me.size(), 7);
        while (many.size() < 200) {
            many.push_back(many[many.size() % 50]);
        }
        examine(*alone(me, manner), many, value, tutti::sum, {}, many.size()); // all at a time
    }
}

struct Loose {
    std::int64_t values[16];
};

/// How many operands of reductions lie where their type does not allow.
template <class Element>
int misplaced(ClusterMember& me, std::size_t count, const Options& options) {
    std::atomic<int> wrong{0};
    const auto first = [&wrong](const Element& a, const Element& b) {
        wrong += lies_well(a) && lies_well(b) ? 0 : 1;
        return a;
    };
    std::vector<Element> in(count * static_cast<std::size_t>(me.size())), out(in.size()), block(count);
    for (int round = 0; round < 2; ++round) {
        me.allreduce(in, out, first, options);
        me.allreduce(out, first, options);
        me.reduce(in, out, first, me.size() - 1, options);
        me.scan(in, out, first, options);
        me.exscan(out, first, options);
        me.reduce_scatter(in, block, first, options);
    }
    return wrong;
}

} // namespace

TEST_CASE("all collectives, up to 4 processes of up to 4 members, and of different numbers of members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(4); ++members) {
                on_members(part, members, examine_blocking);
            }
            for (const std::array<int, 4>& uneven : {std::array{1, 3, 2, 4}, std::array{4, 1, 1, 2}}) {
                if (processes > 1 && most_members(4) > 1) {
                    on_members(part, uneven[static_cast<std::size_t>(process_of_world())], examine_blocking);
                }
            }
            for (const int members : {1, 2, 1 + process_of_world() % 3}) {
                on_members(part, most_members(members), examine_requests);
            }
        });
    }
}

TEST_CASE("long vectors") {
    for (int processes = 2; processes <= 3; ++processes) {
        on_members_of(processes, [](ClusterMember& me) {
            for (const Manner manner : {Manner::blocking, Manner::nonblocking}) {
                examine(*alone(me, manner), cluster_shapes(me.size(), 70001), value, tutti::sum);
            }
        });
    }
    // Several segments, where all leaders work alone and where one does not.
    for (const bool all_alone : {true, false}) {
        on_processes(3, [&](MPI_Comm part) {
            on_members(part, all_alone || process_of_world() > 0 ? 1 : members_here(), [](ClusterMember& me) {
                const std::vector<Shape> shapes = only(cluster_shapes(me.size(), 300'001), is_cut);
                examine(*alone(me, Manner::blocking), shapes, value, tutti::sum);
            });
        });
    }
}

TEST_CASE(
    "operators see elements only where their alignment allows, in clusters, with two of a size in turn") {
    for (const int processes : {1, 2, 3}) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(3); members += 2) {
                on_members(part, members, [](ClusterMember& me) {
                    for (const Options& options : {Options(), Options{.order = Order::serial}}) {
                        for (const std::size_t count : {1U, 3U, 33U, 700U}) {
                            CHECK(misplaced<Loose>(me, count, options) == 0);
                            CHECK(misplaced<Aligned<128>>(me, count, options) == 0);
                            CHECK(misplaced<Aligned<1024>>(me, count, options) == 0);
                        }
                    }
                });
            }
        });
    }
}

TEST_CASE(
    "an algorithm and an operator that clusters do not have are rejected, and the message names others") {
    on_members_of(2, [](ClusterMember& me) {
        std::vector<double> vector(4, 1);
        CHECK_THROWS_WITH_AS(me.barrier({.algorithm = "direct"}), doctest::Contains("dissemination"),
                             ArgumentError);
        CHECK_THROWS_WITH_AS(std::ignore = me.start.allreduce(vector, tutti::sum, {.order = Order::serial}),
                             doctest::Contains("order serial"), ArgumentError);
        me.allreduce(vector, tutti::sum); // nothing has been sent by those
        CHECK(vector == std::vector<double>(4, me.size()));
    });
    for (int processes = 1; processes <= 2; ++processes) {
        on_members_of(processes, [&](ClusterMember& me) {
            std::vector<float> vector(4, 1);
            CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::mean),
                                 doctest::Contains("use tutti::sum and scale the result"), ArgumentError);
            me.allreduce(vector, tutti::sum);
            CHECK(vector == std::vector<float>(4, static_cast<float>(me.size())));
        });
    }
}

TEST_CASE("sums of 16-bit numbers, which are rounded once, are for the members of one process") {
    const auto check = []<class Half>(int processes, Half one) {
        on_members_of(processes, [&](ClusterMember& me) {
            std::vector<Half> vector(4, one);
            if (processes == 1) {
                me.allreduce(vector, tutti::sum);
            } else {
                CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::sum),
                                     doctest::Contains("reduce elements of a wider type"), ArgumentError);
                me.allreduce(vector, tutti::max); // what is not rounded works
                me.broadcast(vector, 0);
            }
            const auto expected = static_cast<Half>(processes == 1 ? static_cast<float>(me.size()) : 1.0F);
            CHECK(std::ranges::count(vector, expected) == 4);
        });
    };
    for (const int processes : {1, 2}) {
        check(processes, bfloat16(1));
#ifdef __FLT16_MANT_DIG__ // which the compiler also has in C++
        check(processes, static_cast<_Float16>(1));
#endif
    }
}

TEST_CASE("a team whose members are never on the main thread takes its process's share of the node's CPUs") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        const CpuShare share = divide_cpus(part);
        CHECK(share.cpus >= 1);
        CHECK(mentions(share.note, "on this node"));
        Team team(2, {.placement = share.placement});
        Cluster cluster(team, part);
        for (int round = 0; round < 3; ++round) {
            cluster.run([](ClusterMember& me) {
                CHECK(me.size() == 4);
                CHECK(me.allreduce(me.rank(), tutti::sum) == 6);
                examine(me, 300);
            });
        }
        CHECK(cluster.run([](ClusterMember& me) { return me.rank() - me.local().rank(); }) ==
              std::vector<int>(2, cluster.first_rank()));
        CHECK_THROWS_WITH_AS(static_cast<void>(cluster.join(0)), doctest::Contains("run()"), ArgumentError);
    });
}

} // namespace tutti::test
