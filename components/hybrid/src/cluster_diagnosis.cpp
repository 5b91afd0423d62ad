// What is wrong with the calls of the members of a process, and who is where, in the words of the cluster.

#include "hybrid/src/cluster_state.hpp"
#include "option_values.hpp"
#include "report.hpp"

#include <tutti/error.hpp>

#include <new>

namespace tutti::v0_1::detail {

using library::CallHistory;
using library::MemberReport;
using library::RollCall;
using library::Sequence;
using library::SlowWait;
using library::Stall;

namespace {

/// Of the group in which the members of a process meet. That group knows only the barriers and the parts of
/// which calls of the cluster consist, and its members by their ranks in it.
class ClusterDiagnosis final : public library::Diagnosis {
public:
    explicit ClusterDiagnosis(ClusterState& cluster) : cluster_(cluster) {}

    void check(const Stall& stall, bool /*is_stuck*/, const IsReady& is_ready) override {
        if (const auto text = cluster_.difference(stall); text && !is_ready()) {
            throw_mismatch(stall, *text);
        }
    }
    std::string delay(const Stall& stall, std::chrono::milliseconds waited) override {
        const Sequence sequence = ClusterState::sequence_of(stall);
        const std::uint64_t number = number_of(stall);
        return cluster_.look().delay(sequence, number, stall.member, waited,
                                     call_of(stall.member, sequence, number), stall.peer);
    }
    [[noreturn]] void throw_different(const Stall& stall) override {
        throw_mismatch(stall, cluster_.difference(stall).value_or(
                                  "members " + std::to_string(rank_of(stall.member)) + " and " +
                                  std::to_string(rank_of(stall.peer)) +
                                  " have made different calls: all members must make the same calls"));
    }
    [[noreturn]] void throw_absent(const Stall& stall) override {
        if (const auto text = cluster_.difference(stall)) {
            throw_mismatch(stall, *text);
        }
        if (const auto text = library::absence(cluster_.histories(), ClusterState::sequence_of(stall),
                                               rank_of(stall.member), rank_of(stall.peer))) {
            throw_mismatch(stall, *text);
        }
        throw_different(stall);
    }
    [[noreturn]] void throw_fault(const Stall& stall, run::Fault fault,
                                  const library::CallSignature& /*signature*/,
                                  const run::Prepared& /*prepared*/,
                                  const run::Bindings& /*bindings*/) override {
        const Sequence sequence = ClusterState::sequence_of(stall);
        if (fault == run::Fault::calls || fault == run::Fault::counts) {
            throw_different(stall);
        }
        throw MismatchError(library::text_of_vectors(fault, rank_of(stall.member), rank_of(stall.peer),
                                                     call_of(stall.member, sequence, number_of(stall))),
                            {.peer = rank_of(stall.peer)});
    }
    void take_snapshot(std::chrono::milliseconds /*age*/) override {}
    void report_stuck(int inside) noexcept override try {
        const std::string text = "the cluster has failed, but member " + std::to_string(rank_of(inside)) +
                                 " is still inside its call, maybe in an operator: the others wait for it, "
                                 "since it may use their vectors";
        library::report(Severity::warning, text.c_str());
    } catch (const std::bad_alloc&) { // without a word
    }
    std::string disagreement() const override { return {}; }
    std::string roll_call(RollCallFormat format) override { return cluster_.roll_call(format); }
    void list_for_roll_calls() override {}

private:
    int rank_of(int member) const override { return cluster_.first_rank(cluster_.process()) + member; }

    [[noreturn]] void throw_mismatch(const Stall& stall, const std::string& text) const {
        throw MismatchError("the members are in different calls: " + text, {.peer = rank_of(stall.peer)});
    }
    /// Of the call of the cluster in which the member waits: the first one that the peer has not made, if
    /// there is one.
    std::uint64_t number_of(const Stall& stall) const {
        const Sequence sequence = ClusterState::sequence_of(stall);
        const std::uint64_t last = cluster_.history(stall.member, sequence).last();
        return std::min(last, cluster_.history(stall.peer, sequence).last() + 1);
    }
    std::string call_of(int member, Sequence sequence, std::uint64_t number) const {
        const CallHistory history = cluster_.history(member, sequence);
        return number >= history.first() && number <= history.last() && !history.empty()
                   ? history.signature(number).describe()
                   : "a call";
    }

    ClusterState& cluster_;
};

} // namespace

std::unique_ptr<library::Diagnosis> ClusterState::diagnosis() {
    return std::make_unique<ClusterDiagnosis>(*this);
}

CallHistory ClusterState::history(int rank, Sequence sequence) const {
    const Board& shown = boards_[static_cast<std::size_t>(rank)];
    return shown.calls[static_cast<std::size_t>(sequence)].read().value_or(CallHistory());
}

library::Histories ClusterState::histories() const {
    return [this](Sequence sequence, int rank) {
        return std::optional(history(rank - first_rank(process_), sequence));
    };
}

std::optional<std::string> ClusterState::difference(const Stall& stall) const {
    const int member = first_rank(process_) + stall.member;
    const int peer = first_rank(process_) + stall.peer;
    for (const Sequence sequence : {Sequence::blocking, Sequence::nonblocking}) {
        if (auto text = library::difference(histories(), sequence, member, peer)) {
            return text;
        }
    }
    return library::other_order(histories(), sequence_of(stall), member, peer);
}

RollCall ClusterState::look() {
    const int first = first_rank(process_);
    std::vector<MemberReport> reports;
    reports.reserve(static_cast<std::size_t>(members()));
    for (int rank = 0; rank < members(); ++rank) {
        MemberReport& report = reports.emplace_back();
        report.rank = first + rank;
        report.where = board(rank).called_from.read();
        report.where_sequence = static_cast<Sequence>(board(rank).called_from.kind());
        report.thread = board(rank).thread.load(std::memory_order_relaxed); // for people
        for (const Sequence sequence : {Sequence::blocking, Sequence::nonblocking, Sequence::persistent}) {
            report.calls[static_cast<std::size_t>(sequence)] = history(rank, sequence).last_call();
        }
        if (const std::optional<SlowWait> wait = group_->memory().status(rank).wait.read()) {
            const Sequence sequence =
                wait->sequence == Sequence::blocking ? Sequence::blocking : Sequence::nonblocking;
            report.wait = SlowWait{.sequence = sequence,
                                   .number = report.last(sequence).number(),
                                   .peer = first + wait->peer,
                                   .since = wait->since};
        }
    }
    return {{.group = "process " + std::to_string(process_) + " of " + std::to_string(processes()) +
                      ", with " + std::to_string(members()) + " of " + std::to_string(size()) + " members"},
            std::move(reports)};
}

std::string ClusterState::roll_call(RollCallFormat format) {
    const RollCall roll_call = look();
    if (library::required("roll_call: `format`", format) == RollCallFormat::json) {
        return roll_call.json();
    }
    std::string text = roll_call.text();
    if (const std::optional<SlowWait> wait = transport_.channel().shown_wait().read()) {
        text += "  in operation " + std::to_string(wait->number) + " waiting for " +
                (wait->peer == process_ ? "other processes" : "process " + std::to_string(wait->peer)) +
                " for " + library::text_of_time(library::clock_now() - wait->since) + "\n";
    }
    return text;
}

} // namespace tutti::v0_1::detail
