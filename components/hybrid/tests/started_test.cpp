// Nonblocking and persistent calls of clusters, against what a loop over the global ranks gives.

#include "exam.hpp"

#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::test {

namespace {

template <class T, class Op, class Way>
auto called(Way& way, const Shape& shape, Vectors<T>& call, const Op& op) {
    return make_call(way, shape, call, std::span<const T>(call.in), std::span(call.out), op);
}

/// Whether the call leaves what it must where it is started beside others, and where it is prepared and
/// started twice.
template <class T, class Op>
bool is_right_started(mpi::Member& me, const Shape& shape, const Reference<T>& reference, const Op& op) {
    const Vectors<T> asked =
        reference.vectors(static_cast<std::size_t>(me.rank()), shape, detail::Association::tree);
    std::array<Vectors<T>, 3> calls{asked, asked, asked};
    Request first = called(me.start, shape, calls[0], op);
    Request second = called(me.start, shape, calls[1], op);
    Persistent prepared = called(me.prepare, shape, calls[2], op);
    prepared.start();
    prepared.wait();
    bool right = calls[2].out == asked.expected;
    calls[2].out = asked.out;
    prepared.start();
    second.wait();
    prepared.wait();
    first.wait();
    for (const Vectors<T>& call : calls) {
        right = right && call.out == asked.expected;
    }
    return right;
}

template <class Make, class Op, class Plain>
void examine_started(mpi::Member& me, std::size_t count, Make make, const Op& op, Plain plain) {
    using T = decltype(make(std::size_t{0}, std::size_t{0}));
    const Reference<T> reference(me.size(), make, plain);
    for (const Shape& shape : cluster_shapes(me.size(), count)) {
        CHECK_MESSAGE(is_right_started(me, shape, reference, op), shape.describe());
    }
}

/// One process waits for the operation before a barrier, the others behind it.
void wait_before_or_after(mpi::Member& me) {
    std::vector<long> in(50000, me.rank()), out(50000);
    Request request = me.start.allreduce(in, out, tutti::sum);
    if (process_of_world() == 0) {
        request.wait(); // the others come to the barrier first
        me.barrier();
    } else {
        me.barrier();
        request.wait();
    }
    CHECK(out == std::vector<long>(50000, me.size() * (me.size() - 1) / 2));
}

} // namespace

TEST_CASE("all nonblocking and persistent collectives, up to 4 processes of up to 3 members") {
    on_clusters([](mpi::Member& me) {
        for (const std::size_t count : {0U, 1U, 300U}) {
            examine_started(me, count, value, tutti::sum, std::plus<>());
        }
        examine_started(me, 7, map, tutti::non_commutative(compose), compose);
    });
}

TEST_CASE("long nonblocking vectors") {
    on_members_of(3, [](mpi::Member& me) { examine_started(me, 70001, value, tutti::sum, std::plus<>()); });
}

TEST_CASE("nonblocking calls with one result per process") {
    on_members_of(2, [](mpi::Member& me) {
        constexpr std::size_t count = 1000;
        const long sum = static_cast<long>(me.size() * (me.size() + 1) / 2);
        const PerProcess<long> result(me, std::vector<long>(count));
        const std::vector<long> in(count, me.rank() + 1);
        me.start.allreduce(in, shared(result.span()), tutti::sum).wait();
        CHECK(std::ranges::equal(result.span(), std::vector<long>(count, sum)));
        me.local().barrier();
        if (me.rank() == me.size() - 1) {
            std::ranges::fill(result.span(), 7);
        }
        me.local().barrier();
        me.start.broadcast(shared(result.span()), me.size() - 1).wait();
        CHECK(std::ranges::equal(result.span(), std::vector<long>(count, 7)));
    });
}

TEST_CASE("any number of operations, in turn with calls that block, waited for in any order") {
    on_members_of(3, [](mpi::Member& me) {
        constexpr std::size_t most = 200;
        std::vector<long> mine(most), sums(most);
        std::deque<Request> requests;
        for (std::size_t i = 0; i < most; ++i) {
            mine[i] = me.rank() + static_cast<long>(i);
            requests.push_back(
                me.start.allreduce(std::span(&mine[i], 1), std::span(&sums[i], 1), tutti::sum));
            if (i % 50 == 7) {
                CHECK(me.allreduce(1, tutti::sum) == me.size());
            }
        }
        for (std::size_t i = most; i-- > 0;) {
            requests[i].wait();
            CHECK(sums[i] == me.size() * (me.size() - 1) / 2 + me.size() * static_cast<long>(i));
        }
    });
}

TEST_CASE("a call that blocks makes progress with what others wait for") {
    on_processes(2, [](MPI_Comm part) { on_members(part, members_here(), wait_before_or_after); });
}

TEST_CASE("nonblocking calls of the threads of a team, also where the main thread makes the MPI calls") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        Team team(2);
        mpi::Cluster cluster(team, part);
        for (int run = 0; run < 2; ++run) {
            cluster.run([](mpi::Member& me) {
                examine_started(me, 300, value, tutti::sum, std::plus<>());
                wait_before_or_after(me);
            });
        }
    });
}

TEST_CASE("functions are called when an operation is over, and may make calls") {
    on_members_of(2, [](mpi::Member& me) {
        long mine = me.rank(), sum = 0, after = 0;
        Request request = me.start.allreduce(std::span(&mine, 1), std::span(&sum, 1), tutti::sum);
        request.then([&](const std::exception_ptr& failure) {
            CHECK(failure == nullptr);
            after = me.allreduce(sum, tutti::sum);
        });
        request.wait();
        CHECK(after == me.size() * sum);
    });
}

TEST_CASE("a member that leaves waits for its operations, and requests may outlive it and the cluster") {
    on_processes(2, [](MPI_Comm part) {
        std::vector<std::vector<long>> sums(static_cast<std::size_t>(members_here()),
                                            std::vector<long>(5000));
        std::vector<Request> requests(sums.size());
        std::vector<Persistent> prepared(sums.size());
        const std::vector<long> ones(5000, 1);
        on_members(part, members_here(), [&](mpi::Member& me) {
            const auto rank = static_cast<std::size_t>(me.local().rank());
            prepared[rank] = me.prepare.allreduce(ones, sums[rank], tutti::sum);
            prepared[rank].start();
            prepared[rank].wait();
            sums[rank].assign(5000, 0);
            requests[rank] = me.start.allreduce(ones, sums[rank], tutti::sum);
        });
        for (std::size_t rank = 0; rank < sums.size(); ++rank) {
            CHECK(requests[rank].test());
            CHECK(sums[rank] == std::vector<long>(5000, 2 * members_here()));
            CHECK_THROWS_AS(prepared[rank].start(), Error);
        }
    });
}

TEST_CASE("persistent operations with other vectors") {
    on_members_of(2, [](mpi::Member& me) {
        std::vector<long> in(100, 1), other(100, 2), out(100), short_one(99);
        Persistent sum = me.prepare.allreduce(in, out, tutti::sum);
        sum.start();
        sum.wait();
        CHECK(out.front() == me.size());
        sum.start(other, out);
        sum.wait();
        CHECK(out.front() == 2 * me.size());
        CHECK_THROWS_WITH_AS(sum.start(short_one, out), doctest::Contains("`in` has 99 elements"),
                             ArgumentError);
        sum.start(); // with the last ones
        sum.wait();
        CHECK(out.front() == 2 * me.size());
    });
}

TEST_CASE("what only a call that blocks can do is refused by name") {
    on_members_of(2, [](mpi::Member& me) {
        std::vector<double> vector(4, 1);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(me.start.allreduce(vector, tutti::sum, {.order = Order::serial})),
            doctest::Contains("order serial"), ArgumentError);
        me.start.allreduce(vector, tutti::sum).wait(); // nothing has been sent by those
        CHECK(vector == std::vector<double>(4, me.size()));
    });
}

TEST_CASE("a process that never starts the operation ends in a timeout of all others") {
    on_processes(2, [](MPI_Comm part) {
        const Texts texts = thrown_by(part,
                                      [&](mpi::Member& me) {
                                          std::vector<double> own(3, 1);
                                          if (process_of_world() == 0) {
                                              Request request = me.start.allreduce(own, tutti::sum);
                                              request.wait();
                                          } else {
                                              std::this_thread::sleep_for(std::chrono::seconds(1));
                                              me.barrier();
                                          }
                                      },
                                      {.timeout = std::chrono::milliseconds(300)});
        for (const std::string& text : texts) {
            CHECK(!text.empty());
        }
    });
}

TEST_CASE("a member that never starts the operation ends in a timeout that names it") {
    if (members_here() == 1) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        const Texts texts = thrown_by(part,
                                      [&](mpi::Member& me) {
                                          std::vector<double> own(3, 1);
                                          if (process_of_world() == 1 && me.local().rank() == 1) {
                                              std::this_thread::sleep_for(std::chrono::seconds(1));
                                              me.barrier();
                                          } else {
                                              Request request = me.start.allreduce(own, tutti::sum);
                                              request.wait();
                                          }
                                      },
                                      {.timeout = std::chrono::milliseconds(300)});
        for (const std::string& text : texts) {
            CHECK(!text.empty());
        }
        if (process_of_world() == 1) {
            CHECK(texts[0].find("member 3 has made no call yet") != std::string::npos);
        }
    });
}

TEST_CASE("a member that throws with operations outstanding releases all others") {
    on_processes(2, [](MPI_Comm part) {
        mpi::Cluster cluster(Group(members_here()), part);
        Texts texts(static_cast<std::size_t>(members_here()));
        on_ranks(members_here(), [&](int rank) {
            try {
                mpi::Member me = cluster.join(rank);
                std::vector<double> own(3, 1), out(3);
                me.start.allreduce(own, out, tutti::sum).wait();
                Request next = me.start.barrier();
                if (me.rank() == me.size() - 1) {
                    throw std::runtime_error("out of paper");
                }
                next.wait();
                me.barrier();
            } catch (const std::exception& error) {
                texts[static_cast<std::size_t>(rank)] = error.what();
            }
        });
        for (const std::string& text : texts) {
            CHECK(!text.empty());
        }
    });
}

} // namespace tutti::test
