// The algorithms that a group tries.

#include "choose/built_in.hpp"
#include "choose/store_policy.hpp"

#include <algorithm>

namespace tutti::engine {

namespace {

using schedule::Protocol;

/// Whether members can store in several ways: non-temporal stores for enough bytes that they have not just
/// read.
bool has_ways_to_store(const detail::Call& call, Protocol protocol, const CallSize& size) {
    constexpr std::size_t least_bytes = std::size_t{128} << 10U;
    return stores_apart(call.collective, protocol) && size.touched_bytes >= least_bytes;
}

/// Selections for one call, none twice.
class Candidates {
public:
    Candidates(const detail::Call& call, const CallSize& size, std::size_t most)
        : call_(call), size_(size), most_(most), built_in_(built_in_selection(call.collective, call, size)) {}

    const Selection& built_in() const { return built_in_; }
    std::vector<Selection> take() { return std::move(found_); }

    void add(const std::optional<Selection>& selection) {
        const auto is_same = [&](const Selection& other) {
            return other.row == selection->row && other.protocol == selection->protocol &&
                   ways(other.stores) == ways(selection->stores);
        };
        if (selection && found_.size() < most_ && std::ranges::none_of(found_, is_same)) {
            found_.push_back(*selection);
        }
    }

    void add_row(std::size_t row, Stores stores = Stores::by_policy) {
        if (has_few_rounds(algorithm::registry()[row], size_.members)) {
            add(usable(row, call_, size_, built_in_, Reason::tried, stores));
        }
    }

    /// Another way to store, if there are several.
    void add_way(std::size_t row, Stores stores) {
        if (has_ways_to_store(call_, protocol_of(row, call_, size_), size_)) {
            add_row(row, stores);
        }
    }

private:
    WaysToStore ways(Stores stores) const {
        return StorePolicy::here().ways_to_store(stores, {.collective = call_.collective,
                                                          .touched_bytes = size_.touched_bytes,
                                                          .members = size_.members,
                                                          .cpus = std::min(size_.members, size_.cpus),
                                                          .l3_groups = size_.l3_groups});
    }

    const detail::Call& call_;
    const CallSize& size_;
    std::size_t most_;
    Selection built_in_;
    std::vector<Selection> found_;
};

} // namespace

std::vector<Selection> candidates(const detail::Call& call, const CallSize& size,
                                  const tuning::Choices& choices, std::size_t most) {
    Candidates found(call, size, most);
    found.add(select(call, size, choices));
    found.add(found.built_in());
    if (call.shared_output) {
        return found.take();
    }
    found.add(level_selection(call, size, found.built_in()));
    if (const tuning::Entry* const entry = entry_for(call, size, choices);
        entry != nullptr && entry->measured.size() > 1) {
        found.add_row(entry->measured[1].row, entry->measured[1].stores);
    }
    const Defaults& rows = defaults(call.collective);
    // How members store matters most where they store to each other, and the more the further they are apart.
    found.add_way(rows.pushed, Stores::cached);
    if (size.members == 2) {
        found.add_row(rows.of_two);
    }
    found.add_row(rows.pulled);
    found.add_way(rows.pushed, Stores::string_moves);
    found.add_way(rows.pushed, Stores::non_temporal);
    found.add_way(found.built_in().row, Stores::cached);
    for (const std::size_t row :
         {rows.other, rows.pulled, rows.pushed, rows.of_two, rows.brief, rows.eager}) {
        found.add_row(row);
    }
    return found.take();
}

} // namespace tutti::engine
