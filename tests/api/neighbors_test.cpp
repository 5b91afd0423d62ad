// The exchange among neighbours in a graph, or in a Cartesian grid, and what can be wrong with these.

#include "../reference/graphs.hpp"
#include "support.hpp"

namespace {

using RankList = std::vector<int>;

template <class T>
void check_random_graphs(int members) {
    std::mt19937 engine(static_cast<unsigned>(members));
    Team team(members, {.placement = Placement::none});
    for (int repetition = 0; repetition < (reduced ? 2 : 8); ++repetition) {
        const std::vector<Named> graph = random_graph(members, engine);
        const auto right = team.run([&](Member& me) {
            int calls = 0;
            const auto rank = index_of(me);
            const Neighbors neighbors = me.neighbors(graph[rank].sources, graph[rank].destinations);
            const Exchange<T> wanted(graph, me.rank());
            Exchange<T> own = wanted;
            for (const auto& exchange : in_every_way(me, [&](auto& way) {
                     return way.neighbor_alltoall(neighbors, std::as_const(own.in),
                                                  Counts(own.send_counts, own.send_places), own.out,
                                                  Counts(own.recv_counts, own.recv_places));
                 })) {
                for (int call = 0; call < 2; ++call) { // of which the second is a repeated one
                    std::ranges::copy(wanted.out, own.out.begin());
                    exchange();
                    calls += own.out == own.expected ? 1 : 0;
                }
            }
            return calls;
        });
        CHECK(right == std::vector<int>(right.size(), 6));
    }
}

/// A call of one of two members is rejected before anybody else comes.
void check_refused(const char* says, const std::function<void(Member&, const Neighbors&)>& call) {
    check_rejected(2, says, [&](Member& me) { call(me, me.grid({2}, {true})); });
}

template <class... Arguments>
void check_operands(const char* says, const Arguments&... arguments) {
    check_refused(says, [&](Member& me, const Neighbors& pair) { me.neighbor_alltoall(pair, arguments...); });
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
    for (const std::size_t length : {0U, 1U, 1000U, 300000U}) {
        run_members(members, [&](Member& me) {
            const int next = (me.rank() + 1) % members;
            const int before = (me.rank() + members - 1) % members;
            const Neighbors ring = me.neighbors({before, next}, {before, next});
            std::vector<int> in(2 * length);
            std::iota(in.begin(), in.end(), me.rank() * 1000000);
            std::vector<int> expected(2 * length);
            const auto half = expected.begin() + static_cast<std::ptrdiff_t>(length);
            std::iota(expected.begin(), half, before * 1000000 + static_cast<int>(length));
            std::iota(half, expected.end(), next * 1000000);
            std::vector<int> out(2 * length);
            for (const auto& exchange : in_every_way(
                     me, [&](auto& way) { return way.neighbor_alltoall(ring, std::as_const(in), out); })) {
                std::ranges::fill(out, -1);
                exchange();
                CHECK(out == expected);
            }
        });
    }
}

TEST_CASE("grids have the neighbours and the matching of MPI") {
    run_members(6, [&](Member& me) {
        const Neighbors grid = me.grid({2, 3}, {true, false});
        const int x = me.rank() / 3;
        const int y = me.rank() % 3;
        const auto at = [](int row, int column) { return row * 3 + column; };
        const RankList wanted{at(1 - x, y), at(1 - x, y), y > 0 ? at(x, y - 1) : Neighbors::none,
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
    run_members(members, [&](Member& me) {
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
            CHECK(field[width - 1] == above);
            CHECK(field[width] == 100 * iteration + me.rank());
            CHECK(field.back() == below);
        }
    });
}

TEST_CASE("many exchanges can be outstanding, and a persistent one be started with other buffers") {
    run_members(2, [](Member& me) {
        const Neighbors both = me.grid({2}, {true});
        const std::vector<int> in{me.rank() * 2, me.rank() * 2 + 1};
        const std::vector<int> expected{3 - me.rank() * 2, 2 - me.rank() * 2};
        std::vector<std::vector<int>> outs(70, std::vector<int>(2));
        std::vector<Request> requests;
        for (std::vector<int>& out : outs) {
            requests.push_back(me.start.neighbor_alltoall(both, in, out));
        }
        wait_all(requests);
        CHECK(outs == std::vector<std::vector<int>>(70, expected));

        std::vector<int> out(2, -1);
        const std::vector<int> zeros(2);
        Persistent step = me.prepare.neighbor_alltoall(both, zeros, out);
        step.start(in, outs[0] = {7, 7});
        step.wait();
        CHECK(outs[0] == expected);
        CHECK(out == std::vector<int>{-1, -1});
    });
}

TEST_CASE("members wait for their neighbours only") {
    for (int sums = 0; sums < 5; ++sums) { // whose slots are used in turn
        std::atomic<bool> is_done{false};
        run_members(3, [&](Member& me) {
            const Neighbors pair =
                me.rank() == 2 ? me.neighbors({}, {}) : me.neighbors({1 - me.rank()}, {1 - me.rank()});
            for (int call = 0; call < sums; ++call) {
                CHECK(me.allreduce(1, sum) == 3);
            }
            if (me.rank() == 2) {
                await(is_done, true);
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
            }
            me.barrier();
        });
    }
}

TEST_CASE("an exchange says nothing about members that are no neighbours") {
    run_members(3, [&](Member& me) {
        const bool is_apart = me.rank() == 2;
        const RankList other = is_apart ? RankList{} : RankList{1 - me.rank()};
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
    run_members(3, [](Member& me) {
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

TEST_CASE("a graph outlives its group, and is that of a duplicate") {
    std::optional<Neighbors> kept;
    run_members(2, [&](Member& me) {
        const Neighbors both = me.grid({2}, {true});
        if (me.rank() == 0) {
            kept = both;
        }
        std::vector<int> out(2);
        me.dup().neighbor_alltoall(both, std::vector<int>{me.rank(), me.rank() + 10}, out);
        CHECK(out == std::vector<int>{11 - me.rank(), 1 - me.rank()});
    });
    CHECK(std::ranges::equal(kept->sources(), RankList{1, 1}));
}

TEST_CASE("graphs that the members do not agree on are refused on every member") {
    const auto check = [](Kind kind, const char* says, const std::function<Neighbors(Member&)>& make) {
        check_members(3, [&](Member& me) {
            check_thrown(thrown_by([&] { std::ignore = make(me); }), kind, {says});
            return me.allreduce(1, sum) == 3;
        });
    };
    check(
        Kind::combination,
        "neighbors: member 1 names member 2 1 time in `sources`, but that names it 0 times in `destinations`",
        [](Member& me) { return me.neighbors(me.rank() == 1 ? RankList{2} : RankList{}, {}); });
    check(Kind::combination, "neighbors: member 1 has 3 in `destinations`: must be in 0..2",
          [](Member& me) { return me.neighbors({}, me.rank() == 1 ? RankList{3} : RankList{}); });
    const auto check_grid = [&](const RankList& dims, const std::vector<bool>& wraps, const char* says) {
        check(Kind::argument, says, [&](Member& me) { return me.grid(dims, wraps); });
    };
    check_grid({2, 2}, {true, true}, "grid: `dims` is 2 x 2: the product must be the number of members, 3");
    check_grid({-3, -1}, {true, true}, "`dims` is -3 x -1");
    check_grid({}, {}, "`dims` is empty");
    check_grid({3}, {}, "grid: `wraps` has 0 entries, must have one for each of the 1 dimensions");
}

TEST_CASE("a graph is refused on every member before the exception of one releases the others") {
    Team team(4, {.placement = Placement::none});
    for (int round = 0; round < 30; ++round) {
        const Ended ended = run(team, [](Member& me) { std::ignore = me.neighbors({77}, {}); });
        CHECK(ended.each.count(Kind::combination) == 4);
    }
}

TEST_CASE("more neighbours than a plan can number are refused") {
    const RankList many(70000, 0);
    run_members(1, [&](Member& me) {
        check_thrown(thrown_by([&] { std::ignore = me.neighbors(many, many); }), Kind::combination,
                     {"at most 65535"});
    });
}

TEST_CASE("lengths that differ between neighbours are reported with both") {
    const std::vector<std::string> says{
        "neighbor_alltoall: recv_counts[1] of member 1 is 3, but send_counts[0] of member 2 is 2"};
    const Outcomes each = check_fails(3, Kind::mismatch, says, [](Member& me) {
        const Neighbors line = me.grid({3}, {false});
        const std::vector<int> in(4);
        std::vector<int> out(5);
        me.neighbor_alltoall(line, in, Counts({2, 2}), out,
                             me.rank() == 1 ? Counts({2, 3}) : Counts({2, 2}, {0, 2}));
        me.barrier();
    });
    CHECK(each.of(1).kind == Kind::mismatch);
    check_mentions(each.of(0).text, says);
    check_mentions(each.of(2).text, says);
}

TEST_CASE("different graphs, and a graph against all members, are mismatches") {
    const std::vector<int> in(2);
    std::vector<int> common(2);
    const auto check = [&](const std::function<void(Member&, std::vector<int>&)>& call, const char* says) {
        check_fails(2, Kind::mismatch, {says}, [&](Member& me) {
            std::vector<int> out(2);
            call(me, out);
        });
    };
    check([&](Member& me, auto& out) { me.neighbor_alltoall(me.grid({2}, {me.rank() == 0}), in, out); },
          "their graphs differ");
    check(
        [&](Member& me, auto& out) {
            me.rank() == 0 ? me.neighbor_alltoall(me.grid({2}, {true}), in, out)
                           : me.alltoall(in, Counts({1, 1}), out, Counts({1, 1}));
        },
        "neighbor_alltoall of i32");
    check([&](Member& me, auto& /*out*/) { me.neighbor_alltoall(me.grid({2}, {true}), in, common); },
          "they write to the same memory");
}

TEST_CASE("wrong arguments of an exchange are refused before anybody is told") {
    const std::vector<int> in(6);
    std::vector<int> memory(6);
    const std::span out(memory);
    const Counts threes({3, 3});
    check_operands("neighbor_alltoall: `in` has 3 elements, which cannot be divided into 2 equal blocks, one "
                   "for each of the "
                   "destinations",
                   std::span(in).first(3), out);
    check_operands("`recv_counts` has 1 entries, must have one for each of the 2 sources", in, threes, out,
                   Counts({6}));
    check_operands("`in` has 6 elements, but `send_counts` add up to 7", in, Counts({3, 4}), out, threes);
    check_operands("`send_counts` has 1 displacements, must have one for each of the 2 destinations", in,
                   Counts({3, 3}, {0}), out, threes);
    check_operands("blocks 0 and 1 of `out` overlap: each is written", in, threes, out,
                   Counts({3, 3}, {0, 2}));
    check_operands(
        "block 1 of `in` and block 1 of `out` overlap: what is received must not overlap what is sent", out,
        Counts({1, 2}, {0, 4}), out, Counts({2, 2}, {1, 3}));
    check_operands("`in` and `out` overlap: pass separate buffers, or the same one", out.first(4),
                   out.last(4));
    check_operands("has no algorithms to choose from", in, out, Options{.algorithm = "direct"});
    check_refused("`neighbors` belongs to rank 0 of 1 members, this is rank 0 of 2",
                  [&](Member& me, const Neighbors&) {
                      Team one(1, {.placement = Placement::none});
                      one.run([&](Member& alone) { me.neighbor_alltoall(alone.grid({1}, {true}), in, out); });
                  });
    check_refused("neighbor_alltoall: `neighbors` was moved from", [&](Member& me, const Neighbors& pair) {
        Neighbors copy = pair;
        const Neighbors moved = std::move(copy);
        me.neighbor_alltoall(copy, in, out); // NOLINT(bugprone-use-after-move)
    });
}

TEST_CASE("ranks of an AsyncGroup have no neighbours") {
    AsyncGroup one(1);
    std::vector<int> in(2), out(2);
    check_rejected(1, "neighbor_alltoall: is for members of a Team or Group", [&](Member& me) {
        one.at(0).neighbor_alltoall(me.grid({1}, {true}), std::as_const(in), out).wait();
    });
}

TEST_CASE("what a member sends to itself must have the length that it expects") {
    run_members(1, [](Member& me) {
        const Neighbors loop = me.grid({1}, {true});
        const std::vector<int> in{1, 2, 3};
        std::vector<int> out(3);
        check_rejected("block 1 of `in` has 2 elements, but block 0 of `out` has 1", [&] {
            me.neighbor_alltoall(loop, in, Counts({1, 2}), out, Counts({1, 2}));
        });
        me.neighbor_alltoall(loop, in, Counts({1, 2}), out, Counts({2, 1}));
        CHECK(out == std::vector<int>{2, 3, 1});
    });
}
