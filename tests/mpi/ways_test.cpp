// Which way is chosen, for machines other than this one as well.

#include "hybrid/ways.hpp"

#include <tutti/error.hpp>

#include <doctest/doctest.h>
#include <mpi.h>

namespace tutti::hybrid {

using detail::Kind;

namespace {

Crew crew(bool have_cpus, int level = MPI_THREAD_MULTIPLE) {
    return {.processes = 4, .thread_level = level, .most_carriers = 8, .have_cpus = have_cpus};
}

/// A sum of doubles.
detail::Call call(Kind kind, bool serial = false) {
    return {.kind = kind, .type = Type::f64, .op = Operator::sum, .serial = serial};
}

} // namespace

TEST_CASE("a leader carries by itself where members share CPUs, and what is short or cannot be cut") {
    for (const std::size_t bytes : {std::size_t{8}, segment_bytes, 100 * segment_bytes}) {
        CHECK(choose_way(call(Kind::allreduce), bytes, "", crew(false)) == Way::leader);
        CHECK(choose_way(call(Kind::scan), bytes, "", crew(true)) == Way::leader);
    }
    CHECK(choose_way(call(Kind::allreduce), 2 * segment_bytes, "", crew(true)) == Way::leader);
}

TEST_CASE("several segments overlap the wire where members have CPUs, whatever the thread level") {
    for (const int level : {MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE}) {
        for (const Kind kind :
             {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::reduce_scatter, Kind::allgather}) {
            CHECK(choose_way(call(kind), 2 * segment_bytes + 1, "", crew(true, level)) == Way::pipelined);
        }
    }
}

TEST_CASE("a way by name is taken, whatever would be chosen, or refused") {
    CHECK(choose_way(call(Kind::allreduce), 8, "lane", crew(false)) == Way::lane);
    CHECK(choose_way(call(Kind::reduce), 8, "pipelined", crew(false, MPI_THREAD_FUNNELED)) == Way::pipelined);
    CHECK(choose_way(call(Kind::alltoall), 8, "leader", crew(true)) == Way::leader);
    CHECK_THROWS_AS(choose_way(call(Kind::allreduce), 8, "leaders", crew(true, MPI_THREAD_SERIALIZED)),
                    ArgumentError);
    CHECK_THROWS_AS(choose_way(call(Kind::scan), 8, "lane", crew(true)), ArgumentError);
    CHECK_THROWS_AS(choose_way(call(Kind::barrier), 0, "ferry", crew(true)), ArgumentError);
}

TEST_CASE("order serial is a leader's, where any other order might give other bits") {
    CHECK(choose_way(call(Kind::allreduce, true), 100 * segment_bytes, "", crew(true)) == Way::leader);
    CHECK_THROWS_AS(choose_way(call(Kind::reduce, true), 8, "lane", crew(true)), ArgumentError);
    detail::Call integers = call(Kind::allreduce, true);
    integers.type = Type::i32;
    CHECK(choose_way(integers, 8, "lane", crew(true)) == Way::lane);
    CHECK(choose_way(call(Kind::broadcast, true), 8, "pipelined", crew(true)) == Way::pipelined);
}

TEST_CASE("carriers: one, all, or as many as wanted") {
    CHECK(carriers_for(Way::leader, 0, crew(true)) == 1);
    CHECK(carriers_for(Way::pipelined, 5, crew(true)) == 1);
    CHECK(carriers_for(Way::lane, 0, crew(true)) == 8);
    CHECK(carriers_for(Way::leaders, 0, crew(true)) == 2);
    CHECK(carriers_for(Way::leaders, 5, crew(true)) == 5);
    CHECK_THROWS_AS(carriers_for(Way::leaders, 9, crew(true)), ArgumentError);
    CHECK_THROWS_AS(carriers_for(Way::leaders, -1, crew(true)), ArgumentError);
}

} // namespace tutti::hybrid
