#include "../api/support.hpp"
#include "../reference/calls.hpp"
#include "../replaced_new.hpp"
#include "algorithm/registry.hpp"

namespace {

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};

} // namespace

bool tutti::test::admits_allocation(Manner /*manner*/) noexcept {
    if (counting.load(std::memory_order_relaxed)) {
        allocations.fetch_add(1, std::memory_order_relaxed);
    }
    return true;
}

namespace {

/// Allocations on all threads.
template <class Act>
long allocated_by(Act act) {
    allocations = 0;
    counting = true;
    act();
    counting = false;
    return allocations;
}

/// Allocations by all members in three steps, after the first ones. `prepare(me)` returns what makes a step.
template <class Prepare>
long allocated_when_warm(Team& team, int before, Prepare prepare) {
    team.run([&](Member& me) {
        auto step = prepare(me);
        const auto count = [&](bool is_counted) {
            me.barrier();
            if (me.rank() == 0) {
                allocations = is_counted ? 0 : allocations.load();
                counting = is_counted;
            }
            me.barrier();
        };
        for (int i = 0; i < before + 3; ++i) {
            if (i == before) {
                count(true);
            }
            step();
            me.barrier();
        }
        count(false);
    });
    return allocations;
}

/// The calls of a collective with equal blocks, and their vectors, made before anything is counted.
template <class T>
class Calls {
public:
    Calls(const Member& me, Collective collective, std::size_t elements) {
        const Reference<T> reference(
            me.size(), [](std::size_t, std::size_t) { return T(1); }, [](T a, T) { return a; });
        std::vector<Shape> shapes = regular_shapes(elements, {0}, {1});
        for (const Shape& shape :
             irregular_shapes([elements](std::size_t, std::size_t) { return elements; }, {0})) {
            if (shape.collective == Collective::reduce_scatter) {
                shapes.push_back(shape);
            }
        }
        std::erase_if(shapes, [&](const Shape& shape) {
            return shape.collective != collective || (collective == Collective::alltoall && shape.in_place);
        });
        for (const Shape& shape : shapes) {
            calls_.emplace_back(shape, reference.vectors(index_of(me), shape));
        }
    }

    template <class Op>
    void make(Member& me, const Op& op, const Options& options) {
        for (auto& [shape, vectors] : calls_) {
            make_call(me, shape, vectors, std::span<const T>(vectors.in), std::span(vectors.out), op,
                      options);
        }
    }

private:
    std::vector<std::pair<Shape, Vectors<T>>> calls_;
};

/// Whether the row pulls in place, as some of the calls do when their messages do not fit into a slot, or
/// takes irregular blocks, as the all-to-alls do.
bool serves_all(const algorithm::Algorithm& row, int members) {
    using enum Collective;
    const std::array exchanging{barrier, allreduce, reduce_scatter, allgather, alltoall};
    return std::ranges::count(exchanging, row.collective) != 0 && takes(row, members) &&
           (row.collective == barrier || row.protocols.one_hop || takes(row, schedule::Protocol::in_place));
}

/// Of calls of all kinds, of all-to-alls of two kinds: those by counts are prepared anew if others come in
/// between. After those in which the group chooses an algorithm if none is named, and between
/// the looks at what it has chosen.
long allocated_by_calls(Team& team, std::size_t elements, Collective collective, std::string_view name) {
    return allocated_when_warm(team, name.empty() ? 60 : 1, [=](Member& me) {
        const auto members = static_cast<std::size_t>(me.size());
        return [=, &me, integers = Calls<long>(me, collective, elements),
                numbers = Calls<double>(me, collective, elements),
                in = std::vector<double>(elements * members), out = std::vector<double>(elements * members),
                counts = std::vector<std::size_t>(members, elements)]() mutable {
            const Options options{.algorithm = name};
            if (collective != Collective::alltoall) {
                integers.make(me, bxor, options);
            }
            if (collective == Collective::allreduce) {
                static_cast<void>(me.allreduce(1L, bxor, options));
            }
            if (collective == Collective::alltoall) {
                me.alltoall(in, Counts(std::span(counts)), out, Counts(std::span(counts)), options);
            }
            if (name != "census") {
                numbers.make(me, sum, options);
            }
            if (name != "census" && detail::traits_of(collective).reduces()) {
                numbers.make(me, commutative([](double a, double b) { return a < b ? a : b; }), options);
            }
        };
    });
}

} // namespace

TEST_CASE("the counter counts") {
    CHECK(allocated_by([] { const std::vector<int> some(100); }) == 1);
}

TEST_CASE("a warm call allocates nothing on any thread") {
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = Placement::none});
        for (const std::size_t elements : {std::size_t{1}, std::size_t{1000}, std::size_t{5'000}}) {
            const auto check = [&](Collective collective, std::string_view name) {
                INFO(to_string(collective), " ", name, ", ", members, " members, ", elements, " elements");
                CHECK(allocated_by_calls(team, elements, collective, name) == 0);
            };
            for (const Collective collective : detail::all_collectives) {
                check(collective, "");
            }
            for (const auto& row : algorithm::registry()) {
                if (serves_all(row, members)) {
                    check(row.collective, row.name);
                }
            }
        }
    }
}

TEST_CASE("calls by fewer members, and groups of equal distances, allocate nothing after the first time") {
    Team team(6, {.placement = Placement::none});
    CHECK(allocated_when_warm(team, 1, [](Member& me) {
              return [&me] {
                  for (int n = me.rank() + 1; n <= me.size(); ++n) {
                      static_cast<void>(me.among(n).allreduce(1L, sum));
                  }
                  static_cast<void>(me.among(3, me.rank() / 3 * 3).allreduce(1L, sum));
                  static_cast<void>(me.among(2, me.rank() % 3, 3).allreduce(1L, sum));
              };
          }) == 0);
}

TEST_CASE("a function that a request calls is allocated once, and not at all if it is small") {
    int a = 0, b = 0, c = 0;
    run_members(1, [&](Member& me) {
        Persistent step = me.prepare.barrier();
        const auto allocated_for = [&](auto function) {
            step.start();
            return allocated_by([&] {
                step.then(std::move(function));
                step.wait();
            });
        };
        allocated_for([](const auto& /*failure*/) {});
        CHECK(allocated_for([&](const auto& /*failure*/) { a = ++b + ++c; }) == 0);
        CHECK(allocated_for([own = std::make_unique<int>(7), &a](const auto& /*failure*/) { a = *own; }) ==
              1);
    });
    CHECK(a == 7);
}

TEST_CASE("a run allocates nothing for the function that it is given, however large") {
    Team team(2, {.placement = Placement::none});
    Group group(1);
    std::array<long, 32> found{};
    auto large = [found](Member& me) mutable { found[index_of(me)] = me.size(); };
    const auto run_both = [&] {
        team.run(large);
        group.run(0, large);
    };
    run_both();
    CHECK(allocated_by(run_both) == 0);
}

TEST_CASE("starting an operation like one that is complete allocates nothing, nor does waiting for it") {
    for (const int members : {1, 2, 5}) {
        Team team(members, {.placement = Placement::none});
        CAPTURE(members);
        CHECK(allocated_when_warm(team, 3, [](Member& me) {
                  constexpr std::size_t in_flight = 100;
                  std::vector<std::vector<long>> vectors, blocks;
                  for (std::size_t i = 0; i <= in_flight; ++i) {
                      blocks.emplace_back(i % 16 * i % 16, 1);
                      vectors.emplace_back(static_cast<std::size_t>(me.size()) * blocks.back().size(), 1);
                  }
                  Persistent step = me.prepare.allreduce(vectors[in_flight], sum);
                  return [&me, vectors = std::move(vectors), blocks = std::move(blocks),
                          step = std::move(step), requests = std::vector<Request>(2 * in_flight)]() mutable {
                      for (std::size_t i = 0; i < in_flight; ++i) {
                          requests[2 * i] = me.start.allreduce(vectors[i], bxor);
                          requests[2 * i + 1] = me.start.broadcast(blocks[i], 0);
                      }
                      step.start();
                      wait_all(requests);
                      step.wait();
                  };
              }) == 0);
    }
}

TEST_CASE("ranks that arrive with calls that they have made before allocate nothing") {
    constexpr int ranks = 8;
    AsyncGroup meeting(ranks);
    std::vector<std::vector<double>> in(ranks, std::vector<double>(24, 1.0)), out = in;
    std::array<AsyncRequest, ranks> requests;
    const auto all_arrive = [&](const auto& arrive) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            requests[rank] = arrive(meeting.at(static_cast<int>(rank)), in[rank], out[rank]);
        }
        for (AsyncRequest& request : requests) {
            request.wait();
        }
    };
    const auto arrive_in_all = [&] {
        all_arrive([](AsyncRank me, auto& from, auto& to) { return me.allreduce(from, to, sum); });
        all_arrive([](AsyncRank me, auto& /*from*/, auto& to) { return me.broadcast(to, 2); });
        all_arrive([](AsyncRank me, auto& /*from*/, auto& to) { return me.allreduce(to, max); });
        all_arrive([](AsyncRank me, auto& from, auto& to) { return me.scan(from, to, sum); });
    };
    for (int round = 0; round < 3; ++round) {
        arrive_in_all();
    }
    CHECK(allocated_by(arrive_in_all) == 0);
    CHECK(out[1][0] == 2.0);
}
