// Types and vectors of C programs.

#include "c/src/calls.hpp"
#include "c/src/other_types.hpp"
#include "c/src/status.hpp"

#include <cstdint>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::c {

namespace {

/// Those of a type of some size are that size above these bits.
constexpr unsigned type_bits = 8;
constexpr std::uint64_t type_mask = (1U << type_bits) - 1;

} // namespace

Elements elements_of(const char* function, tutti_type asked) {
    const std::uint64_t known = asked & type_mask;
    const std::size_t bytes = asked >> type_bits;
    if (known >= TUTTI_INT8 && known <= TUTTI_DOUBLE_COMPLEX && bytes == 0) {
        const DynamicInput none(static_cast<Type>(known - TUTTI_INT8), nullptr, 0);
        return {none.type(), none.element_bytes(), none.element_align(), asked};
    }
    if (const auto other = elements_of_other(asked)) {
        return *other;
    }
    if (known != 0 || bytes == 0) {
        refuse(function, "`type` is " + std::to_string(asked) +
                             ", which is neither a TUTTI_... type nor of tutti_type_of_size()");
    }
    return {Type::other, bytes, 1, asked};
}

std::size_t checked_product(const char* function, std::size_t n, std::size_t blocks,
                            const Elements& elements) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(n, blocks, &count) || __builtin_mul_overflow(count, elements.bytes, &bytes) ||
        bytes > PTRDIFF_MAX) {
        refuse(function, "a vector would be longer than memory: `n` is " + std::to_string(n) + ", of " +
                             std::to_string(elements.bytes) + " bytes each");
    }
    return count;
}

void check_vector(const char* function, const char* name, const void* address, std::size_t count,
                  const Elements& elements) {
    const auto refuse_address = [&](const char* why) {
        refuse(function, std::string("`") + name + "` " + why);
    };
    if (count == 0) {
        return;
    }
    if (count > PTRDIFF_MAX / elements.bytes) {
        refuse_address("would be longer than memory");
    }
    if (address == nullptr) {
        refuse_address("is a null pointer");
    }
    if (is_in_place(address)) {
        refuse_address("is TUTTI_IN_PLACE, which only what a call reads can be");
    }
    if (reinterpret_cast<std::uintptr_t>(address) % elements.align != 0) {
        refuse_address("is not aligned for its elements");
    }
}

Making::Making(const Caller& caller, Collective collective, tutti_type type)
    : caller_(caller), elements_(elements_of(caller.function(), type)),
      call_(call(collective, caller.options())) {
    call_.type = elements_.type;
    call_.element_bytes = elements_.bytes;
    call_.element_align = elements_.type == Type::other
                              ? DynamicInput(elements_.bytes, nullptr, 0).element_align()
                              : elements_.align;
}

void Making::takes(const void* in, std::size_t in_count, void* out, std::size_t out_count,
                   std::size_t inout_count) {
    const detail::CollectiveTraits& traits = detail::traits_of(call_.collective);
    call_.in_place = traits.in_place == detail::OneVector::always || is_in_place(in);
    const std::size_t written = call_.in_place ? inout_count : out_count;
    if (!call_.in_place) {
        check_vector(caller_.function(), traits.input_name(), in, in_count, elements_);
    }
    check_vector(caller_.function(), traits.output_name(), out, written, elements_);
    call_.output = written != 0 ? out : nullptr;
    call_.output_count = written;
    call_.input = call_.in_place ? call_.output : in_count != 0 ? in : nullptr;
    call_.input_count = call_.in_place ? written : in_count;
}

void Making::combines(tutti_op op) {
    op_.emplace(caller_.function(), op, elements_).complete(call_);
}

} // namespace tutti::inline TUTTI_NAMESPACE::c

using namespace tutti;

tutti_type tutti_type_of_size(size_t bytes) {
    return bytes >> (64 - c::type_bits) == 0 ? static_cast<tutti_type>(bytes) << c::type_bits : 0;
}
