#pragma once

#include "schedule/schedule.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/operators.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace tutti::bench {

/// One collective problem to measure, which every provider solves.
struct Problem {
    Collective collective = Collective::allreduce;
    Type type = Type::f64;
    Operator op = Operator::sum;
    int members = 1;
    /// Elements of the longest vector that a member holds: that of a broadcast, a reduction, a scan or a
    /// shift, the input of a reduce_scatter, a scatter or an alltoall, the result of an allgather or a
    /// gather. A multiple of the members where it is made of blocks; 0 for a barrier.
    std::size_t elements = 0;
    /// Always true for a broadcast, which has one vector.
    bool in_place = false;
    /// The result of an allreduce or an allgather is one vector for all members.
    bool shared = false;

    /// The root of rooted collectives; a shift goes to the next rank.
    static constexpr int root = 0;
    static constexpr int distance = 1;

    std::size_t element_bytes() const;
    /// Bytes of the longest vector that a member holds.
    std::size_t bytes() const { return elements * element_bytes(); }
    /// Whether operands are combined.
    bool reduces() const { return detail::traits_of(collective).reduces(); }
    /// Whether a vector is made of one block for each member.
    bool has_blocks() const { return detail::traits_of(collective).is_divided(); }
    /// The root or the distance, of those that take one.
    int number() const;

    /// Elements of one of `members` equal parts of the vector.
    std::size_t block_elements() const { return elements / static_cast<std::size_t>(members); }
    /// The first element of the part of member `rank`.
    std::size_t block_offset(int rank) const { return static_cast<std::size_t>(rank) * block_elements(); }
    /// Elements of a part of the whole vector.
    std::size_t elements_of(detail::Part part) const;
    /// Elements that member `rank` contributes, and those of the result that it gets.
    std::size_t input_elements(int rank) const;
    std::size_t output_elements(int rank) const;
    /// Elements of the vector that it hands over as output; in place, as the only one.
    std::size_t vector_elements(int rank) const;

    friend bool operator==(const Problem&, const Problem&) = default;
};

/// The problem with vectors of `bytes` bytes: rounded down to whole elements, and up to at least one element
/// a vector, or a block where there are blocks. Rounded sizes that coincide are for the caller to skip.
Problem make_problem(Collective collective, Type type, Operator op, int members, std::size_t bytes,
                     bool in_place);

/// The same for providers that solve it in passes over the vectors.
pass::Layout layout_of(const Problem& problem);

/// The reverse of to_string for what can be measured. Capitals, "-" for "_" and common names of others do as
/// well: Reduce-Scatter, bcast, double, int64. Throws std::invalid_argument naming the text, what it was
/// probably meant to be and all that would work.
Collective parse_collective(const std::string& text);
Type parse_type(const std::string& text);
Operator parse_operator(const std::string& text);

/// Whether the collective has a result that members can share.
bool can_share(Collective collective);

/// Throws std::invalid_argument when a result is to be shared that cannot be.
void check_shared(const Problem& problem);

/// Whether the operator is defined for the type; else throws std::invalid_argument.
void check_operator(Type type, Operator op);

/// An object of collective, members, bytes, type, op, in_place and shared.
nlohmann::json to_json(const Problem& problem);

/// The reverse; other fields are not looked at. Throws nlohmann::json::exception or std::invalid_argument
/// when it is no such object.
Problem problem_from_json(const nlohmann::json& json);

} // namespace tutti::bench
