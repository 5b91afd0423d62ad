#include "record/perfetto.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::trace {

namespace {

// The numbers of fields in Perfetto's protos/perfetto/trace.
namespace field {
constexpr unsigned trace_packet = 1;
namespace packet { // trace_packet.proto
constexpr unsigned timestamp = 8;
constexpr unsigned sequence = 10;
constexpr unsigned track_event = 11;
constexpr unsigned track_descriptor = 60;
} // namespace packet
namespace track { // track_event/track_descriptor.proto
constexpr unsigned uuid = 1;
constexpr unsigned name = 2;
constexpr unsigned parent = 5;
} // namespace track
namespace event { // track_event/track_event.proto
constexpr unsigned annotation = 4;
constexpr unsigned type = 9;
constexpr unsigned track = 11;
constexpr unsigned category = 22;
constexpr unsigned name = 23;
} // namespace event
namespace annotation { // track_event/debug_annotation.proto
constexpr unsigned number = 3;
constexpr unsigned name = 10;
} // namespace annotation
} // namespace field

enum class Slice : std::uint8_t { begin = 1, end = 2 };

/// The only writer of packets.
constexpr std::uint64_t own_sequence = 1;

/// A message of protobuf, of numbers and of fields with a length.
class Message {
public:
    void add(unsigned field, std::uint64_t value) {
        varint(std::uint64_t{field} << type_bits);
        varint(value);
    }
    void add(unsigned field, std::string_view bytes) {
        constexpr std::uint64_t with_length = 2;
        varint(std::uint64_t{field} << type_bits | with_length);
        varint(bytes.size());
        bytes_ += bytes;
    }
    void add(unsigned field, const Message& message) { add(field, std::string_view(message.bytes_)); }
    std::string take() { return std::move(bytes_); }

private:
    static constexpr unsigned type_bits = 3;

    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) {
            bytes_ += static_cast<char>(value | 0x80U);
        }
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

class Writer {
public:
    /// Returns its number.
    std::uint64_t add_track(const std::string& name, std::uint64_t parent) {
        Message track;
        track.add(field::track::uuid, ++tracks_);
        track.add(field::track::name, name);
        if (parent != 0) {
            track.add(field::track::parent, parent);
        }
        Message packet;
        packet.add(field::packet::sequence, own_sequence);
        packet.add(field::packet::track_descriptor, track);
        trace_.add(field::trace_packet, packet);
        return tracks_;
    }

    /// Slices in the order of their beginnings, outer ones first; each ends before what follows it begins, or
    /// after that has ended.
    void add_slices(std::uint64_t track, const std::vector<Span>& spans) {
        std::vector<const Span*> open;
        const auto close = [&] {
            add_event(track, open.back()->end_ns, Slice::end, nullptr);
            open.pop_back();
        };
        for (const Span& span : spans) {
            // A span without length lies within a span that ends at that time, unless both are of one kind.
            while (!open.empty() && open.back()->end_ns <= span.begin_ns &&
                   (open.back()->end_ns < span.end_ns || open.back()->kind >= span.kind)) {
                close();
            }
            add_event(track, span.begin_ns, Slice::begin, &span);
            open.push_back(&span);
        }
        while (!open.empty()) {
            close();
        }
    }

    std::string take() { return trace_.take(); }

private:
    void add_event(std::uint64_t track, std::int64_t ns, Slice slice, const Span* span) {
        Message event;
        event.add(field::event::type, static_cast<std::uint64_t>(slice));
        event.add(field::event::track, track);
        if (span != nullptr) {
            event.add(field::event::category, to_string(span->kind));
            event.add(field::event::name, name_of(*span));
            annotate(event, *span);
        }
        Message packet;
        packet.add(field::packet::timestamp, static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)));
        packet.add(field::packet::sequence, own_sequence);
        packet.add(field::packet::track_event, event);
        trace_.add(field::trace_packet, packet);
    }

    static std::string name_of(const Span& span) {
        return span.kind == SpanKind::wait && span.peer >= 0 ? span.name + " for " + std::to_string(span.peer)
                                                             : span.name;
    }

    static void annotate(Message& event, const Span& span) {
        const auto add = [&](std::string_view name, std::uint64_t value) {
            Message annotation;
            annotation.add(field::annotation::name, name);
            annotation.add(field::annotation::number, value);
            event.add(field::event::annotation, annotation);
        };
        add("number", span.number);
        if (span.peer >= 0) {
            add("peer", static_cast<std::uint64_t>(span.peer));
        }
        if (span.kind != SpanKind::wait) {
            add("bytes", span.bytes);
        }
    }

    Message trace_;
    std::uint64_t tracks_ = 0;
};

} // namespace

std::string perfetto(std::span<const Timeline> timelines) {
    Writer writer;
    for (const Timeline& timeline : timelines) {
        const std::uint64_t group = writer.add_track(timeline.name, 0);
        for (const Lane& lane : timeline.lanes) {
            const std::string thread = lane.thread == 0 ? "" : ", thread " + std::to_string(lane.thread);
            const std::string member = "member " + std::to_string(lane.rank);
            writer.add_slices(writer.add_track(member + thread, group), lane.spans);
            for (const std::vector<Span>& row : rows_of(lane.flights)) {
                writer.add_slices(writer.add_track(member + ", in flight", group), row);
            }
        }
    }
    return writer.take();
}

} // namespace tutti::trace
