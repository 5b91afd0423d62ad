#include "../test.hpp"

#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/options.hpp>

// The list "Fast path" of docs/collectives.md: which calls are recognised by one comparison of 64 bits.

using namespace tutti;

namespace {

detail::Call allreduce() {
    return {.collective = Collective::allreduce,
            .type = Type::f64,
            .op = Operator::sum,
            .input_count = 8,
            .output_count = 8};
}

bool has_key(const detail::Call& call) {
    return detail::key_of(call) != 0;
}

} // namespace

TEST_CASE("calls with built-in types and operators are recognised by one word, up to a length and a root") {
    CHECK(has_key(allreduce()));
    detail::Call call = allreduce();
    call.input_count = call.output_count = (std::size_t{1} << 21) - 1;
    CHECK(has_key(call));
    call.output_count = std::size_t{1} << 21;
    CHECK(!has_key(call));
    call = {.collective = Collective::broadcast,
            .type = Type::f64,
            .in_place = true,
            .root = 255,
            .input_count = 8,
            .output_count = 8};
    CHECK(has_key(call));
    call.root = 256;
    CHECK(!has_key(call));
}

TEST_CASE("calls that the page excepts have no such word") {
    detail::Call call = allreduce();
    call.type = Type::other;
    CHECK(!has_key(call));
    call = allreduce();
    const detail::Kernels own_operator{};
    call.kernels = &own_operator;
    CHECK(!has_key(call));
    call = allreduce();
    call.algorithm = "circulant";
    CHECK(!has_key(call));
    call = allreduce();
    call.order = Order::serial;
    CHECK(!has_key(call));
    call = allreduce();
    call.timeout = std::chrono::milliseconds(1);
    CHECK(!has_key(call));
    call = allreduce();
    call.shared_output = true;
    CHECK(!has_key(call));
    call = allreduce();
    const std::array<std::size_t, 2> numbers{4, 4};
    const Counts::View counts = Counts(numbers);
    call.counts = &counts;
    CHECK(!has_key(call));
}
