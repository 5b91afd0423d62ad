#include "hybrid/src/channel/failure_channel.hpp"

#include "wait/failure.hpp"

#include <tutti/error.hpp>

#include <span>

namespace tutti::hybrid {

namespace {

/// The first character of a text: whether the failure is a TimeoutError.
constexpr char timeout_mark = 'T';
constexpr char other_mark = ' ';

} // namespace

FailureChannel::FailureChannel(int processes) {
    sent_->requests.assign(static_cast<std::size_t>(processes), MPI_REQUEST_NULL);
}

FailureChannel::~FailureChannel() {
    if (told_) {
        keep(sent_);
    }
}

void FailureChannel::tell(const std::exception_ptr& cause) noexcept {
    int finalised = 0;
    int rank = 0;
    MPI_Finalized(&finalised);
    if (communicator_ == MPI_COMM_NULL || finalised != 0 ||
        MPI_Comm_rank(communicator_, &rank) != MPI_SUCCESS) {
        return;
    }
    told_ = true;
    sent_->text.front() = engine::holds<TimeoutError>(cause) ? timeout_mark : other_mark;
    engine::copy_text(cause, std::span(sent_->text).subspan(1));
    for (std::size_t peer = 0; peer < sent_->requests.size(); ++peer) {
        if (static_cast<int>(peer) != rank) {
            MPI_Isend(sent_->text.data(), static_cast<int>(sent_->text.size()), MPI_CHAR,
                      static_cast<int>(peer), tag, communicator_, &sent_->requests[peer]);
        }
    }
}

void FailureChannel::throw_reported() const {
    if (communicator_ == MPI_COMM_NULL) {
        return;
    }
    int found = 0;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    check(MPI_Improbe(MPI_ANY_SOURCE, tag, communicator_, &found, &message, &status), "MPI_Improbe");
    if (found == 0) {
        return;
    }
    std::array<char, most_text> text{};
    check(MPI_Mrecv(text.data(), static_cast<int>(text.size()), MPI_CHAR, &message, MPI_STATUS_IGNORE),
          "MPI_Mrecv");
    const std::string told =
        "released because process " + std::to_string(status.MPI_SOURCE) + " failed: " + (text.data() + 1);
    if (text.front() == timeout_mark) {
        throw TimeoutError(told);
    }
    throw Aborted(told);
}

} // namespace tutti::hybrid
