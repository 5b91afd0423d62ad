// The exchange among neighbours in a graph, or in a Cartesian grid.

#include "../reference/graphs.hpp"
#include "elements.hpp"
#include "support.hpp"
#include "ways.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Calls part(way) for the blocking, nonblocking and persistent way of calling.
template <class Part>
void in_three_ways(Member& me, Part part) {
    part(me);
    AtOnce started(me.start, me);
    part(started);
    AtOnce persistent(me.prepare, me);
    part(persistent);
}

template <class T>
void check_random_graphs(int members) {
    std::mt19937 engine(static_cast<unsigned>(members));
    Team team(members, {.placement = "none"});
    for (int repetition = 0; repetition < (reduced ? 2 : 8); ++repetition) {
        const std::vector<Named> graph = random_graph(members, engine);
        std::vector<int> right(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            const Neighbors neighbors = me.neighbors(graph[rank].sources, graph[rank].destinations);
            const Exchange<T> wanted(graph, me.rank());
            in_three_ways(me, [&](auto& way) {
                for (int call = 0; call < 2; ++call) { // of which the second is a repeated one
                    Exchange<T> own = wanted;
                    make_at_once(way, [&](auto& caller) {
                        return caller.neighbor_alltoall(neighbors, std::as_const(own.in),
                                                        Counts(own.send_counts, own.send_places), own.out,
                                                        Counts(own.recv_counts, own.recv_places));
                    });
                    right[rank] += own.out == own.expected ? 1 : 0;
                }
            });
        });
        CHECK(right == std::vector<int>(right.size(), 6));
    }
}

} // namespace

TEST_CASE("neighbours in any graph receive what was sent to them, in every way of calling") {
    for (int members = 1; members <= 5; ++members) {
        check_random_graphs<int>(members);
        check_random_graphs<double>(members);
    }
    check_random_graphs<Odd>(4);
}

TEST_CASE("without counts, neighbours exchange blocks of one length") {
    constexpr int members = 4;
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{300000}}) {
        Team team(members, {.placement = "none"});
        team.run([&](Member& me) {
            const int next = (me.rank() + 1) % members;
            const int before = (me.rank() + members - 1) % members;
            const Neighbors ring = me.neighbors({before, next}, {before, next});
            CHECK(std::ranges::equal(ring.sources(), std::vector<int>{before, next}));
            CHECK(std::ranges::equal(ring.destinations(), std::vector<int>{before, next}));
            std::vector<int> in(2 * length);
            std::iota(in.begin(), in.end(), me.rank() * 1000000);
            std::vector<int> expected(2 * length);
            const auto half = expected.begin() + static_cast<std::ptrdiff_t>(length);
            std::iota(expected.begin(), half, before * 1000000 + static_cast<int>(length));
            std::iota(half, expected.end(), next * 1000000);
            in_three_ways(me, [&](auto& way) {
                std::vector<int> out(2 * length, -1);
                make_at_once(way, [&](auto& caller) {
                    return caller.neighbor_alltoall(ring, std::as_const(in), out);
                });
                CHECK(out == expected);
            });
        });
    }
}

TEST_CASE("a ring is a circular shift") {
    Team team(3, {.placement = "none"});
    team.run([&](Member& me) {
        const Neighbors ring = me.neighbors({(me.rank() + 2) % 3}, {(me.rank() + 1) % 3});
        const std::vector<int> in(5, me.rank());
        std::vector<int> out(5);
        std::vector<int> shifted(5);
        me.neighbor_alltoall(ring, in, out);
        me.shift(in, shifted, 1);
        CHECK(out == shifted);
    });
}

TEST_CASE("grids have the neighbours and the matching of MPI") {
    Team team(6, {.placement = "none"});
    team.run([&](Member& me) {
        const Neighbors grid = me.grid({2, 3}, {true, false});
        const int x = me.rank() / 3;
        const int y = me.rank() % 3;
        const auto at = [](int row, int column) { return row * 3 + column; };
        const std::vector<int> wanted{at(1 - x, y), at(1 - x, y), y > 0 ? at(x, y - 1) : Neighbors::none,
                                      y < 2 ? at(x, y + 1) : Neighbors::none};
        CHECK(std::ranges::equal(grid.sources(), wanted));
        CHECK(std::ranges::equal(grid.destinations(), wanted));
        std::vector<int> out(4, -1);
        me.neighbor_alltoall(
            grid, std::vector<int>{me.rank() * 4, me.rank() * 4 + 1, me.rank() * 4 + 2, me.rank() * 4 + 3},
            out);
        // A block from before was sent to after, also if both are the same member.
        for (std::size_t block = 0; block < 4; ++block) {
            const int from = wanted[block];
            CHECK(out[block] == (from < 0 ? -1 : from * 4 + static_cast<int>(block ^ 1U)));
        }
    });
}

TEST_CASE("a field sends its border and receives into its halo, in one buffer") {
    constexpr int members = 3;
    constexpr std::size_t width = 64;
    constexpr std::size_t rows = 5; // and a row of halo on either side
    Team team(members, {.placement = "none"});
    team.run([&](Member& me) {
        const Neighbors line = me.grid({members}, {false});
        std::vector<double> field((rows + 2) * width, me.rank());
        const List counts{width, width};
        Persistent step = me.prepare.neighbor_alltoall(line, field, Counts(counts, {width, rows * width}),
                                                       field, Counts(counts, {0, (rows + 1) * width}));
        for (int iteration = 1; iteration < 20; ++iteration) {
            std::fill(field.begin(), field.end(), 100 * iteration + me.rank());
            me.barrier();
            step.start();
            step.wait();
            const double above = 100 * iteration + std::max(me.rank() - 1, 0);
            const double below = 100 * iteration + std::min(me.rank() + 1, members - 1);
            CHECK(field.front() == above);
            CHECK(field[width - 1] == above);
            CHECK(field[width] == 100 * iteration + me.rank());
            CHECK(field.back() == below);
        }
    });
}

TEST_CASE("members wait for their neighbours only") {
    std::atomic<bool> is_done{false};
    Team team(3, {.placement = "none"});
    team.run([&](Member& me) {
        const Neighbors pair =
            me.rank() == 2 ? me.neighbors({}, {}) : me.neighbors({1 - me.rank()}, {1 - me.rank()});
        if (me.rank() == 2) {
            is_done.wait(false);
        }
        for (int call = 0; call < 100; ++call) {
            int received = -1;
            if (me.rank() == 2) {
                me.neighbor_alltoall(pair, std::span<const int>(), std::span<int>());
            } else {
                me.neighbor_alltoall(pair, me.rank() + 10 * call, received);
                CHECK(received == 1 - me.rank() + 10 * call);
            }
        }
        if (me.rank() == 0) {
            is_done = true;
            is_done.notify_all();
        }
        me.barrier();
    });
}

TEST_CASE("an exchange says nothing about members that are no neighbours") {
    Team team(3, {.placement = "none"});
    team.run([&](Member& me) {
        const bool is_apart = me.rank() == 2;
        const std::vector<int> other = is_apart ? std::vector<int>{} : std::vector<int>{1 - me.rank()};
        const Neighbors pair = me.neighbors(other, other);
        const std::vector<int> in(other.size());
        std::vector<int> out(other.size());
        if (is_apart) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        // Words that the late member has yet to read must not be written over in the meantime.
        for (int round = 0; round < 20; ++round) {
            CHECK(me.broadcast(me.rank() == 0 ? round : -1, 0) == round);
            me.neighbor_alltoall(pair, in, out);
        }
    });
}

TEST_CASE("the same call in another graph is another call") {
    Team team(3, {.placement = "none"});
    team.run([](Member& me) {
        const Neighbors up = me.neighbors({(me.rank() + 2) % 3}, {(me.rank() + 1) % 3});
        const Neighbors down = me.neighbors({(me.rank() + 1) % 3}, {(me.rank() + 2) % 3});
        for (int round = 0; round < 3; ++round) {
            for (const Neighbors* const each : {&up, &down}) {
                int received = -1;
                me.neighbor_alltoall(*each, me.rank(), received);
                CHECK(received == each->sources().front());
            }
        }
    });
}

TEST_CASE("several exchanges can be outstanding, and graphs outlive their groups") {
    std::vector<Neighbors> kept;
    {
        Team team(2, {.placement = "none"});
        team.run([&](Member& me) {
            const Neighbors both = me.grid({2}, {true});
            if (me.rank() == 0) {
                kept.push_back(both);
            }
            std::vector<std::vector<int>> outs(70, std::vector<int>(2));
            const std::vector<int> in{me.rank() * 2, me.rank() * 2 + 1};
            std::vector<Request> requests;
            for (std::vector<int>& out : outs) {
                requests.push_back(me.start.neighbor_alltoall(both, in, out));
            }
            for (Request& request : requests) {
                request.wait();
            }
            const int other = (1 - me.rank()) * 2;
            CHECK(outs == std::vector<std::vector<int>>(70, {other + 1, other}));
            Member again = me.dup();
            std::vector<int> out(2);
            again.neighbor_alltoall(both, in, out);
            CHECK(out == std::vector<int>{other + 1, other});
        });
    }
    CHECK(std::ranges::equal(kept.front().sources(), std::vector<int>{1, 1}));
}

TEST_CASE("a persistent exchange can be started with other buffers") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        const Neighbors pair = me.grid({2}, {false});
        const std::vector<int> in(2, me.rank());
        std::vector<int> out(2, -1);
        Persistent step = me.prepare.neighbor_alltoall(pair, in, out);
        const std::vector<int> other_in(2, me.rank() + 10);
        std::vector<int> other_out(2, -1);
        step.start(other_in, other_out);
        step.wait();
        CHECK(out == std::vector<int>{-1, -1});
        CHECK(other_out == (me.rank() == 0 ? std::vector<int>{-1, 11} : std::vector<int>{10, -1}));
    });
}
