// Reports where each member of a process of a cluster is.

#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "hybrid/src/cluster_state.hpp"
#include "option_values.hpp"

#include <tutti/error.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::engine::MemberReport;
using tutti::engine::RollCall;
using tutti::engine::SlowWait;

void ClusterState::show_call(int rank, std::uint64_t number,
                             const tutti::engine::CallSignature& call_signature, std::uint64_t digest) {
    Board& own = board(rank);
    if (digest != own.shown_digest) {
        own.shown_digest = digest;
        own.log.add({number, number, 1}, call_signature);
    }
    own.calls.publish(number); // release: pairs with roll_call()
}

void ClusterState::throw_mismatch(int rank, int other) const {
    using tutti::engine::CallHistory;
    const int first = first_rank(process_);
    const auto calls_of = [this](int member) {
        const Board& shown = boards_[static_cast<std::size_t>(member)];
        return shown.log.read(shown.calls.observe()).value_or(CallHistory());
    };
    const CallHistory own = calls_of(rank);
    const CallHistory theirs = calls_of(other);
    throw MismatchError("the members are in different calls: " +
                            tutti::engine::difference(tutti::engine::Sequence::blocking, {first + rank, &own},
                                                      {first + other, &theirs})
                                .value_or(""),
                        {.peer = first + other});
}

std::string ClusterState::roll_call(RollCallFormat format) {
    const int first = first_rank(process_);
    std::vector<MemberReport> reports;
    reports.reserve(static_cast<std::size_t>(members()));
    for (int rank = 0; rank < members(); ++rank) {
        MemberReport& report = reports.emplace_back();
        report.rank = first + rank;
        report.where = board(rank).called_from.read();
        report.thread = board(rank).thread.load(std::memory_order_relaxed); // for people
        // Acquire: pairs with show_call(); the record of that call came before.
        const std::uint64_t number = board(rank).calls.observe();
        if (const auto history = board(rank).log.read(number); history && !history->empty()) {
            report.calls.front() = {.number = history->last(),
                                    .signature = history->signature(history->last())};
        }
        if (const std::optional<SlowWait> wait = group_->memory().status(rank).wait.read()) {
            report.wait = SlowWait{.number = number, .peer = first + wait->peer, .since = wait->since};
        }
    }
    const RollCall roll_call({.group = "process " + std::to_string(process_) + " of " +
                                       std::to_string(processes()) + ", with " + std::to_string(members()) +
                                       " of " + std::to_string(size()) + " members"},
                             std::move(reports));
    if (tutti::engine::required("roll_call: `format`", format) == RollCallFormat::json) {
        return roll_call.json();
    }
    std::string text = roll_call.text();
    if (const std::optional<SlowWait> wait = transport_.channel().shown_wait().read()) {
        text += "  in operation " + std::to_string(wait->number) + " waiting for " +
                (wait->peer == process_ ? "other processes" : "process " + std::to_string(wait->peer)) +
                " for " + tutti::engine::text_of_time(tutti::engine::clock_now() - wait->since) + "\n";
    }
    return text;
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
