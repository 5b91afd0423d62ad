#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What members did, and when: recorded by threads or predicted by a model, written for tools and people.
namespace tutti::trace {

/// What a member does in a span. Waits lie within steps, steps within operations, but for waits for what is
/// outstanding; a span of one of these kinds ends before the next of that kind begins. What was started, or
/// prepared and then started, is outstanding until its member sees that it is complete: these may overlap.
enum class SpanKind : std::uint8_t { operation, step, wait, started, prepared };

/// What a wait for what is outstanding is called.
constexpr std::string_view request_wait = "request wait";

constexpr std::array<std::string_view, 5> kind_names{"operation", "step", "wait", "started", "prepared"};

constexpr std::string_view to_string(SpanKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

constexpr bool is_in_flight(SpanKind kind) {
    return kind == SpanKind::started || kind == SpanKind::prepared;
}

/// A time of one member.
struct Span {
    /// ns from the beginning of the timeline.
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    SpanKind kind = SpanKind::operation;
    /// Of an operation "allreduce (algorithm direct)", of a step "combine", of a wait "wait" or request_wait.
    std::string name;
    /// Of a wait, for whom, in the end; of a step, whose bytes it reads or writes; -1: nobody's, or several
    /// members'.
    int peer = -1;
    /// Of an operation, of the longer one of its vectors; of a step, that it copies or combines.
    std::uint64_t bytes = 0;
    /// Of the operation to which it belongs, from 1 on: of the group's, of those that the member has started,
    /// or of those that it has prepared.
    std::uint64_t number = 0;
};

/// A member, with its spans in the order of their beginnings, outer ones first.
struct Lane {
    int rank = 0;
    /// The system's number of the thread, 0 if unknown.
    int thread = 0;
    std::vector<Span> spans = {};
    /// What was outstanding, in the order of the beginnings.
    std::vector<Span> flights = {};
};

/// The members of a group, in the order of their ranks.
struct Timeline {
    /// "group 1 of 8 members", "predicted on epyc-7742-2s".
    std::string name;
    std::vector<Lane> lanes = {};
};

/// Spans in the order of their beginnings as rows, in each of which none overlaps another; as few as there
/// can be.
std::vector<std::vector<Span>> rows_of(const std::vector<Span>& spans);

} // namespace tutti::trace
