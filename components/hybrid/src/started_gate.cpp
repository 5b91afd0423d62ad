#include "hybrid/src/cluster_seat.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

namespace tutti::v0_1::detail {

using detail::Call;
using detail::Seat;

void StartedGate::prepare(const Call& call) {
    call_.prepare(call);
    if (call_.algorithm() == hybrid::chain_algorithm) {
        throw ArgumentError(std::string(to_string(call.collective)) +
                            ": a nonblocking or persistent call of a cluster cannot combine in order "
                            "serial, because each process would wait for the one before it; use order "
                            "canonical, or a call that blocks");
    }
}

void StartedGate::use(const Call& call) {
    is_in_use_ = true;
    operator_.keep(call);
    timeout_ = call.timeout;
    where_ = call.where;
    bind(call.input, call.output);
}

void StartedGate::require_like(const Call& other) const {
    call_.known().require_like(other);
}

void StartedGate::bind(const void* input, void* output) {
    input_ = input;
    output_ = output;
}

void StartedGate::start() noexcept {
    number_ = home_.next_number();
    stage_ = Stage::hidden;
    leads_ = home_.seat().leads_now();
    call_.begin_started(number_, input_, output_, operator_.data(), timeout_);
    waited_ = library::WaitTimer(call_.timeout());
    if (leads_) {
        call_.cluster().started().add(number_);
    }
}

bool StartedGate::is_open() try {
    if (own_seat().runs_operator()) {
        return false; // an operator waits for something else
    }
    if (stage_ == Stage::hidden) {
        if (call_.shown_by(call_.rank()).call_signature != nullptr) {
            return false; // the operation that has the place is not over
        }
        show();
    }
    return leads_ ? lead() : (require_leader(), true);
} catch (Error& error) {
    library::describe(error, context());
    throw;
}

ErrorContext StartedGate::context() const {
    return {
        .rank = call_.global_rank(), .operation = number_, .collective = call_.collective(), .where = where_};
}

void StartedGate::show() {
    const Seat::OperatorRuns running(own_seat(), operator_.data() != nullptr);
    call_.copy_input();
    call_.shown_by(call_.rank()).leads = leads_;
    call_.show();
    stage_ = Stage::shown;
}

bool StartedGate::all_have_come() {
    for (int member = 0; member < call_.members(); ++member) {
        if (call_.shown_by(member).number.observe() != number_) { // acquire: pairs with show()
            return false;
        }
    }
    return true;
}

/// The last member to come finds out if nobody may make MPI calls.
void StartedGate::require_leader() const {
    bool has_leader = home_.seat().knows_leader();
    for (int member = 0; !has_leader && member < call_.members(); ++member) {
        const ShownVectors& shown = call_.shown_by(member);
        has_leader = shown.number.observe() != number_ || shown.leads;
    }
    if (!has_leader) {
        ClusterSeat::throw_no_leader();
    }
}

/// Returns whether the results are there.
bool StartedGate::lead() {
    StartedQueue& queue = call_.cluster().started();
    if (stage_ == Stage::shown) {
        if (!queue.has_turn(number_)) {
            return false;
        }
        if (!all_have_come()) {
            look_for_late();
            return false;
        }
        begin_exchange();
    }
    const Seat::OperatorRuns running(own_seat(), operator_.data() != nullptr);
    bool is_exchanged = false;
    call_.transport().channel().set_stuck(is_awaited());
    call_.speak(
        [&] { is_exchanged = call_.sends_blocks() ? blocks_.advance() : call_.transport().advance(); });
    if (!is_exchanged) {
        return false;
    }
    call_.sends_blocks() ? blocks_.store() : work_.store();
    queue.finish();
    stage_ = Stage::stored;
    return true;
}

/// Whether the thread makes no other call of the cluster before this operation is complete: it waits for this
/// one or a later one, and has nothing else outstanding whose continuation might make calls.
bool StartedGate::is_awaited() const {
    const library::ThreadProgress& thread = library::ThreadProgress::here();
    const auto* const awaited =
        thread.awaited() != nullptr ? dynamic_cast<const StartedGate*>(thread.awaited()->gate()) : nullptr;
    return awaited != nullptr && &awaited->home_ == &home_ && awaited->number_ >= number_ &&
           thread.has_only(library::ProgressEngine::of(own_seat()));
}

/// Members of the process that have not started the operation are found missing here, because nothing that
/// the leader has published makes them late for the group.
void StartedGate::look_for_late() {
    constexpr std::chrono::milliseconds between{1};
    const std::chrono::nanoseconds now = library::coarse_clock_now();
    if (now - looked_ < between) {
        return;
    }
    looked_ = now;
    waited_.look();
    detail::GroupState& group = call_.cluster().group();
    for (int member = 0; member < call_.members(); ++member) {
        const auto has_come = [&] { return call_.shown_by(member).number.observe() == number_; };
        const bool is_gone = group.memory().has_left_for_good(member);
        if (has_come() || !(is_gone || waited_.is_over())) {
            continue;
        }
        if (call_.cluster().failure().raised()) { // which is why it is away
            call_.cluster().failure().throw_aborted();
        }
        const library::Stall stall{library::Sequence::nonblocking, number_, call_.rank(), member};
        if (is_gone) {
            group.diagnosis().throw_absent(stall);
        }
        group.diagnosis().time_out(stall, waited_.timeout(), has_come);
    }
}

void StartedGate::begin_exchange() {
    call_.compare_calls();
    const Seat::OperatorRuns running(own_seat(), operator_.data() != nullptr);
    StartedQueue& queue = call_.cluster().started();
    if (call_.sends_blocks()) {
        blocks_.lay_out();
        queue.staging().make_room(blocks_.outgoing_bytes(), blocks_.landing_bytes(), call_.element_align());
        blocks_.put();
    } else {
        work_.begin();
        queue.staging().make_room(work_.input_room(), work_.output_room(), call_.element_align());
    }
    const hybrid::ProcessCall whole = call_.sends_blocks() ? hybrid::ProcessCall{} : work_.put(0);
    call_.speak([&] {
        call_.begin_on_channel();
        call_.sends_blocks() ? blocks_.begin() : call_.transport().begin(whole);
    });
    stage_ = Stage::exchanging;
}

void StartedGate::complete() noexcept {
    call_.shown_by(call_.rank()).call_signature = nullptr; // the place is free
}

void StartedGate::fail(const std::exception_ptr& cause, bool is_first) noexcept {
    if (leads_ && stage_ == Stage::exchanging) {
        try {
            call_.speak([this] { call_.transport().channel().give_up(); });
        } catch (const std::exception&) { // MPI has been finalised
        }
    }
    if (is_first) {
        home_.seat().fail(cause != nullptr ? cause : library::unseen_exception());
    }
}

void StartedGate::drop() noexcept {
    if (std::exchange(is_in_use_, false)) {
        operator_.drop();
        home_.put_back(*this);
    }
}

Seat& StartedGate::own_seat() const {
    return call_.cluster().group().seat(call_.rank());
}

StartedGate& StartedCalls::gate_for(const Call& call) {
    if (StartedGate* const known = free_.take(call)) {
        return *known;
    }
    constexpr std::size_t most_kept = 64;
    StartedGate* gate = all_.size() >= most_kept ? free_.take_oldest() : nullptr;
    if (gate == nullptr) {
        free_.reserve(all_.size() + 1); // so that none is lost for want of memory
        gate = all_.emplace_back(std::make_unique<StartedGate>(*this, member_)).get();
    }
    try {
        gate->prepare(call);
    } catch (...) {
        free_.put(gate);
        throw;
    }
    return *gate;
}

/// Begins a barrier of the process with a gate for the call.
library::OutstandingCall& StartedCalls::begin(const Call& call, library::Sequence sequence) {
    const ErrorContext context{
        .rank = member_.global_rank(), .collective = call.collective, .where = call.where};
    try {
        seat_.require_idle(call);
        library::check_given(call);
        StartedGate& gate = gate_for(call);
        gate.use(call);
        const Call barrier{.collective = Collective::barrier,
                           .type = Type::u8,
                           .timeout = local_timeout(call.timeout.value_or(member_.cluster().timeout())),
                           .where = call.where};
        try {
            auto& own = library::ProgressEngine::of(member_.cluster().group().seat(member_.rank()));
            if (sequence == library::Sequence::nonblocking) {
                return own.start(barrier, &gate);
            }
            library::OutstandingCall& prepared = own.prepare(barrier, &gate);
            gate.show_prepared(++prepared_);
            return prepared;
        } catch (...) {
            gate.drop();
            throw;
        }
    } catch (Error& error) {
        library::describe(error, context);
        throw;
    }
}

} // namespace tutti::v0_1::detail
