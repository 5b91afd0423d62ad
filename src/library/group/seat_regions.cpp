// A seat between calls: the thread that takes it, its binding, its seats in derived groups, the end of its
// region, and the next region.

#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "mixed.hpp"

#include <algorithm>

namespace tutti::v0_1::detail {

Seat::Seat(GroupState& group, int rank, int members)
    : group_(group), rank_(rank),
      record_(group.recorder() == nullptr ? nullptr : &group.recorder()->of(rank)),
      explorations_(group.config().explores
                        ? std::make_unique<library::Explorations>(group.config(), group.trials(), rank)
                        : nullptr),
      plans_(group.schedules(), group.config(), rank, members) {}

Seat::~Seat() = default;

void Seat::end_requests() noexcept {
    if (outstanding_ != nullptr && !outstanding_->end()) {
        group_.keep_for_good(true); // another thread looks at its outstanding operations again
    }
}

std::optional<library::Sequence> Seat::difference(const Seat& other) const {
    if (cursor_.epoch != other.cursor_.epoch || cursor_.history != other.cursor_.history) {
        return library::Sequence::blocking;
    }
    return library::difference(outstanding_.get(), other.outstanding_.get());
}

void Seat::enter_region(std::int64_t number) noexcept {
    cursor_.history = mixed(cursor_.history, static_cast<std::uint64_t>(number));
    next_exchange_ = {}; // its tag has the history of before
}

bool Seat::is_new_here() {
    const std::uint64_t own = library::ThreadProgress::here().id();
    return std::exchange(thread_, own) != own;
}

bool Seat::has_been_rebound() noexcept {
    constexpr std::chrono::milliseconds interval{100};
    const std::chrono::nanoseconds now = library::coarse_clock_now();
    if (now - binding_looked_at_ < interval) {
        return false;
    }
    binding_looked_at_ = now;
    return binding_watch_.has_changed();
}

const Seat::Derived& Seat::derived(const library::Progression& ranks) {
    if (group_.failure().raised()) {
        group_.failure().throw_aborted();
    }
    const auto place = std::ranges::lower_bound(derived_, ranks, {}, &Derived::ranks);
    if (place != derived_.end() && place->ranks == ranks) {
        return *place;
    }
    /// Counts the owners of one member, in a cache line that no other member writes to.
    struct alignas(line_bytes) Owner {
        std::shared_ptr<GroupState> group;
    };
    const auto owner = std::make_shared<Owner>(Owner{group_.derived(ranks)});
    const int position = *ranks.position_of(rank_);
    owner->group->note_binding(position);
    return *derived_.insert(place, {ranks, std::shared_ptr<GroupState>(owner, owner->group.get()),
                                    &owner->group->seat(position)});
}

void Seat::resume(std::uint64_t epoch) {
    cursor_.resume(epoch);
    front_ = nullptr; // so that the next call is shown, whichever it is
    aborted_ = nullptr;
    recorded_ = {};
    outstanding_ = nullptr;
    derived_.clear();
    if (explorations_ != nullptr) {
        prepared_calls_.clear(); // they refer to explorations
        explorations_->clear();
    }
    group_.memory().status(rank_).log.clear();
    // Whoever made this the time for it orders it before the next call of any member.
    group_.memory().board(rank_).progress.put(0);
}

std::exception_ptr Seat::exception_of_abort(std::string_view text, int rank) {
    const std::string_view told = text.empty() ? "abort() was called without a text" : text;
    return std::make_exception_ptr(Error(std::string(told), {.rank = rank}));
}

void Seat::abort(std::string_view text) {
    aborted_ = exception_of_abort(text, rank_);
    fail(aborted_);
    front_ = nullptr; // so that no call is taken for a repeated one
}

void Seat::check_aborted() const {
    if (aborted_) {
        group_.failure().throw_aborted();
    }
}

void Seat::throw_if_aborted() const {
    if (aborted_) {
        std::rethrow_exception(aborted_);
    }
}

} // namespace tutti::v0_1::detail
