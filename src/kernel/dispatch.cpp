#include "kernel/table.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tutti::kernel {

std::span<const Table* const> available_tables() {
#ifdef __x86_64__
    static constexpr const Table* tables[] = {&generic_table, &avx2_table, &avx512_table};
    static const std::size_t count = []() -> std::size_t {
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("avx2")) {
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
std::size_t admitted_tables() {
    constexpr std::string_view names[] = {"generic", "avx2", "avx512"};
    const char* const wanted = std::getenv("TUTTI_ISA");
    if (wanted == nullptr || *wanted == '\0') {
        return std::size(names);
    }
    for (std::size_t i = 0; i < std::size(names); ++i) {
        if (names[i] == wanted) {
            return i + 1;
        }
    }
    throw std::invalid_argument("TUTTI_ISA=\"" + std::string(wanted) + "\": use generic, avx2 or avx512");
}

const Table& chosen_table() {
    static const Table& table =
        *available_tables()[std::min(available_tables().size(), admitted_tables()) - 1];
    return table;
}

} // namespace
} // namespace tutti::kernel

namespace tutti::detail {

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

void copy_many(void* const* outs, int outs_count, const void* in, std::size_t bytes, bool stream) {
    // With a single input no operator is applied: any reduction of bytes is a copy.
    builtin(Type::u8, Operator::bor).reduce_many(nullptr, outs, outs_count, &in, 1, bytes, stream);
}

std::string_view kernel_isa() {
    return kernel::chosen_table().isa;
}

} // namespace tutti::detail
