#include "../../test.hpp"
#include "measure/bandwidth.hpp"

using namespace tutti::bench;
using tutti::Collective;
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

namespace {

/// Factors as nccl-tests state them, (per_member * n + constant) / n among n: doc/PERFORMANCE.md, "Summary"
/// (commit 03a204a); of gather, scatter and send and receive src/gather.cu, scatter.cu, sendrecv.cu.
struct StatedFactor {
    const char* name;
    Collective collective;
    double per_member;
    double constant;
};
constexpr StatedFactor stated[] = {
    {"AllReduce", Collective::allreduce, 2, -2}, {"ReduceScatter", Collective::reduce_scatter, 1, -1},
    {"AllGather", Collective::allgather, 1, -1}, {"Broadcast", Collective::broadcast, 1, 0},
    {"Reduce", Collective::reduce, 1, 0},        {"AlltoAll", Collective::alltoall, 1, -1},
    {"Gather", Collective::gather, 1, -1},       {"Scatter", Collective::scatter, 1, -1},
    {"SendRecv", Collective::shift, 1, 0},
};

} // namespace

TEST_CASE("bus bandwidths have the factors of nccl-tests") {
    for (const StatedFactor& each : stated) {
        CAPTURE(each.name);
        for (const int members : {1, 2, 3, 4, 8, 100}) {
            CHECK(*bus_factor(each.collective, members) ==
                  doctest::Approx((each.per_member * members + each.constant) / members));
        }
    }
    CHECK(*bus_bandwidth(million_bytes(Collective::allreduce, 4), 100) == doctest::Approx(15));
}

TEST_CASE("what nccl-tests do not have has a bus bandwidth where vectors move") {
    CHECK(*bus_factor(Collective::scan, 4) == doctest::Approx(1));
    CHECK(*bus_factor(Collective::exscan, 4) == doctest::Approx(1));
    CHECK_FALSE(bus_factor(Collective::barrier, 4));
    CHECK_FALSE(bus_bandwidth(million_bytes(Collective::barrier, 4), 100));
}
