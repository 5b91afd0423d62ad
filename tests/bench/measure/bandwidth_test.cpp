#include "measure/bandwidth.hpp"

#include <doctest/doctest.h>

using namespace tutti::bench;
using tutti::Operator;
using tutti::Type;

namespace {

constexpr std::size_t million = 1'000'000;

Problem million_bytes(Collective collective, int members) {
    return make_problem(collective, Type::f64, Operator::sum, members, million, false);
}

} // namespace

TEST_CASE("the algorithm bandwidth is bytes over time, whatever the collective") {
    for (const Collective collective : {Collective::allreduce, Collective::allgather, Collective::scan}) {
        CHECK(*algorithm_bandwidth(million_bytes(collective, 4), 100) == doctest::Approx(10));
    }
    CHECK_FALSE(algorithm_bandwidth(million_bytes(Collective::barrier, 4), 100));
    CHECK_FALSE(algorithm_bandwidth(million_bytes(Collective::scan, 4), 0));
}

TEST_CASE("bus bandwidths have the factors of nccl-tests") {
    CHECK(*bus_factor(Collective::allreduce, 4) == doctest::Approx(1.5));
    CHECK(*bus_factor(Collective::allreduce, 2) == doctest::Approx(1));
    for (const Collective collective : {Collective::reduce_scatter, Collective::allgather, Collective::gather,
                                        Collective::scatter, Collective::alltoall}) {
        CHECK(*bus_factor(collective, 4) == doctest::Approx(0.75));
    }
    for (const Collective collective : {Collective::broadcast, Collective::reduce, Collective::shift}) {
        CHECK(*bus_factor(collective, 4) == doctest::Approx(1));
    }
    for (const Collective collective : {Collective::barrier, Collective::scan, Collective::exscan}) {
        CHECK_FALSE(bus_factor(collective, 4));
    }
    CHECK(*bus_bandwidth(million_bytes(Collective::allreduce, 4), 100) == doctest::Approx(15));
    CHECK_FALSE(bus_bandwidth(million_bytes(Collective::scan, 4), 100));
}
