#include "../texts.hpp"
#include "kernel/table.hpp"

#include <tutti/detail/kernels.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

using tutti::test::mentions;
using tutti::test::message_of;

namespace {} // namespace

TEST_CASE("TUTTI_ISA lowers the instruction set, as far as the CPU has it; nonsense is ignored") {
    const auto tables = tutti::kernel::available_tables();
    const char* const variable = std::getenv("TUTTI_ISA");
    const std::string wanted = variable == nullptr ? "" : variable;
    const std::size_t admitted = wanted == "generic" ? 1 : wanted == "avx2" ? 2 : 3;
    const tutti::kernel::Table& expected = *tables[std::min(admitted, tables.size()) - 1];
    CHECK(tutti::detail::kernel_isa() == expected.isa);
    CHECK(&tutti::detail::builtin(tutti::Type::f32, tutti::Operator::sum) ==
          &expected.at(tutti::Type::f32, tutti::Operator::sum));
}

#ifndef TUTTI_ISA_ONLY
TEST_CASE("the narrowest kernels are always there") {
    const auto tables = tutti::kernel::available_tables();
    REQUIRE(!tables.empty());
    CHECK(std::string(tables.front()->isa) == "generic");
}
#endif

TEST_CASE("a pair without kernels is refused by name") {
    using enum tutti::Operator;
    using tutti::Type;
    struct Pair {
        Type type;
        tutti::Operator op;
    };
    for (const Pair& pair : {Pair{Type::complex64, min}, Pair{Type::complex128, max}, Pair{Type::f32, band},
                             Pair{Type::f64, lxor}, Pair{Type::other, sum}, Pair{Type::i32, callable}}) {
        const std::string message = message_of([&] { tutti::detail::builtin(pair.type, pair.op); });
        CHECK(mentions(message, std::string(to_string(pair.type))));
        CHECK(mentions(message, std::string(to_string(pair.op))));
    }
}
