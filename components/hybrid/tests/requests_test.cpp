// Requests of clusters: when their calls are over, and what is done meanwhile.

#include "exam.hpp"

namespace tutti::test {

namespace {

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
    on_members_of(2, wait_before_or_after);
    if (thread_level() != MPI_THREAD_SINGLE) {
        on_processes(2, [](MPI_Comm part) { // also where the main thread makes the MPI calls
            Team team(2);
            mpi::Cluster cluster(team, part);
            for (int run = 0; run < 2; ++run) {
                cluster.run(wait_before_or_after);
            }
        });
    }
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
        const auto members = static_cast<std::size_t>(members_here());
        std::vector<std::vector<long>> sums(members, std::vector<long>(5000));
        std::vector<Request> requests(members);
        std::vector<Persistent> prepared(members);
        const std::vector<long> ones(5000, 1);
        on_members(part, members_here(), [&](mpi::Member& me) {
            const auto rank = static_cast<std::size_t>(me.local().rank());
            prepared[rank] = me.prepare.allreduce(ones, sums[rank], tutti::sum);
            prepared[rank].start();
            prepared[rank].wait();
            sums[rank].assign(5000, 0);
            requests[rank] = me.start.allreduce(ones, sums[rank], tutti::sum);
        });
        for (std::size_t rank = 0; rank < members; ++rank) {
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
        const auto check = [&](long expected) {
            sum.wait();
            CHECK(out.front() == expected);
        };
        sum.start();
        check(me.size());
        sum.start(other, out);
        check(2 * me.size());
        CHECK_THROWS_WITH_AS(sum.start(short_one, out), doctest::Contains("`in` has 99 elements"),
                             ArgumentError);
        sum.start(); // with the last ones
        check(2 * me.size());
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

TEST_CASE("who never starts the operation ends it in a timeout of all others, which names it") {
    for (const bool all_are_late : {true, false}) { // all of process 1, or one of them
        if (members_here() == 1 && !all_are_late) {
            continue;
        }
        on_processes(2, [&](MPI_Comm part) {
            const Texts texts = thrown_by(part, {.timeout = 300ms}, [&](mpi::Member& me) {
                std::vector<double> own(3, 1);
                if (process_of_world() == 1 && (all_are_late || me.local().rank() == 1)) {
                    std::this_thread::sleep_for(1s);
                    me.barrier();
                } else {
                    me.start.allreduce(own, tutti::sum).wait();
                }
            });
            check_all_fail(texts);
            if (process_of_world() == 1 && !all_are_late) {
                CHECK(mentions(texts[0], "member 3 has made no call yet"));
            }
        });
    }
}

TEST_CASE("a member that throws with operations outstanding releases all others") {
    on_processes(2, [](MPI_Comm part) {
        mpi::Cluster cluster(Group(members_here()), part);
        Texts texts(static_cast<std::size_t>(members_here()));
        on_ranks(members_here(), [&](int rank) {
            texts[static_cast<std::size_t>(rank)] = message_of<std::exception>([&] {
                mpi::Member me = cluster.join(rank);
                std::vector<double> own(3, 1), out(3);
                me.start.allreduce(own, out, tutti::sum).wait();
                Request next = me.start.barrier();
                if (me.rank() == me.size() - 1) {
                    throw std::runtime_error("out of paper");
                }
                next.wait();
                me.barrier();
            });
        });
        check_all_fail(texts);
    });
}

} // namespace tutti::test
