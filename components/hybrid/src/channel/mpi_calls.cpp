#include "hybrid/src/channel/mpi_calls.hpp"

#include "diagnose/disagreement.hpp"
#include "wait/failure.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <new>
#include <span>

namespace tutti::hybrid {

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
    MPI_Initialized(&initialised);
    if (initialised == 0) {
        throw ArgumentError("MPI is not initialised: call MPI_Init_thread first");
    }
    require_unfinalised_mpi();
}

void require_unfinalised_mpi() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised != 0) {
        throw ArgumentError("MPI has been finalised: clusters and their calls must come to an end before");
    }
}

bool is_main_thread() noexcept {
    int is_main = 0;
    return MPI_Is_thread_main(&is_main) == MPI_SUCCESS && is_main != 0;
}

/// Allocates nothing if all is well: a process that fails here alone leaves the others waiting.
void require_communicator(const char* who, MPI_Comm communicator) {
    require_mpi();
    const auto refuse = [who](const char* what) {
        throw ArgumentError(std::string(who) + ": `communicator` is " + what);
    };
    if (communicator == MPI_COMM_NULL) {
        refuse("MPI_COMM_NULL; pass one of which this process is a member");
    }
    int is_inter = 0;
    check(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
    if (is_inter != 0) {
        refuse("an inter-communicator; merge it first (MPI_Intercomm_merge)");
    }
}

void keep(std::shared_ptr<Keepable> memory) noexcept {
    static std::mutex mutex;
    // Without an end: destructors may make calls of MPI, which has been finalised by the end of the process.
    alignas(std::shared_ptr<Keepable>) static std::array<std::byte, sizeof(std::shared_ptr<Keepable>)> room;
    static std::shared_ptr<Keepable>& last_kept = *new (room.data()) std::shared_ptr<Keepable>;
    const std::lock_guard lock(mutex);
    if (!memory->is_kept) {
        memory->is_kept = true;
        memory->next_kept = std::move(last_kept);
        last_kept = std::move(memory);
    }
}

void share_failure(MPI_Comm communicator, const std::exception_ptr& thrown) {
    int rank = 0;
    int size = 0;
    check(MPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
    const int own = thrown != nullptr ? rank : size;
    int failed = size;
    check(MPI_Allreduce(&own, &failed, 1, MPI_INT, MPI_MIN, communicator), "MPI_Allreduce");
    if (thrown != nullptr) {
        std::rethrow_exception(thrown);
    }
    if (failed != size) {
        throw Aborted("released because process " + std::to_string(failed) +
                      " failed before it could take part");
    }
}

void MainThread::run_there(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    if (server_ == std::this_thread::get_id()) {
        lock.unlock();
        return work();
    }
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
    if (const std::exception_ptr thrown = std::exchange(thrown_, nullptr)) {
        std::rethrow_exception(thrown);
    }
}

void MainThread::serve() {
    std::unique_lock lock(mutex_);
    server_ = std::this_thread::get_id();
    for (;;) {
        changed_.wait(lock, [this] { return work_ != nullptr || finished_; });
        if (work_ == nullptr) {
            finished_ = false;
            server_ = {};
            return;
        }
        lock.unlock();
        try {
            (*work_)();
        } catch (...) {
            thrown_ = std::current_exception();
        }
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

bool MainThread::serves() {
    const std::scoped_lock lock(mutex_);
    return server_ != std::thread::id();
}

void MainThread::finish() {
    const std::scoped_lock lock(mutex_);
    finished_ = true;
    changed_.notify_all();
}

using library::CallHistory;
using library::CallRecord;

namespace {

/// The first character of a text: whether the failure is a TimeoutError.
constexpr char timeout_mark = 'T';
constexpr char other_mark = ' ';

/// The types that a call signature names, as text that fits; other types are another text.
std::string short_text(const library::CallSignature::Types& types) {
    std::string text = types.text();
    if (text.size() >= MismatchProbe::Summary::most_text) {
        const std::string digest = std::to_string(std::hash<std::string>{}(text) % 1'000'000'000);
        text.resize(MismatchProbe::Summary::most_text - 16);
        text += "... #" + digest;
    }
    return text;
}

/// Throws MismatchError when process `peer`, with that summary, has been in other calls than this one,
/// `process`, as far as both histories reach. It names the first two that differ.
void compare(const CallTrail& own, int process, const MismatchProbe::Summary& theirs, int peer) {
    constexpr const char* noun = "process";
    const std::string start = "the processes are in different calls: ";
    const MismatchProbe::Summary ours(own); // types are named by the same texts
    const CallHistory own_calls = ours.history();
    const CallHistory their_calls = theirs.history();
    if (const auto text = difference(library::Sequence::blocking, {process, &own_calls, noun},
                                     {peer, &their_calls, noun})) {
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
    sent_->text.front() = library::holds<TimeoutError>(cause) ? timeout_mark : other_mark;
    library::copy_text(cause, std::span(sent_->text).subspan(1));
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

std::optional<std::uint64_t> CallTrail::digest_at(std::uint64_t number) const {
    const bool is_known =
        number != 0 && number <= this->number() && number + digests_.size() > this->number();
    return is_known ? std::optional(digests_[number % digests_.size()]) : std::nullopt;
}

MismatchProbe::Summary::Summary(const CallTrail& trail) : number(trail.number()), digest(trail.digest()) {
    const CallHistory history = trail.history();
    const auto last = history.records().last(std::min(history.records().size(), most_calls));
    for (const CallRecord& record : last) {
        if (const library::CallSignature::Types* const named = record.signature().types) {
            short_text(*named).copy(types[size].data(), most_text - 1);
        }
        calls[size++] = record.with_types(nullptr);
    }
}

CallHistory MismatchProbe::Summary::history() const {
    CallHistory history;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, most_calls); ++i) {
        const bool has_types = types[i].front() != '\0';
        history.add(has_types ? calls[i].with_types(library::CallSignature::Types::of_text(types[i].data()))
                              : calls[i]);
    }
    history.reach(number);
    return history;
}

MismatchProbe::MismatchProbe(int processes) : taken_counts_(static_cast<std::size_t>(processes)) {
    kept_->asked_counts = kept_->due_counts = taken_counts_;
}

void MismatchProbe::ask(int peer, const CallTrail& own, std::uint64_t begun_on_other, bool is_stuck) try {
    kept_->asked.resize(taken_counts_.size());
    const auto index = static_cast<std::size_t>(peer);
    Asked& asked = kept_->asked[index];
    int done = 1;
    if (asked.request != MPI_REQUEST_NULL) {
        check(MPI_Test(&asked.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    }
    const Summary& last = asked.summary;
    if (done == 0 ||
        (last.number == own.number() && last.begun_on_other == begun_on_other && last.is_stuck == is_stuck)) {
        return;
    }
    asked.summary = Summary(own);
    asked.summary.begun_on_other = begun_on_other;
    asked.summary.is_stuck = is_stuck;
    // Synchronous: it is done when the peer has taken it, so that no two are ever on their way.
    check(MPI_Issend(&asked.summary, static_cast<int>(sizeof(asked.summary)), MPI_BYTE, peer, tag_,
                     communicator_, &asked.request),
          "MPI_Issend");
    ++kept_->asked_counts[index];
} catch (const std::bad_alloc&) { // a later look asks again
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
        try {
            ahead_.emplace_back(status.MPI_SOURCE, summary);
        } catch (const std::bad_alloc&) { // its timeout remains
        }
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
