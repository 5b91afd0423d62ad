#include "../../src/by_collective.hpp"
#include "../api/support.hpp"
#include "../operands_of.hpp"
#include "algorithm/registry.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reductions whose input is zero afterwards.

namespace {

using namespace tutti;
using test::Thrown;
using Vector = std::vector<std::int64_t>;

std::int64_t element_of(int rank, std::size_t index) {
    return (rank + 1) * 1000 + static_cast<std::int64_t>(index % 97);
}

/// Vectors of one call of a member, with an element on each side that no call may touch.
class Operands {
public:
    Operands(Collective collective, const Member& me, std::size_t elements)
        : collective_(collective), rank_(me.rank()), size_(me.size()),
          in_(2 + elements * (scatters() ? static_cast<std::size_t>(size_) : 1), untouched),
          out_(2 + elements, untouched) {
        fill();
    }

    void fill() {
        for (std::size_t i = 0; i < in().size(); ++i) {
            in()[i] = element_of(rank_, i);
        }
        std::ranges::fill(out_, untouched);
    }
    std::span<std::int64_t> in() { return std::span(in_).subspan(1, in_.size() - 2); }
    std::span<std::int64_t> out() { return std::span(out_).subspan(1, out_.size() - 2); }

    /// Whether a call has left what it must: the sums, and an input that is cleared or unchanged.
    bool are_right(int root, bool cleared) {
        const int operands = test::operands_of(collective_, rank_, size_, root);
        const std::size_t first = scatters() ? out().size() * static_cast<std::size_t>(rank_) : 0;
        bool right = in_.front() == untouched && in_.back() == untouched && out_.front() == untouched &&
                     out_.back() == untouched;
        for (std::size_t i = 0; i < out().size(); ++i) {
            std::int64_t sum = operands == 0 ? untouched : 0;
            for (int rank = 0; rank < operands; ++rank) {
                sum += element_of(rank, first + i);
            }
            right = right && out()[i] == sum;
        }
        for (std::size_t i = 0; i < in().size(); ++i) {
            right = right && in()[i] == (cleared ? 0 : element_of(rank_, i));
        }
        return right;
    }

private:
    static constexpr std::int64_t untouched = -77;

    bool scatters() const { return collective_ == Collective::reduce_scatter; }

    Collective collective_;
    int rank_;
    int size_;
    Vector in_;
    Vector out_;
};

/// Calls in every way; of several calls in flight the inputs are cleared too.
bool calls_right(Member& me, AsyncGroup& meeting, const algorithm::Algorithm& row, bool by_name,
                 std::size_t elements) {
    const Options options{.algorithm = by_name ? row.name : std::string_view()};
    Operands operands(row.collective, me, elements);
    const int root = has_root(row) ? static_cast<int>(elements) % me.size() : 0;
    const auto call = [&](auto& way, auto in, const Options& with) {
        return call_by_collective(way, row.collective, sum, root, with, in, operands.out());
    };
    bool right = true;
    const auto check = [&](bool cleared) {
        right = right && operands.are_right(root, cleared);
        operands.fill();
    };
    call(me, cleared(operands.in()), options);
    check(true);
    call(me, operands.in(), options);
    check(false);
    // Members may differ in whether they clear.
    if (me.rank() % 2 == 0) {
        call(me, cleared(operands.in()), options);
    } else {
        call(me, operands.in(), options);
    }
    check(me.rank() % 2 == 0);
    call(me.start, cleared(operands.in()), options).wait();
    check(true);
    Persistent persistent = call(me.prepare, cleared(operands.in()), options);
    for (int time = 0; time < 2; ++time) {
        persistent.start();
        persistent.wait();
        check(true);
    }
    if (!by_name) {
        AsyncRank arriving = meeting.at(me.rank());
        call(arriving, cleared(operands.in()), {}).wait();
        check(true);
    }
    return right;
}

/// Zeros of another type.
template <class T>
bool clears(Member& me, T value) {
    std::array<T, 5> in;
    in.fill(value);
    std::array<T, 5> out{};
    me.allreduce(cleared(in), out, [](const T& a, const T&) { return a; });
    const std::array<unsigned char, sizeof in> zeros{};
    return std::memcmp(in.data(), zeros.data(), zeros.size()) == 0 &&
           std::memcmp(out.data(), &value, sizeof value) == 0;
}

/// What a call throws at a member of a group of its own, and whether the member's vector is unchanged.
template <class Call>
std::string refusal(Call call) {
    std::string text;
    Team team(1);
    team.run([&](Member& me) {
        Vector both(8, 3);
        const Thrown thrown = test::thrown_by([&] { call(me, both); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(both == Vector(8, 3));
        text = thrown.text;
    });
    return text;
}

} // namespace

TEST_CASE("every reduction clears its input, by every algorithm and in every way of calling") {
    for (const int members :
         test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 8}) {
        Team team(members, {.placement = "none"});
        AsyncGroup meeting(members);
        for (const auto& row : algorithm::registry()) {
            if (!detail::traits_of(row.collective).reduces() || !takes(row, members)) {
                continue;
            }
            for (const bool by_name : {true, false}) {
                std::vector<char> right(static_cast<std::size_t>(members), 1);
                team.run([&](Member& me) {
                    // Nothing, a word, a slot, the staging buffer, and none of these.
                    for (const std::size_t elements : {0U, 1U, 3U, 100U, 9000U}) {
                        char& own = right[static_cast<std::size_t>(me.rank())];
                        own = calls_right(me, meeting, row, by_name, elements) && own != 0;
                    }
                });
                INFO(std::string(to_string(row.collective)), " \"", std::string(row.name), "\", members ",
                     members);
                CHECK(std::ranges::count(right, 1) == members);
            }
        }
    }
}

TEST_CASE("buffers that exceed the caches are cleared, wherever they begin") {
    constexpr std::size_t elements = (std::size_t{33} << 20U) / sizeof(std::int64_t);
    Team team(2);
    std::array<bool, 2> right{};
    team.run([&](Member& me) {
        Operands operands(Collective::allreduce, me, elements);
        bool& own = right[static_cast<std::size_t>(me.rank())];
        for (std::size_t first : {0U, 1U, 5U}) {
            me.allreduce(cleared(operands.in().subspan(first)), operands.out().subspan(first), sum);
            own = std::ranges::count(operands.in(), 0) == static_cast<std::ptrdiff_t>(elements - first) &&
                  operands.out()[first] == element_of(0, first) + element_of(1, first);
            operands.fill();
        }
        me.allreduce(cleared(operands.in()), operands.out(), sum);
        own = own && operands.are_right(0, true);
    });
    CHECK(right == std::array{true, true});
}

TEST_CASE("one caller clears the inputs of all ranks, with an executor and without") {
    const Executor backwards = [](std::size_t tasks, const std::function<void(std::size_t)>& run) {
        for (std::size_t task = tasks; task-- > 0;) {
            run(task);
        }
    };
    for (const Executor& executor : {Executor(), backwards}) {
        for (const std::size_t elements : {std::size_t{1}, std::size_t{12}, std::size_t{3000000}}) {
            std::array inputs{Vector(elements, 1), Vector(elements, 10), Vector(elements, 100)};
            const auto ins = inputs | std::views::transform([](Vector& input) { return cleared(input); });
            std::array outs{Vector(elements), Vector(elements), Vector(elements)};
            const auto check = [&](std::int64_t total) {
                CHECK(inputs == std::array{Vector(elements), Vector(elements), Vector(elements)});
                CHECK(outs[2] == Vector(elements, total));
                inputs = {Vector(elements, 1), Vector(elements, 10), Vector(elements, 100)};
            };
            single_caller::allreduce(ins, outs, sum, executor);
            check(111);
            single_caller::exscan(ins, outs, sum, executor);
            check(11);
            single_caller::reduce(ins, outs[2], sum, executor);
            check(111);
        }
    }
}

TEST_CASE(
    "inputs of irregular blocks, of dynamic types, with a shared output and with serial order are cleared") {
    Team team(3);
    Vector one(4);
    std::array<int, 3> wrong{};
    team.run([&](Member& me) {
        int& own = wrong[static_cast<std::size_t>(me.rank())];
        const auto check = [&](bool right) { own += right ? 0 : 1; };
        const Vector ones(4, 1);
        Vector in = ones;
        Vector out(4);
        const std::vector<std::size_t> counts{1, 0, 3};
        Vector block(counts[static_cast<std::size_t>(me.rank())]);
        me.reduce_scatter(cleared(in), block, Counts(counts), sum);
        check(in == Vector(4) && block == Vector(block.size(), 3));
        in = ones;
        me.allreduce(cleared(DynamicVector(Type::i64, in.data(), 4)), DynamicVector(Type::i64, out.data(), 4),
                     DynamicOp(Operator::sum));
        check(in == Vector(4) && out == Vector(4, 3));
        in = ones;
        me.allreduce(cleared(in), shared(one), sum);
        check(in == Vector(4) && one == Vector(4, 3));
        in = ones;
        me.scan(cleared(in), out, sum, {.order = Order::serial});
        check(in == Vector(4) && out == Vector(4, me.rank() + 1));
        in = ones;
        std::int64_t x = 5;
        std::int64_t y = 0;
        me.allreduce(cleared(x), y, sum);
        check(x == 0 && y == 15);
    });
    CHECK(wrong == std::array{0, 0, 0});
}

TEST_CASE("the bytes of what is cleared are zero, whatever the type") {
    struct Point {
        double x, y;
        int tag;
    };
    Team team(2);
    std::array<bool, 2> right{};
    team.run([&](Member& me) {
        right[static_cast<std::size_t>(me.rank())] =
            clears(me, 1.5F) && clears(me, std::complex<double>(1, 2)) && clears(me, bfloat16(3)) &&
            clears(me, true) && clears(me, std::array<std::pair<int, int>, 2>{{{1, 2}, {3, 4}}}) &&
            clears(me, Point{1, 2, 3});
    });
    CHECK(right == std::array{true, true});
}

TEST_CASE("what cannot be cleared is named") {
    CHECK(test::mentions(refusal([](Member& me, Vector& both) { me.allreduce(cleared(both), both, sum); }),
                         "`in` and `out` overlap: an input that is cleared"));
    CHECK(test::mentions(refusal([](Member& me, Vector& both) {
                             me.reduce_scatter(cleared(both), std::span(both).first(8), sum);
                         }),
                         "`in` and `block` overlap"));
    CHECK(test::mentions(refusal([](Member& me, Vector& both) {
                             Vector out(8);
                             me.allgather(cleared(both), out);
                         }),
                         "allgather: `block` is cleared, which only the input of a reduction"));
    CHECK(test::mentions(refusal([](Member& me, Vector& both) {
                             Vector out(8);
                             static_cast<void>(me.start.alltoall(cleared(both), out));
                         }),
                         "alltoall: `in` is cleared"));
    CHECK(test::mentions(refusal([](Member& me, Vector& both) {
                             Vector in(8);
                             Vector out(8);
                             me.prepare.allreduce(cleared(in), out, sum).start(both, out);
                         }),
                         "prepared with a cleared input"));
}

TEST_CASE("inputs that several members share cannot be cleared") {
    constexpr const char* inputs_overlap = "their inputs overlap, and one of them clears its own";
    for (const std::size_t elements : {1000U, 100000U}) {
        Team team(2);
        Vector in(elements, 1);
        const test::Ended ended = test::run(team, [&](Member& me) {
            Vector out(elements);
            me.allreduce(cleared(in), out, sum, {.algorithm = "direct"});
        });
        CHECK(ended.each.count(Thrown::Kind::mismatch) >= 1);
        CHECK(test::mentions(ended.run.text, inputs_overlap));
        CHECK(in == Vector(elements, 1));
        Vector out(elements);
        const auto cleared_one = cleared(in);
        const std::array ins{cleared_one, cleared_one};
        std::array outs{out, out};
        CHECK_THROWS_WITH_AS(single_caller::allreduce(ins, outs, sum), doctest::Contains(inputs_overlap),
                             const MismatchError&);
        CHECK(in == Vector(elements, 1));
    }
}

TEST_CASE("the input of a call that fails is unchanged") {
    for (const std::size_t elements : {1U, 100U, 100000U}) {
        Team team(3, {.placement = "none"});
        std::array<Vector, 3> ins;
        const test::Ended ended = test::run(team, [&](Member& me) {
            Vector& in = ins[static_cast<std::size_t>(me.rank())];
            in.assign(elements, me.rank() + 1);
            Vector out(elements);
            me.allreduce(cleared(in), out, [&](std::int64_t a, std::int64_t b) -> std::int64_t {
                return me.rank() == 1 ? throw std::runtime_error("no sum") : a + b;
            });
        });
        CHECK(ended.each.count(Thrown::Kind::other) == 1);
        for (int rank = 0; rank < 3; ++rank) {
            const bool is_complete = ended.each.of(rank).kind == Thrown::Kind::nothing;
            CHECK(ins[static_cast<std::size_t>(rank)] == Vector(elements, is_complete ? 0 : rank + 1));
        }
    }
}
