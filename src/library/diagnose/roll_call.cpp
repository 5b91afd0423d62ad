// Reports where each member is, for members that wait in vain and for users.

#include "diagnose/roll_call.hpp"

#include "diagnose/disagreement.hpp"
#include "environment.hpp"
#include "group/family.hpp"
#include "wait/wait_timer.hpp"

#include <utility>

namespace tutti::library {

namespace {

constexpr std::array<Sequence, 3> sequences{Sequence::blocking, Sequence::nonblocking, Sequence::persistent};

/// "operation 7"
std::string name_of(Sequence sequence, std::uint64_t number) {
    return std::string(words_of(sequence).adjective) + "operation " + std::to_string(number);
}

/// "operation 7, barrier (algorithm direct), at solver.cpp:31". The line is that of the last call of any
/// kind.
std::string text_of(const MemberReport& report, Sequence sequence) {
    const CallRecord& call = report.last(sequence);
    return name_of(sequence, call.number()) + ", " +
           text_of_call(call.signature(), report.where_sequence == sequence ? report.where : ShownLine{});
}

/// The last operations of all sequences; empty if there are none.
std::string text_of_calls(const MemberReport& report) {
    std::string text;
    for (const Sequence sequence : sequences) {
        if (report.last(sequence).number() != 0) {
            text += (text.empty() ? "" : "; ") + text_of(report, sequence);
        }
    }
    return text;
}

/// The operation in which it waits, which need not be the last nonblocking one.
std::string text_of_wait(const MemberReport& report) {
    const SlowWait& wait = *report.wait;
    return wait.number == report.last(wait.sequence).number() ? text_of(report, wait.sequence)
                                                              : name_of(wait.sequence, wait.number);
}

const char* text_of_state(char state) {
    switch (state) {
    case 'R':
        return "running or about to";
    case 'S':
        return "asleep";
    case 'D':
        return "waiting for a device";
    case 'T':
    case 't':
        return "stopped";
    default:
        return "ended";
    }
}

} // namespace

RollCall::RollCall(Names names, std::vector<MemberReport> reports, Circumstances circumstances)
    : names_(std::move(names)), reports_(std::move(reports)), rest_(std::move(circumstances)) {}

/// The number of members that are listed with details.
std::size_t RollCall::most_listed() const {
    constexpr std::size_t most = 10;
    constexpr std::size_t few = 16;
    return reports_.size() <= few ? most : std::min(reports_.size() / 4, most);
}

/// `, thread 4711 "worker 2", CPU 1, asleep, ran 0 ms of the last 250 ms`, or nothing.
std::string RollCall::text_of_thread(const MemberReport& report) const {
    if (report.thread == 0) {
        return "";
    }
    const std::string text = "thread " + std::to_string(report.thread);
    const std::optional<machine::ThreadState> thread = machine::thread_state(report.thread);
    if (!thread) {
        return text + ", which has ended";
    }
    const std::string ran =
        report.ran ? ", ran " + text_of_time(*report.ran) + " of the last " + text_of_time(rest_.since_last)
                   : "";
    return text + " \"" + printable(thread->name) + "\", CPU " + std::to_string(thread->cpu) + ", " +
           text_of_state(thread->state) + ran;
}

/// The state that members at the same place have in common.
std::string RollCall::state_of(const MemberReport& report) const {
    if (!report.has_joined) {
        return "not joined";
    }
    if (report.wait && report.last(report.wait->sequence).number() != 0) {
        return "in " + text_of_wait(report);
    }
    const std::string text = text_of_calls(report);
    if (text.empty()) {
        const bool has_recovered = !rest_.failure.empty() && !rest_.has_failed;
        return has_recovered ? "no call since" : report.has_left ? "left without a call" : "no call yet";
    }
    if (report.is_inside) {
        return "at work in " + text;
    }
    return (report.has_left ? "left after " : "came to ") + text +
           (report.has_failed ? "; a call of it failed" : "");
}

std::string RollCall::text() const {
    struct Together {
        std::uint64_t number = 0;
        std::string state = {};
        std::vector<int> ranks = {};
        std::vector<int> peers = {};
        std::chrono::nanoseconds waited{0};
    };
    std::vector<Together> all;
    for (const MemberReport& report : reports_) {
        const std::string state = state_of(report);
        auto found = std::ranges::find(all, state, &Together::state);
        if (found == all.end()) {
            all.push_back({.number = report.last(Sequence::blocking).number(), .state = state});
            found = all.end() - 1;
        }
        found->ranks.push_back(report.rank);
        if (report.wait) {
            found->peers.push_back(report.wait->peer);
            found->waited = std::max(found->waited, rest_.now - report.wait->since);
        }
    }
    std::ranges::stable_sort(all, {}, &Together::number);
    const auto largest = std::ranges::max_element(
        all, {}, [](const Together& each) { return std::pair(each.ranks.size(), each.number); });
    std::string text = "roll call of " + names_.group + ":\n";
    if (!rest_.failure.empty()) {
        text += (rest_.has_failed ? "  " : "  before, ") + rest_.failure + "\n";
    }
    std::size_t listed = 0;
    std::size_t more = 0;
    for (auto each = all.begin(); each != all.end(); ++each) {
        const bool is_odd = each != largest || reports_.size() <= most_listed();
        if (is_odd && each != largest && listed >= most_listed()) {
            more += each->ranks.size();
            continue;
        }
        text += "  " + text_of_ranks(each->ranks, names_.one, names_.all) + ": " + each->state;
        if (!each->peers.empty()) {
            text += "; waiting for " + text_of_ranks(each->peers, names_.one, names_.all) + " for " +
                    text_of_time(each->waited);
        }
        text += "\n";
        for (const int rank : each->ranks) {
            const MemberReport& report = of(rank - reports_.front().rank);
            const std::string thread = is_odd && listed < most_listed() ? text_of_thread(report) : "";
            listed += is_odd ? 1 : 0;
            if (!thread.empty()) {
                text += "    " + std::to_string(rank) + ": " + thread;
                text += report.rank_in_first
                            ? ", member " + std::to_string(*report.rank_in_first) + " of the whole group\n"
                            : "\n";
            }
        }
    }
    if (more != 0) {
        text += "  and " + std::to_string(more) + " more elsewhere\n";
    }
    if (!rest_.waits.empty() && std::ranges::any_of(reports_, &MemberReport::has_called)) {
        text += "  waits: " + rest_.waits + "\n";
    }
    for (const Learnt& learnt : rest_.learnt) {
        text += "  learnt: " + learnt.text() + "\n";
    }
    return text;
}

/// The place of a member that has not come to the `number`-th operation of a sequence.
std::string RollCall::whereabouts_of(const MemberReport& report, Sequence sequence,
                                     std::uint64_t number) const {
    std::string text = names_.one + " " + std::to_string(report.rank);
    if (!report.has_joined) {
        return text + " has not joined";
    }
    if (report.wait) {
        return text + " is in " + text_of_wait(report) + ", waiting for " + names_.one + " " +
               std::to_string(report.wait->peer);
    }
    if (report.last(sequence).number() >= number) { // it has prepared it
        text += " has not started it as often" + std::string(report.has_left ? ", and has left" : "");
    } else if (!report.has_called()) {
        text += report.has_left ? " has left without a call" : " has made no call yet";
    } else {
        text += (report.has_left ? " has left after " : " has come to ") +
                (report.last(sequence).number() != 0 ? text_of(report, sequence) : text_of_calls(report));
    }
    const std::string thread = text_of_thread(report);
    return text + (thread.empty() || report.has_left ? "" : " (" + thread + ")");
}

/// The members that do not wait, if all have come to the `number`-th operation of a sequence.
std::string RollCall::text_of_busy(Sequence sequence, std::uint64_t number) const {
    std::vector<int> busy;
    std::vector<int> idle;
    for (const MemberReport& report : reports_) {
        if (report.is_inside && !report.wait) {
            busy.push_back(report.rank);
        } else if (!report.wait && (sequence == Sequence::nonblocking  ? report.looked < number
                                    : sequence == Sequence::persistent ? report.unseen == number
                                                                       : false)) {
            idle.push_back(report.rank);
        }
    }
    std::string text = "all " + names_.all + " have come to it";
    if (!idle.empty()) {
        text += "; " + text_of_ranks(idle, names_.one, names_.all) +
                (idle.size() == 1 ? " has not tested or waited since it started it"
                                  : " have not tested or waited since they started it");
    }
    if (!busy.empty()) {
        text += "; " + text_of_ranks(busy, names_.one, names_.all) +
                " at work in it: inside an operator, or without a CPU";
    }
    if (idle.empty() && busy.empty()) {
        text += ": one of them may be inside an operator, or get no CPU";
        text += sequence != Sequence::blocking ? ", or neither test nor wait" : "";
    }
    return text;
}

std::string RollCall::late(Sequence sequence, std::uint64_t number) const {
    std::vector<const MemberReport*> late;
    for (const MemberReport& report : reports_) {
        if (!report.has_joined || report.last(sequence).number() < number || !report.has_started) {
            late.push_back(&report);
        }
    }
    if (late.empty()) {
        return text_of_busy(sequence, number);
    }
    // First those for which the others wait.
    std::ranges::stable_sort(late, {}, [sequence](const MemberReport* report) {
        return std::pair(report->wait.has_value(),
                         report->has_joined ? report->last(sequence).number() + 1 : 0);
    });
    std::string text = std::to_string(late.size()) + " of " + std::to_string(reports_.size()) + " " +
                       names_.all + (late.size() == 1 ? " is not there: " : " are not there: ");
    for (std::size_t index = 0; index < std::min(most_listed(), late.size()); ++index) {
        text += (index == 0 ? "" : "; ") + whereabouts_of(*late[index], sequence, number);
    }
    if (late.size() > most_listed()) {
        text += "; and " + std::to_string(late.size() - most_listed()) + " more";
    }
    return late.front()->has_joined ? text : text + ". " + advice_on_absence();
}

std::string RollCall::delay(Sequence sequence, std::uint64_t number, int rank,
                            std::chrono::milliseconds timeout, const std::string& call,
                            std::optional<int> peer) const {
    const MemberReport& own = of(rank);
    const std::string what = own.last(sequence).number() == number
                                 ? text_of(own, sequence)
                                 : name_of(sequence, number) + (call.empty() ? "" : ", " + call);
    const auto name = [this](int member) { return names_.one + " " + std::to_string(of(member).rank); };
    return name(rank) + " has waited " + library::text_of(timeout) + " in " + what +
           (peer ? ", at last for " + name(*peer) : "") + "; " + late(sequence, number);
}

std::string text_of_call(const CallSignature& signature, const ShownLine& where) {
    return signature.describe() + (where.is_known() ? ", at " + where.text() : "");
}

} // namespace tutti::library
