#include "hybrid/wire.hpp"

#include <tutti/error.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace tutti::hybrid {

namespace {

constexpr int data_tag = 1;
constexpr int failure_tag = 2;
constexpr std::size_t most_text = 512;

/// In the place of a peer.
constexpr int nobody = -1;
constexpr int everybody = -2;

/// Pieces as one MPI datatype, for a message that is not one range that an int can count.
class PiecesType {
public:
    explicit PiecesType(std::span<const Wire::Piece> message) {
        constexpr std::size_t most = std::size_t{1} << 30U;
        std::vector<int> lengths;
        std::vector<MPI_Aint> places;
        for (const Wire::Piece& piece : message) {
            for (std::size_t at = 0; at < piece.bytes; at += most) {
                MPI_Aint address = 0;
                check(MPI_Get_address(piece.address + at, &address), "MPI_Get_address");
                places.push_back(address);
                lengths.push_back(static_cast<int>(std::min(most, piece.bytes - at)));
            }
        }
        check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(),
                                       MPI_BYTE, &type_),
              "MPI_Type_create_hindexed");
        check(MPI_Type_commit(&type_), "MPI_Type_commit");
    }
    ~PiecesType() { MPI_Type_free(&type_); }
    PiecesType(const PiecesType&) = delete;
    PiecesType& operator=(const PiecesType&) = delete;
    PiecesType(PiecesType&&) = delete;
    PiecesType& operator=(PiecesType&&) = delete;

    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

bool is_one_range(std::span<const Wire::Piece> message) {
    return message.size() == 1 &&
           message.front().bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

/// The other process's text, if it has failed.
std::string failure_of_others(MPI_Comm control) {
    int found = 0;
    MPI_Status status;
    // Matched, since other carriers look as well: each text is for one of them.
    MPI_Message message = MPI_MESSAGE_NULL;
    check(MPI_Improbe(MPI_ANY_SOURCE, failure_tag, control, &found, &message, &status), "MPI_Improbe");
    if (found == 0) {
        return {};
    }
    std::array<char, most_text> text{};
    check(MPI_Mrecv(text.data(), static_cast<int>(text.size()), MPI_CHAR, &message, MPI_STATUS_IGNORE),
          "MPI_Mrecv");
    return "released because process " + std::to_string(status.MPI_SOURCE) + " failed: " + text.data();
}

} // namespace

void check(int code, const char* what) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw Error(std::string(what) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

void require_mpi() {
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised == 0) {
        throw ArgumentError("MPI is not initialised: call MPI_Init_thread first");
    }
    if (finalised != 0) {
        throw ArgumentError("MPI has been finalised: clusters and their calls must come to an end before");
    }
}

Wire::Wire(MPI_Comm parent) {
    check(MPI_Comm_dup(parent, &communicator_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
}

Wire::~Wire() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!abandoned_ && finalised == 0) {
        MPI_Comm_free(&communicator_);
    }
}

void Wire::started(int code, const char* what, MPI_Request request, int awaited) {
    if (code != MPI_SUCCESS) {
        give_up();
        check(code, what);
    }
    requests_.push_back(request);
    awaited_.push_back(awaited);
}

void Wire::send(std::span<const Piece> message, int peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    if (is_one_range(message)) {
        code = MPI_Isend(message.front().address, static_cast<int>(message.front().bytes), MPI_BYTE, peer,
                         data_tag, communicator_, &request);
    } else {
        const PiecesType type(message);
        code = MPI_Isend(MPI_BOTTOM, 1, type.get(), peer, data_tag, communicator_, &request);
    }
    started(code, "MPI_Isend", request, nobody);
}

void Wire::receive(std::span<const Piece> message, int peer) {
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    if (is_one_range(message)) {
        code = MPI_Irecv(message.front().address, static_cast<int>(message.front().bytes), MPI_BYTE, peer,
                         data_tag, communicator_, &request);
    } else {
        const PiecesType type(message);
        code = MPI_Irecv(MPI_BOTTOM, 1, type.get(), peer, data_tag, communicator_, &request);
    }
    started(code, "MPI_Irecv", request, peer);
}

void Wire::started_collective(int code, const char* what, MPI_Request request) {
    collective_ = what;
    started(code, what, request, everybody);
}

/// One test for each: a test of all raises errors on MPI_COMM_WORLD, whose handler is not ours.
bool Wire::is_done() {
    bool all = true;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        int done = 1;
        const int code = requests_[i] == MPI_REQUEST_NULL ? MPI_SUCCESS
                                                          : MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) {
            const char* const what = awaited_[i] == everybody ? collective_ : "MPI_Test";
            give_up();
            check(code, what);
        }
        all = all && done != 0;
    }
    return all;
}

void Wire::wait() {
    std::chrono::steady_clock::time_point first_look;
    mailbox::Waiting waiting(patience_);
    unsigned checks = 0;
    while (!is_done()) {
        const mailbox::Waiting::Next next = waiting.pass();
        if (next == mailbox::Waiting::Next::look) {
            continue;
        }
        if (next == mailbox::Waiting::Next::sleep) {
            sched_yield(); // MPI makes no progress while its caller sleeps
        }
        // A probe and a look at the clock cost more than a test.
        constexpr unsigned tests_per_look = 32;
        if (checks++ % tests_per_look == 0) {
            first_look = checks == 1 ? std::chrono::steady_clock::now() : first_look;
            look_for_failures(first_look);
        }
    }
    requests_.clear();
    awaited_.clear();
}

void Wire::look_for_failures(std::chrono::steady_clock::time_point first_look) {
    if (const std::string text = failure_of_others(control_); !text.empty()) {
        give_up();
        throw Aborted(text);
    }
    if (failure_->raised()) {
        give_up();
        failure_->throw_aborted();
    }
    if (deadline_.count() == 0 || std::chrono::steady_clock::now() - first_look < deadline_) {
        return;
    }
    const std::string text = overdue();
    give_up();
    throw Error(text);
}

std::string Wire::overdue() const {
    std::string late;
    std::string_view who = "it";
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i] == MPI_REQUEST_NULL || awaited_[i] == nobody) {
            continue;
        }
        if (awaited_[i] == everybody) {
            late = std::string(collective_) + " has not ended";
            who = "another process";
        } else {
            late += (late.empty() ? "no answer from process " : ", ") + std::to_string(awaited_[i]);
        }
    }
    return (late.empty() ? "no process has taken a message" : late) + " within the deadline of " +
           std::to_string(deadline_.count()) + " ms: " + std::string(who) +
           " has ended, hangs, or comes later than ClusterOptions::deadline allows";
}

/// They can be neither cancelled nor freed.
void Wire::give_up_collectives() noexcept {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (awaited_[i] == everybody) {
            stuck_ = stuck_ || requests_[i] != MPI_REQUEST_NULL;
            requests_[i] = MPI_REQUEST_NULL;
        }
    }
}

void Wire::give_up() noexcept {
    give_up_collectives();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i] != MPI_REQUEST_NULL && awaited_[i] >= 0) {
            MPI_Cancel(&requests_[i]);
        }
    }
    // A message that is on its way into memory cannot be cancelled: let it arrive.
    constexpr std::chrono::milliseconds grace{100};
    const auto end = std::chrono::steady_clock::now() + grace;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        int done = 0;
        while (requests_[i] != MPI_REQUEST_NULL && awaited_[i] >= 0 && done == 0 &&
               std::chrono::steady_clock::now() < end) {
            MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
        }
        if (requests_[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&requests_[i]);
        }
    }
    requests_.clear();
    awaited_.clear();
}

void keep(std::shared_ptr<void> memory) {
    static std::mutex mutex;
    static std::vector<std::shared_ptr<void>> kept;
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(memory));
}

void tell_failure(MPI_Comm control, const std::string& text) noexcept {
    int finalised = 0;
    int rank = 0;
    int size = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0 || MPI_Comm_rank(control, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(control, &size) != MPI_SUCCESS) {
        return;
    }
    // Nobody waits for these messages to arrive, so they outlive this call.
    static std::array<char, most_text> buffer{};
    buffer.fill(0);
    text.copy(buffer.data(), buffer.size() - 1);
    for (int peer = 0; peer < size; ++peer) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (peer != rank && MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, peer,
                                      failure_tag, control, &request) == MPI_SUCCESS) {
            MPI_Request_free(&request);
        }
    }
}

void compare(const Header& own, const Header& received, int process, int peer) {
    if (own.claim != received.claim || own.agreement != received.agreement) {
        throw MismatchError("the processes are in different calls: process " + std::to_string(process) +
                            " in " + to_string(own.claim) + "; process " + std::to_string(peer) + " in " +
                            to_string(received.claim));
    }
}

namespace {

/// The first and the last of all claims heard of, and whose they are.
struct Agreement {
    Header header;
    Claim first;
    Claim last;
    std::int32_t first_process = 0;
    std::int32_t last_process = 0;

    void hear(const Agreement& other) {
        if (precedes(other.first, first)) {
            first = other.first;
            first_process = other.first_process;
        }
        if (precedes(last, other.last)) {
            last = other.last;
            last_process = other.last_process;
        }
    }
};
static_assert(sizeof(Agreement) <= most_headed_bytes);

} // namespace

void agree(Wire& wire, const Claim& claim) {
    const int size = wire.size();
    Agreement heard{{claim, 1}, claim, claim, wire.rank(), wire.rank()};
    std::array<std::byte, most_headed_bytes> incoming;
    for (int distance = 1; distance < size; distance *= 2) {
        Agreement outgoing = heard;
        const int from = (wire.rank() + size - distance) % size;
        wire.receive(std::array{Wire::Piece{incoming.data(), incoming.size()}}, from);
        wire.send(std::array{Wire::Piece{reinterpret_cast<std::byte*>(&outgoing), sizeof(outgoing)}},
                  (wire.rank() + distance) % size);
        wire.wait();
        Agreement received;
        std::memcpy(&received, incoming.data(), sizeof(received));
        if (received.header.agreement == 0) {
            compare(heard.header, received.header, wire.rank(), from);
        }
        // Claims that differ are passed on: in the end all processes know, and none goes on alone.
        heard.hear(received);
    }
    if (heard.first != heard.last) {
        throw MismatchError("the processes are in different calls: process " +
                            std::to_string(heard.first_process) + " in " + to_string(heard.first) +
                            "; process " + std::to_string(heard.last_process) + " in " +
                            to_string(heard.last));
    }
}

} // namespace tutti::hybrid
