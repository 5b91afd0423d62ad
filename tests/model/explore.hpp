#pragma once

#include "relacy_headers.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <source_location>
#include <string>

namespace tutti::model {

/// Which executions of a test relacy goes through: every interleaving, or those in which members are
/// interrupted in the middle of their work at most so many times in all (switching at a wait is free).
///
/// Neither search takes a limit on the number of executions. It ends when it has seen all of them, or at the
/// first error; an execution that does not end is an error. So an exploration cannot be cut short without
/// failing.
///
/// A load sees the latest store to its word or the one before, as far as happens-before permits: relacy's
/// exhaustive searches go back no further.
struct Search {
    static constexpr unsigned unlimited = ~0U;
    unsigned interruptions = unlimited;
};

/// The part of relacy's output that tells, in order, what the members did in the faulty execution.
inline std::string history(const std::string& output) {
    const auto first = output.find("[BEFORE END]");
    const auto last = output.find("\nthread 0:");
    return first < last ? output.substr(first, last - first) : output;
}

/// Explores Test, a rl::test_suite, and checks how it ends. The standard output shows what has been seen.
template <class Test>
void ends(rl::test_result_e expected, Search search, const std::source_location& where) {
    // Relacy takes over operator new while it runs; its own streams do not use it.
    rl::ostringstream output;
    rl::ostringstream progress;
    rl::test_params parameters;
    parameters.output_stream = &output;
    parameters.progress_stream = &progress;
    parameters.search_type = rl::sched_full;
    std::string scope = "every interleaving";
    if (search.interruptions != Search::unlimited) {
        parameters.search_type = rl::sched_bound;
        parameters.context_bound = search.interruptions;
        scope = "up to " + std::to_string(search.interruptions) + " interruptions";
    }
    if constexpr (requires { Test::prepare(); }) {
        Test::prepare();
    }
    rl::simulate<Test>(parameters);
    std::printf("line %3u | %-20s | %8llu executions | %s\n", static_cast<unsigned>(where.line()),
                scope.c_str(), static_cast<unsigned long long>(parameters.stop_iteration),
                rl::test_result_str(parameters.test_result));
    std::fflush(stdout);
    CHECK_MESSAGE(parameters.test_result == expected, "line ", where.line(), ": ",
                  history(output.str().c_str()));
}

/// Checks that no execution of Test goes wrong.
template <class Test>
void passes(Search search = {}, const std::source_location& where = std::source_location::current()) {
    ends<Test>(rl::test_result_success, search, where);
}

/// Checks that Test, which has a fault, is found out, and how.
template <class Test>
void caught(rl::test_result_e outcome, Search search = {},
            const std::source_location& where = std::source_location::current()) {
    ends<Test>(outcome, search, where);
}

inline constexpr auto race = rl::test_result_data_race;
inline constexpr auto wrong = rl::test_result_user_assert_failed;
inline constexpr auto hang = rl::test_result_deadlock;

} // namespace tutti::model
