#pragma once

#include "call/call_log.hpp"
#include "mixed.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::hybrid {

/// The calls of a process on one channel: the last calls that differ from the one before, and a digest of
/// all.
class CallTrail {
public:
    /// The next call: its number is higher than that of the last one. `digest` is that of its call signature.
    void add(std::uint64_t number, const engine::CallSignature& call_signature, std::uint64_t digest) {
        if (digest != last_digest_) {
            last_digest_ = digest;
            log_.add({number, number, 1}, call_signature);
        }
        digests_[number % digests_.size()] = mixed(this->digest(), digest);
        number_ = number;
    }

    /// The number of the last call; 0 before the first.
    std::uint64_t number() const { return number_; }
    /// The digest of all calls.
    std::uint64_t digest() const { return digests_[number_ % digests_.size()]; }
    /// The digest of all calls up to that one; empty if it is not known, or not any more.
    std::optional<std::uint64_t> digest_at(std::uint64_t number) const;
    engine::CallHistory history() const { return *log_.read(number_); }

private:
    std::uint64_t number_ = 0;
    std::uint64_t last_digest_ = 0;
    /// By number.
    std::array<std::uint64_t, 64> digests_{};
    engine::CallLog log_;
};

/// The message of one process to another about its trail.
struct TrailSummary {
    static constexpr std::size_t most_calls = 8;
    static constexpr std::size_t most_text = 96;

    std::uint64_t number = 0;
    std::uint64_t digest = 0;
    /// How far it has come on the other channel, and whether it goes no further there before its last call
    /// here is complete.
    std::uint64_t begun_on_other = 0;
    bool is_stuck = false;
    /// The last calls that differ from the one before, in order, and the types that their signatures name,
    /// for users.
    std::uint64_t size = 0;
    std::array<engine::CallRecord, most_calls> calls{};
    std::array<std::array<char, most_text>, most_calls> types{};

    TrailSummary() = default;
    explicit TrailSummary(const CallTrail& trail);
    engine::CallHistory history() const;
};

/// Throws MismatchError when process `peer`, with that summary, has been in other calls than this one,
/// `process`, as far as both histories reach. It names the first two that differ.
void compare(const CallTrail& own, int process, const TrailSummary& theirs, int peer);

/// Throws MismatchError if this process waits in its last call on one channel, and the peer in a call on
/// another channel: neither makes the call that the other is in.
[[noreturn]] void throw_crossing(const CallTrail& own, int process, const TrailSummary& theirs, int peer);

} // namespace tutti::hybrid
