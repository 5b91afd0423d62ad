#pragma once

#include "relacy_headers.hpp"

#include <doctest/doctest.h>

#include <cstdio>
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

struct Explored {
    rl::test_result_e outcome = rl::test_result_success;
    /// After an error: what each member did.
    std::string report;
};

/// The part of relacy's output that tells, in order, what the members did in the faulty execution.
inline std::string history(const std::string& output) {
    const auto first = output.find("[BEFORE END]");
    const auto last = output.find("\nthread 0:");
    return first < last ? output.substr(first, last - first) : output;
}

/// Explores Test, a rl::test_suite, and says on the standard output what has been seen.
template <class Test>
Explored explore(const char* what, Search search) {
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
    std::printf("%-66s | %-20s | %8llu executions | %s\n", what, scope.c_str(),
                static_cast<unsigned long long>(parameters.stop_iteration),
                rl::test_result_str(parameters.test_result));
    std::fflush(stdout);
    return {parameters.test_result, history(output.str().c_str())};
}

/// Checks that no execution of Test goes wrong.
template <class Test>
void passes(const char* what, Search search = {}) {
    const Explored explored = explore<Test>(what, search);
    CHECK_MESSAGE(explored.outcome == rl::test_result_success, explored.report);
}

/// Checks that Test, which has a fault, is found out, and how.
template <class Test>
void caught(const char* what, rl::test_result_e outcome, Search search = {}) {
    const Explored explored = explore<Test>(what, search);
    CHECK_MESSAGE(explored.outcome == outcome, explored.report);
}

} // namespace tutti::model
