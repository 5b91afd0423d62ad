#pragma once

#include "support.hpp"
#include "tests/reference/calls_c.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Every collective from C in every way of calling, held against loops over the ranks.

namespace tutti::test {

enum class Way { blocking, started, persistent, arriving };
inline constexpr const char* way_names[] = {"blocking", "started", "persistent", "arriving"};

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
template <class T, class W>
std::string problem_of(tutti_caller me, tutti_async_group* meeting, Way way, const std::vector<Shape>& shapes,
                       const Reference<T, W>& reference, const Elements& elements) {
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
    if (way == Way::persistent) { // once more
        for (std::size_t i = 0; i < cases.size(); ++i) {
            std::ranges::copy(cases[i].out, outs[i].elements.begin());
            const tutti_status status = tutti_start(&requests[i]);
            const tutti_status waited = tutti_wait(&requests[i]);
            if (const std::string problem = finish(i, status != TUTTI_OK ? status : waited);
                !problem.empty()) {
                return "once more: " + problem;
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
inline std::vector<Shape> shapes_of(int members, std::size_t n) {
    const std::vector<int> roots{members / 2};
    const auto lengths = [n](std::size_t from, std::size_t to) {
        return (from + 2 * to + n) % 4 + from * n / 2;
    };
    std::vector<Shape> shapes = regular_shapes(n, roots, {1, -2, 20});
    for (const Shape& shape : irregular_shapes(lengths, roots)) {
        shapes.push_back(shape);
    }
    for (const Shape& shape : irregular_shapes(lengths, roots, static_cast<std::uint32_t>(n))) {
        shapes.push_back(shape);
    }
    return shapes;
}

/// Numbers of members: all that tests take, and those for an operator that has the schedules of others.
inline const std::vector<int> many_sizes =
    reduced ? std::vector<int>{1, 2, 3, 5} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
inline const std::vector<int> few_sizes = {1, 2, 3, 5};

/// Operands are combined as type W. `lower` is that of Reference.
template <class T, class W = Wide<T>, class Make, class Op, class... Lower>
void check(const std::vector<int>& sizes, const Elements& elements, Make make, Op op, Lower... lower) {
    for (const int members : sizes) {
        const Reference<T, W> reference(members, make, op, lower...);
        const Meeting meeting(members);
        std::vector<std::string> problems(static_cast<std::size_t>(members));
        const tutti_status status = run_team(members, [&](tutti_caller me) {
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

} // namespace tutti::test
