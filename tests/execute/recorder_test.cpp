#include "../test.hpp"
#include "record/recorder.hpp"

using tutti::engine::Event;
using tutti::engine::MemberRecord;

TEST_CASE("an event's words come back") {
    const Event event{.begin_ticks = ~std::uint64_t{0},
                      .end_ticks = 1,
                      .kind = tutti::trace::SpanKind::wait,
                      .sequence = tutti::engine::Sequence::persistent,
                      .what = 0xffff,
                      .peer = 65534,
                      .bytes = std::uint64_t{1} << 40U,
                      .number = 7};
    const Event again = Event::unpacked(event.packed());
    CHECK(again.begin_ticks == event.begin_ticks);
    CHECK(again.kind == event.kind);
    CHECK(again.sequence == event.sequence);
    CHECK(again.what == event.what);
    CHECK(again.peer == event.peer);
    CHECK(again.bytes == event.bytes);
    CHECK(Event::unpacked(Event{}.packed()).peer == -1);
}

TEST_CASE("of what is in flight statistics keep no event") {
    tutti::engine::ZeroPages pages(sizeof(MemberRecord));
    auto& record = *reinterpret_cast<MemberRecord*>(pages.data());
    tutti::engine::FlightRecord flight;
    for (const tutti::Trace trace : {tutti::Trace::statistics, tutti::Trace::operations}) {
        const tutti::engine::Recorded recorded{record, trace, tutti::engine::Sequence::nonblocking, 1, 0};
        flight.begin();
        flight.has_waited(recorded, tutti::engine::ticks(), 1);
        flight.end(recorded, 8, false);
        CHECK(record.events().size() == (trace == tutti::Trace::statistics ? 0 : 2));
    }
}

TEST_CASE("who reads events while a member writes gets whole ones, in order") {
    tutti::engine::ZeroPages pages(sizeof(MemberRecord));
    auto& record = *reinterpret_cast<MemberRecord*>(pages.data());
    std::atomic<bool> is_over{false};
    std::thread member([&] {
        for (std::uint64_t i = 1; !is_over; ++i) {
            record.add({.begin_ticks = i, .end_ticks = i, .bytes = i, .number = i});
        }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t seen = 0; seen < 100 * MemberRecord::most_events;) {
        std::uint64_t last = 0;
        for (const Event& event : record.events()) {
            const bool is_whole = event.begin_ticks == event.number && event.end_ticks == event.number &&
                                  event.bytes == event.number;
            wrong += !is_whole || (last != 0 && event.number != last + 1) ? 1 : 0;
            last = event.number;
        }
        seen = std::max(seen, last);
    }
    is_over = true;
    member.join();
    CHECK(wrong == 0);
    CHECK(record.events().size() == MemberRecord::most_events);
}
