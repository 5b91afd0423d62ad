#include "execute/group_state.hpp"
#include "execute/seat.hpp"

#include <tutti/member.hpp>

#include <exception>
#include <utility>

namespace tutti {

Member::Member(std::shared_ptr<detail::GroupState> group, detail::Seat& seat)
    : group_(std::move(group)), seat_(&seat), rank_(seat.rank()), size_(group_->size()),
      exceptions_on_entry_(std::uncaught_exceptions()) {}

Member::Member(Member&& other) noexcept
    : group_(std::move(other.group_)), seat_(std::exchange(other.seat_, nullptr)), rank_(other.rank_),
      size_(other.size_), exceptions_on_entry_(other.exceptions_on_entry_) {}

Member::~Member() {
    if (seat_ == nullptr) {
        return;
    }
    if (std::uncaught_exceptions() > exceptions_on_entry_) {
        group_->fail(rank_, std::make_exception_ptr(Error("an exception ended its part")));
    }
    seat_->release();
}

} // namespace tutti
