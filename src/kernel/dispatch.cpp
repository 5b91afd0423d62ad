#include "cache_line.hpp"
#include "environment.hpp"
#include "immovable.hpp"
#include "kernel/table.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tutti::kernel {

std::span<const Table* const> available_tables() {
#if defined(TUTTI_ISA_ONLY)
    static constexpr const Table* tables[] = {&TUTTI_ISA_ONLY};
    return tables;
#elif defined(__x86_64__)
    static constexpr const Table* tables[] = {&generic_table, &avx2_table, &avx512_table};
    static const std::size_t count = []() -> std::size_t {
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
            return 1;
        }
        const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
        return avx512 ? 3 : 2;
    }();
    return {tables, count};
#else
    static constexpr const Table* tables[] = {&generic_table};
    return tables;
#endif
}

namespace {

/// How many of the tables, narrowest first, TUTTI_ISA admits.
std::optional<std::size_t> admitted_tables(std::string_view wanted) {
    constexpr std::string_view names[] = {"generic", "avx2", "avx512"};
    const auto* const found = std::ranges::find(names, wanted);
    return found != std::end(names) ? std::optional(static_cast<std::size_t>(found - names) + 1)
                                    : std::nullopt;
}

const Table& chosen_table() {
    static const Table& table = [&]() -> const Table& {
        const std::span<const Table* const> tables = available_tables();
        const auto admitted = environment_value<admitted_tables>("TUTTI_ISA", "generic, avx2 or avx512");
        return *tables[std::min(tables.size(), admitted.value_or(tables.size())) - 1];
    }();
    return table;
}

bool has_fast_string_moves() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    static const bool has = [] {
        unsigned eax = 0;
        unsigned ebx = 0;
        unsigned ecx = 0;
        unsigned edx = 0;
        constexpr unsigned erms = 1U << 9U;
        return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & erms) != 0;
    }();
    return has;
#else
    return false; // the sanitizers do not see what inline assembly touches
#endif
}

/// Part by part, so that all but the first move find the input in this CPU's caches.
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

const DepositLoops& deposit_loops(int fold) {
    return chosen_table().deposits[fold - 2];
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

namespace tutti::inline TUTTI_NAMESPACE::detail {

const Kernels& builtin(Type type, Operator op) {
    if (type < Type::other && op < Operator::callable) {
        const Kernels& kernels = kernel::chosen_table().at(type, op);
        if (kernels.reduce != nullptr) {
            return kernels;
        }
    }
    throw std::invalid_argument("operator " + std::string(to_string(op)) +
                                " has no compiled kernel for elements of type " +
                                std::string(to_string(type)));
}

void copy_many(void* const* outs, int outs_count, const void* in, std::size_t bytes, StoreHints stores) {
    // Of a member's own vector alone, which is to stay in its cache, nothing streams.
    stores.stream = stores.stream && !(outs_count == 1 && stores.cached_out == 0);
    if (outs_count == 1 && !stores.stream && bytes >= kernel::string_move_from_bytes &&
        kernel::has_fast_string_moves()) {
        return kernel::move_string(outs[0], in, bytes);
    }
    if (stores.move && bytes >= kernel::string_move_from_bytes) {
        return kernel::move_to_all(outs, outs_count, in, bytes);
    }
    // With a single input no operator is applied: any reduction of bytes is a copy.
    builtin(Type::u8, Operator::bor)
        .reduce_many(nullptr, outs, outs_count, &in, 1, bytes, Association::left, stores);
}

std::string_view kernel_isa() {
    return kernel::chosen_table().isa;
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
