#include "group/family.hpp"
#include "group/seat.hpp"

#include <tutti/error.hpp>
#include <tutti/member.hpp>

#include <string>

namespace tutti::inline TUTTI_NAMESPACE {

namespace {

using engine::Progression;

/// Throws the error for ranks that are wrong in a group of `members`, in which the caller has rank `own`.
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
              ": the ranks do not include the caller's, " + std::to_string(own) +
              ": only members of the new group call it");
    __builtin_unreachable();
}

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

} // namespace tutti::inline TUTTI_NAMESPACE
