#include "record/timeline.hpp"

#include <algorithm>
#include <cstdio>

namespace tutti::trace {

std::vector<std::vector<Span>> rows_of(const std::vector<Span>& spans) {
    std::vector<std::vector<Span>> rows;
    for (const Span& span : spans) {
        const auto free = std::ranges::find_if(
            rows, [&](const std::vector<Span>& row) { return row.back().end_ns <= span.begin_ns; });
        if (free == rows.end()) {
            rows.push_back({span});
        } else {
            free->push_back(span);
        }
    }
    return rows;
}

namespace {

/// The bytes of the character of UTF-8 that the text begins with, 0 if it begins with none: names of threads
/// are cut anywhere, and texts of exceptions can be in any encoding.
std::size_t character_bytes(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned lead = byte(0);
    const std::size_t bytes = lead < 0x80   ? 1
                              : lead < 0xC2 ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    if (bytes == 0 || bytes > text.size()) {
        return 0;
    }
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    // Longer than it need be, half of a pair, or beyond the last.
    const bool is_wrong =
        bytes > 2 && ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F));
    return is_wrong ? 0 : bytes;
}

void add_lines(std::string& text, const Timeline& timeline) {
    const auto add = [&](const char* key, const auto& value) {
        text += std::string(",\"") + key + "\":" + std::to_string(value);
    };
    const auto add_span = [&](const Lane& lane, const Span& span) {
        text += "{\"group\":" + json_string(timeline.name);
        add("rank", lane.rank);
        add("thread", lane.thread);
        text += R"(,"kind":")" + std::string(to_string(span.kind)) + R"(","name":)" + json_string(span.name);
        add("begin_ns", span.begin_ns);
        add("end_ns", span.end_ns);
        text += ",\"peer\":" + (span.peer < 0 ? "null" : std::to_string(span.peer));
        add("bytes", span.bytes);
        add("number", span.number);
        text += "}\n";
    };
    for (const Lane& lane : timeline.lanes) {
        for (const auto* spans : {&lane.spans, &lane.flights}) {
            for (const Span& span : *spans) {
                add_span(lane, span);
            }
        }
    }
}

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

std::string json_string(std::string_view text) {
    std::string made = "\"";
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const auto code = static_cast<unsigned char>(text.front());
        if (bytes == 0) {
            made += "\\ufffd";
        } else if (code == '"' || code == '\\') {
            made += std::string("\\") + text.front();
        } else if (code < ' ') {
            char escaped[8];
            static_cast<void>(std::snprintf(escaped, sizeof escaped, "\\u%04x", code));
            made += escaped;
        } else {
            made += text.substr(0, bytes);
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    return made + '"';
}

std::string json_lines(std::span<const Timeline> timelines) {
    std::string text;
    for (const Timeline& timeline : timelines) {
        add_lines(text, timeline);
    }
    return text;
}

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
