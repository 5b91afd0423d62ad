// Signatures, logs and records of calls.

#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "call/call_signature.hpp"
#include "call/plans.hpp"
#include "record/recorder.hpp"

#include <typeinfo>

using namespace tutti;
using namespace tutti::library;
using schedule::Protocol;

namespace {

std::size_t row_of(Collective collective, std::string_view name) {
    return algorithm::index_of(*algorithm::find(collective, name));
}

/// A small allreduce, as members make it all the time.
CallSignature small() {
    return {.row = row_of(Collective::allreduce, "flat"),
            .protocol = Protocol::eager,
            .type = Type::f64,
            .op = Operator::sum,
            .bytes = 8,
            .element_bytes = 8};
}

/// The same with one field changed, for each of them.
std::vector<CallSignature> variations() {
    std::vector<CallSignature> signatures(14, small());
    signatures[0].row = row_of(Collective::allreduce, "ring");
    signatures[1].protocol = Protocol::in_place;
    signatures[2].type = Type::i64;
    signatures[3].op = Operator::max;
    signatures[4].in_place = true;
    signatures[5].serial = true;
    signatures[6].shared_output = true;
    signatures[7].has_private_counts = true;
    signatures[8].element_bytes = 4;
    signatures[9].counts = 1;
    signatures[10].function = 1;
    signatures[11].types = CallSignature::Types::of(&typeid(int));
    signatures[12].splits = true;
    signatures[13].counts_at_root = true;
    return signatures;
}

CallSignature of_bytes(std::uint64_t bytes) {
    return {.bytes = bytes};
}

CallRecord record(std::uint64_t number, std::uint64_t epoch, std::uint64_t points, std::uint64_t bytes) {
    return {number, epoch, points, of_bytes(bytes)};
}

CallHistory history(const CallLog& log, std::uint64_t epoch) {
    return log.read(epoch).value();
}

/// A record of which everything follows from its number.
CallRecord consistent(std::uint64_t number) {
    return {number, 10 * number, 10, {.bytes = number, .counts = number, .function = number}};
}

bool is_consistent(const CallHistory& read) {
    for (std::uint64_t number = read.empty() ? 1 : read.first(); number <= read.last(); ++number) {
        const CallSignature signature = read.signature(number);
        if (signature.bytes != number || signature.counts != number || signature.function != number) {
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("a call signature survives being packed") {
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
            for (unsigned bits = 0; bits < 64; ++bits) {
                const CallSignature signature{.row = row,
                                              .protocol = protocol,
                                              .type = Type::other,
                                              .op = Operator::callable,
                                              .in_place = (bits & 1U) != 0,
                                              .serial = (bits & 2U) != 0,
                                              .shared_output = (bits & 4U) != 0,
                                              .has_private_counts = (bits & 8U) != 0,
                                              .counts_at_root = (bits & 32U) != 0,
                                              .splits = (bits & 16U) != 0,
                                              .root = 65'534,
                                              .bytes = ~std::uint64_t{0},
                                              .element_bytes = std::uint64_t{1} << 40U,
                                              .counts = 3,
                                              .function = 5,
                                              .types = CallSignature::Types::of(&typeid(CallSignature))};
                CHECK(CallSignature::unpacked(signature.packed()) == signature);
                CHECK(CallSignature::unpacked(signature.packed()).digests(8).digest ==
                      signature.digests(8).digest);
            }
        }
    }
}

TEST_CASE("signatures that differ in any field differ, and show it") {
    for (const CallSignature& signature : variations()) {
        CHECK_FALSE(signature == small());
        CHECK(signature.digests(8).digest != small().digests(8).digest);
        CHECK(signature.digests(8).fingerprint != small().digests(8).fingerprint);
    }
}

TEST_CASE("no two sizes of a message and no two roots have one print") {
    constexpr std::size_t longest_message = mailbox::staging_bytes;
    std::set<std::uint64_t> fingerprints;
    std::size_t made = 0;
    for (std::uint32_t root = 0; root < 64; ++root) {
        for (std::size_t bytes = 0; bytes <= longest_message; bytes += 1 + 31 * (root % 2)) {
            CallSignature signature = small();
            signature.root = root;
            signature.bytes = bytes;
            fingerprints.insert(signature.digests(bytes).fingerprint);
            ++made;
        }
    }
    CHECK(fingerprints.size() == made);
}

TEST_CASE("a call signature says what differs") {
    CallSignature signature{.row = row_of(Collective::broadcast, "flat"),
                            .protocol = Protocol::eager,
                            .type = Type::other,
                            .root = 2,
                            .bytes = 24,
                            .element_bytes = 12};
    CHECK(signature.describe() == "broadcast (algorithm flat) of 24 bytes of 12-byte elements, root 2");
    signature = small();
    signature.serial = signature.in_place = true;
    CHECK(signature.describe() ==
          "allreduce (algorithm flat) of 8 bytes of f64 with sum in order serial, in place or by value");
    signature.bytes = 16;
    CHECK(signature.describe() ==
          "allreduce (algorithm flat) of 16 bytes of f64 with sum in order serial, in place");
    signature.in_place = signature.serial = false;
    signature.op = Operator::callable;
    signature.types = CallSignature::Types::of(&typeid(std::vector<int>*));
    CHECK(signature.describe().find("with callable <int") != std::string::npos);
}

TEST_CASE("a log counts the calls that were repeated") {
    CallLog log;
    CHECK(history(log, 0).empty());
    log.add(record(1, 1, 2, 8));
    log.add(record(4, 7, 3, 16));
    CHECK(history(log, 7).last() == 4);
    CHECK(history(log, 13).last() == 6);
    CHECK(history(log, 13).signature(3) == of_bytes(8));
    CHECK(history(log, 13).signature(6) == of_bytes(16));
    // A call in the log is made, even if the member has not entered it yet.
    CHECK(history(log, 5).last() == 4);
    log.clear();
    CHECK(history(log, 13).empty());
}

TEST_CASE("the first operation that differs is found, however often calls were repeated") {
    CallLog one;
    CallLog other;
    one.add(record(1, 1, 2, 8));
    other.add(record(1, 1, 2, 8));
    CHECK_FALSE(first_difference(history(one, 21), history(other, 21)));
    other.add(record(6, 11, 1, 16));
    CHECK(first_difference(history(one, 21), history(other, 11)) == 6);
    CHECK(first_difference(history(other, 11), history(one, 21)) == 6);
    // One that has not come so far has made no other call yet.
    CHECK_FALSE(first_difference(history(one, 9), history(other, 30)));
}

TEST_CASE("a log forgets the oldest calls, and says nothing of them") {
    CallLog one;
    CallLog other;
    constexpr std::uint64_t most = CallLog::most_records;
    for (std::uint64_t number = 1; number <= 2 * most; ++number) {
        one.add(record(number, number, 1, number));
        other.add(record(number, number, 1, number == 2 ? 100 : number));
    }
    CHECK(history(one, 2 * most).first() == most + 1);
    CHECK_FALSE(first_difference(history(one, 2 * most), history(other, 2 * most)));
}

TEST_CASE("who reads while the member writes sees whole records, one after the other, or nothing") {
    constexpr std::uint64_t most = 20'000;
    CallLog log;
    std::atomic<bool> ended{false};
    bool consistent_always = true;
    std::uint64_t latest = 0;
    std::thread reader([&] {
        while (!ended.load(std::memory_order_acquire)) { // acquire: pairs with the store below
            if (const std::optional<CallHistory> read = log.read(0)) {
                consistent_always = consistent_always && is_consistent(*read) && read->last() >= latest;
                latest = std::max(latest, read->last());
            }
        }
    });
    for (std::uint64_t number = 1; number <= most; ++number) {
        log.add(consistent(number));
    }
    ended.store(true, std::memory_order_release); // release: pairs with the load above
    reader.join();
    CHECK(consistent_always);
    CHECK(history(log, 0).last() == most);
}

TEST_CASE("what has not been asked for the longest makes room") {
    Recent<int, std::string> recent(100);
    recent.keep(1, "one", 40);
    recent.keep(2, "two", 40);
    REQUIRE(recent.find(1) != nullptr);
    recent.keep(3, "three", 40);
    CHECK(recent.find(2) == nullptr);
    CHECK(*recent.find(1) == "one");
    CHECK(*recent.find(3) == "three");
    CHECK(recent.keep(2, "two again", 20) == "two again");
    CHECK(recent.find(1) != nullptr);
}

TEST_CASE("the last one stays however large it is") {
    Recent<int, std::string> recent(100);
    recent.keep(1, "one", 10);
    CHECK(recent.keep(2, "large", 1000) == "large");
    CHECK(recent.find(1) == nullptr);
    CHECK(*recent.find(2) == "large");
    recent.keep(3, "small", 10);
    CHECK(recent.find(2) == nullptr);
    CHECK(*recent.find(3) == "small");
}

TEST_CASE("an event's words come back") {
    ZeroPages pages(sizeof(MemberRecord));
    auto& record = *reinterpret_cast<MemberRecord*>(pages.data());
    const Event event{.begin_ticks = ~std::uint64_t{0},
                      .end_ticks = 1,
                      .kind = trace::SpanKind::wait,
                      .sequence = Sequence::persistent,
                      .has_failed = true,
                      .what = 0xffff,
                      .peer = 65534,
                      .bytes = std::uint64_t{1} << 40U,
                      .number = 7};
    record.add(event);
    const Event again = record.events().at(0);
    CHECK(again.kind == trace::SpanKind::wait);
    CHECK(again.sequence == Sequence::persistent);
    CHECK(std::memcmp(&again, &event, sizeof event) == 0); // no byte of it is padding
}

TEST_CASE("of what is in flight statistics keep no event") {
    ZeroPages pages(sizeof(MemberRecord));
    auto& record = *reinterpret_cast<MemberRecord*>(pages.data());
    FlightRecord flight;
    for (const Trace trace : {Trace::statistics, Trace::operations}) {
        const Recorded recorded{record, trace, Sequence::nonblocking, 1, 0};
        flight.begin();
        flight.has_waited(recorded, ticks(), 1);
        flight.end(recorded, 8, false);
        CHECK(record.events().size() == (trace == Trace::statistics ? 0 : 2));
    }
}

TEST_CASE("who reads events while a member writes gets whole ones, in order") {
    ZeroPages pages(sizeof(MemberRecord));
    auto& record = *reinterpret_cast<MemberRecord*>(pages.data());
    std::atomic<bool> is_over{false};
    std::thread member([&] {
        for (std::uint64_t i = 1; !is_over; ++i) {
            record.add(Event{.begin_ticks = i, .end_ticks = i, .bytes = i, .number = i});
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
