#include "diagnose/group_diagnosis.hpp"

#include "diagnose/disagreement.hpp"
#include "diagnose/roll_call.hpp"
#include "group/group_state.hpp"
#include "group/history.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <cstdio>
#include <new>
#include <optional>
#include <string>

namespace tutti::execute {

void GroupDiagnosis::throw_mismatch(const std::string& what) {
    std::string text = what + "\n" + RollCall(group_, last_snapshot_, RollCall::Asked::by_error).text();
    text.pop_back(); // the end of the last line
    throw MismatchError(text);
}

void GroupDiagnosis::check(const Stall& stall, bool is_stuck, const IsReady& is_ready) {
    const auto& [sequence, number, member, peer] = stall;
    if (const auto text = difference(group_, sequence, member, peer)) {
        throw_mismatch(*text);
    }
    if (const auto text = other_order(group_, sequence, member, peer); text && !is_ready()) {
        throw_mismatch(*text);
    }
    if (is_stuck && !is_ready()) {
        if (const auto text = wait_for_edge(group_, sequence, number, member, peer)) {
            throw_mismatch(*text);
        }
    }
}

void GroupDiagnosis::time_out(const Stall& stall, std::chrono::milliseconds deadline,
                              const IsReady& is_ready) {
    const auto& [sequence, number, member, peer] = stall;
    const RollCall roll_call(group_, last_snapshot_, RollCall::Asked::by_error);
    const std::optional<CallHistory> calls = history_of(group_, sequence, member);
    const bool is_known = calls && !calls->empty() && calls->first() <= number;
    const std::string call = is_known ? calls->signature(number).describe() : "";
    const std::string text =
        whereabouts(group_, member, peer) + roll_call.delay(sequence, number, member, deadline, call, peer);
    if (!is_ready()) { // it may have come while that was found out
        throw TimeoutError(text);
    }
}

void GroupDiagnosis::throw_different(const Stall& stall) {
    throw_mismatch(execute::disagreement(group_, stall.sequence, stall.member, stall.peer));
}

void GroupDiagnosis::throw_absent(const Stall& stall) {
    if (const auto text = absence(group_, stall.sequence, stall.member, stall.peer)) {
        throw_mismatch(*text);
    }
    throw_different(stall);
}

void GroupDiagnosis::throw_fault(const Stall& stall, run::Fault fault, const CallSignature& signature,
                                 const run::Prepared& prepared, const run::Bindings& bindings) {
    throw_mismatch(
        text_of(fault, group_, stall.sequence, stall.member, stall.peer, signature, prepared, bindings));
}

void GroupDiagnosis::take_snapshot(std::chrono::milliseconds age) {
    using std::chrono::milliseconds;
    if (std::chrono::duration_cast<milliseconds>(clock_now() - last_snapshot_.at()) >= age) {
        last_snapshot_.exchange(snapshot_of(group_));
    }
}

void GroupDiagnosis::report_stuck(int inside) noexcept {
    try {
        const std::string text =
            "tutti: the group has failed, but member " + std::to_string(inside) +
            " is still inside its call, maybe in an operator: the others wait for it, since it may use their "
            "vectors\n" +
            RollCall(group_, last_snapshot_, RollCall::Asked::by_error).text();
        std::fputs(text.c_str(), stderr);
    } catch (const std::bad_alloc&) { // without a word
    }
}

std::string GroupDiagnosis::disagreement() const {
    for (int rank = 1; rank < group_.size(); ++rank) {
        if (const auto sequence = group_.seat(0).difference(group_.seat(rank))) {
            return execute::disagreement(group_, *sequence, 0, rank);
        }
    }
    return {};
}

std::string GroupDiagnosis::roll_call(RollCallFormat format) {
    const RollCall roll_call(group_, last_snapshot_, RollCall::Asked::by_people);
    return format == RollCallFormat::json ? roll_call.json() : roll_call.text();
}

void GroupDiagnosis::list_for_roll_calls() {
    listed_.emplace([this](RollCallFormat format) { return roll_call(format); });
}

std::unique_ptr<Diagnosis> diagnosis_of(detail::GroupState& group) {
    return std::make_unique<GroupDiagnosis>(group);
}

} // namespace tutti::execute
