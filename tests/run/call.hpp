#pragma once

#include "../reference/reference.hpp"
#include "algorithm/registry.hpp"
#include "run/prepared.hpp"
#include "schedule/synchronise.hpp"
#include "support.hpp"

namespace tutti::test {

/// One call that all members make: by a row of the registry, in one of its forms, with blocks of some length.
class Call {
public:
    using Plans = std::vector<std::shared_ptr<const run::OwnPlan>>;

    /// How the row's vectors are divided: into blocks of `block` elements, of which the last may lack some,
    /// or, where `irregular`, into blocks of 0, 1, 2, ... elements.
    struct Size {
        std::size_t total;
        std::size_t block;
        bool irregular = false;
        bool has_private_counts = false;
    };

    /// `plans` has one for each member.
    Call(const algorithm::Algorithm& row, int root, const Plans& plans, bool in_place, const Size& size);

    /// The same call, but that the plan of one member lacks a step.
    Call without(int rank, std::size_t step) const;
    /// The same call with the fingerprint of another, as may happen.
    Call colliding_with(const Call& other) const;

    int ranks() const { return static_cast<int>(plans_.size()); }
    const std::string& name() const { return name_; }
    bool in_place() const { return shape_.in_place; }
    bool synchronises() const { return prepared_.front().synchronises; }
    bool is_carried() const;
    bool is_staged() const { return prepared_.front().staged; }
    /// Whether no block is empty.
    bool fills_all_blocks() const;
    /// The call for the reference.
    const Shape& shape() const { return shape_; }
    const OrderOperator& order_operator() const { return operator_; }
    /// The association of reductions that are combined as the call requires, which varies.
    detail::Association association() const {
        const bool from_the_left = row_->order == algorithm::Order::serial ||
                                   (row_->order == algorithm::Order::asked && size_.total % 2 != 0);
        return from_the_left ? detail::Association::left : detail::Association::tree;
    }

    const run::Prepared& prepared(int rank) const { return prepared_[static_cast<std::size_t>(rank)]; }

private:
    /// The call as it was made, with all that it points into.
    Call again() const;
    void set_shape();
    void set_shifts(run::Prepared& prepared, int rank) const;
    void set_counts(run::Prepared& prepared, int rank) const;
    run::Prepared prepare(int rank, const std::shared_ptr<const run::OwnPlan>& plan) const;

    const algorithm::Algorithm* row_;
    Size size_;
    Plans plans_;
    std::string name_;
    /// The starts of irregular blocks.
    std::vector<std::size_t> offsets_;
    /// The number of elements from each member to each, if only the two know it.
    std::vector<std::size_t> sent_;
    plan::Partition partition_;
    Shape shape_;
    OrderOperator operator_;
    std::vector<run::Prepared> prepared_;
};

/// The memory in front of a member's scratch and behind it, to which nobody may write.
inline constexpr std::size_t scratch_guard_bytes = 64;

using Calls = std::vector<std::unique_ptr<const Call>>;

/// All calls by which members carry out a schedule that the row has made: in every form, and with vectors
/// that are empty, that fit into a word, into a slot, onto a stage, and that do not divide evenly.
Calls calls_of(const algorithm::Algorithm& row, const schedule::Schedule& made);
/// Those of `ranks` members with every root or distance.
Calls calls_of(const algorithm::Algorithm& row, int ranks);

} // namespace tutti::test
