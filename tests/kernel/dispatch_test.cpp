#include "../test.hpp"
#include "kernel/isas.hpp"

#include <tutti/detail/kernels.hpp>
#include <tutti/operators.hpp>

using tutti::kernel::Isa;

TEST_CASE("TUTTI_ISA lowers the instruction set, as far as the CPU has it; nonsense is ignored") {
    const auto isas = tutti::kernel::available_isas();
    const char* const variable = std::getenv("TUTTI_ISA");
    const std::string wanted = variable == nullptr ? "" : variable;
    const std::size_t admitted = wanted == "generic" ? 1 : wanted == "avx2" ? 2 : 3;
    const Isa expected = isas[std::min(admitted, isas.size()) - 1];
    CHECK(tutti::kernel::chosen_isa() == expected);
    CHECK(std::string(tutti::detail::kernel_isa()) == to_string(expected));
    CHECK(&tutti::detail::builtin_sum<tutti::Type::f32>(tutti::Operator::sum) ==
          &tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::sum));
    CHECK(&tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::sum) ==
          &tutti::kernel::kernels_in<tutti::Type::f32>(expected, tutti::Operator::sum));
}

#ifndef TUTTI_ISA_ONLY
TEST_CASE("the narrowest kernels are always there") {
    const auto isas = tutti::kernel::available_isas();
    REQUIRE(!isas.empty());
    CHECK(isas.front() == Isa::generic);
}
#endif

TEST_CASE("there are kernels for the pairs that has_builtin() names, and no others") {
    for (std::size_t code = 0; code < static_cast<std::size_t>(tutti::Type::other); ++code) {
        const auto type = static_cast<tutti::Type>(code);
        for (std::size_t each = 0; each < tutti::kernel::operator_count; ++each) {
            const auto op = static_cast<tutti::Operator>(each);
            INFO("type " << std::string(to_string(type)) << ", op " << std::string(to_string(op)));
            CHECK((tutti::detail::builtin_of(type)(op).reduce != nullptr) ==
                  tutti::detail::has_builtin(type, op));
        }
        CHECK(!tutti::detail::has_builtin(type, tutti::Operator::callable));
    }
    CHECK(!tutti::detail::has_builtin(tutti::Type::other, tutti::Operator::sum));
}
