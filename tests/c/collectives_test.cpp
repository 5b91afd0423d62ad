// Every collective in every way of calling, held against loops over the ranks.

#include "../reference/calls_c.hpp"
#include "support.hpp"

#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdint>

using namespace tutti;
using namespace tutti::test;

namespace {

enum class Way { blocking, started, persistent, arriving };
constexpr const char* way_names[] = {"blocking", "started", "persistent", "arriving"};

/// Two numbers under (a, b) op (c, d) = (a c, c b + d), which does not commute, in 24 bytes.
struct Affine {
    std::int64_t scale;
    std::int64_t shift;
    std::int64_t count;
    friend bool operator==(const Affine&, const Affine&) = default;
};

Affine compose(const Affine& one, const Affine& two) {
    const auto unsigned_of = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
    return {
        static_cast<std::int64_t>(unsigned_of(one.scale) * unsigned_of(two.scale)),
        static_cast<std::int64_t>(unsigned_of(two.scale) * unsigned_of(one.shift) + unsigned_of(two.shift)),
        one.count + two.count};
}

void compose_all(const void* in, void* inout, std::size_t n, void* user) {
    const auto* const left = static_cast<const Affine*>(in);
    auto* const right = static_cast<Affine*>(inout);
    for (std::size_t i = 0; i < n; ++i) {
        right[i] = compose(left[i], right[i]);
    }
    static_cast<std::atomic<std::size_t>*>(user)->fetch_add(n);
}

/// A vector with a guard behind it.
template <class T>
struct Guarded {
    explicit Guarded(std::vector<T> with) : elements(std::move(with)) { elements.push_back(T{}); }
    bool holds(std::vector<T> expected) const {
        expected.push_back(T{});
        return elements == expected;
    }
    std::vector<T> elements;
};

/// Everything that one member calls in one way; what went wrong first, or nothing.
template <class T>
std::string problem_of(tutti_caller me, tutti_async_group* meeting, Way way, const std::vector<Shape>& shapes,
                       const Reference<T>& reference, const Elements& elements) {
    std::vector<Vectors<T>> cases;
    for (const Shape& shape : shapes) {
        cases.push_back(reference.vectors(static_cast<std::size_t>(me.rank), shape));
    }
    std::vector<Guarded<T>> outs;
    std::vector<tutti_request> requests(cases.size(), TUTTI_REQUEST_NULL);
    outs.reserve(cases.size());
    const auto finish = [&](std::size_t i, tutti_status status) -> std::string {
        if (status != TUTTI_OK) {
            return shapes[i].describe() + ": " + tutti_error_text();
        }
        return outs[i].holds(cases[i].expected) ? "" : shapes[i].describe() + " is wrong";
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        T* const out = outs.emplace_back(cases[i].out).elements.data();
        tutti_caller caller = me;
        if (way == Way::started) {
            caller = tutti_nonblocking(me, &requests[i]);
        } else if (way == Way::arriving) {
            caller = tutti_async_rank(meeting, me.rank, &requests[i]);
        } else if (way == Way::persistent) {
            caller = tutti_persistent(me, &requests[i]);
        }
        tutti_status status = make_call(caller, shapes[i], cases[i], cases[i].in.data(), out, elements);
        if (way == Way::persistent && status == TUTTI_OK) {
            status = tutti_start(&requests[i]);
            status = status == TUTTI_OK ? tutti_wait(&requests[i]) : status;
        }
        if (way == Way::blocking || way == Way::persistent || status != TUTTI_OK) {
            if (const std::string problem = finish(i, status); !problem.empty()) {
                return problem;
            }
        }
    }
    if (way == Way::persistent) { // once more, on other vectors
        for (std::size_t i = 0; i < cases.size(); ++i) {
            std::vector<T> in = cases[i].in;
            outs[i] = Guarded<T>(cases[i].out);
            Guarded<T> other(cases[i].out);
            const bool has_vectors = shapes[i].collective != Collective::barrier;
            const tutti_status status =
                has_vectors ? tutti_start_with(&requests[i], shapes[i].in_place ? TUTTI_IN_PLACE : in.data(),
                                               other.elements.data())
                            : tutti_start(&requests[i]);
            std::swap(outs[i], other);
            const tutti_status waited = tutti_wait(&requests[i]);
            if (const std::string problem = finish(i, status != TUTTI_OK ? status : waited);
                !problem.empty()) {
                return "on other vectors: " + problem;
            }
            if (tutti_request_free(&requests[i]) != TUTTI_OK || requests[i].operation != nullptr) {
                return "request_free";
            }
        }
        return {};
    }
    if (tutti_wait_all(requests.data(), requests.size()) != TUTTI_OK) {
        return tutti_error_text();
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (const std::string problem = finish(i, TUTTI_OK); !problem.empty()) {
            return problem;
        }
    }
    return {};
}

/// All calls of vectors and blocks of `n` elements, or about as many.
std::vector<Shape> shapes_of(int members, std::size_t n) {
    const std::vector<int> roots{members / 2};
    const auto lengths = [n](std::size_t from, std::size_t to) {
        return (from + 2 * to + n) % 4 + from * n / 2;
    };
    std::vector<Shape> shapes = test::regular_shapes(n, roots, {1, -2, 20});
    for (const Shape& shape : test::irregular_shapes(lengths, roots)) {
        shapes.push_back(shape);
    }
    for (const Shape& shape : test::irregular_shapes(lengths, roots, static_cast<std::uint32_t>(n))) {
        shapes.push_back(shape);
    }
    return shapes;
}

template <class T, class Make, class Op>
void check(const Elements& elements, Make make, Op op) {
    const auto sizes =
        test::reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
    for (const int members : sizes) {
        const Reference<T> reference(members, make, op);
        const Meeting meeting(members);
        std::vector<std::string> problems(static_cast<std::size_t>(members));
        const tutti_status status = test::run_team(members, [&](tutti_caller me) {
            std::string& mine = problems[static_cast<std::size_t>(me.rank)];
            for (const std::size_t n : {0U, 1U, 3U, 600U}) {
                const std::vector<Shape> shapes = shapes_of(members, n);
                for (const Way way : {Way::blocking, Way::started, Way::persistent, Way::arriving}) {
                    mine = problem_of(me, meeting.get(), way, shapes, reference, elements);
                    if (!mine.empty()) {
                        mine = std::string(way_names[static_cast<int>(way)]) + ": " + mine;
                        return TUTTI_ERROR + 100;
                    }
                }
            }
            return int{TUTTI_OK};
        });
        CAPTURE(members);
        CHECK_MESSAGE(status == TUTTI_OK, std::string(tutti_error_text()));
        CHECK(problems == std::vector<std::string>(problems.size()));
    }
}

} // namespace

TEST_CASE("every collective, from C, in every way: integers") {
    check<std::int32_t>(
        {TUTTI_INT32, TUTTI_SUM},
        [](std::size_t rank, std::size_t i) { return static_cast<std::int32_t>(rank * 1000 + i % 977); },
        [](std::int32_t a, std::int32_t b) { return a + b; });
}

TEST_CASE("every collective, from C, in every way: numbers of 16 bits, which are rounded once") {
    const auto make = [](std::size_t rank, std::size_t i) {
        return 1 + static_cast<float>((rank * 37 + i * 11) % 256) / 256;
    };
    check<bfloat16>(
        {TUTTI_BFLOAT16, TUTTI_SUM}, [&](std::size_t rank, std::size_t i) { return bfloat16(make(rank, i)); },
        std::plus<float>());
    check<float16>(
        {TUTTI_FLOAT16, TUTTI_PROD}, [&](std::size_t rank, std::size_t i) { return float16(make(rank, i)); },
        std::multiplies<float>());
}

TEST_CASE("every collective, from C, in every way: the maximum of IEEE 754") {
    check<float>(
        {TUTTI_FLOAT, TUTTI_MAXIMUM},
        [](std::size_t rank, std::size_t i) { return static_cast<float>((rank * 7 + i) % 13); },
        [](float a, float b) { return std::max(a, b); });
}

TEST_CASE("every collective, from C, in every way: the least value and the lowest rank that has it") {
    struct Pair { // a type of MPI
        double value;
        int rank;
        bool operator==(const Pair&) const = default;
    };
    check<Pair>(
        {TUTTI_DOUBLE_INT, TUTTI_MINLOC},
        [](std::size_t rank, std::size_t i) {
            return Pair{static_cast<double>((rank * 7 + i) % 3), static_cast<int>(rank)};
        },
        [](const Pair& a, const Pair& b) {
            return b.value < a.value || (b.value == a.value && b.rank < a.rank) ? b : a;
        });
}

TEST_CASE("every collective, from C, in every way: complex numbers") {
    using Complex = std::complex<double>;
    check<Complex>(
        {TUTTI_DOUBLE_COMPLEX, TUTTI_SUM},
        [](std::size_t rank, std::size_t i) {
            return Complex(static_cast<double>(rank), static_cast<double>(i % 977));
        },
        [](const Complex& a, const Complex& b) { return a + b; });
}

TEST_CASE("every collective, from C, in every way: a struct under an operator that does not commute") {
    std::atomic<std::size_t> combined{0};
    tutti_op op = 0;
    REQUIRE(tutti_op_create(compose_all, &combined, 0, &op) == TUTTI_OK);
    check<Affine>(
        {tutti_type_of_size(sizeof(Affine)), op},
        [](std::size_t rank, std::size_t i) {
            return Affine{static_cast<std::int64_t>(2 * rank + 1), static_cast<std::int64_t>(i), 1};
        },
        compose);
    CHECK(combined > 0);
    CHECK(tutti_op_free(op) == TUTTI_OK);
}

TEST_CASE("TUTTI_MINLOC and TUTTI_MAXLOC for every type of pairs") {
    const auto check_type = []<class T>(tutti_type type, T /*value*/) {
        struct Pair {
            T value;
            int at;
        };
        const Pair in[] = {{T(1), 4}, {T(2), 4}, {T(2), 4}};
        Pair least[] = {{T(1), 3}, {T(1), 9}, {T(3), 1}};
        Pair greatest[] = {{T(1), 3}, {T(1), 9}, {T(3), 1}};
        CHECK(tutti_reduce_local(in, least, 3, type, TUTTI_MINLOC) == TUTTI_OK);
        CHECK(tutti_reduce_local(in, greatest, 3, type, TUTTI_MAXLOC) == TUTTI_OK);
        CHECK((least[0].at == 3 && least[1].value == T(1) && least[1].at == 9 && least[2].value == T(2)));
        CHECK((greatest[0].at == 3 && greatest[1].at == 4 && greatest[2].value == T(3)));
        CHECK(tutti_reduce_local(in, least, 3, type, TUTTI_SUM) == TUTTI_ARGUMENT_ERROR);
    };
    check_type(TUTTI_FLOAT_INT, 0.0F);
    check_type(TUTTI_DOUBLE_INT, 0.0);
    check_type(TUTTI_LONG_INT, 0L);
    check_type(TUTTI_2INT, 0);
    float numbers[] = {1, 2};
    CHECK(tutti_reduce_local(numbers, numbers + 1, 1, TUTTI_FLOAT, TUTTI_MINLOC) == TUTTI_ARGUMENT_ERROR);
    CHECK(std::string(tutti_error_text()).find("TUTTI_DOUBLE_INT") != std::string::npos);
}

TEST_CASE("an algorithm that does not keep rank order serves an operator only if that commutes") {
    for (const int commutative : {0, 1}) {
        std::atomic<std::size_t> combined{0};
        tutti_op op = 0;
        REQUIRE(tutti_op_create(compose_all, &combined, commutative, &op) == TUTTI_OK);
        const tutti_status status = test::run_team(5, [&](tutti_caller me) {
            tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
            options.algorithm = "circulant";
            std::vector<Affine> in(50, Affine{1, me.rank, 1}), out(50);
            const tutti_status made = tutti_allreduce(tutti_with_options(me, &options), in.data(), out.data(),
                                                      50, tutti_type_of_size(sizeof(Affine)), op);
            CHECK((made != TUTTI_OK || out[49] == Affine{1, 10, 5}));
            return made;
        });
        CHECK(status == (commutative != 0 ? TUTTI_OK : TUTTI_ARGUMENT_ERROR));
        CHECK(tutti_op_free(op) == TUTTI_OK);
    }
}

TEST_CASE("one output that all members share") {
    for (const int members : {1, 2, 3, 5, 8}) {
        const auto p = static_cast<std::size_t>(members);
        std::vector<double> total(1000), all(p * 10), blocks(p * (p + 1) / 2);
        std::atomic<int> wrong{0};
        const Meeting meeting(members);
        const tutti_status status = test::run_team(members, [&](tutti_caller me) {
            const auto r = static_cast<std::size_t>(me.rank);
            const std::vector<double> in(1000, me.rank + 1);
            std::vector<std::size_t> counts;
            for (std::size_t i = 0; i < p; ++i) {
                counts.push_back(i + 1);
            }
            tutti_request request = TUTTI_REQUEST_NULL;
            for (const bool arrives : {false, true}) {
                const auto caller = [&] {
                    return tutti_shared_output(arrives ? tutti_async_rank(meeting.get(), me.rank, &request)
                                                       : me);
                };
                const auto expect = [&](tutti_status got) { wrong += got == TUTTI_OK ? 0 : 1; };
                expect(tutti_allreduce(caller(), in.data(), total.data(), 1000, TUTTI_DOUBLE, TUTTI_SUM));
                expect(tutti_wait(&request));
                expect(tutti_allgather(caller(), in.data(), all.data(), 10, TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                expect(tutti_allgatherv(caller(), in.data(), counts[r], blocks.data(), counts.data(), nullptr,
                                        TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                wrong += total[999] == members * (members + 1) / 2.0 ? 0 : 1;
                wrong += all.back() == members && blocks.back() == members && blocks[0] == 1 ? 0 : 1;
                expect(tutti_barrier(me));
            }
            return int{TUTTI_OK};
        });
        CHECK(status == TUTTI_OK);
        CHECK(wrong == 0);
    }
}

TEST_CASE("inputs that are cleared") {
    const Meeting meeting(3);
    std::atomic<int> wrong{0};
    const tutti_status status = test::run_team(3, [&](tutti_caller me) {
        std::vector<double> in(3000, me.rank + 1);
        std::vector<double> out(3000);
        tutti_request request = TUTTI_REQUEST_NULL;
        const auto expect = [&](tutti_status got, double total) {
            const bool right = got == TUTTI_OK && tutti_wait(&request) == TUTTI_OK &&
                               in == std::vector<double>(in.size()) && out[0] == total;
            wrong += right ? 0 : 1;
            in.assign(3000, me.rank + 1);
        };
        const auto allreduce = [&](const tutti_caller& caller) {
            return tutti_allreduce(tutti_cleared_input(caller), in.data(), out.data(), 3000, TUTTI_DOUBLE,
                                   TUTTI_SUM);
        };
        expect(allreduce(me), 6);
        expect(allreduce(tutti_nonblocking(me, &request)), 6);
        expect(allreduce(tutti_async_rank(meeting.get(), me.rank, &request)), 6);
        expect(tutti_reduce_scatter(tutti_cleared_input(me), in.data(), out.data(), 1000, TUTTI_DOUBLE,
                                    TUTTI_MAX),
               3);
        wrong += allreduce(tutti_persistent(me, &request)) == TUTTI_OK ? 0 : 1;
        expect(tutti_start(&request), 6);
        expect(tutti_start_with(&request, in.data(), out.data()), 6);
        wrong += tutti_request_free(&request) == TUTTI_OK ? 0 : 1;
        return int{TUTTI_OK};
    });
    CHECK(status == TUTTI_OK);
    CHECK(wrong == 0);
}

TEST_CASE("members that call from C and from C++ are in the same calls") {
    Team team(5, {.placement = "none"});
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        const std::vector<std::size_t> counts = {1, 2, 3, 4, 5};
        const auto rank = static_cast<std::size_t>(me.rank());
        std::vector<double> in(600, me.rank()), out(600), all(15);
        int one = me.rank(), total = 0;
        if (me.rank() % 2 == 0) {
            me.allreduce(in, out, sum);
            me.allreduce(one, total, max);
            me.allgather(std::span(in).first(counts[rank]), all, Counts(counts));
            me.gather(std::span(in).first(counts[rank]), all, Counts(counts), 2);
            me.start.scan(in, out, sum).wait();
            me.barrier();
        } else {
            test::MemberFunction part = [&](tutti_caller c) {
                wrong += &tutti::c::member_of(c) == &me ? 0 : 1;
                tutti_request request = TUTTI_REQUEST_NULL;
                tutti_allreduce(c, in.data(), out.data(), in.size(), TUTTI_DOUBLE, TUTTI_SUM);
                tutti_allreduce(c, &one, &total, 1, TUTTI_INT, TUTTI_MAX);
                tutti_allgatherv(c, in.data(), counts[rank], all.data(), counts.data(), nullptr,
                                 TUTTI_DOUBLE);
                tutti_gatherv(c, in.data(), counts[rank], nullptr, nullptr, nullptr, TUTTI_DOUBLE, 2);
                tutti_scan(tutti_nonblocking(c, &request), in.data(), out.data(), in.size(), TUTTI_DOUBLE,
                           TUTTI_SUM);
                tutti_wait(&request);
                return tutti_barrier(c);
            };
            tutti::c::call_as_member(me, test::call_part, &part);
        }
        wrong += total == 4 && all[14] == 4 && out[599] == me.rank() * (me.rank() + 1) / 2.0 ? 0 : 1;
    });
    CHECK(wrong == 0);
}
