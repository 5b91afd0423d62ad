// Reductions whose inputs have a narrower type than their results.

#include "support.hpp"

#include <tutti/tutti.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

/// An allreduce of extreme values of type From, whose results are of type To.
template <class From, class To>
bool sums_as(tutti_caller me, tutti_type from, tutti_type to) {
    constexpr std::size_t n = 700;
    const auto extreme = std::numeric_limits<From>::max();
    const std::vector<From> in(n, me.rank % 2 == 0 ? extreme : std::numeric_limits<From>::lowest());
    const std::vector<From> before = in;
    std::vector<To> out(n);
    To expected{};
    for (int rank = 0; rank < me.size; ++rank) {
        expected = static_cast<To>(
            expected + static_cast<To>(rank % 2 == 0 ? extreme : std::numeric_limits<From>::lowest()));
    }
    const tutti_status status =
        tutti_allreduce(tutti_converted_input(me, from), in.data(), out.data(), n, to, TUTTI_SUM);
    return status == TUTTI_OK && in == before && out == std::vector<To>(n, expected);
}

} // namespace

TEST_CASE("inputs of a narrower type than the results") {
    std::atomic<int> wrong{0};
    const tutti_status status = test::run_team(3, [&](tutti_caller me) {
        const bool right[] = {sums_as<float, double>(me, TUTTI_FLOAT, TUTTI_DOUBLE),
                              sums_as<std::int8_t, std::int32_t>(me, TUTTI_INT8, TUTTI_INT32),
                              sums_as<std::int16_t, std::int32_t>(me, TUTTI_INT16, TUTTI_INT32),
                              sums_as<std::uint8_t, std::int32_t>(me, TUTTI_UINT8, TUTTI_INT32),
                              sums_as<std::uint16_t, std::int32_t>(me, TUTTI_UINT16, TUTTI_INT32),
                              sums_as<std::int8_t, std::int64_t>(me, TUTTI_INT8, TUTTI_INT64),
                              sums_as<std::int16_t, std::int64_t>(me, TUTTI_INT16, TUTTI_INT64),
                              sums_as<std::int32_t, std::int64_t>(me, TUTTI_INT32, TUTTI_INT64),
                              sums_as<std::uint8_t, std::int64_t>(me, TUTTI_UINT8, TUTTI_INT64),
                              sums_as<std::uint16_t, std::int64_t>(me, TUTTI_UINT16, TUTTI_INT64),
                              sums_as<std::uint32_t, std::int64_t>(me, TUTTI_UINT32, TUTTI_INT64),
                              sums_as<std::uint8_t, std::uint64_t>(me, TUTTI_UINT8, TUTTI_UINT64),
                              sums_as<std::uint16_t, std::uint64_t>(me, TUTTI_UINT16, TUTTI_UINT64),
                              sums_as<std::uint32_t, std::uint64_t>(me, TUTTI_UINT32, TUTTI_UINT64),
                              sums_as<std::int8_t, double>(me, TUTTI_INT8, TUTTI_DOUBLE),
                              sums_as<std::int16_t, double>(me, TUTTI_INT16, TUTTI_DOUBLE),
                              sums_as<std::int32_t, double>(me, TUTTI_INT32, TUTTI_DOUBLE),
                              sums_as<std::uint8_t, double>(me, TUTTI_UINT8, TUTTI_DOUBLE),
                              sums_as<std::uint16_t, double>(me, TUTTI_UINT16, TUTTI_DOUBLE),
                              sums_as<std::uint32_t, double>(me, TUTTI_UINT32, TUTTI_DOUBLE)};
        wrong += std::ranges::all_of(right, std::identity()) ? 0 : 1;
        const std::uint16_t halves[] = {0x3C00, 0xC000, 0x3F80,
                                        0xC040}; // 1 and -2, 1 and -3 of the other format
        float sums[2] = {};
        double maxima[2] = {};
        wrong += tutti_allreduce(tutti_converted_input(me, TUTTI_FLOAT16), halves, sums, 2, TUTTI_FLOAT,
                                 TUTTI_SUM);
        wrong += sums[0] == 3 && sums[1] == -6 ? 0 : 1;
        wrong += tutti_allreduce(tutti_converted_input(me, TUTTI_BFLOAT16), halves + 2, maxima, 2,
                                 TUTTI_DOUBLE, TUTTI_MAX);
        wrong += maxima[0] == 1 && maxima[1] == -3 ? 0 : 1;
        const std::complex<float> complex(1, 2);
        std::complex<double> total;
        wrong += tutti_allreduce(tutti_converted_input(me, TUTTI_FLOAT_COMPLEX), &complex, &total, 1,
                                 TUTTI_DOUBLE_COMPLEX, TUTTI_SUM);
        wrong += total == std::complex<double>(3, 6) ? 0 : 1;
        return int{TUTTI_OK};
    });
    CHECK(status == TUTTI_OK);
    CHECK(wrong == 0);
}

TEST_CASE("inputs of a narrower type, in every way of calling") {
    const Meeting meeting(3);
    std::atomic<int> wrong{0};
    const tutti_status status = test::run_team(3, [&](tutti_caller me) {
        std::vector<float> all(3001, static_cast<float>(me.rank + 1));
        float* const in = all.data() + 1; // aligned for floats only
        std::vector<double> out(3000);
        tutti_request request = TUTTI_REQUEST_NULL;
        const auto expect = [&](tutti_status got, double total) {
            wrong +=
                got == TUTTI_OK && tutti_wait(&request) == TUTTI_OK && out[0] == total && out.back() == total
                    ? 0
                    : 1;
            out.assign(3000, 0);
        };
        const auto allreduce = [&](const tutti_caller& caller, tutti_op op) {
            return tutti_allreduce(tutti_converted_input(caller, TUTTI_FLOAT), in, out.data(), 3000,
                                   TUTTI_DOUBLE, op);
        };
        expect(allreduce(me, TUTTI_SUM), 6);
        expect(allreduce(me, TUTTI_MEAN), 2);
        expect(allreduce(me, TUTTI_SUM_IN_DOUBLE), 6);
        expect(allreduce(tutti_nonblocking(me, &request), TUTTI_SUM), 6);
        expect(allreduce(tutti_async_rank(meeting.get(), me.rank, &request), TUTTI_SUM), 6);
        wrong += allreduce(tutti_persistent(me, &request), TUTTI_SUM) == TUTTI_OK ? 0 : 1;
        expect(tutti_start(&request), 6);
        check_refused(tutti_start_with(&request, in - 1, out.data()), "prepare one for other buffers");
        wrong += tutti_request_free(&request) == TUTTI_OK ? 0 : 1;
        expect(allreduce(tutti_cleared_input(me), TUTTI_SUM), 6);
        wrong += all[0] != 0 && all[1] == 0 && all.back() == 0 ? 0 : 1;
        return int{TUTTI_OK};
    });
    CHECK(status == TUTTI_OK);
    CHECK(wrong == 0);
}
