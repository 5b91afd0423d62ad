#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "machine/thread_state.hpp"

#include <tutti/member.hpp>

#include <sched.h>

#include <exception>
#include <utility>

namespace tutti {

Member::Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat, detail::Leaving leaving)
    : start(seat, seat.rank(), group->size()), prepare(seat, seat.rank(), group->size()),
      group_(std::move(group)), seat_(&seat), called_from_(&seat.called_from()), rank_(seat.rank()),
      size_(group_->size()), exceptions_on_entry_(std::uncaught_exceptions()), leaving_(leaving) {
    group_->memory().status(rank_).thread.store(machine::this_thread(),
                                                std::memory_order_relaxed); // for people
}

Member::Member(Member&& other) noexcept
    : start(other.start), prepare(other.prepare), group_(std::move(other.group_)),
      seat_(std::exchange(other.seat_, nullptr)), called_from_(other.called_from_), rank_(other.rank_),
      size_(other.size_), exceptions_on_entry_(other.exceptions_on_entry_), leaving_(other.leaving_) {}

Member& Member::operator=(Member&& other) noexcept {
    if (this != &other) {
        leave();
        start = other.start;
        prepare = other.prepare;
        group_ = std::move(other.group_);
        seat_ = std::exchange(other.seat_, nullptr);
        called_from_ = other.called_from_;
        rank_ = other.rank_;
        size_ = other.size_;
        exceptions_on_entry_ = other.exceptions_on_entry_;
        leaving_ = other.leaving_;
    }
    return *this;
}

int Member::cpu() const noexcept { // NOLINT(readability-convert-member-functions-to-static)
    return sched_getcpu();
}

void Member::abort(std::string_view text) {
    seat_->abort(text);
}

std::string Member::roll_call(RollCallFormat format) const {
    return group_->diagnosis().roll_call(format);
}

std::string Member::trace(TraceFormat format) const {
    return group_->trace(format);
}

Statistics Member::statistics() const {
    return group_->statistics();
}

Member::~Member() {
    leave();
}

void Member::leave() noexcept {
    if (seat_ == nullptr) {
        return;
    }
    const bool is_derived = leaving_ == detail::Leaving::nothing;
    if (is_derived && !seat_->drop_handle()) {
        return;
    }
    if (seat_->runs_operator()) { // the call that is under way goes on in the seat, and throws Aborted
        seat_->abort("an operator has destroyed the member whose call runs it");
        group_->keep_for_good();
        return;
    }
    // The member of a derived group lasts: it fails by an exception that nobody catches before it has ended.
    // But an operation that others need not start cannot be waited for.
    if (std::uncaught_exceptions() > exceptions_on_entry_ && (!is_derived || seat_->has_outstanding())) {
        group_->fail(rank_, engine::unseen_exception());
    }
    seat_->end_requests();
    if (leaving_ == detail::Leaving::for_good) {
        group_->memory().leave_for_good(rank_);
    } else if (leaving_ == detail::Leaving::for_now) {
        group_->memory().leave_region(rank_);
    }
}

} // namespace tutti
