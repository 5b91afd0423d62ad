#pragma once

#include "mailbox/slot.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tutti::execute {

/// What a member believes it is doing, in one word, so that members can compare notes.
class Claim {
public:
    /// Added to the bytes of one element, stands for vectors of which every member decides the length.
    static constexpr std::size_t by_counts = std::size_t{1} << 46U;
    /// Added to the bytes of the vector, says that it is one for all members.
    static constexpr std::size_t shared_output = std::size_t{1} << 45U;

    constexpr Claim() = default;
    constexpr Claim(std::size_t row, schedule::Form form, Type type, Operator op, std::size_t bytes)
        : word_(static_cast<std::uint64_t>(bytes) << bytes_at | static_cast<std::uint64_t>(row) << row_at |
                static_cast<std::uint64_t>(form) << form_at | static_cast<std::uint64_t>(type) << type_at |
                static_cast<std::uint64_t>(op)) {}
    constexpr explicit Claim(std::uint64_t word) : word_(word) {}

    constexpr std::uint64_t word() const { return word_; }

    /// The 20 bits of it that travel in every tag: the operation, and the bytes of messages that fit into a
    /// slot. Other messages carry the whole word as well.
    constexpr std::uint64_t print() const {
        const auto carried = static_cast<std::uint64_t>(schedule::Form::carried);
        const std::uint64_t form_here = field(form_at, form_bits);
        const std::uint64_t size =
            form_here == carried ? std::min(word_ >> bytes_at, print_staged) : print_pulled + form_here;
        return (field(row_at, row_bits) << 13U) |
               (signature(field(type_at, type_bits), field(0, op_bits)) << 6U) | (size & 63U);
    }

    /// "allreduce (algorithm flat) of 8 bytes of f64 with sum"
    std::string describe() const;

    friend bool operator==(const Claim&, const Claim&) = default;

private:
    static constexpr unsigned op_bits = 4;
    static constexpr unsigned type_bits = 4;
    static constexpr unsigned form_bits = 2;
    static constexpr unsigned row_bits = 7;
    static constexpr unsigned type_at = op_bits;
    static constexpr unsigned form_at = type_at + type_bits;
    static constexpr unsigned row_at = form_at + form_bits;
    static constexpr unsigned bytes_at = row_at + row_bits;
    /// Sizes in a print that stand for messages of any size on a stage, and for pulled ones of any size.
    static constexpr std::uint64_t print_staged = 59;
    static constexpr std::uint64_t print_pulled = 60;

    constexpr std::uint64_t field(unsigned at, unsigned bits) const {
        return (word_ >> at) & ((std::uint64_t{1} << bits) - 1);
    }

    /// A number below 128 for each pair of type and operator that can occur: the integers take all operators,
    /// complex numbers take two and callables, and for other types the operator is always a callable to the
    /// library.
    static constexpr std::uint64_t signature(std::uint64_t type, std::uint64_t op) {
        constexpr auto ops = static_cast<std::uint64_t>(Operator::callable) + 1;
        constexpr auto complex = static_cast<std::uint64_t>(Type::c32);
        return type < complex ? type * ops + op : complex * ops + (type - complex) * 3 + (op < 2 ? op : 2);
    }

    std::uint64_t word_ = 0;
};

static_assert(mailbox::carried_bytes < 59, "the sizes of carried messages fit below the marks of the others");

/// A digest of irregular counts that is never 0, which stands for equal blocks.
std::uint64_t digest(std::span<const std::size_t> counts);

} // namespace tutti::execute
