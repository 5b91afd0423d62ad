#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What members did, and when: recorded by threads or predicted by a model, written for tools and people.
namespace tutti::trace {

/// What a member does in a span. Waits lie within steps, steps within operations; a span of one kind ends
/// before the next of that kind begins.
enum class Kind : std::uint8_t { operation, step, wait };

constexpr std::string_view to_string(Kind kind) {
    return kind == Kind::operation ? "operation" : kind == Kind::step ? "step" : "wait";
}

/// A time of one member.
struct Span {
    /// ns from the beginning of the timeline.
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    Kind kind = Kind::operation;
    /// Of an operation "allreduce (algorithm direct)", of a step "combine", of a wait "wait".
    std::string name;
    /// Of a wait, for whom; of a step, whose bytes it reads or writes; -1: nobody's, or several members'.
    int peer = -1;
    /// Of an operation, of the longer one of its vectors; of a step, that it copies or combines.
    std::uint64_t bytes = 0;
    /// Of the operation to which it belongs, in the group, from 1 on.
    std::uint64_t number = 0;
};

/// A member, with its spans in the order of their beginnings, outer ones first.
struct Lane {
    int rank = 0;
    /// The system's number of the thread, 0 if unknown.
    int thread = 0;
    std::vector<Span> spans = {};
};

/// The members of a group, in the order of their ranks.
struct Timeline {
    /// "group 1 of 8 members", "predicted on epyc-7742-2s".
    std::string name;
    std::vector<Lane> lanes = {};
};

} // namespace tutti::trace
