#include "execute/in_flight.hpp"

#include "execute/disagreement.hpp"
#include "execute/group_state.hpp"
#include "execute/of_thread.hpp"
#include "execute/seat.hpp"
#include "execute/watch.hpp"
#include "mailbox/wait.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>

namespace tutti::execute {

using detail::Call;

namespace {

/// A member's operations may touch the vectors of others as long as it is marked to be inside, as in a call
/// that blocks: who fails waits for that, and not for a member that computes.
class Inside {
public:
    explicit Inside(mailbox::Board& own) : progress_(own.progress), before_(progress_.get()) {
        // Release: pairs with the look of a member that fails, which makes this visible itself. The compiler
        // must keep the order: either this member sees the failure, or the one that fails sees this member.
        progress_.publish(before_ | mailbox::inside_bit);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Inside() {
        progress_.publish(before_); // release: pairs with the same look
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Inside(Inside&&) = delete;
    Inside& operator=(Inside&&) = delete;

private:
    mailbox::StdWord& progress_;
    std::uint64_t before_;
};

} // namespace

InFlight::InFlight(detail::Seat& seat)
    : seat_(seat), group_(seat.group()), rank_(seat.rank()), lanes_(group_.lanes()) {
    for (std::size_t index = 0; index < turns_.size(); ++index) {
        turns_[index].next = index + 1;
    }
}

mailbox::Doorbell& InFlight::bell() const {
    return lanes_.bell();
}

const mailbox::Patience& InFlight::patience() const {
    return group_.patience();
}

InFlight::~InFlight() {
    orphan_held();
}

Operation& InFlight::start(const Call& call) {
    require_usable("start");
    Operation& operation = find_or_prepare(call);
    operation.sequence_ = Sequence::started;
    operation.number_ = ++started_;
    show(operation);
    history_ = run::mixed(history_ + seat_.epoch(), operation.call_.prepared().marks.digest);
    operation.history_ = history_;
    Turn& turn = turn_of(operation);
    if (turn.lane == nullptr) {
        turn.lane = &lanes_.started((operation.number_ - 1) % Lanes::in_turn);
    }
    operation.lane_ = turn.lane;
    operation.line_ = &turn.line;
    operation.bind(call.input, call.output);
    open(operation);
    return operation;
}

Operation& InFlight::prepare(const Call& call) {
    require_usable("prepare");
    Operation& operation = find_or_prepare(call);
    operation.sequence_ = Sequence::prepared;
    operation.number_ = ++prepared_;
    show(operation);
    operation.lane_ = &lanes_.prepared(operation.number_);
    operation.own_line_ = {};
    operation.line_ = &operation.own_line_;
    operation.bind(call.input, call.output);
    return operation;
}

void InFlight::restart(Operation& operation) {
    require_usable("start");
    if (!operation.is_over()) {
        throw Error("start: the operation is still under way: wait for it before it is started again");
    }
    open(operation);
}

void InFlight::restart(Operation& operation, const Call& call) {
    operation.call_.require_like(call);
    if (operation.is_over()) {
        operation.bind(call.input, call.output);
    }
    restart(operation);
}

/// Throws where the calling thread must not use this member's operations now.
void InFlight::require_usable(const char* what) const {
    if (seat_.runs_operator()) {
        throw Error(std::string(what) + ": called by an operator: operators must not make calls of the group "
                                        "that they reduce for");
    }
    if (!open_.empty() && thread_ != &OfThread::here()) {
        throw Error(std::string(what) + ": called by another thread than the one that has operations of this "
                                        "member in flight: only that may use the member meanwhile");
    }
    if (group_.failure().raised()) {
        group_.failure().throw_aborted();
    }
}

void InFlight::show(Operation& operation) {
    const std::uint64_t digest = operation.call_.prepared().marks.digest;
    std::uint64_t& shown = shown_digests_[operation.sequence_ == Sequence::prepared ? 1 : 0];
    Starts& starts = lanes_.starts(operation.sequence_, rank_);
    if (operation.number_ == 1 || digest != shown) {
        shown = digest;
        starts.log.add({operation.number_, operation.number_, 1}, operation.call_.claim());
    }
    starts.count.publish(operation.number_); // release: pairs with who looks up what this member has called
}

/// Puts an operation into flight, and goes as far with it as that goes without waiting.
void InFlight::open(Operation& operation) {
    operation.state_ = Operation::State::queued;
    operation.is_excused_ = false;
    if (may_begin(operation)) {
        begin(operation);
        // What can be left until later is left until the word is on its way.
        if (operation.is_quiet_ && look(operation, 1)) {
            return;
        }
    }
    if (open_.empty()) {
        thread_ = &OfThread::here();
        thread_->add(*this);
    }
    open_.push_back(&operation);
    if (operation.state_ == Operation::State::running && !operation.is_quiet_) {
        go_on([&] { advance(operation, 1); });
    }
    if (operation.state_ == Operation::State::failed) {
        const std::exception_ptr failure = operation.failure_;
        if (operation.sequence_ == Sequence::started) {
            recycle(operation); // nobody will refer to it
        }
        std::rethrow_exception(failure);
    }
}

bool InFlight::may_begin(const Operation& operation) {
    if (operation.sequence_ == Sequence::prepared) {
        return true;
    }
    const Turn& turn = turn_of(operation);
    return !turn.is_taken && turn.next == operation.number_;
}

void InFlight::begin(Operation& operation) {
    const run::Prepared& prepared = operation.call_.prepared();
    if (operation.sequence_ == Sequence::started) {
        turn_of(operation).is_taken = true;
        operation.line_->history = operation.history_;
    }
    const void* input = operation.input_;
    if (operation.call_.copied_bytes() != 0 && input != nullptr) {
        input = std::memcpy(operation.input_copy_.data(), input, operation.call_.copied_bytes());
    }
    operation.bindings_.bind(prepared, input, operation.output_, operation.operator_.data());
    operation.runner_.emplace(operation.lane_->mailbox(), *operation.line_, prepared, operation.bindings_);
    operation.state_ = Operation::State::running;
}

/// Looks for what a quiet operation waits for. Returns whether it is complete. What is wrong shows when it is
/// advanced.
bool InFlight::look(Operation& operation, int looks) {
    if (operation.runner_->advance(looks) != run::State::done) {
        return false;
    }
    complete(operation);
    return true;
}

/// Returns whether it is complete. Throws what ends it.
bool InFlight::advance(Operation& operation, int looks) {
    Operation::Runner& runner = *operation.runner_;
    if (std::exchange(operation.is_excused_, false)) {
        runner.stop_waiting();
    }
    const detail::Seat::OperatorRuns running(seat_, operation.operator_.data() != nullptr);
    switch (runner.advance(looks)) {
    case run::State::waits:
        return false;
    case run::State::done:
        remove(operation);
        complete(operation);
        return true;
    case run::State::failed:
        group_.failure().throw_aborted();
    case run::State::differs:
        break;
    }
    throw MismatchError(text_of(runner.fault(), group_, operation.sequence_, rank_, runner.peer(),
                                operation.call_.claim(), operation.call_.prepared(), operation.bindings_));
}

void InFlight::remove(Operation& operation) {
    open_.erase(std::ranges::find(open_, &operation));
    if (open_.empty()) {
        thread_->remove(*this);
    }
}

void InFlight::complete(Operation& operation) {
    operation.state_ = Operation::State::complete;
    if (operation.sequence_ == Sequence::started) {
        Turn& turn = turn_of(operation);
        turn.is_taken = false;
        turn.next += Lanes::in_turn;
    }
    if (operation.continuation_ != nullptr) {
        thread_->add_continuation(operation);
    }
    if (!operation.is_held_) {
        recycle(operation);
    }
}

template <class Go>
void InFlight::go_on(Go go) {
    try {
        const Inside inside(group_.board(rank_));
        if (group_.failure().raised()) {
            group_.failure().throw_aborted();
        }
        go();
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        fail(thrown != nullptr ? thrown : thread_end());
        if (thrown == nullptr) { // nobody may stop the end of a thread
            throw;
        }
    }
}

void InFlight::progress() {
    go_on([this] {
        for (std::size_t place = 0; place < open_.size();) {
            Operation& operation = *open_[place];
            if (operation.state_ == Operation::State::queued && may_begin(operation)) {
                begin(operation);
            } else if (operation.state_ == Operation::State::queued ||
                       !(operation.is_excused_ || operation.runner_->is_ready())) {
                ++place;
                continue;
            }
            if (!advance(operation, 1)) {
                ++place;
            }
        }
    });
}

void InFlight::fail(const std::exception_ptr& cause) noexcept {
    group_.fail(rank_, cause);
    group_.leave_failed_call(rank_);
    failure_ = cause;
    if (!open_.empty()) {
        thread_->remove(*this);
    }
    for (Operation* operation : open_) {
        operation->state_ = Operation::State::failed;
        operation->failure_ = cause;
        if (operation->continuation_ != nullptr) {
            if (operation->calls_ == Operation::Calls::in_any_case) {
                thread_->add_continuation(*operation);
            } else {
                operation->continuation_ = nullptr;
            }
        }
        if (!operation->is_held_) {
            recycle(*operation);
        }
    }
    open_.clear();
}

void InFlight::look_after(bool takes_long) {
    try {
        for (Operation* operation : open_) {
            if (operation->state_ == Operation::State::running &&
                watch(group_, operation->sequence_, rank_, *operation->runner_, takes_long)) {
                operation->is_excused_ = true;
            }
        }
    } catch (...) {
        fail(std::current_exception());
    }
}

void InFlight::test() {
    require_usable("test");
    OfThread::here().progress();
    OfThread::here().call_continuations();
}

void InFlight::wait(Operation& operation) {
    require_usable("wait");
    const int looks = mailbox::eager_looks(group_.patience());
    if (operation.is_quiet_ && operation.state_ == Operation::State::running && look(operation, looks)) {
        remove(operation);
    } else if (operation.state_ == Operation::State::running) {
        go_on([&] { advance(operation, looks); });
    }
    if (!operation.is_over() || thread_->has_continuations()) {
        thread_->wait_until([&] { return operation.is_over(); });
    }
}

/// An operation for the call that nobody refers to, prepared for it already if there is one.
Operation& InFlight::find_or_prepare(const Call& call) {
    const std::uint64_t key = detail::key_of(call);
    const auto serves = [&](const Free& free) {
        const PreparedCall& prepared = free.operation->call_;
        return key != 0 ? free.key == key && prepared.are_placed_alike(call.input, call.output)
                        : prepared.serves(call);
    };
    const auto found = std::find_if(free_.rbegin(), free_.rend(), serves);
    Operation* operation = nullptr;
    try {
        if (found != free_.rend()) {
            operation = found->operation;
            free_.erase(std::next(found).base());
        } else {
            operation = &unused();
            prepare(*operation, call);
        }
        operation->operator_.keep(call);
    } catch (const ArgumentError&) {
        recycle(*operation);
        throw; // the member may call again
    } catch (...) {
        if (operation != nullptr) {
            recycle(*operation);
        }
        fail(std::current_exception());
        throw;
    }
    operation->is_held_ = true;
    operation->is_quiet_ =
        operation->call_.prepared().exchanges_words && operation->operator_.data() == nullptr;
    return *operation;
}

/// One that nobody refers to: the one that has been so for the longest, once there are enough.
Operation& InFlight::unused() {
    constexpr std::size_t most_kept = 64;
    if (free_.empty() || all_.size() < most_kept) {
        all_.push_back(std::make_unique<Operation>(*this));
        free_.reserve(all_.size()); // so that none is lost for want of memory
        open_.reserve(all_.size());
        return *all_.back();
    }
    Operation& oldest = *free_.front().operation;
    free_.erase(free_.begin());
    return oldest;
}

void InFlight::prepare(Operation& operation, const Call& call) {
    operation.call_.prepare(call, seat_.plans());
    operation.bindings_.reserve(operation.call_.prepared());
    if (operation.call_.copied_bytes() != 0) {
        operation.input_copy_.at_least(operation.call_.copied_bytes(), operation.call_.element_align());
    }
    operation.call_.complete();
}

/// Nobody refers to it any more.
void InFlight::recycle(Operation& operation) noexcept {
    operation.is_held_ = false;
    if (operation.continuation_ != nullptr) {
        operation.continuation_ = nullptr;
    }
    operation.failure_ = nullptr;
    free_.push_back({operation.call_.key(), &operation});
}

void InFlight::release(Operation& operation) noexcept {
    if (operation.calls_ == Operation::Calls::in_any_case) {
        drop_continuation(operation); // of a coroutine that is being destroyed
    }
    try {
        if (!operation.is_over()) {
            wait(operation);
        } else if (operation.is_ready_) {
            OfThread::here().remove_continuation(operation);
            operation.call_continuation();
        }
    } catch (...) { // recorded: whoever calls next is told
    }
    if (!operation.is_over()) { // another thread has it in flight
        operation.is_held_ = false;
        return;
    }
    drop_continuation(operation);
    if (operation.sequence_ == Sequence::prepared) {
        lanes_.drop_prepared(operation.number_);
        operation.sequence_ = Sequence::started;
    }
    recycle(operation);
}

void InFlight::drop_continuation(Operation& operation) noexcept {
    operation.continuation_ = nullptr;
    if (operation.is_ready_) {
        OfThread::here().remove_continuation(operation);
    }
}

bool InFlight::end() noexcept {
    if (!open_.empty() && thread_ != &OfThread::here()) {
        group_.fail(rank_, std::make_exception_ptr(Error(
                               "a member was destroyed by another thread than the one that has operations of "
                               "it in flight")));
        return false;
    }
    try {
        if (!open_.empty()) {
            thread_->wait_until([this] { return open_.empty(); });
        }
    } catch (...) { // recorded: whoever calls next is told
    }
    orphan_held();
    return true;
}

/// Nobody who refers to an operation can do more with it than to see that it is over.
void InFlight::orphan_held() noexcept {
    std::erase_if(all_, [this](std::unique_ptr<Operation>& operation) {
        if (!operation->is_held_) {
            return false;
        }
        drop_continuation(*operation);
        if (operation->sequence_ == Sequence::prepared) {
            lanes_.drop_prepared(operation->number_);
        }
        operation->home_ = nullptr;
        static_cast<void>(operation.release());
        return true;
    });
}

std::optional<Sequence> InFlight::difference(const InFlight* one, const InFlight* other) {
    const auto of = [](const InFlight* each) {
        return each == nullptr ? std::tuple(std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0})
                               : std::tuple(each->started_, each->history_, each->prepared_);
    };
    const auto [started, history, prepared] = of(one);
    const auto [other_started, other_history, other_prepared] = of(other);
    if (started != other_started || history != other_history) {
        return Sequence::started;
    }
    return prepared != other_prepared ? std::optional(Sequence::prepared) : std::nullopt;
}

} // namespace tutti::execute

namespace tutti::detail {

Pending& start(Seat& seat, const Call& call) {
    return seat.in_flight().start(call);
}

Restartable& prepare(Seat& seat, const Call& call) {
    return seat.in_flight().prepare(call);
}

} // namespace tutti::detail
