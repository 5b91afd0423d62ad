#pragma once

#include "hybrid/signature.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::hybrid {

/// What a process has called on one wire: the last calls themselves, and all of them in a digest.
class Record {
public:
    struct Entry {
        Signature signature;
        /// Of this call and of all before it.
        std::uint64_t digest = 0;
    };

    /// The next call: its number is higher than that of the last one.
    void add(const Signature& signature);

    /// The last one; before the first call one with number 0.
    const Entry& last() const { return entries_[newest_]; }
    /// That call, or null where it is not known, or not any more.
    const Entry* find(std::uint64_t call) const;

    /// What one process tells another of itself: its last calls in order, those that there have not been with
    /// number 0 first.
    using Summary = std::array<Entry, 8>;
    Summary summary() const;

private:
    static constexpr std::size_t most_entries = 64;

    std::array<Entry, most_entries> entries_{};
    std::size_t newest_ = 0;
};

/// Throws MismatchError when process `peer`, with that summary, has been in other calls than this one,
/// `process`, as far as both know. It names the first two that differ.
void compare(const Record& own, int process, const Record::Summary& theirs, int peer);

} // namespace tutti::hybrid
