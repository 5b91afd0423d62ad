#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::verify {

/// The kind of a fault of a schedule.
///
/// - bounds: a member, block, round or point that does not exist, or a vector that may not be touched
/// - content: a block is read that nobody wrote, or a result is not that of the collective
/// - deadlock: a wait that is never satisfied
/// - race: two conflicting accesses that the waits do not order as the rounds do
/// - payload: an eager message is not there, or differs from what its reader reads
/// - slot_reuse: a mailbox slot may be written again before its reader is done with it
enum class ViolationKind : std::uint8_t { bounds, content, deadlock, race, payload, slot_reuse };

std::string_view to_string(ViolationKind kind);

struct Violation {
    ViolationKind kind = ViolationKind::bounds;
    /// Names members, rounds, vectors and blocks.
    std::string text;
};

/// The violations found in one schedule: all are counted, the first few are kept.
class Report {
public:
    static constexpr std::size_t kept_at_most = 16;

    void add(ViolationKind kind, std::string text);

    bool ok() const { return total_ == 0; }
    std::size_t total() const { return total_; }
    const std::vector<Violation>& violations() const { return violations_; }

    /// Whether a violation of this kind was found.
    bool has(ViolationKind kind) const { return (kinds_ & bit(kind)) != 0; }

    /// One line for each violation kept; empty when there is none.
    std::string text() const;

private:
    static constexpr unsigned bit(ViolationKind kind) { return 1U << static_cast<unsigned>(kind); }

    std::vector<Violation> violations_;
    std::size_t total_ = 0;
    unsigned kinds_ = 0;
};

} // namespace tutti::verify
