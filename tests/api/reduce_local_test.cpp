#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

const std::size_t sizes[] = {0, 1, 2, 7, 8, 33, 1000, 12'800};

template <class T>
std::vector<T> random_values(std::size_t count, std::mt19937& engine) {
    std::vector<T> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(static_cast<T>(static_cast<int>(engine() % 100)));
    }
    return made;
}

/// With two buffers, and with one that is both.
template <class T, class Op>
void check_operator(const Op& op) {
    std::mt19937 engine(7);
    for (const std::size_t count : sizes) {
        const auto a = random_values<T>(count, engine);
        const auto b = random_values<T>(count, engine);
        std::vector<T> expected;
        for (std::size_t i = 0; i < count; ++i) {
            expected.push_back(op(a[i], b[i]));
        }
        std::vector<T> inout = b;
        reduce_local(a, inout, op);
        CHECK(inout == expected);
        std::vector<T> both = a;
        std::vector<T> twice = a;
        reduce_local(both, both, op);
        reduce_local(a, twice, op);
        CHECK(both == twice);
    }
}

int minus(int a, int b) {
    return a - b;
}

} // namespace

TEST_CASE("two vectors are combined with `in` on the left") {
    check_operator<double>(sum);
    check_operator<double>(max);
    check_operator<float>(prod);
    check_operator<std::int8_t>(sum);
    check_operator<std::uint64_t>(bxor);
    check_operator<std::complex<double>>(sum);
    check_operator<int>(&minus);
    check_operator<long double>(sum);
    long seven = 7;
    check_operator<long>([seven](long a, long b) { return seven * a - b; });
}

TEST_CASE("single objects, arrays and parts of vectors are combined as well") {
    double x = 2;
    reduce_local(5.0, x, sum);
    CHECK(x == 7);
    int array[] = {1, 2, 3};
    reduce_local(std::vector<int>{10, 20, 30}, array, &minus);
    CHECK(array[2] == 27);
    std::vector<int> values{1, 2, 3, 4, 5, 6};
    reduce_local(std::span(values).first(3), std::span(values).last(3), sum);
    CHECK(values == std::vector<int>{1, 2, 3, 5, 7, 9});
}

TEST_CASE("vectors that do not fit are refused and keep what they hold") {
    std::vector<int> three{1, 2, 3};
    std::vector<int> four{1, 2, 3, 4};
    const auto refused = [](auto... arguments) {
        const Thrown thrown = thrown_by([&] { reduce_local(arguments..., sum); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        return thrown.text;
    };
    const std::span all(four);
    const std::span<int> nowhere(static_cast<int*>(nullptr), 3);
    CHECK(refused(std::span(three), all) ==
          "reduce_local: `in` has 3 elements and `inout` has 4 elements: they must have the same number");
    CHECK(mentions(refused(nowhere, std::span(three)), "`in` has 3 elements but is a null pointer"));
    CHECK(mentions(refused(std::span(three), nowhere), "`inout` has 3 elements but is a null pointer"));
    CHECK(mentions(refused(all.first(3), all.last(3)), "`in` and `inout` overlap"));
    CHECK(three == std::vector<int>{1, 2, 3});
    CHECK(four == std::vector<int>{1, 2, 3, 4});
}
