// Which way is chosen, for machines other than this one as well.

#include "hybrid/src/strategies.hpp"

#include <tutti/error.hpp>

#include <doctest/doctest.h>

namespace tutti::hybrid {

namespace {

/// A sum of doubles.
detail::Call call(Collective collective, Order order = Order::canonical) {
    return {.collective = collective, .type = Type::f64, .op = Operator::sum, .order = order};
}

} // namespace

TEST_CASE("a leader carries by itself where members share CPUs, and what is short or cannot be cut") {
    for (const std::size_t bytes : {std::size_t{8}, segment_bytes, 100 * segment_bytes}) {
        CHECK(choose_strategy(call(Collective::allreduce), bytes, "", false) == Strategy::leader);
        CHECK(choose_strategy(call(Collective::scan), bytes, "", true) == Strategy::leader);
    }
    CHECK(choose_strategy(call(Collective::allreduce), 2 * segment_bytes, "", true) == Strategy::leader);
}

TEST_CASE("an allgather into a shared result is received whole") {
    detail::Call into_shared = call(Collective::allgather);
    into_shared.shared_output = true;
    CHECK(choose_strategy(into_shared, 100 * segment_bytes, "", true) == Strategy::leader);
    CHECK(choose_strategy(into_shared, 8, "leader", true) == Strategy::leader);
    CHECK_THROWS_WITH_AS(choose_strategy(into_shared, 8, "pipelined", true),
                         doctest::Contains("cannot gather into a shared result"), ArgumentError);
}

TEST_CASE("several segments overlap the wire where members have CPUs") {
    for (const Collective collective : {Collective::broadcast, Collective::reduce, Collective::allreduce,
                                        Collective::reduce_scatter, Collective::allgather}) {
        CHECK(choose_strategy(call(collective), 2 * segment_bytes + 1, "", true) == Strategy::pipelined);
    }
}

TEST_CASE("a way by name is taken, whatever would be chosen, or refused") {
    CHECK(choose_strategy(call(Collective::reduce), 8, "pipelined", false) == Strategy::pipelined);
    CHECK(choose_strategy(call(Collective::alltoall), 8, "leader", true) == Strategy::leader);
    CHECK_THROWS_AS(choose_strategy(call(Collective::scan), 8, "pipelined", true), ArgumentError);
    CHECK_THROWS_AS(choose_strategy(call(Collective::barrier), 0, "ferry", true), ArgumentError);
}

TEST_CASE("order serial is a leader's, where any other order might give other bits") {
    CHECK(choose_strategy(call(Collective::allreduce, Order::serial), 100 * segment_bytes, "", true) ==
          Strategy::leader);
    CHECK_THROWS_AS(choose_strategy(call(Collective::reduce, Order::serial), 8, "pipelined", true),
                    ArgumentError);
    detail::Call integers = call(Collective::allreduce, Order::serial);
    integers.type = Type::i32;
    CHECK(choose_strategy(integers, 8, "pipelined", true) == Strategy::pipelined);
    CHECK(choose_strategy(call(Collective::broadcast, Order::serial), 8, "pipelined", true) ==
          Strategy::pipelined);
}

} // namespace tutti::hybrid
