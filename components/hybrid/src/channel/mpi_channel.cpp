#include "hybrid/src/channel/mpi_channel.hpp"

#include "diagnose/roll_call.hpp"
#include "group/family.hpp"

#include <tutti/error.hpp>

#include <sched.h>

#include <bit>
#include <limits>

namespace tutti::hybrid {

namespace {

constexpr int probe_tag = 0; // the others are digests

/// A process that waits so long for another one sends it a probe.
constexpr std::chrono::milliseconds wait_before_probe{10};

/// Pieces as one MPI datatype, for a message that is not one range that an int can count.
class PiecesType : Immovable {
public:
    explicit PiecesType(std::span<const MpiChannel::Piece> message) {
        constexpr std::size_t most = std::size_t{1} << 30U;
        std::vector<int> lengths;
        std::vector<MPI_Aint> places;
        for (const MpiChannel::Piece& piece : message) {
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

    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// The number of bits of a digest that is a tag. Read from MPI_COMM_WORLD, because other communicators need
/// not have the attribute.
int bits_of_tags() {
    int* highest = nullptr;
    int found = 0;
    check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &found),
          "MPI_Comm_get_attr");
    constexpr unsigned least = 32767; // that MPI promises
    const unsigned tags = (found != 0 ? static_cast<unsigned>(*highest) : least) + 1;
    return static_cast<int>(std::bit_width(tags)) - 1;
}

} // namespace

MpiChannel::MpiChannel(int processes) : size_(processes), mismatch_probe_(processes) {
    started_.reserve(1); // so that close() allocates nothing
}

void MpiChannel::open(MPI_Comm parent) {
    check(MPI_Comm_dup(parent, &communicator_), "MPI_Comm_dup");
    set_up();
}

void MpiChannel::open(MPI_Comm parent, const std::vector<int>& processes, int tag) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    check(MPI_Comm_group(parent, &all), "MPI_Comm_group");
    int code = MPI_Group_incl(all, static_cast<int>(processes.size()), processes.data(), &some);
    MPI_Group_free(&all);
    check(code, "MPI_Group_incl");
    code = MPI_Comm_create_group(parent, some, tag, &communicator_);
    MPI_Group_free(&some);
    check(code, "MPI_Comm_create_group");
    set_up();
}

void MpiChannel::set_up() {
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    tag_bits_ = bits_of_tags();
    mismatch_probe_.open(communicator_, probe_tag);
}

MpiChannel::~MpiChannel() {
    if (closed_ && communicator_ != MPI_COMM_NULL) {
        MPI_Comm_free(&communicator_);
    } else if (communicator_ != MPI_COMM_NULL) {
        keep(mismatch_probe_.memory());
    }
    if (stuck_) {
        keep(buffers_);
    }
}

void MpiChannel::close() {
    progress_ = nullptr; // the thread may be gone
    if (size_ == 1) {
        closed_ = true;
        return;
    }
    // A probe that was left would be a message on whichever communicator is made next.
    constexpr const char* what = "MPI_Ialltoall";
    MPI_Request& request = next_collective(what);
    started(MPI_Ialltoall(mismatch_probe_.asked(), 1, MPI_INT, mismatch_probe_.due(), 1, MPI_INT,
                          communicator_, &request),
            what);
    wait();
    mismatch_probe_.settle();
    closed_ = true;
}

void MpiChannel::set_tag() {
    constexpr int digest_bits = 64;
    const auto digest = static_cast<int>(trail_.digest() >> (digest_bits - tag_bits_));
    tag_ = digest == probe_tag ? 1 : digest;
}

void MpiChannel::not_started(int code, const char* what) {
    started_.pop_back(); // its request is invalid
    give_up();
    check(code, what);
}

void MpiChannel::start(std::span<const Piece> message, int peer, Role role) {
    std::optional<PiecesType> pieces;
    if (message.size() != 1 || message.front().bytes > std::size_t{std::numeric_limits<int>::max()}) {
        pieces.emplace(message);
    }
    std::byte* const start = pieces ? static_cast<std::byte*>(MPI_BOTTOM) : message.front().address;
    const int count = pieces ? 1 : static_cast<int>(message.front().bytes);
    const auto type = pieces ? pieces->get() : MPI_BYTE;
    MPI_Request& request = next(peer, role);
    if (role == Role::send) {
        started(MPI_Isend(start, count, type, peer, tag_, communicator_, &request), "MPI_Isend");
    } else {
        started(MPI_Irecv(start, count, type, peer, tag_, communicator_, &request), "MPI_Irecv");
    }
}

/// One test for each: a test of all raises errors on MPI_COMM_WORLD, whose handler is not ours.
bool MpiChannel::is_done() {
    bool all = true;
    for (Started& each : started_) {
        if (each.request == MPI_REQUEST_NULL) {
            continue;
        }
        int done = 1;
        if (const int code = MPI_Test(&each.request, &done, MPI_STATUS_IGNORE); code != MPI_SUCCESS) {
            const char* const what = each.role == Role::collective ? collective_ : "MPI_Test";
            give_up();
            check(code, what);
        }
        if (done != 0) {
            each.request =
                MPI_REQUEST_NULL; // which MPI leaves at one that all sends share, to be tested again
        } else {
            all = false;
        }
    }
    return all;
}

void MpiChannel::wait() {
    // A short message comes within a few tests, beside which clocks and pauses take long.
    for (int tests = mailbox::eager_looks(wait_policy_, wait_history_); tests != 0; --tests) {
        if (is_done()) {
            return started_.clear();
        }
    }
    // A look costs more than a test; but a test takes milliseconds if others want the CPU, even while
    // mailbox::Backoff counts it as spinning.
    constexpr unsigned tests_per_look = 32;
    constexpr std::chrono::milliseconds most_between{5};
    const library::EndOfWait end(shown_);
    library::WaitTimer waited(timeout_);
    mailbox::Backoff backoff(wait_policy_, {wait_history_});
    unsigned checks = 0;
    bool others_ran = false;
    std::chrono::nanoseconds looked = library::coarse_clock_now();
    std::chrono::nanoseconds last = looked;
    while (!is_done(others_ran)) {
        const bool stays = others_ran || turns_.keeps_cpu(last);
        const mailbox::Backoff::Next next = stays ? mailbox::Backoff::Next::check : backoff.pass();
        const std::chrono::nanoseconds now = library::coarse_clock_now();
        turns_.note(last, now);
        last = now;
        const bool is_overdue = now - looked >= most_between;
        if (next == mailbox::Backoff::Next::look && !is_overdue) {
            continue;
        }
        if (next == mailbox::Backoff::Next::sleep) {
            sched_yield(); // MPI makes no progress while its caller sleeps
        }
        if (is_overdue || checks++ % tests_per_look == 0) {
            looked = now;
            look_or_give_up(waited);
        }
        if (progress_ != nullptr) {
            progress_->progress();
        }
    }
    started_.clear();
}

bool MpiChannel::test() {
    constexpr std::chrono::milliseconds between{1};
    if (is_done()) {
        started_.clear();
        tested_.reset();
        shown_.end();
        return true;
    }
    if (!tested_) {
        tested_.emplace(timeout_);
    }
    if (const std::chrono::nanoseconds now = library::coarse_clock_now(); now - looked_ >= between) {
        looked_ = now;
        look_or_give_up(*tested_);
    }
    return false;
}

void MpiChannel::look_or_give_up(library::WaitTimer& waited) {
    try {
        look(waited);
    } catch (...) {
        // A process that has not answered for so long does not take a message now: end the members' calls
        // soon.
        give_up(waited.is_over() ? std::chrono::milliseconds(5) : longest_grace);
        throw;
    }
}

/// Also reports whether MPI has given the CPU to another thread meanwhile, as it does if there are more
/// processes than CPUs. A second yield after it would double the time until the next test.
bool MpiChannel::is_done(bool& others_ran) {
    if (wait_policy_.spin_ns != 0) {
        return is_done();
    }
    constexpr std::chrono::microseconds longest_test{2};
    const auto start = std::chrono::steady_clock::now();
    const bool done = is_done();
    others_ran = std::chrono::steady_clock::now() - start > longest_test;
    return done;
}

void MpiChannel::look(library::WaitTimer& waited) {
    look_for_failures();
    hear();
    waited.look();
    int peer = rank_; // not known for the library's collectives
    for (const Started& each : started_) {
        if (each.request != MPI_REQUEST_NULL && each.role != Role::collective) {
            peer = each.peer;
            if (waited.time() >= wait_before_probe) {
                mismatch_probe_.ask(each.peer, trail_, other_ != nullptr ? other_->begun_ : 0, is_stuck_);
            }
        }
    }
    shown_.show({.number = trail_.number(), .peer = peer, .since = waited.since()});
    if (waited.is_over()) {
        throw TimeoutError(overdue());
    }
}

/// Receives probes of processes that wait for this one, on either channel.
void MpiChannel::hear() {
    mismatch_probe_.hear(rank_, trail_);
    if (other_ != nullptr) {
        other_->mismatch_probe_.hear(rank_, other_->trail_);
        if (is_stuck_ && trail_.number() != 0) {
            other_->mismatch_probe_.compare_crossing(rank_, other_->begun_, trail_);
        }
    }
}

void MpiChannel::look_for_failures() {
    others_->throw_reported();
    if (failure_->raised()) {
        failure_->throw_aborted();
    }
}

std::string MpiChannel::late() const {
    std::vector<int> silent;
    std::vector<int> untaken;
    for (const Started& each : started_) {
        if (each.request == MPI_REQUEST_NULL) {
            continue;
        }
        if (each.role == Role::collective) {
            return std::string(collective_) + " has not ended: another process";
        }
        (each.role == Role::send ? untaken : silent).push_back(each.peer);
    }
    const std::vector<int>& late = silent.empty() ? untaken : silent;
    const bool is_one = std::ranges::all_of(late, [&](int peer) { return peer == late.front(); });
    return (silent.empty() ? "no message taken by " : "no answer from ") +
           library::text_of_ranks(late, "process", "processes") + (is_one ? ": it" : ": each of them");
}

std::string MpiChannel::overdue() const {
    const std::uint64_t number = trail_.number();
    const std::string call = number == 0 ? "" // at the end of a cluster that has made none
                                         : " in operation " + std::to_string(number) + ", " +
                                               trail_.history().signature(number).describe();
    return "process " + std::to_string(rank_) + " has waited " + library::text_of(timeout_) + call + "; " +
           late() + " has ended, hangs, or is late";
}

void MpiChannel::give_up(std::chrono::milliseconds grace) noexcept {
    for (Started& each : started_) {
        if (each.request != MPI_REQUEST_NULL && each.role == Role::receive) {
            MPI_Cancel(&each.request);
        }
    }
    // A message on its way cannot be cancelled: let it arrive. Collectives can be neither cancelled nor
    // freed.
    const auto end = std::chrono::steady_clock::now() + grace;
    for (Started& each : started_) {
        int done = each.role == Role::collective || each.request == MPI_REQUEST_NULL ? 1 : 0;
        while (done == 0 && MPI_Test(&each.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
               std::chrono::steady_clock::now() < end) {
        }
        stuck_ = stuck_ || each.request != MPI_REQUEST_NULL;
    }
    started_.clear();
}

void meet(MpiChannel& channel) {
    const int size = channel.size();
    constexpr std::array<MpiChannel::Piece, 1> nothing{};
    for (int distance = 1; distance < size; distance *= 2) {
        channel.receive(nothing, (channel.rank() + size - distance) % size);
        channel.send(nothing, (channel.rank() + distance) % size);
        channel.wait();
    }
}

void agree(MpiChannel& channel, std::span<int> flags) {
    if (channel.size() == 1) {
        return;
    }
    constexpr const char* what = "MPI_Iallreduce";
    MPI_Request& request = channel.next_collective(what);
    channel.started(MPI_Iallreduce(MPI_IN_PLACE, flags.data(), static_cast<int>(flags.size()), MPI_INT,
                                   MPI_MIN, channel.communicator(), &request),
                    what);
    channel.wait();
}

} // namespace tutti::hybrid
