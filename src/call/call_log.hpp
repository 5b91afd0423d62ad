#pragma once

#include "call/call_signature.hpp"
#include "mailbox/cell.hpp"
#include "wait/sequence.hpp"

#include <tutti/detail/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::engine {

/// A call that differs from the one before, in words that can be shown to others: its place among all calls
/// of a member and its signature. It was repeated until the next such call.
class CallRecord {
public:
    static constexpr std::size_t words = 3 + CallSignature::words;

    CallRecord() = default;
    /// The number and the epoch of the operation in which the call was made first, and by how much each such
    /// operation made the epoch grow. Operations count from 1.
    CallRecord(std::uint64_t number, std::uint64_t epoch, std::uint64_t points,
               const CallSignature& signature);

    std::uint64_t number() const { return words_[0]; }
    std::uint64_t points() const { return words_[2]; }
    /// The number of the operation at an epoch, if the call was repeated until then.
    std::uint64_t number_at(std::uint64_t epoch) const {
        return epoch <= words_[1] ? number() : number() + (epoch - words_[1]) / points();
    }
    TUTTI_COMPONENT_API CallSignature signature() const;
    /// The same call with these types.
    TUTTI_COMPONENT_API CallRecord with_types(const CallSignature::Types* types) const;

    std::uint64_t& operator[](std::size_t word) { return words_[word]; }
    std::uint64_t operator[](std::size_t word) const { return words_[word]; }

private:
    std::array<std::uint64_t, words> words_;
};

/// A copy of a member's log as another member has read it: its latest records in order, and the operation up
/// to which they are known to be complete.
class CallHistory {
public:
    /// The length of the longest log.
    static constexpr std::size_t most_records = 128;

    /// Clears no record: most histories are short, and a waiting member reads many.
    CallHistory() noexcept {} // NOLINT(modernize-use-equals-default): that one would clear them

    void add(const CallRecord& record) { records_[size_++] = record; }
    TUTTI_COMPONENT_API void reach(std::uint64_t epoch);

    std::span<const CallRecord> records() const { return std::span(records_).first(size_); }
    bool empty() const { return size_ == 0; }
    /// The first and the last operation that it covers.
    std::uint64_t first() const { return records_[0].number(); }
    std::uint64_t last() const { return last_; }
    TUTTI_COMPONENT_API CallSignature signature(std::uint64_t number) const;
    /// The next operation after `number` in which another call was made, if that is known: else a later one.
    std::uint64_t next_change(std::uint64_t number) const;

private:
    std::array<CallRecord, most_records> records_;
    std::size_t size_ = 0;
    std::uint64_t last_ = 0;
};

/// The latest calls of one member. The member writes when it makes a call that differs from the one before,
/// so calls that are repeated cost nothing; any other member reads at any time.
template <std::size_t records>
class BasicCallLog {
public:
    static constexpr std::size_t most_records = records;
    static_assert(most_records <= CallHistory::most_records);

    /// By its member, or while that is in no call.
    TUTTI_COMPONENT_API void add(const CallRecord& record);
    void clear();

    /// The history of a member whose call, current or last, is known to have been at least at `epoch`. Empty
    /// while the member writes.
    TUTTI_COMPONENT_API std::optional<CallHistory> read(std::uint64_t epoch) const;

private:
    /// Odd while the member writes, else twice the records that it has written.
    mailbox::StdWord version_;
    std::array<std::array<mailbox::StdWord, CallRecord::words>, most_records> records_;
};

/// The log of blocking calls: each is complete before the next, so few records suffice to find the two that
/// differ.
using CallLog = BasicCallLog<16>;
/// The log of arrivals, of which only the last is reported.
using ArrivalLog = BasicCallLog<2>;
/// The log of nonblocking operations, of which many are outstanding at a time.
using StartLog = BasicCallLog<CallHistory::most_records>;

/// The first operation in both histories in which the two members have made different calls.
std::optional<std::uint64_t> first_difference(const CallHistory& one, const CallHistory& other);

} // namespace tutti::engine
