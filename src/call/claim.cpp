#include "call/claim.hpp"

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "plan/plan.hpp"

#include <cxxabi.h>

#include <bit>
#include <cstdlib>
#include <memory>

namespace tutti::execute {

namespace {

using run::mixed;

/// A field of the first packed word. Every width is checked where its values are known.
struct Field {
    unsigned at;
    unsigned bits;

    constexpr unsigned end() const { return at + bits; }
    constexpr std::uint64_t largest() const { return (std::uint64_t{1} << bits) - 1; }
    constexpr std::uint64_t of(std::uint64_t word) const { return (word >> at) & largest(); }
};

constexpr Field op_field{0, 4};
constexpr Field type_field{op_field.end(), 4};
constexpr Field form_field{type_field.end(), 2};
constexpr Field flags_field{form_field.end(), 7};
constexpr Field row_field{flags_field.end(), 15};
constexpr Field root_field{row_field.end(), 32};
static_assert(static_cast<std::uint64_t>(Operator::callable) <= op_field.largest());
static_assert(static_cast<std::uint64_t>(Type::other) <= type_field.largest());
static_assert(static_cast<std::uint64_t>(schedule::Form::carried) <= form_field.largest());
static_assert(algorithm::most_rows - 1 <= row_field.largest());
static_assert(plan::most_members - 1 <= root_field.largest());
static_assert(root_field.end() <= 64);

std::uint64_t flags(const Claim& claim) {
    return (claim.in_place ? 1U : 0U) | (claim.serial ? 2U : 0U) | (claim.shared_output ? 4U : 0U) |
           (claim.by_counts ? 8U : 0U) | (claim.splits ? 16U : 0U) | (claim.counts_at_root ? 32U : 0U) |
           (claim.in_passes ? 64U : 0U);
}

/// A row of each collective, to name it by.
std::size_t row_of(Collective collective) {
    static const auto rows = [] {
        std::array<std::size_t, detail::collective_count> first{};
        for (std::size_t row = algorithm::registry().size(); row-- > 0;) {
            first[static_cast<std::size_t>(algorithm::registry()[row].collective)] = row;
        }
        return first;
    }();
    return rows[static_cast<std::size_t>(collective)];
}

/// Everything but the root and the bytes. Most calls have none of what comes last.
std::uint64_t digest_of_kind(const Claim& claim) {
    const std::uint64_t fields = claim.packed()[0] & ~(root_field.largest() << root_field.at);
    const std::uint64_t value = mixed(fields, std::rotl(claim.element_bytes, 48));
    if (claim.counts == 0 && claim.loops == nullptr && claim.function == 0) {
        return value;
    }
    const std::uint64_t loops = claim.loops == nullptr ? 0 : claim.loops->hash_code();
    return mixed(mixed(mixed(value, claim.counts), claim.function), loops);
}

/// The types of the element and the operator: what stands between the brackets of "TemplateLoops<...>".
std::string types_of(const std::type_info& loops) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(loops.name(), nullptr, nullptr, &status), &std::free);
    const std::string text = name != nullptr ? name.get() : loops.name();
    const std::size_t first = text.find('<');
    const std::size_t last = text.rfind('>');
    return first < last && last != std::string::npos ? text.substr(first, last + 1 - first) : text;
}

} // namespace

Claim claim_of(const detail::Call& call, const Shape& shape, std::size_t row, int root) {
    const bool by_counts = exchanges(call);
    const bool has_blocks = call.counts != nullptr && !by_counts;
    return {.row = row,
            .type = call.type,
            .op = call.op,
            // Where counts are at the root, each member decides for itself.
            .in_place = call.in_place && !call.counts_at_root,
            .serial = call.serial,
            .shared_output = call.shared_output,
            .by_counts = by_counts,
            .counts_at_root = call.counts_at_root,
            .splits = call.splits,
            .root = static_cast<std::uint32_t>(root),
            .bytes = by_counts ? 0 : shape.total * call.element_bytes,
            .element_bytes = call.element_bytes,
            .counts = has_blocks ? digest(call.counts->span()) : 0,
            .function = call.function,
            .loops = call.loops};
}

Claim claim_of(const detail::Call& call, const Shape& shape) {
    const Collective collective = call.collective;
    const bool has_root = detail::traits_of(collective).takes_number();
    Claim claim = claim_of(call, shape, row_of(collective), has_root ? call.root : 0);
    claim.in_passes = true;
    return claim;
}

bool operator==(const Claim& a, const Claim& b) {
    const bool same_loops =
        a.loops == b.loops || (a.loops != nullptr && b.loops != nullptr && *a.loops == *b.loops);
    return a.packed()[0] == b.packed()[0] && a.bytes == b.bytes && a.element_bytes == b.element_bytes &&
           a.counts == b.counts && a.function == b.function && same_loops;
}

run::Marks Claim::marks(std::size_t message_bytes) const {
    const std::uint64_t kind = digest_of_kind(*this);
    // Odd, so that no two roots meet; the golden section of a turn, so that up to 100 roots further on a
    // message as long as a stage does not make up for another root.
    constexpr std::uint64_t root_step = 648055;
    return {.digest = mixed(kind, bytes ^ std::rotl(std::uint64_t{root}, 40)),
            .print = ((kind >> 40U) + message_bytes + root * root_step) & mailbox::print_mask};
}

std::array<std::uint64_t, Claim::words> Claim::packed() const {
    const std::uint64_t fields =
        static_cast<std::uint64_t>(op) << op_field.at | static_cast<std::uint64_t>(type) << type_field.at |
        static_cast<std::uint64_t>(form) << form_field.at | flags(*this) << flags_field.at |
        static_cast<std::uint64_t>(row) << row_field.at | std::uint64_t{root} << root_field.at;
    return {fields, bytes, element_bytes, counts, function, reinterpret_cast<std::uintptr_t>(loops)};
}

Claim Claim::unpacked(const std::array<std::uint64_t, words>& packed) {
    const std::uint64_t fields = packed[0];
    const std::uint64_t flags = flags_field.of(fields);
    return {.row = row_field.of(fields),
            .form = static_cast<schedule::Form>(form_field.of(fields)),
            .type = static_cast<Type>(type_field.of(fields)),
            .op = static_cast<Operator>(op_field.of(fields)),
            .in_place = (flags & 1U) != 0,
            .serial = (flags & 2U) != 0,
            .shared_output = (flags & 4U) != 0,
            .by_counts = (flags & 8U) != 0,
            .counts_at_root = (flags & 32U) != 0,
            .splits = (flags & 16U) != 0,
            .in_passes = (flags & 64U) != 0,
            .root = static_cast<std::uint32_t>(root_field.of(fields)),
            .bytes = packed[1],
            .element_bytes = packed[2],
            .counts = packed[3],
            .function = packed[4],
            .loops = reinterpret_cast<const std::type_info*>(packed[5])}; // NOLINT(performance-no-int-to-ptr)
}

std::string Claim::describe() const {
    if (splits) {
        return "split, subset or dup";
    }
    const algorithm::Algorithm& algorithm = algorithm::registry()[row];
    std::string text(to_string(algorithm.collective));
    text += in_passes ? "" : " (algorithm " + std::string(algorithm.name) + ")";
    if (algorithm.collective == Collective::barrier) {
        return text;
    }
    const bool has_displacements =
        by_counts && !counts_at_root && algorithm.collective != Collective::alltoall;
    text += counts_at_root      ? " by counts at the root"
            : has_displacements ? " by counts with displacements"
            : by_counts         ? " by counts"
                                : " of " + std::to_string(bytes) + " bytes";
    text += type == Type::other || by_counts
                ? " of " + std::to_string(element_bytes) + "-byte elements" +
                      (type == Type::other ? "" : " of " + std::string(to_string(type)))
                : " of " + std::string(to_string(type));
    if (counts != 0) {
        text += " in irregular blocks";
    }
    if (algorithm.order != algorithm::Order::none) {
        text += " with " + std::string(to_string(op));
        text += loops != nullptr ? " " + types_of(*loops) : "";
        text += serial ? " in order serial" : "";
    }
    if (detail::traits_of(algorithm.collective).is_rooted()) {
        text += ", root " + std::to_string(root);
    } else if (algorithm.collective == Collective::shift) {
        text += ", distance " + std::to_string(root);
    }
    const bool is_choice = algorithm.collective != Collective::broadcast;
    if (shared_output) {
        return text + ", into one vector for all";
    }
    const bool may_be_a_value = bytes == element_bytes;
    return text + (!in_place || !is_choice ? "" : may_be_a_value ? ", in place or by value" : ", in place");
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
