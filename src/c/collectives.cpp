// The collectives with equal blocks.

#include "c/calls.hpp"
#include "c/status.hpp"

#include <tutti/reduce_local.hpp>
#include <tutti/tutti.h>

#include <cstdint>

using namespace tutti;
using detail::Call;

namespace {

/// What a program asks for, as it passes it.
struct Asked {
    const char* function;
    Collective collective;
    const char* in_name;
    const char* out_name;
    const void* in;
    void* out;
    std::size_t n;
    tutti_type type;
    tutti_op op = 0;
    /// Or the distance.
    int root = 0;
};

/// A broadcast has one vector.
bool is_in_place(const Asked& asked) {
    return asked.collective == Collective::broadcast || c::is_in_place(asked.in);
}

constexpr bool reduces(Collective collective) {
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::scan ||
           collective == Collective::exscan;
}

/// Blocks of `n` elements that a member's vectors have; 0 of one at which nobody looks.
struct BlockNumbers {
    std::size_t in;
    std::size_t out;
};

/// In place, both are those of the one vector.
constexpr BlockNumbers blocks_of(Collective collective, bool in_place, bool is_root, std::size_t members) {
    const std::size_t at_root = is_root ? members : in_place ? 1 : 0;
    switch (collective) {
    case Collective::barrier:
        return {0, 0};
    case Collective::reduce:
        return {1, is_root || in_place ? std::size_t{1} : 0};
    case Collective::reduce_scatter:
        return {members, in_place ? members : 1};
    case Collective::allgather:
        return {in_place ? members : 1, members};
    case Collective::gather:
        return {in_place ? at_root : 1, at_root};
    case Collective::scatter:
        return {at_root, in_place ? at_root : 1};
    case Collective::alltoall:
        return {members, members};
    default:
        return {1, 1};
    }
}

int root_or_distance(const Asked& asked, int members) {
    return asked.collective == Collective::shift ? (asked.root % members + members) % members : asked.root;
}

/// Makes a call that blocks once more, where it is one of the last that the member has made but for its
/// addresses. Else does nothing and returns false. What makes a small call cheap: what this does not look at
/// has been checked before.
[[gnu::always_inline]] inline bool repeats(const tutti_caller& me, const Asked& asked) {
    const c::Seated* const member = c::members.find(me.member);
    const std::uint64_t type = asked.type - TUTTI_INT8;
    const std::uint64_t op = asked.op - TUTTI_SUM;
    if (me.how != c::blocks || me.options != nullptr || member == nullptr ||
        type > TUTTI_DOUBLE_COMPLEX - TUTTI_INT8 ||
        (reduces(asked.collective) && op > TUTTI_BXOR - TUTTI_SUM)) {
        return false;
    }
    Call call{.collective = asked.collective, .type = static_cast<Type>(type)};
    call.op = reduces(asked.collective) ? static_cast<Operator>(op) : call.op;
    call.in_place = is_in_place(asked);
    call.root = root_or_distance(asked, member->size());
    const auto blocks = blocks_of(asked.collective, call.in_place, member->rank() == asked.root,
                                  static_cast<std::size_t>(member->size()));
    constexpr std::size_t most = std::size_t{1} << 32U; // what has a key is shorter by far
    const void* const input = call.in_place ? asked.out : asked.in;
    const auto lowest_bits =
        reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(asked.out);
    const std::size_t align_mask = detail::bytes_of(call.type) / (call.type >= Type::c32 ? 2 : 1) - 1;
    if (asked.n > most || c::is_in_place(asked.out) || (lowest_bits & align_mask) != 0) {
        return false;
    }
    call.input_count = blocks.in * asked.n;
    call.output_count = blocks.out * asked.n;
    const std::uint64_t key = detail::key_of(call);
    return key != 0 && detail::execute_again(member->seat(), key, call.input_count != 0 ? input : nullptr,
                                             call.output_count != 0 ? asked.out : nullptr);
}

[[gnu::noinline]] void make(const tutti_caller& me, const Asked& asked) {
    const c::Caller caller(asked.function, me);
    c::Making call(caller, asked.collective, asked.type);
    const bool in_place = is_in_place(asked);
    const auto blocks = blocks_of(asked.collective, in_place, caller.rank() == asked.root,
                                  static_cast<std::size_t>(caller.size()));
    const std::size_t in_count = c::checked_product(asked.function, asked.n, blocks.in, call.elements());
    const std::size_t out_count = c::checked_product(asked.function, asked.n, blocks.out, call.elements());
    if (in_place) {
        call.is_in_place(asked.out_name, asked.out, out_count);
    } else {
        call.reads(asked.in_name, asked.in, in_count);
        call.writes(asked.out_name, asked.out, out_count);
    }
    if (reduces(asked.collective)) {
        call.combines(asked.op);
    }
    call.has_root(root_or_distance(asked, caller.size()));
    call.make();
}

/// Inlined, so that the kind is known to the compiler.
[[gnu::always_inline]] inline tutti_status collective(const tutti_caller& me, const Asked& asked) {
    try {
        if (!repeats(me, asked)) {
            make(me, asked);
        }
        return TUTTI_OK;
    } catch (...) {
        return c::noted();
    }
}

} // namespace

tutti_status tutti_barrier(tutti_caller me) {
    return collective(me, {"barrier", Collective::barrier, "in", "out", nullptr, nullptr, 0, TUTTI_UINT8});
}

tutti_status tutti_broadcast(tutti_caller me, void* inout, size_t n, tutti_type type, int root) {
    return collective(
        me, {"broadcast", Collective::broadcast, "inout", "inout", nullptr, inout, n, type, 0, root});
}

tutti_status tutti_reduce(tutti_caller me, const void* in, void* out, size_t n, tutti_type type, tutti_op op,
                          int root) {
    return collective(me, {"reduce", Collective::reduce, "in", "out", in, out, n, type, op, root});
}

tutti_status tutti_allreduce(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                             tutti_op op) {
    return collective(me, {"allreduce", Collective::allreduce, "in", "out", in, out, n, type, op});
}

tutti_status tutti_reduce_scatter(tutti_caller me, const void* in, void* block, size_t n, tutti_type type,
                                  tutti_op op) {
    return collective(me,
                      {"reduce_scatter", Collective::reduce_scatter, "in", "block", in, block, n, type, op});
}

tutti_status tutti_allgather(tutti_caller me, const void* block, void* out, size_t n, tutti_type type) {
    return collective(me, {"allgather", Collective::allgather, "block", "out", block, out, n, type});
}

tutti_status tutti_gather(tutti_caller me, const void* block, void* out, size_t n, tutti_type type,
                          int root) {
    return collective(me, {"gather", Collective::gather, "block", "out", block, out, n, type, 0, root});
}

tutti_status tutti_scatter(tutti_caller me, const void* in, void* block, size_t n, tutti_type type,
                           int root) {
    return collective(me, {"scatter", Collective::scatter, "in", "block", in, block, n, type, 0, root});
}

tutti_status tutti_alltoall(tutti_caller me, const void* in, void* out, size_t n, tutti_type type) {
    return collective(me, {"alltoall", Collective::alltoall, "in", "out", in, out, n, type});
}

tutti_status tutti_scan(tutti_caller me, const void* in, void* out, size_t n, tutti_type type, tutti_op op) {
    return collective(me, {"scan", Collective::scan, "in", "out", in, out, n, type, op});
}

tutti_status tutti_exscan(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                          tutti_op op) {
    return collective(me, {"exscan", Collective::exscan, "in", "out", in, out, n, type, op});
}

tutti_status tutti_shift(tutti_caller me, const void* in, void* out, size_t n, tutti_type type,
                         int distance) {
    return collective(me, {"shift", Collective::shift, "in", "out", in, out, n, type, 0, distance});
}

tutti_status tutti_reduce_local(const void* in, void* inout, size_t n, tutti_type type, tutti_op op) {
    return c::guarded([&] {
        const c::Elements elements = c::elements_of("reduce_local", type);
        const DynamicOp combines = c::operator_of("reduce_local", op, elements.bytes);
        c::check_vector("reduce_local", "in", in, n, elements);
        c::check_vector("reduce_local", "inout", inout, n, elements);
        if (elements.type == Type::other) {
            reduce_local(DynamicInput(elements.bytes, in, n), DynamicVector(elements.bytes, inout, n),
                         combines);
        } else {
            reduce_local(DynamicInput(elements.type, in, n), DynamicVector(elements.type, inout, n),
                         combines);
        }
    });
}
