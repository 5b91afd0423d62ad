#pragma once

#include "algorithm/registry.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// Measured choices of algorithms: a table that a program writes (TUTTI_TUNING_SAVE), and from which groups
/// take their choices.
namespace tutti::tuning {

/// The requirement of a call on the order in which operands are combined, and so on the algorithms that may
/// be chosen for it without changing a bit of any result.
///
/// - moved: nothing is combined; every algorithm gives the same
/// - exact: integers under the library's operators; every algorithm gives the same bits
/// - ordered: all others; only algorithms that combine in rank order, and associate as a butterfly does, give
///   the same
enum class Operands : std::uint8_t { moved, exact, ordered };

inline constexpr int operands_count = 3;

/// Calls of fewer bytes are not tried in a program's own calls: they take so little time that what they gain
/// is less than the cost of trying. An entry of at least so many bytes does not hold for them, since a
/// program may have measured it.
inline constexpr std::size_t least_tried_bytes = std::size_t{16} << 10U;

std::string_view to_string(Operands operands);

/// Whether the library may choose the row for such operands among so many members.
bool may_choose(const algorithm::Algorithm& row, Operands operands, int members);

/// How members store.
///
/// - by_policy: as StorePolicy decides
/// - cached: through the caches
/// - non_temporal: by non-temporal stores
/// - string_moves: to other members by rep movsb, to themselves through the caches
enum class Stores : std::uint8_t { by_policy, cached, non_temporal, string_moves };

inline constexpr int stores_count = 4;

std::string_view to_string(Stores stores);

/// "direct", or with the way to store, unless the policy decides on it: "direct/non-temporal".
std::string name_of(const algorithm::Algorithm& row, Stores stores);

/// Why an algorithm was selected.
///
/// - named: the call names it
/// - eager, brief, vectors, long_vectors: the built-in choice for eager messages, for
///   others that are short, for vectors, and for those that are long enough to be pushed
/// - two: that for two members
/// - unread: that in which nobody reads another's input
/// - shared: the result is one vector that all members share
/// - measured: an entry of a table
/// - levels: that for members that are many, or in several L3 caches
/// - tried: a group tries it beside others, or has found it to be the fastest
enum class Reason : std::uint8_t {
    named,
    eager,
    brief,
    two,
    unread,
    vectors,
    long_vectors,
    shared,
    measured,
    levels,
    tried
};

/// "built-in", "measured", "tried" or "named".
std::string_view source_name(Reason reason);

/// The time of one algorithm, as its row in the registry, that stores in one way. A file has no reasons.
struct Measured {
    std::size_t row = 0;
    double us = 0;
    Stores stores = Stores::by_policy;
    Reason reason = Reason::measured;

    friend bool operator==(const Measured&, const Measured&) = default;
};

/// The conditions of a measurement.
struct Point {
    Collective collective = Collective::barrier;
    Operands operands = Operands::moved;
    int members = 2;
    /// The members ran in so many groups of CPUs that share an L3; 1 if unknown.
    int l3_groups = 1;
    /// The bytes of the whole vector of one member; 0 for a barrier.
    std::size_t bytes = 0;
    /// Input and output are the same memory.
    bool in_place = false;

    friend auto operator<=>(const Point&, const Point&) = default;
};

struct Entry {
    Point point;
    /// The first one is the choice; at least one.
    std::vector<Measured> measured;

    friend bool operator==(const Entry&, const Entry&) = default;
};

struct Table {
    /// The version of the library that measured.
    std::string library;
    /// See fingerprint().
    std::vector<std::string> machine;
    /// Ascending by their points.
    std::vector<Entry> entries;

    friend bool operator==(const Table&, const Table&) = default;
};

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
    using Kind = std::tuple<Collective, Operands, bool>;
    const Entry* nearest(const Kind& kind, std::size_t bytes) const;

    std::shared_ptr<const Table> table_;
    std::map<Kind, Sizes> sizes_;
};

} // namespace tutti::tuning
