#include "call/plans.hpp"
#include "group/family.hpp"
#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "machine/machine.hpp"
#include "machine/process.hpp"
#include "wait/failure.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/member.hpp>

#include <sched.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::v0_1 {

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
        std::destroy_at(this);
        std::construct_at(this, std::move(other));
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
        group_->fail(rank_, library::unseen_exception());
    }
    seat_->end_requests();
    if (leaving_ == detail::Leaving::for_good) {
        group_->memory().leave_for_good(rank_);
    } else if (leaving_ == detail::Leaving::for_now) {
        group_->memory().leave_region(rank_);
    }
}

namespace {

using library::Progression;

/// Throws the error for ranks that are wrong in a group of `members`, in which the calling member has rank
/// `own`.
[[noreturn]] void refuse(const Progression& ranks, int members, int own) {
    const auto wrong = [](const char* argument, int value, const std::string& what) {
        throw ArgumentError(std::string("among: `") + argument + "` is " + std::to_string(value) + what);
    };
    const std::string last = std::to_string(members - 1);
    if (ranks.first < 0 || ranks.first >= members) {
        wrong("first", ranks.first, ", must be in 0.." + last);
    }
    if (ranks.stride < 1) {
        wrong("stride", ranks.stride, ", must be at least 1");
    }
    const int most = (members - 1 - ranks.first) / ranks.stride + 1;
    if (ranks.count < 1 || ranks.count > most) {
        wrong("count", ranks.count,
              ", must be in 1.." + std::to_string(most) + ": the ranks " + std::to_string(ranks.first) +
                  ", " + std::to_string(ranks.first) + " + " + std::to_string(ranks.stride) +
                  ", ... must be in 0.." + last);
    }
    wrong("count", ranks.count,
          ", `first` " + std::to_string(ranks.first) + " and `stride` " + std::to_string(ranks.stride) +
              ": the ranks do not include this rank, " + std::to_string(own) +
              ": only members of the new group call it");
    __builtin_unreachable();
}

using detail::Choice;
using State = std::shared_ptr<detail::GroupState>;

/// The group that a member has founded for its mates.
struct Founded {
    const detail::GroupState* group;
};

} // namespace

Member Member::among(int count, int first, int stride) {
    // One rank has no distance; and none is so large that a sum overflows.
    const Progression ranks{count, first, count == 1 && stride > 0 ? 1 : stride};
    const bool are_there = first >= 0 && first < size_ && stride >= 1 && count >= 1 &&
                           count - 1 <= (size_ - 1 - first) / ranks.stride;
    if (!are_there || !ranks.position_of(rank_)) {
        refuse(ranks, size_, rank_);
    }
    const detail::Seat::Derived& derived = seat_->derived(ranks);
    Member made(derived.group, *derived.seat, detail::Leaving::nothing);
    derived.seat->add_handle();
    return made;
}

template <class T>
void Member::allgather_for_split(const T& mine, std::vector<T>& out, SourceLine where) {
    detail::Call made =
        vectors<std::vector<T>&>(Collective::allgather, std::span(&mine, 1), out, Options{.where = where});
    made.splits = true;
    run(made);
}

std::optional<Member> Member::split(std::optional<int> color, int key, SourceLine where) {
    return detail::as_one_call([&] { return regroup(library::choice_of(color, key), where); });
}

Member Member::split(Level level, SourceLine where) {
    const auto part = library::part_of_machine(level).number;
    const machine::Machine machine = machine::here();
    const auto pu = std::ranges::find(machine.pus, cpu(), &machine::Pu::os_index);
    const int number = pu == machine.pus.end() ? -1 : (*pu).*part;
    // The members whose part is unknown have a color as well.
    return detail::as_one_call([&] { return regroup({.color = number + 1, .level = level}, where).value(); });
}

std::optional<Member> Member::subset(std::span<const int> ranks, SourceLine where) {
    return detail::as_one_call([&] { return regroup(library::choice_of(ranks, rank_, size()), where); });
}

std::optional<Member> Member::regroup(const Choice& choice, SourceLine where) {
    State own; // lasts until a failure of this member is known
    try {
        const auto members = static_cast<std::size_t>(size());
        std::vector<Choice> choices(members);
        std::vector<Founded> founded(members);
        allgather_for_split(choice, choices, where);
        library::judged_by_all([&] { library::check_agreement(choices); },
                               [&] { allgather_for_split(choice, choices, where); });
        const std::vector<int> mates = library::mates_of(choice.color, choices);
        const bool founds = !mates.empty() && mates.front() == rank_;
        own = founds ? group_->of_mates(mates) : nullptr;
        allgather_for_split(Founded{own.get()}, founded, where);
        std::optional<Member> mine;
        if (!mates.empty()) {
            const State state =
                founds ? own : group_->founded(founded[static_cast<std::size_t>(mates.front())].group);
            const auto rank = std::ranges::find(mates, rank_) - mates.begin();
            mine.emplace(state, state->seat(static_cast<int>(rank)), detail::Leaving::for_good);
        }
        // Once more, because `own` must last until all mates have it. A call like the one before, unlike a
        // barrier, allocates nothing. If a member that is already through fails now, the mates learn of it by
        // the end of `mine`.
        allgather_for_split(Founded{own.get()}, founded, where);
        return mine;
    } catch (...) {
        // The others count on this member to go through with it.
        const std::exception_ptr thrown = std::current_exception();
        library::describe(thrown, {.rank = rank_, .where = where});
        group_->fail(rank_, thrown);
        throw;
    }
}

Member Member::dup(SourceLine where) {
    return detail::as_one_call([&] { return regroup({.color = 0, .duplicates = true}, where).value(); });
}

std::span<const int> Neighbors::sources() const noexcept {
    return graph_ != nullptr ? graph_->sources() : std::span<const int>();
}

std::span<const int> Neighbors::destinations() const noexcept {
    return graph_ != nullptr ? graph_->destinations() : std::span<const int>();
}

Neighbors Member::neighbors(const std::vector<int>& sources, const std::vector<int>& destinations,
                            SourceLine where) {
    return detail::as_one_call(
        [&] { return detail::exchange_neighbors(*this, sources, destinations, where); });
}

Neighbors Member::grid(const std::vector<int>& dims, const std::vector<bool>& wraps) const {
    return detail::neighbors_in_grid(rank_, size_, dims, wraps);
}

} // namespace tutti::v0_1
