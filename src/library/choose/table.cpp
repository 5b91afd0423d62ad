#include "choose/table.hpp"

#include <algorithm>
#include <utility>

namespace tutti::tuning {

std::string_view to_string(Operands operands) {
    constexpr std::string_view names[] = {"moved", "exact", "ordered"};
    static_assert(std::size(names) == operands_count);
    return names[static_cast<std::size_t>(operands)];
}

std::string_view to_string(Stores stores) {
    constexpr std::string_view names[] = {"by-policy", "cached", "non-temporal", "string-moves"};
    static_assert(std::size(names) == stores_count);
    return names[static_cast<std::size_t>(stores)];
}

std::string_view source_name(Reason reason) {
    switch (reason) {
    case Reason::measured:
        return "measured";
    case Reason::tried:
        return "tried";
    case Reason::named:
        return "named";
    default:
        return "built-in";
    }
}

std::string name_of(const algorithm::Algorithm& row, Stores stores) {
    return std::string(row.name) + (stores == Stores::by_policy ? "" : "/" + std::string(to_string(stores)));
}

bool may_choose(const algorithm::Algorithm& row, Operands operands, int members) {
    const bool combines = detail::traits_of(row.collective).reduces();
    const bool gives_same_bits =
        operands != Operands::ordered || has_brackets(row, detail::Association::tree, members);
    return combines == (operands != Operands::moved) && gives_same_bits && takes(row, members);
}

namespace {

constexpr double most_members_ratio = 2;
constexpr double most_bytes_ratio = 8;

/// How far apart two numbers are, from 1 on. Nothing is as far from nothing as one byte.
double ratio(double a, double b) {
    a = std::max(a, 1.0);
    b = std::max(b, 1.0);
    return std::max(a / b, b / a);
}

double distance(const Entry& entry, const Situation& situation) {
    return ratio(entry.point.members, situation.members);
}

/// Whether the entry is for such a group.
bool applies(const Entry& entry, const Situation& situation) {
    const bool crowded = situation.members > situation.cpus;
    return entry.point.l3_groups == situation.l3_groups &&
           (entry.point.members > situation.cpus) == crowded &&
           distance(entry, situation) <= most_members_ratio;
}

} // namespace

Choices::Choices(std::shared_ptr<const Table> table, const Situation& situation) : table_(std::move(table)) {
    if (table_ == nullptr || situation.members < 2) {
        return;
    }
    for (const Entry& entry : table_->entries) {
        if (!applies(entry, situation)) {
            continue;
        }
        // Ascending by members, then by bytes: nearer ones replace all that came before.
        Sizes& sizes = sizes_[{entry.point.collective, entry.point.operands, entry.point.in_place}];
        if (!sizes.empty() && sizes.back()->point.members != entry.point.members) {
            if (distance(entry, situation) >= distance(*sizes.back(), situation)) {
                continue;
            }
            sizes.clear();
        }
        sizes.push_back(&entry);
    }
}

const Entry* Choices::entry(Collective collective, Operands operands, std::size_t bytes,
                            bool in_place) const {
    const Entry* const own = nearest({collective, operands, in_place}, bytes);
    return own != nullptr ? own : nearest({collective, operands, !in_place}, bytes);
}

const Entry* Choices::nearest(const Kind& kind, std::size_t bytes) const {
    const auto found = sizes_.find(kind);
    if (found == sizes_.end()) {
        return nullptr;
    }
    const Sizes& sizes = found->second;
    const auto above =
        std::ranges::lower_bound(sizes, bytes, {}, [](const Entry* entry) { return entry->point.bytes; });
    const Entry* nearest = nullptr;
    double least = most_bytes_ratio;
    for (auto at = above != sizes.begin() ? above - 1 : above; at != sizes.end() && at <= above; ++at) {
        const std::size_t measured = (*at)->point.bytes;
        const double far = ratio(static_cast<double>(measured), static_cast<double>(bytes));
        if (far <= least && (bytes >= least_tried_bytes || measured < least_tried_bytes)) {
            nearest = *at;
            least = far;
        }
    }
    return nearest;
}

} // namespace tutti::tuning
