#include "tuning/table.hpp"

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

std::string name_of(const algorithm::Algorithm& row, Stores stores) {
    return std::string(row.name) + (stores == Stores::by_policy ? "" : "/" + std::string(to_string(stores)));
}

bool may_choose(const algorithm::Algorithm& row, Operands operands, int members) {
    const bool combines = detail::traits_of(row.collective).reduces();
    const bool gives_same_bits =
        operands != Operands::ordered || has_brackets(row, detail::Association::tree, members);
    return combines == (operands != Operands::moved) && gives_same_bits && takes(row, members);
}

} // namespace tutti::tuning
