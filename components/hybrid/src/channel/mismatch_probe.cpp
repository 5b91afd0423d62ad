#include "hybrid/src/channel/mismatch_probe.hpp"

#include <cstddef>

namespace tutti::hybrid {

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
    const TrailSummary& last = asked.summary;
    if (done == 0 ||
        (last.number == own.number() && last.begun_on_other == begun_on_other && last.is_stuck == is_stuck)) {
        return;
    }
    asked.summary = TrailSummary(own);
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
        TrailSummary summary;
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
            TrailSummary summary;
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
