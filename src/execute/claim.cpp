#include "execute/claim.hpp"

#include "algorithm/registry.hpp"

namespace tutti::execute {

std::string Claim::describe() const {
    const auto row = static_cast<std::size_t>(field(row_at, row_bits));
    const auto form = static_cast<schedule::Form>(field(form_at, form_bits));
    const auto type = static_cast<Type>(field(type_at, type_bits));
    const auto op = static_cast<Operator>(field(0, op_bits));
    const algorithm::Algorithm& algorithm = algorithm::registry()[row];
    std::string text =
        std::string(to_string(algorithm.collective)) + " (algorithm " + std::string(algorithm.name) + ")";
    if (algorithm.collective == schedule::Collective::barrier) {
        return text;
    }
    const bool is_shared = ((word_ >> bytes_at) & shared_output) != 0;
    const std::uint64_t bytes = (word_ >> bytes_at) & ~std::uint64_t{shared_output};
    text += (bytes & by_counts) != 0
                ? " by counts of " + std::to_string(bytes & ~by_counts) + "-byte elements of "
                : " of " + std::to_string(bytes) + " bytes of ";
    text += to_string(type);
    if (algorithm.order != algorithm::Order::none) {
        text += " with " + std::string(to_string(op));
    }
    return text + (is_shared                          ? ", into one vector for all"
                   : form == schedule::Form::in_place ? ", in place"
                                                      : "");
}

std::uint64_t digest(std::span<const std::size_t> counts) {
    std::uint64_t value = 0xcbf29ce484222325;
    for (const std::size_t count : counts) {
        value = (value ^ count) * 0x100000001b3;
        value ^= value >> 29U;
    }
    return value | 1U;
}

} // namespace tutti::execute
