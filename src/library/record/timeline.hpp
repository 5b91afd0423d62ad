#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The actions of members in time: recorded by threads or predicted by a model, written for tools and users.

namespace tutti::trace {

/// The kind of a member's span. Waits lie within steps, steps within operations, except waits for outstanding
/// operations. A span of one of these kinds ends before the next of that kind begins. A nonblocking or
/// persistent operation is outstanding until its member sees that it is complete: these may overlap.
enum class SpanKind : std::uint8_t { operation, step, wait, started, prepared };

/// The name of a wait for an outstanding operation.
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
    /// "allreduce (algorithm direct)" for an operation, "combine" for a step, "wait" or request_wait for a
    /// wait.
    std::string name;
    /// The last member that a wait is for, or the member whose bytes a step reads or writes; -1: none or
    /// several.
    int peer = -1;
    /// The bytes of the longer vector of an operation, or the bytes that a step copies or combines.
    std::uint64_t bytes = 0;
    /// The number of the operation to which it belongs, from 1 on: among the group's, or among the member's
    /// nonblocking or persistent ones.
    std::uint64_t number = 0;
};

/// A member, with its spans in the order of their beginnings, outer ones first.
struct Lane {
    int rank = 0;
    /// The system's number of the thread, 0 if unknown.
    int thread = 0;
    std::vector<Span> spans = {};
    /// The outstanding operations, in the order of the beginnings.
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

/// The text as a string of JSON, with its quotation marks. Bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);

/// One object of JSON per line and span, group after group and member after member: group, rank, thread, kind
/// ("operation", "step", "wait"), name, begin_ns, end_ns, peer (null: none), bytes, number.
std::string json_lines(std::span<const Timeline> timelines);

/// Perfetto's protobuf (perfetto.protos.Trace), which ui.perfetto.dev opens: a track for each group and under
/// it one for each member, on which spans are slices, with their bytes, peers and numbers.
std::string perfetto(std::span<const Timeline> timelines);

} // namespace tutti::trace
