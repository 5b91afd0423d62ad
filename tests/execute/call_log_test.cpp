#include "../test.hpp"
#include "call/call_signature.hpp"

using namespace tutti;
using engine::CallHistory;
using engine::CallLog;
using engine::CallRecord;
using engine::CallSignature;

namespace {

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
