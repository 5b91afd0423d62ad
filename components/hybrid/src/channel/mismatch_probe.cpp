#include "hybrid/src/channel/mismatch_probe.hpp"

#include "diagnose/disagreement.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

namespace tutti::hybrid {

using engine::CallHistory;
using engine::CallRecord;

std::optional<std::uint64_t> CallTrail::digest_at(std::uint64_t number) const {
    const bool is_known = number != 0 && number <= number_ && number + digests_.size() > number_;
    return is_known ? std::optional(digests_[number % digests_.size()]) : std::nullopt;
}

namespace {

/// The types that a call signature names, as text that fits; other types are another text.
std::string short_text(const engine::CallSignature::Types& types) {
    std::string text = types.text();
    if (text.size() >= MismatchProbe::Summary::most_text) {
        const std::string digest = std::to_string(std::hash<std::string>{}(text) % 1'000'000'000);
        text.resize(MismatchProbe::Summary::most_text - 16);
        text += "... #" + digest;
    }
    return text;
}

} // namespace

MismatchProbe::Summary::Summary(const CallTrail& trail) : number(trail.number()), digest(trail.digest()) {
    const CallHistory history = trail.history();
    const auto last = history.records().last(std::min(history.records().size(), most_calls));
    for (const CallRecord& record : last) {
        if (const engine::CallSignature::Types* const named = record.signature().types) {
            short_text(*named).copy(types[size].data(), most_text - 1);
        }
        calls[size++] = record.with_types(nullptr);
    }
}

CallHistory MismatchProbe::Summary::history() const {
    CallHistory history;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, most_calls); ++i) {
        const bool has_types = types[i].front() != '\0';
        history.add(has_types ? calls[i].with_types(engine::CallSignature::Types::of_text(types[i].data()))
                              : calls[i]);
    }
    history.reach(number);
    return history;
}

namespace {

/// Throws MismatchError when process `peer`, with that summary, has been in other calls than this one,
/// `process`, as far as both histories reach. It names the first two that differ.
void compare(const CallTrail& own, int process, const MismatchProbe::Summary& theirs, int peer) {
    constexpr const char* noun = "process";
    const std::string start = "the processes are in different calls: ";
    const MismatchProbe::Summary ours(own); // types are named by the same texts
    const CallHistory own_calls = ours.history();
    const CallHistory their_calls = theirs.history();
    if (const auto text =
            difference(engine::Sequence::blocking, {process, &own_calls, noun}, {peer, &their_calls, noun})) {
        throw MismatchError(start + *text);
    }
    if (const auto digest = own.digest_at(theirs.number); digest && *digest != theirs.digest) {
        throw MismatchError(start + "both are in operation " + std::to_string(theirs.number) + ", " +
                            own_calls.signature(theirs.number).describe() + ", but processes " +
                            std::to_string(process) + " and " + std::to_string(peer) +
                            " were in different calls before, in which neither waited for the other");
    }
}

/// Throws MismatchError if this process waits in its last call on one channel, and the peer in a call on
/// another channel: neither makes the call that the other is in.
[[noreturn]] void throw_crossing(const CallTrail& own, int process, const MismatchProbe::Summary& theirs,
                                 int peer) {
    const auto waits = [](int who, std::uint64_t number, const CallHistory& calls, int other) {
        return "process " + std::to_string(who) + " waits in operation " + std::to_string(number) + ", " +
               calls.signature(number).describe() + ", for process " + std::to_string(other);
    };
    throw MismatchError("the processes are in different calls, one that blocks and one that does not: " +
                        waits(process, own.number(), own.history(), peer) + ", and " +
                        waits(peer, theirs.number, theirs.history(), process));
}

} // namespace

MismatchProbe::MismatchProbe(int processes) : taken_counts_(static_cast<std::size_t>(processes)) {
    kept_->asked_counts = kept_->due_counts = taken_counts_;
}

void MismatchProbe::ask(int peer, const CallTrail& own, std::uint64_t begun_on_other, bool is_stuck) {
    kept_->asked.resize(taken_counts_.size());
    const auto index = static_cast<std::size_t>(peer);
    Asked& asked = kept_->asked[index];
    int done = 1;
    if (asked.request != MPI_REQUEST_NULL) {
        check(MPI_Test(&asked.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    }
    const MismatchProbe::Summary& last = asked.summary;
    if (done == 0 ||
        (last.number == own.number() && last.begun_on_other == begun_on_other && last.is_stuck == is_stuck)) {
        return;
    }
    asked.summary = MismatchProbe::Summary(own);
    asked.summary.begun_on_other = begun_on_other;
    asked.summary.is_stuck = is_stuck;
    // Synchronous: it is done when the peer has taken it, so that no two are ever on their way.
    check(MPI_Issend(&asked.summary, static_cast<int>(sizeof(asked.summary)), MPI_BYTE, peer, tag_,
                     communicator_, &asked.request),
          "MPI_Issend");
    ++kept_->asked_counts[index];
}

void MismatchProbe::hear(int process, const CallTrail& own) {
    for (;;) {
        int found = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        check(MPI_Improbe(MPI_ANY_SOURCE, tag_, communicator_, &found, &message, &status), "MPI_Improbe");
        if (found == 0) {
            break;
        }
        MismatchProbe::Summary summary;
        check(MPI_Mrecv(&summary, static_cast<int>(sizeof(summary)), MPI_BYTE, &message, MPI_STATUS_IGNORE),
              "MPI_Mrecv");
        ++taken_counts_[static_cast<std::size_t>(status.MPI_SOURCE)];
        ahead_.emplace_back(status.MPI_SOURCE, summary);
    }
    for (const auto& [peer, summary] : ahead_) {
        compare(own, process, summary, peer);
    }
    std::erase_if(ahead_, [&](const auto& question) { return question.second.number <= own.number(); });
}

void MismatchProbe::compare_crossing(int process, std::uint64_t begun, const CallTrail& other) const {
    for (const auto& [peer, summary] : ahead_) {
        if (summary.is_stuck && summary.number > begun && summary.begun_on_other < other.number()) {
            throw_crossing(other, process, summary, peer);
        }
    }
}

void MismatchProbe::settle() {
    for (std::size_t peer = 0; peer < taken_counts_.size(); ++peer) {
        for (; taken_counts_[peer] < kept_->due_counts[peer]; ++taken_counts_[peer]) {
            MismatchProbe::Summary summary;
            check(MPI_Recv(&summary, static_cast<int>(sizeof(summary)), MPI_BYTE, static_cast<int>(peer),
                           tag_, communicator_, MPI_STATUS_IGNORE),
                  "MPI_Recv");
        }
    }
    for (Asked& asked : kept_->asked) {
        check(MPI_Wait(&asked.request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

} // namespace tutti::hybrid
