// Groups that try algorithms in their first calls, with real threads. Members that chose differently would
// end in an error, because the algorithm is part of a call's signature.

#include "../reduced.hpp"
#include "../reference/calls.hpp"
#include "support.hpp"

#include <tutti/tutti.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace tutti;
using tuning::Operands;

namespace {

/// No two orders of summation need give the same bits.
double element(std::size_t rank, std::size_t i) {
    return 1.0 / static_cast<double>(3 + i + 7 * rank);
}

void make_and_check(Member& me, const test::Shape& shape, const test::Reference<double>& reference) {
    test::Vectors<double> vectors = reference.vectors(static_cast<std::size_t>(me.rank()), shape);
    make_call(me, shape, vectors, std::span<const double>(vectors.in), std::span(vectors.out), sum);
    if (vectors.out != vectors.expected) {
        throw std::logic_error("wrong result of " + shape.describe());
    }
}

/// Calls of every collective in several sizes, in an order that all members know, each of which must leave
/// the bits of the canonical order.
void call_at_random(Member& me, int calls) {
    const test::Reference<double> reference(me.size(), element, std::plus<>());
    std::vector<test::Shape> shapes;
    for (const std::size_t bytes : {std::size_t{8192}, std::size_t{30'000}, std::size_t{400'000}}) {
        for (test::Shape shape : test::regular_shapes(bytes / sizeof(double), {0, me.size() - 1}, {1})) {
            if (shape.traits().is_divided()) {
                shape.count /= static_cast<std::size_t>(me.size());
            }
            shapes.push_back(shape);
        }
    }
    std::vector<test::Vectors<double>> vectors;
    for (const test::Shape& shape : shapes) {
        vectors.push_back(reference.vectors(static_cast<std::size_t>(me.rank()), shape));
    }
    std::mt19937 random(7);
    test::Vectors<double> now; // keeps its memory, which the kernel would take back and clear each time
    for (int call = 0; call < calls; ++call) {
        const std::size_t which = random() % shapes.size();
        // A few calls of a kind in a row, as programs make them.
        for (unsigned repeated = random() % 8; repeated > 0; --repeated) {
            now = vectors[which];
            make_call(me, shapes[which], now, std::span<const double>(now.in), std::span(now.out), sum);
            if (now.out != now.expected) {
                throw std::logic_error("wrong result of " + shapes[which].describe());
            }
        }
    }
}

/// The algorithm of the call after so many allreduces of 32 KiB: member 0 makes it, and the others do not.
std::string algorithm_after(int calls, const std::string& tuning) {
    const std::string one_cpu = std::to_string(tuning::this_machine().os_indices().front());
    Team team(3, {.placement = one_cpu, .group = {.tuning = tuning}});
    std::string text;
    try {
        team.run([&](Member& me) {
            std::vector<int> values(8192, 1);
            for (int call = 0; call < calls; ++call) {
                me.allreduce(values, sum);
            }
            if (me.rank() == 0) {
                me.allreduce(values, sum);
            } else {
                me.barrier();
            }
        });
    } catch (const Error& error) {
        text = error.what();
    }
    const std::string before = "allreduce (algorithm ";
    const std::size_t at = text.find(before);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = at + before.size();
    return text.substr(begin, text.find(')', begin) - begin);
}

} // namespace

TEST_CASE("every collective in groups that try algorithms: all members choose alike, and no bit differs") {
    for (const int members : {2, 3, 4, 8}) {
        Team team(members, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([](Member& me) { call_at_random(me, test::reduced ? 200 : 1500); }));
    }
}

TEST_CASE("sub-groups try algorithms for themselves") {
    Team team(4, {.placement = "none", .group = {.tuning = "on"}});
    CHECK_NOTHROW(team.run([](Member& me) {
        Member half = *me.split(me.rank() % 2, me.rank());
        call_at_random(half, 200);
        call_at_random(me, 100);
    }));
}

TEST_CASE("after a failure a group begins anew to try") {
    Team team(3, {.placement = "none", .group = {.tuning = "on"}});
    for (int run = 0; run < 5; ++run) {
        CHECK_THROWS_AS(team.run([&](Member& me) {
            call_at_random(me, 20 + 7 * run);
            if (me.rank() == run % 3) {
                throw std::runtime_error("on purpose");
            }
            call_at_random(me, 10);
        }),
                        std::runtime_error);
    }
    CHECK_NOTHROW(team.run([](Member& me) { call_at_random(me, 100); }));
}

TEST_CASE("sizes on both sides of what fits into the staging buffers are of different kinds") {
    for (const int members : {3, 4, 5, 8}) {
        Team team(members, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([](Member& me) {
            const test::Reference<double> reference(me.size(), element, std::plus<>());
            for (const Collective collective : {Collective::allgather, Collective::gather}) {
                for (const std::size_t count : {500U, 512U, 513U, 640U, 750U, 800U, 1000U}) {
                    const test::Shape shape{.collective = collective, .count = count};
                    for (int call = 0; call < 20; ++call) {
                        make_and_check(me, shape, reference);
                    }
                }
            }
        }));
    }
}

TEST_CASE("a reduce_scatter that leaves everything with one member is not tried") {
    Team team(2, {.placement = "none", .group = {.tuning = "on"}});
    CHECK_NOTHROW(team.run([](Member& me) {
        const test::Reference<double> reference(me.size(), element, std::plus<>());
        const test::Shape shape{.collective = Collective::reduce_scatter,
                                .lengths = [](std::size_t from, std::size_t /*to*/) {
                                    return from == 1 ? std::size_t{8192} : std::size_t{0};
                                }};
        for (int call = 0; call < 20; ++call) {
            make_and_check(me, shape, reference);
        }
    }));
}

TEST_CASE(
    "members choose alike if some of them have timeouts of their own, or one vector for input and output") {
    for (const bool has_timeout : {true, false}) {
        Team team(3, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([&](Member& me) {
            std::vector<double> in(4096, 1.0);
            std::vector<double> out(in.size());
            const bool differs = me.rank() == 0;
            const Options options{.timeout =
                                      differs && has_timeout ? Timeout(std::chrono::minutes(5)) : Timeout()};
            for (int call = 0; call < 60; ++call) {
                in.assign(in.size(), 1.0);
                const std::span<double> result(differs && !has_timeout ? in : out);
                me.allreduce(std::span<const double>(in), result, sum, options);
                if (result.back() != 3.0) {
                    throw std::logic_error("wrong result");
                }
            }
        }));
    }
}

TEST_CASE("a file's choice is tried first, and then the built-in one") {
    const test::Directory directory;
    tuning::Table table = test::small_table();
    table.entries = {test::entry({Collective::allreduce, Operands::exact, 3, 1, 32768}, "ring")};
    const std::string path = directory.file("slow", tuning::to_text(table));
    const std::string built_in = algorithm_after(0, "off");
    CHECK(built_in != "ring");
    CHECK(algorithm_after(0, path) == "ring");
    CHECK(algorithm_after(2, path) == "ring");
    CHECK(algorithm_after(3, path) == built_in);
    CHECK(algorithm_after(0, "on") == built_in);
    CHECK(algorithm_after(40, "off") == built_in);
}
