#pragma once

#include "tuning/table.hpp"

#include <array>
#include <memory>
#include <vector>

namespace tutti::tuning {

/// A group, as far as the choice of algorithms depends on it.
struct Situation {
    int members = 1;
    /// CPUs that the process may use.
    int cpus = 1;
    int l3_groups = 1;
};

/// The part of a table for one group: for each collective and kind of operands, in place or not, the entries
/// that were measured nearest to it.
///
/// - members: the same number of L3 groups, as many CPUs or more members than CPUs as the group has, the
///   least ratio of the members, at most 2
/// - bytes: the least ratio, at most 8; fewer than least_tried_bytes only by an entry of fewer as well
///
/// If there is none, the library's built-in choice must be used. All members of a group have the same.
class Choices {
public:
    /// No entries.
    Choices() = default;
    /// `table` may be null: no entries.
    Choices(std::shared_ptr<const Table> table, const Situation& situation);

    /// The entry for a vector of so many bytes, or nothing: of calls that are in place as well if there is
    /// one near enough, or else of others. O(log of the sizes measured).
    const Entry* entry(Collective collective, Operands operands, std::size_t bytes,
                       bool in_place = false) const;

    const std::shared_ptr<const Table>& table() const { return table_; }

private:
    using Sizes = std::vector<const Entry*>; // ascending by bytes
    static std::size_t index(Collective collective, Operands operands, bool in_place) {
        return 2 * (static_cast<std::size_t>(collective) * operands_count +
                    static_cast<std::size_t>(operands)) +
               (in_place ? 1 : 0);
    }
    static const Entry* nearest(const Sizes& sizes, std::size_t bytes);

    std::shared_ptr<const Table> table_;
    std::array<Sizes, 2 * std::size_t{detail::collective_count} * operands_count> sizes_;
};

} // namespace tutti::tuning
