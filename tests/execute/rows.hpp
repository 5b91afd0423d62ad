#pragma once

#include "../api/support.hpp"
#include "../reference/calls.hpp"
#include "../ways/exam.hpp"
#include "algorithm/registry.hpp"

namespace tutti::test {

/// A call of `elements` elements, or about as many if the vector is divided among the members.
inline Job by_default(Collective collective, int members, std::size_t elements, bool in_place, int root = 0) {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return {{.collective = collective,
             .count = elements / traits.blocks(static_cast<std::size_t>(members)),
             .in_place = in_place || traits.in_place == detail::OneVector::always,
             .root = root}};
}

/// An `exact` operator gives the same bits in any order.
inline Job by_name(const algorithm::Algorithm& row, int members, std::size_t elements, bool in_place,
                   bool exact, int root = 0) {
    Job job = by_default(row.collective, members, elements, in_place, root);
    job.algorithm = row.name;
    using enum detail::Association;
    job.has_reference = exact || has_brackets(row, tree, members) || has_brackets(row, left, members);
    job.association = row.order == algorithm::Order::serial ? left : tree;
    return job;
}

/// Which calls are made.
struct Wanted {
    /// The operator gives the same bits in any order.
    bool exact = true;
    bool commutative = true;
    bool names = true;
    bool defaults = true;
    std::function<bool(const algorithm::Algorithm&)> rows = [](const auto& /*row*/) { return true; };
};

/// Calls of every row by name, and of every collective by default, in place and not, where the row serves.
/// Rooted calls and shifts take turns in their roots and distances.
template <class Sizes>
std::vector<Job> jobs_of(int members, const Sizes& sizes, const Wanted& wanted = {}) {
    std::vector<Job> jobs;
    for (const std::size_t elements : sizes) {
        int turn = static_cast<int>(elements % static_cast<std::size_t>(members));
        for (const auto& row : algorithm::registry()) {
            if (!takes(row, members) || (row.order == algorithm::Order::any && !wanted.exact) ||
                (!keeps_rank_order(row.order) && !wanted.commutative) || !wanted.rows(row)) {
                continue;
            }
            for (const bool in_place : {false, true}) {
                if (!is_sampled()) {
                    continue;
                }
                const int root = has_root(row) ? turn++ % members : 0;
                if (wanted.names) {
                    jobs.push_back(by_name(row, members, elements, in_place, wanted.exact, root));
                }
                if (wanted.defaults && row.name == "direct") {
                    jobs.push_back(by_default(row.collective, members, elements, in_place, root));
                }
            }
        }
    }
    return jobs;
}

/// The number of calls with wrong results, by an operator that the compiler knows.
template <class T, class W, class Op>
int wrong_calls(Team& team, const Reference<T, W>& reference, const std::vector<Job>& jobs, const Op& op) {
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        for (const Job& job : jobs) {
            auto call = reference.vectors(static_cast<std::size_t>(me.rank()), job.shape, job.association);
            make_call(me, job.shape, call, std::span<const T>(call.in), std::span(call.out), op,
                      {.algorithm = job.algorithm});
            wrong += call.out == call.expected ? 0 : 1;
        }
    });
    return wrong;
}

/// The members of a team, which make blocking calls.
inline std::unique_ptr<Ranks> blocking(int members,
                                       const TeamOptions& options = {.placement = Placement::none}) {
    return blocking_way.make({.members = members, .team = options});
}

} // namespace tutti::test
