#pragma once

#include "../std.hpp"
#include "plan/plan.hpp"
#include "schedule/schedule.hpp"

namespace tutti::test {

/// The guarantees of a collective: which part of the logical vector a member's input and output have, and of
/// whose inputs each element after the call is made. Every check of values of any kind takes the expected
/// ones from here.
class Promise {
public:
    Promise(Collective collective, int ranks, int root, const plan::Partition& partition, bool in_place)
        : collective_(collective), ranks_(ranks), root_(root), partition_(partition), in_place_(in_place) {}

    /// For an all-to-all in which member i sends sent[i * ranks + j] elements to member j.
    Promise(int ranks, const std::size_t* sent)
        : collective_(Collective::alltoall), ranks_(ranks), root_(0), in_place_(false), sent_(sent) {}

    /// Elements of the whole vector.
    struct Extent {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    /// The part of it that the member's vector has. In place both are one vector, the input.
    Extent extent(int rank, schedule::Space space) const;

    /// Whether the member's input says anything in this element before the call.
    bool contributes(int rank, std::size_t element) const;

    /// Whether the call leaves a result in this element of the vector.
    bool is_result(int rank, schedule::Space space, std::size_t element) const;

    /// An element of a member's input.
    struct Input {
        int member;
        std::size_t element;
    };
    /// The inputs of a result, in rank order.
    std::vector<Input> inputs_of(int rank, std::size_t element) const;

    /// Whether every member's result depends on every member's input, so that nobody returns before everybody
    /// has entered.
    bool everybody_enters_first() const;

    /// Whether members have results of their own although they combine the same elements.
    bool is_prefix() const;

private:
    const detail::CollectiveTraits& traits() const { return detail::traits_of(collective_); }
    /// Whether a vector of which the member has this part has the element.
    bool has(detail::Part part, int rank, std::size_t element) const;
    bool is_root(int rank) const { return rank == root_; }
    std::size_t offset(int block) const { return partition_.offset(static_cast<std::size_t>(block)); }
    Extent own(int rank) const { return {offset(rank), offset(rank + 1) - offset(rank)}; }
    bool is_own(int rank, std::size_t element) const {
        return element >= offset(rank) && element < offset(rank + 1);
    }
    int owner_of(std::size_t element) const;
    /// The starts of irregular blocks: in the input of a member, in its output.
    std::size_t sent_before(int rank, int to) const;
    std::size_t received_before(int rank, int from) const;

    Collective collective_;
    int ranks_;
    int root_;
    plan::Partition partition_;
    bool in_place_;
    const std::size_t* sent_ = nullptr;
};

} // namespace tutti::test
