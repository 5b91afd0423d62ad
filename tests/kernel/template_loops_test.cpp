// The loops that are instantiated for operators of the program.

#include "../affine.hpp"
#include "guarded.hpp"

#include <tutti/detail/template_loops.hpp>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("a callable that neither commutes nor associates, on 3-byte structs") {
    const auto fold = [](const Affine& a, const Affine& b) {
        return Affine{static_cast<std::uint8_t>(31 * a.scale + b.scale),
                      static_cast<std::uint8_t>(31 * a.shift + b.shift), b.count};
    };
    std::vector<std::vector<Affine>> inputs(17, std::vector<Affine>(1000));
    std::vector<KernelCall> calls = all_scans(9);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        for (std::size_t i = 0; i < inputs[k].size(); ++i) {
            inputs[k][i] = {static_cast<std::uint8_t>(2 * (k + i) + 1), static_cast<std::uint8_t>(31 * k + i),
                            1};
        }
        const int arity = static_cast<int>(k) + 1;
        for (const bool in_place : {false, true}) {
            calls.push_back({.ins = arity, .outs = arity, .in_place = in_place, .stores = {.stream = true}});
        }
    }
    Operands<Affine> operands(inputs, fold, Affine{9, 9, 9});
    const Kernels& kernels = detail::TemplateLoops<Affine, decltype(fold)>::kernels;
    CHECK(operands.wrong(kernels, calls, {0, 1, 2, 101, 1000}, &fold) == "");
}

TEST_CASE("a prefix uses the operator's own state, and an exclusive one not the last operand") {
    const auto refuses_13 = [bias = 100](int a, int b) {
        if (b == 13) {
            throw std::runtime_error("thirteen");
        }
        return a + b + bias;
    };
    const Kernels& kernels = detail::TemplateLoops<int, decltype(refuses_13)>::kernels;
    const int in[] = {1, 2, 13};
    int out[] = {-1, -1, -1};
    const void* const ins[] = {&in[0], &in[1], &in[2]};
    void* const outs[] = {&out[0], &out[1], &out[2]};
    kernels.scan_many(&refuses_13, outs, ins, 3, 1, true, Association::tree, {});
    CHECK(out[0] == -1);
    CHECK(out[1] == 1);
    CHECK(out[2] == 103);
    CHECK_THROWS_WITH_AS(kernels.scan_many(&refuses_13, outs, ins, 3, 1, false, Association::tree, {}),
                         "thirteen", std::runtime_error);
}

TEST_CASE("a throwing operator's exception arrives, and what was done before it stays") {
    const auto refuses_13 = [](int a, int b) {
        if (b == 13) {
            throw std::runtime_error("thirteen");
        }
        return a + b;
    };
    const Kernels& kernels = detail::TemplateLoops<int, decltype(refuses_13)>::kernels;
    const std::vector<int> a{1, 2, 3};
    const std::vector<int> b{10, 13, 20};
    std::vector<int> out{-1, -1, -1};
    CHECK_THROWS_WITH_AS(kernels.reduce(&refuses_13, out.data(), a.data(), b.data(), 3), "thirteen",
                         std::runtime_error);
    CHECK(out == std::vector<int>{11, -1, -1});
    void* const outs[] = {out.data()};
    const void* const ins[] = {a.data(), a.data(), b.data()};
    CHECK_THROWS_AS(kernels.reduce_many(&refuses_13, outs, 1, ins, 3, 3, detail::Association::tree, {}),
                    std::runtime_error);
    CHECK(out == std::vector<int>{12, -1, -1});
}
