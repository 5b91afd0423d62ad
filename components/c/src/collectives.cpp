// The collectives with equal blocks.

#include "c/src/calls.hpp"

#include <tutti/collectives.hpp>
#include <tutti/reduce_local.hpp>
#include <tutti/reproducible_sums.hpp>

using namespace tutti;
using detail::Call;
using detail::CollectiveTraits;
using detail::Part;

namespace {

/// The arguments of a call, as the program passes them.
struct Asked {
    const void* in;
    void* out;
    std::size_t n;
    tutti_type type;
    tutti_op op = 0;
    /// Or the distance.
    int root = 0;
};

bool is_in_place(const CollectiveTraits& traits, const void* in) {
    return traits.in_place == detail::OneVector::always || c_api::is_in_place(in);
}

/// How many blocks of `n` elements a part of a vector has.
[[gnu::always_inline]] constexpr std::size_t blocks_of(const CollectiveTraits& traits, Part part,
                                                       std::size_t members) {
    return part == Part::none ? 0 : part == Part::whole ? traits.blocks(members) : 1;
}

/// Blocks that a member's vectors have; 0 of one at which nobody looks.
struct BlockNumbers {
    std::size_t in;
    std::size_t out;

    [[gnu::always_inline]] constexpr BlockNumbers(const CollectiveTraits& traits, bool in_place, bool is_root,
                                                  std::size_t members)
        : in(blocks_of(traits, traits.input.of(is_root), members)),
          out(blocks_of(traits, traits.output.of(is_root), members)) {
        if (in_place) { // both are those of the one vector
            in = out = in > out ? in : out;
        }
    }
};

int root_or_distance(const CollectiveTraits& traits, int root, int members) {
    return traits.number == detail::Number::distance ? (root % members + members) % members : root;
}

/// Makes a blocking call once more, if it is one of the last that the member has made except for its
/// addresses. Otherwise does nothing and returns false. This makes small calls cheap, because everything that
/// it does not look at has been checked before. It is for members of clusters, or for those of
/// groups. `asked` is a copy, so that its fields are constants or in registers.
template <Collective collective, bool of_cluster = false>
[[gnu::always_inline]] inline bool repeats(const tutti_member& me, Asked asked) {
    constexpr CollectiveTraits traits = detail::traits_of(collective);
    const c_api::Seated* const member = c_api::members.find(me.member);
    const std::uint64_t type = asked.type - TUTTI_INT8;
    const std::uint64_t op = asked.op - TUTTI_SUM;
    if (me.how != (of_cluster ? c_api::blocks | c_api::in_cluster : c_api::blocks) || member == nullptr ||
        type > TUTTI_DOUBLE_COMPLEX - TUTTI_INT8 || (traits.reduces() && op > TUTTI_BXOR - TUTTI_SUM)) {
        return false;
    }
    Call call{.collective = collective, .type = static_cast<Type>(type)};
    call.op = traits.reduces() ? static_cast<Operator>(op) : call.op;
    call.in_place = is_in_place(traits, asked.in);
    call.root = root_or_distance(traits, asked.root, member->size());
    const BlockNumbers blocks(traits, call.in_place, member->rank() == asked.root,
                              static_cast<std::size_t>(member->size()));
    constexpr std::size_t most = std::size_t{1} << 32U; // a call with a key is shorter by far
    const void* const input = call.in_place ? asked.out : asked.in;
    const auto lowest_bits =
        reinterpret_cast<std::uintptr_t>(input) | reinterpret_cast<std::uintptr_t>(asked.out);
    const std::size_t align_mask = detail::bytes_of(call.type) / (call.type >= Type::complex64 ? 2 : 1) - 1;
    if (asked.n > most || c_api::is_in_place(asked.out) || (lowest_bits & align_mask) != 0) {
        return false;
    }
    call.input_count = blocks.in * asked.n;
    call.output_count = blocks.out * asked.n;
    const std::uint64_t key = detail::key_of(call);
    member->called_from().show(c_api::where_of(me));
    if constexpr (of_cluster) {
        return key != 0 && member->in_cluster()->run_again(key, call.input_count != 0 ? input : nullptr,
                                                           call.output_count != 0 ? asked.out : nullptr);
    }
    return key != 0 && detail::execute_again(member->seat(), key, call.input_count != 0 ? input : nullptr,
                                             call.output_count != 0 ? asked.out : nullptr);
}

/// Of a program that combines nothing, the linker can leave out operators and kernels (--gc-sections).
template <bool reduces>
[[gnu::noinline]] void make(const tutti_member& me, const CollectiveTraits& traits, const Asked& asked) {
    const char* const function = traits.name.data();
    const c_api::CallingMember member(function, me);
    c_api::Making call(member, traits.collective, asked.type);
    const BlockNumbers blocks(traits, is_in_place(traits, asked.in), member.rank() == asked.root,
                              static_cast<std::size_t>(member.size()));
    const std::size_t in_count = c_api::checked_product(function, asked.n, blocks.in, call.elements());
    const std::size_t out_count = c_api::checked_product(function, asked.n, blocks.out, call.elements());
    call.takes(asked.in, in_count, asked.out, out_count, out_count);
    if constexpr (reduces) {
        call.combines(asked.op);
    }
    call.has_root(root_or_distance(traits, asked.root, member.size()));
    call.make();
}

template <Collective collective>
[[gnu::noinline]] void make_or_repeat_in_cluster(const tutti_member& me, const Asked& asked) {
    if (!repeats<collective, true>(me, asked)) {
        make<detail::traits_of(collective).reduces()>(me, detail::traits_of(collective), asked);
    }
}

/// Inlined, with the collective known to the compiler.
template <Collective collective>
[[gnu::always_inline]] inline tutti_status call(const tutti_member& me, const Asked& asked) {
    try {
        if (!repeats<collective>(me, asked)) {
            make_or_repeat_in_cluster<collective>(me, asked);
        }
        return TUTTI_OK;
    } catch (...) {
        return c_api::noted();
    }
}

/// A C member as the sums of all ways of calling see a member.
class Summing : public Collectives<Summing> {
public:
    Summing(const char* function, const tutti_member& me) : member_(function, blocking(function, me)) {}
    Options options() const { return member_.options(); }
    void run(const detail::Call& call) { member_.make(call); }

private:
    static const tutti_member& blocking(const char* function, const tutti_member& me) {
        c_api::seated(function, me);
        return me;
    }

    c_api::CallingMember member_;
};

template <class T>
std::span<const T> terms_at(const char* function, const char* name, const void* address, std::size_t n,
                            const c_api::Elements& elements) {
    c_api::check_vector(function, name, address, n, elements);
    return {static_cast<const T*>(address), n};
}

/// Stores sum(sums, the terms, elements) at `result`. The terms are of the C++ type of `type`.
template <class Sum>
tutti_status store_sum(const char* function, const tutti_member& me, const char* name, const void* terms,
                       std::size_t n, tutti_type type, void* result, const Sum& sum) {
    return c_api::guarded([&] {
        Summing sums(function, me);
        const c_api::Elements known = c_api::elements_of(function, type);
        if (known.type != Type::f64 && known.type != Type::f32) {
            c_api::refuse(function, "`type` must be TUTTI_DOUBLE or TUTTI_FLOAT");
        }
        c_api::check_vector(function, "result", result, 1, known);
        if (known.type == Type::f64) {
            *static_cast<double*>(result) =
                sum(sums, terms_at<double>(function, name, terms, n, known), known);
        } else {
            *static_cast<float*>(result) = sum(sums, terms_at<float>(function, name, terms, n, known), known);
        }
    });
}

} // namespace

tutti_status tutti_barrier(tutti_member me) {
    return call<Collective::barrier>(me, {nullptr, nullptr, 0, TUTTI_UINT8});
}

tutti_status tutti_broadcast(tutti_member me, void* inout, size_t n, tutti_type type, int root) {
    return call<Collective::broadcast>(me, {nullptr, inout, n, type, 0, root});
}

tutti_status tutti_reduce(tutti_member me, const void* in, void* out, size_t n, tutti_type type, tutti_op op,
                          int root) {
    return call<Collective::reduce>(me, {in, out, n, type, op, root});
}

tutti_status tutti_allreduce(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                             tutti_op op) {
    return call<Collective::allreduce>(me, {in, out, n, type, op});
}

tutti_status tutti_reduce_scatter(tutti_member me, const void* in, void* block, size_t n, tutti_type type,
                                  tutti_op op) {
    return call<Collective::reduce_scatter>(me, {in, block, n, type, op});
}

tutti_status tutti_allgather(tutti_member me, const void* block, void* out, size_t n, tutti_type type) {
    return call<Collective::allgather>(me, {block, out, n, type});
}

tutti_status tutti_gather(tutti_member me, const void* block, void* out, size_t n, tutti_type type,
                          int root) {
    return call<Collective::gather>(me, {block, out, n, type, 0, root});
}

tutti_status tutti_scatter(tutti_member me, const void* in, void* block, size_t n, tutti_type type,
                           int root) {
    return call<Collective::scatter>(me, {in, block, n, type, 0, root});
}

tutti_status tutti_alltoall(tutti_member me, const void* in, void* out, size_t n, tutti_type type) {
    return call<Collective::alltoall>(me, {in, out, n, type});
}

tutti_status tutti_scan(tutti_member me, const void* in, void* out, size_t n, tutti_type type, tutti_op op) {
    return call<Collective::scan>(me, {in, out, n, type, op});
}

tutti_status tutti_exscan(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                          tutti_op op) {
    return call<Collective::exscan>(me, {in, out, n, type, op});
}

tutti_status tutti_shift(tutti_member me, const void* in, void* out, size_t n, tutti_type type,
                         int distance) {
    return call<Collective::shift>(me, {in, out, n, type, 0, distance});
}

tutti_status tutti_reduce_local(const void* in, void* inout, size_t n, tutti_type type, tutti_op op) {
    return c_api::guarded([&] {
        const c_api::Elements elements = c_api::elements_of("reduce_local", type);
        const c_api::Combining combining("reduce_local", op, elements);
        c_api::check_vector("reduce_local", "in", in, n, elements);
        c_api::check_vector("reduce_local", "inout", inout, n, elements);
        const auto reduce = [&](auto type_or_bytes) {
            DynamicVector right(type_or_bytes, inout, n);
            detail::reduce_local(combining.local(DynamicInput(type_or_bytes, in, n), right));
        };
        if (elements.type == Type::other) {
            reduce(elements.bytes);
        } else {
            reduce(elements.type);
        }
    });
}

tutti_status tutti_reproducible_sum(tutti_member me, const void* terms, size_t n, tutti_type type,
                                    void* result) {
    const auto add_up = [](Summing& sums, auto all, const auto&) {
        return reproducible_sum(sums, all, sums.options());
    };
    return store_sum("reproducible_sum", me, "terms", terms, n, type, result, add_up);
}

tutti_status tutti_reproducible_dot(tutti_member me, const void* a, const void* b, size_t n, tutti_type type,
                                    void* result) {
    constexpr const char* name = "reproducible_dot";
    const auto add_up = [&]<class T>(Summing& sums, std::span<const T> left, const c_api::Elements& known) {
        return reproducible_dot(sums, left, terms_at<T>(name, "b", b, n, known), sums.options());
    };
    return store_sum(name, me, "a", a, n, type, result, add_up);
}

tutti_status tutti_reproducible_norm2(tutti_member me, const void* x, size_t n, tutti_type type,
                                      void* result) {
    const auto add_up = [](Summing& sums, auto all, const auto&) {
        return reproducible_norm2(sums, all, sums.options());
    };
    return store_sum("reproducible_norm2", me, "x", x, n, type, result, add_up);
}
