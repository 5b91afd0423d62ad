#include "cache_line.hpp"
#include "environment.hpp"
#include "immovable.hpp"
#include "kernel/table.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace tutti::kernel {

namespace {

#if defined(__x86_64__)
/// Features of the processor for which clang 14 has no names: a leaf of its description, 0 if it has none.
struct Features {
    explicit Features(unsigned leaf) { __get_cpuid_count(leaf, 0, &eax, &ebx, &ecx, &edx); }

    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
};
#endif

/// How many of the instruction sets, narrowest first, TUTTI_ISA admits.
std::optional<std::size_t> admitted_isas(std::string_view wanted) {
    for (const Isa isa : {Isa::generic, Isa::avx2, Isa::avx512}) {
        if (wanted == to_string(isa)) {
            return static_cast<std::size_t>(isa) + 1;
        }
    }
    return std::nullopt;
}

bool has_fast_string_moves() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    static const bool has_erms = (Features(7).ebx & 1U << 9U) != 0;
    return has_erms;
#else
    return false; // the sanitizers do not see the accesses of inline assembly
#endif
}

/// Part by part, so that all except the first move find the input in this CPU's caches.
void move_to_all(void* const* outs, int outs_count, const void* in, std::size_t bytes) {
    for (std::size_t begin = 0; begin < bytes; begin += moved_bytes) {
        const std::size_t part = std::min(moved_bytes, bytes - begin);
        for (void* const out : std::span(outs, static_cast<std::size_t>(outs_count))) {
            move_string(static_cast<std::byte*>(out) + begin, static_cast<const std::byte*>(in) + begin,
                        part);
        }
    }
}

} // namespace

std::span<const Isa> available_isas() {
    std::size_t count = std::span(compiled_isas).size();
#if defined(__x86_64__) && !defined(TUTTI_ISA_ONLY)
    static const std::size_t known = []() -> std::size_t {
        constexpr unsigned f16c = 1U << 29U;
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
            (Features(1).ecx & f16c) == 0) {
            return 1;
        }
        const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
        return avx512 ? 3 : 2;
    }();
    count = known;
#endif
    return std::span(compiled_isas).first(count);
}

Isa chosen_isa() {
    constexpr int unknown = -1;
    // All threads choose alike, and none waits for another, which may be in the function of set_log().
    static std::atomic<int> chosen{unknown};
    if (const int isa = chosen.load(std::memory_order_relaxed); isa != unknown) {
        return static_cast<Isa>(isa);
    }
    const std::span<const Isa> isas = available_isas();
    const auto admitted = environment_value<admitted_isas>("TUTTI_ISA", "generic, avx2 or avx512");
    const Isa isa = isas[std::min(isas.size(), admitted.value_or(isas.size())) - 1];
    chosen.store(static_cast<int>(isa), std::memory_order_relaxed);
    return isa;
}

char* tiles_of_thread() {
    struct Tiles : Immovable {
        char* place = static_cast<char*>(std::aligned_alloc(line_bytes, moved_bytes));

        ~Tiles() { std::free(place); }
    };
    static thread_local const Tiles tiles;
    return tiles.place;
}

void move_string(void* out, const void* in, std::size_t bytes) {
#ifdef __x86_64__
    if (has_fast_string_moves()) {
        asm volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(bytes) : : "memory");
        return;
    }
#endif
    std::memcpy(out, in, bytes);
}

} // namespace tutti::kernel

namespace tutti::v0_1::detail {

void copy_many(void* const* outs, int outs_count, const void* in, std::size_t bytes, StoreHints stores) {
    // A copy only to the member's own vector, which is to stay in its cache, does not stream.
    stores.stream = stores.stream && !(outs_count == 1 && stores.cached_out == 0);
    if (outs_count == 1 && !stores.stream && bytes >= kernel::string_move_from_bytes &&
        kernel::has_fast_string_moves()) {
        return kernel::move_string(outs[0], in, bytes);
    }
    if (stores.move && bytes >= kernel::string_move_from_bytes) {
        return kernel::move_to_all(outs, outs_count, in, bytes);
    }
    // With a single input no operator is applied: any reduction of bytes is a copy.
    kernel::in_isa(kernel::chosen_isa(), []<kernel::Isa isa>() -> const Kernels& {
        return kernel::bitwise<isa, Operator::bor>();
    }).reduce_many(nullptr, outs, outs_count, &in, 1, bytes, Association::left, stores);
}

const char* kernel_isa() {
    return to_string(kernel::chosen_isa());
}

} // namespace tutti::v0_1::detail
