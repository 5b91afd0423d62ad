#include "execute/arguments.hpp"

#include "execute/select.hpp"

#include <tutti/error.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace tutti::execute {

using detail::Call;
using detail::Kind;

namespace {

[[noreturn]] void refuse(const Call& call, const std::string& what) {
    throw ArgumentError(std::string(to_string(collective_of(call.kind))) + ": " + what);
}

std::string elements(const char* name, std::size_t count) {
    return std::string("`") + name + "` has " + std::to_string(count) + " elements";
}

/// The names that the public functions give to their vectors.
const char* input_name(const Call& call) {
    return call.in_place ? "inout" : call.kind == Kind::allgather ? "block" : "in";
}

const char* output_name(const Call& call) {
    return call.in_place ? "inout" : call.kind == Kind::reduce_scatter ? "block" : "out";
}

void check_pointers(const Call& call) {
    if (call.input_count != 0 && call.input == nullptr) {
        refuse(call, elements(input_name(call), call.input_count) + " but is a null pointer");
    }
    if (call.output_count != 0 && call.output == nullptr) {
        refuse(call, elements(output_name(call), call.output_count) + " but is a null pointer");
    }
}

/// The size of the equal blocks of a vector of `total` elements that should be members x `block`.
std::size_t equal_blocks(const Call& call, std::size_t total, const char* whole_name, std::size_t block,
                         const char* block_name, std::size_t members) {
    if (call.in_place) {
        if (total % members != 0) {
            refuse(call, elements(whole_name, total) + ", which do not make " + std::to_string(members) +
                             " equal blocks: pass a multiple of " + std::to_string(members) +
                             (call.kind == Kind::reduce_scatter ? " or give counts" : ""));
        }
        return total / members;
    }
    if (total != block * members) {
        refuse(call, elements(whole_name, total) + " and " + elements(block_name, block) + " on " +
                         std::to_string(members) + " members: `" + whole_name + "` must have " +
                         std::to_string(block * members));
    }
    return block;
}

std::size_t irregular_offset(const Call& call, std::size_t rank, std::size_t members, std::size_t* offsets) {
    if (call.counts.size() != members) {
        refuse(call, "`counts` has " + std::to_string(call.counts.size()) +
                         " entries, must have one for each of the " + std::to_string(members) + " members");
    }
    offsets[0] = 0;
    for (std::size_t i = 0; i < members; ++i) {
        if (__builtin_add_overflow(offsets[i], call.counts[i], &offsets[i + 1])) {
            refuse(call, "the sum of `counts` overflows");
        }
    }
    if (offsets[members] != call.input_count) {
        refuse(call, elements(input_name(call), call.input_count) + ", but `counts` add up to " +
                         std::to_string(offsets[members]));
    }
    if (!call.in_place && call.output_count != call.counts[rank]) {
        refuse(call, elements("block", call.output_count) + ", but `counts[" + std::to_string(rank) +
                         "]` is " + std::to_string(call.counts[rank]));
    }
    return offsets[rank];
}

/// The aliasing of a call's vectors, refused where it is invalid.
Aliasing checked_aliasing(const Call& call, std::size_t own_offset) {
    check_pointers(call);
    const Aliasing aliasing = aliasing_of(call, own_offset);
    if (aliasing == Aliasing::invalid) {
        refuse(call, std::string("`") + input_name(call) + "` and `" + output_name(call) +
                         "` overlap: pass separate vectors, or " +
                         (call.kind == Kind::allreduce ? "the same one"
                                                       : "exactly this member's part as the block"));
    }
    return aliasing;
}

} // namespace

Shape checked_shape(const Call& call, int rank, int members, std::size_t* offsets) {
    const auto own = static_cast<std::size_t>(rank);
    const auto ranks = static_cast<std::size_t>(members);
    Shape shape;
    switch (call.kind) {
    case Kind::barrier:
        break;
    case Kind::allreduce:
        if (call.input_count != call.output_count) {
            refuse(call, elements("in", call.input_count) + " and " + elements("out", call.output_count) +
                             ": they must have the same number");
        }
        shape.total = call.input_count;
        break;
    case Kind::reduce_scatter:
        shape.total = call.input_count;
        if (call.counts.data() != nullptr || !call.counts.empty()) {
            shape.own_offset = irregular_offset(call, own, ranks, offsets);
        } else {
            shape.block =
                equal_blocks(call, shape.total, input_name(call), call.output_count, "block", ranks);
            shape.own_offset = shape.block * own;
        }
        break;
    case Kind::allgather:
        shape.total = call.output_count;
        shape.block = equal_blocks(call, shape.total, output_name(call), call.input_count, "block", ranks);
        shape.own_offset = shape.block * own;
        break;
    }
    shape.aliasing = checked_aliasing(call, shape.own_offset);
    shape.message_bytes = (call.kind == Kind::allgather ? shape.block : shape.total) * call.element_bytes;
    return shape;
}

} // namespace tutti::execute
