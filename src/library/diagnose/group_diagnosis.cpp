#include "diagnose/group_diagnosis.hpp"

#include "machine/process.hpp"
#include "option_values.hpp"
#include "report.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <new>
#include <utility>

namespace tutti::library {

Snapshot snapshot_of(const SharedMemory& memory) {
    Snapshot look{.at = clock_now()};
    look.digests.reserve(static_cast<std::size_t>(memory.members()));
    const Channels* const channels = memory.channels_if_any();
    for (int rank = 0; rank < memory.members(); ++rank) {
        Snapshot::Mark& mark = look.digests.emplace_back();
        // Acquire, though nothing is read that it makes visible.
        mark.progress = memory.board(rank).progress.observe();
        if (channels != nullptr) {
            mark.starts = channels->starts(Sequence::nonblocking, rank).calls.seen() +
                          channels->starts(Sequence::persistent, rank).calls.seen();
        }
        const int thread = memory.status(rank).thread.load(std::memory_order_relaxed);
        if (thread != 0) {
            mark.cpu_time = machine::thread_cpu_time(thread);
        }
    }
    return look;
}

namespace {

/// A roll call for users does not read the group from which this one is derived: if the roll call turned out
/// to be the last owner of that group, it would end this one while reading it.
bool has_left(const detail::GroupState& group, const Family& family, int rank, bool by_people) {
    return by_people && family.derived_ranks() ? false : group.has_left(rank, rank);
}

MemberReport report_of(detail::GroupState& group, int rank, bool by_people) {
    const MemberStatus& status = group.memory().status(rank);
    MemberReport report{.rank = rank,
                        .rank_in_first = group.family().rank_in_first(rank),
                        .has_joined = !group.seats().members_join() || status.has_joined(),
                        .has_left = has_left(group, group.family(), rank, by_people),
                        .has_failed = status.has_failed.load(std::memory_order_relaxed),
                        // Acquire, though nothing is read that it makes visible.
                        .is_inside =
                            (group.memory().board(rank).progress.observe() & mailbox::inside_bit) != 0,
                        .where = group.seat(rank).called_from().read(),
                        .where_sequence = static_cast<Sequence>(group.seat(rank).called_from().kind()),
                        .wait = status.wait.read(),
                        .thread = status.thread.load(std::memory_order_relaxed)};
    for (const Sequence sequence : {Sequence::blocking, Sequence::nonblocking, Sequence::persistent}) {
        if (const auto history = history_of(group.memory(), sequence, rank)) {
            report.calls[static_cast<std::size_t>(sequence)] = history->last_call();
        }
    }
    if (const Channels* const channels = group.memory().channels_if_any()) {
        report.looked = channels->starts(Sequence::nonblocking, rank).looked.observe();
        report.unseen = channels->starts(Sequence::persistent, rank).unseen.get();
    }
    return report;
}

} // namespace

RollCall GroupDiagnosis::look(Asked asked, const Stall& stall) {
    std::string failure = group_.failure().text();
    std::string waits = group_.text_of_waits();
    const bool has_failed = group_.failure().raised();
    SharedMemory& memory = group_.memory();
    const auto channels = memory.hold_channels();
    if (asked == Asked::by_people && last_snapshot_.at().count() == 0) {
        constexpr std::int64_t between_looks_ns = 200'000;
        last_snapshot_.exchange(snapshot_of(memory));
        mailbox::nap(between_looks_ns);
    }
    const Snapshot look = snapshot_of(memory);
    const Snapshot before = asked == Asked::by_people ? last_snapshot_.exchange(look) : last_snapshot_.get();
    const std::chrono::nanoseconds since_last =
        before.at.count() == 0 ? std::chrono::nanoseconds(0) : look.at - before.at;
    std::vector<MemberReport> reports;
    reports.reserve(look.digests.size());
    for (std::size_t index = 0; index < look.digests.size(); ++index) {
        MemberReport& report =
            reports.emplace_back(report_of(group_, static_cast<int>(index), asked == Asked::by_people));
        report.has_failed = report.has_failed && has_failed;
        if (stall.sequence == Sequence::persistent) {
            const auto& mailbox = memory.channels_if_any()->persistent(stall.number).mailbox();
            const auto runs = [&](int member) { return mailbox.board(member).progress.observe() / 2; };
            report.has_started = runs(report.rank) >= runs(stall.member);
        }
        if (since_last.count() == 0) {
            continue;
        }
        const Snapshot::Mark& now = look.digests[index];
        const Snapshot::Mark& then = before.digests[index];
        report.has_moved = now.progress != then.progress || now.starts != then.starts;
        if (now.cpu_time.count() >= 0 && now.cpu_time >= then.cpu_time && then.cpu_time.count() >= 0) {
            report.ran = now.cpu_time - then.cpu_time;
        }
    }
    const std::string group = (group_.family().rank_in_first(0) ? "a sub-group of " : "") +
                              std::to_string(group_.size()) + (group_.size() == 1 ? " member" : " members");
    return {{.group = group},
            std::move(reports),
            {std::move(failure), has_failed, look.at, since_last, std::move(waits),
             asked == Asked::by_people ? group_.trials().learnt.all() : std::vector<Learnt>{}}};
}

Histories GroupDiagnosis::histories() const {
    return [this](Sequence sequence, int member) { return history_of(group_.memory(), sequence, member); };
}

std::string GroupDiagnosis::whereabouts(const Stall& stall) const {
    const std::optional<int> own = group_.family().rank_in_first(stall.member);
    const std::optional<int> theirs = group_.family().rank_in_first(stall.peer);
    if (!own || !theirs) {
        return "";
    }
    return "in a sub-group of " + std::to_string(group_.size()) + ", whose members " +
           std::to_string(stall.member) + " and " + std::to_string(stall.peer) + " are " +
           std::to_string(*own) + " and " + std::to_string(*theirs) + " of the whole group: ";
}

void GroupDiagnosis::throw_mismatch(const Stall& stall, const std::string& what) {
    Failure& failure = group_.failure();
    if (!failure.claim_report()) {
        // The member with the whole report fails first, because Team::run() throws the first failure.
        constexpr std::int64_t between_looks_ns = 20'000;
        constexpr int most_looks = 50'000;
        for (int look = 0; look < most_looks && !failure.raised(); ++look) {
            mailbox::nap(between_looks_ns);
        }
        throw MismatchError(what.substr(0, what.find('\n')), {.peer = stall.peer});
    }
    std::string text = what + "\n" + look(Asked::by_error).text();
    text.pop_back(); // the end of the last line
    throw MismatchError(text, {.peer = stall.peer});
}

void GroupDiagnosis::check(const Stall& stall, bool is_stuck, const IsReady& is_ready) {
    const auto& [sequence, number, member, peer] = stall;
    if (const auto text = difference(histories(), sequence, member, peer)) {
        throw_mismatch(stall, whereabouts(stall) + *text);
    }
    if (const auto text = other_order(histories(), sequence, member, peer); text && !is_ready()) {
        throw_mismatch(stall, whereabouts(stall) + *text);
    }
    if (is_stuck && !is_ready()) {
        if (const auto text = wait_for_edge(group_.memory(), sequence, number, member, peer)) {
            throw_mismatch(stall, whereabouts(stall) + *text);
        }
    }
}

std::string GroupDiagnosis::delay(const Stall& stall, std::chrono::milliseconds waited) {
    const auto& [sequence, number, member, peer] = stall;
    const RollCall roll_call = look(Asked::by_error, stall);
    const std::optional<CallHistory> calls = history_of(group_.memory(), sequence, member);
    const bool is_known = calls && !calls->empty() && calls->first() <= number;
    const std::string call = is_known ? calls->signature(number).describe() : "";
    return whereabouts(stall) + roll_call.delay(sequence, number, member, waited, call, peer);
}

void GroupDiagnosis::throw_different(const Stall& stall) {
    throw_mismatch(stall, whereabouts(stall) + library::disagreement(group_.memory(), stall.sequence,
                                                                     stall.member, stall.peer));
}

void GroupDiagnosis::throw_absent(const Stall& stall) {
    if (const auto text = absence(histories(), stall.sequence, stall.member, stall.peer)) {
        throw_mismatch(stall, whereabouts(stall) + *text);
    }
    throw_different(stall);
}

void GroupDiagnosis::throw_fault(const Stall& stall, run::Fault fault, const CallSignature& signature,
                                 const run::Prepared& prepared, const run::Bindings& bindings) {
    if (fault == run::Fault::calls || fault == run::Fault::none) {
        throw_different(stall);
    }
    if (fault == run::Fault::counts) {
        const run::Bases& theirs = bindings.peers[static_cast<std::size_t>(stall.peer)];
        throw_mismatch(stall, text_of_counts(signature, stall.member, stall.peer,
                                             run::differing_block(prepared, theirs, stall.peer)));
    }
    throw_mismatch(stall, text_of_vectors(fault, stall.member, stall.peer, signature.describe()));
}

void GroupDiagnosis::take_snapshot(std::chrono::milliseconds age) {
    using std::chrono::milliseconds;
    if (std::chrono::duration_cast<milliseconds>(clock_now() - last_snapshot_.at()) >= age) {
        last_snapshot_.exchange(snapshot_of(group_.memory()));
    }
}

void GroupDiagnosis::report_stuck(int inside) noexcept {
    try {
        std::string text =
            "the group has failed, but member " + std::to_string(inside) +
            " is still inside its call, maybe in an operator: the others wait for it, since it may use their "
            "vectors\n" +
            look(Asked::by_error).text();
        text.pop_back(); // the end of the last line
        report(Severity::warning, text.c_str());
    } catch (const std::bad_alloc&) { // without a word
    }
}

std::string GroupDiagnosis::disagreement() const {
    for (int rank = 1; rank < group_.size(); ++rank) {
        if (const auto sequence = group_.seat(0).difference(group_.seat(rank))) {
            return library::disagreement(group_.memory(), *sequence, 0, rank);
        }
    }
    return {};
}

std::string GroupDiagnosis::roll_call(RollCallFormat format) {
    required("roll_call: `format`", format);
    const RollCall roll_call = look(Asked::by_people);
    return format == RollCallFormat::json ? roll_call.json() : roll_call.text();
}

void GroupDiagnosis::list_for_roll_calls() {
    listed_.emplace([this](RollCallFormat format) { return roll_call(format); });
}

std::unique_ptr<Diagnosis> diagnosis_of(detail::GroupState& group) {
    return std::make_unique<GroupDiagnosis>(group);
}

} // namespace tutti::library
