// Every compiled kernel of every instruction set this CPU has, against plain scalar code.

#include "guarded.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

std::vector<KernelCall> reductions(std::initializer_list<std::pair<int, int>> arities) {
    std::vector<KernelCall> calls;
    for (const auto& [ins, outs] : arities) {
        const int cached_out = outs > 1 ? outs / 2 : -1;
        std::vector<StoreHints> all_stores{{},
                                           {.stream = true, .cached_out = cached_out},
                                           {.move = true},
                                           {.cached_out = cached_out, .move = true}};
        if (outs == 1) { // another member's, which has its number
            all_stores.push_back({.stream = true, .cached_out = 2});
            all_stores.push_back({.cached_out = 2, .move = true});
        }
        for (const StoreHints& stores : all_stores) {
            for (const Association association : {Association::tree, Association::left}) {
                for (const bool in_place : {false, true}) {
                    if (association == Association::left && ins <= 3) {
                        continue; // the same
                    }
                    KernelCall call{.ins = ins,
                                    .outs = outs,
                                    .in_place = in_place,
                                    .stores = stores,
                                    .association = association};
                    calls.push_back(call);
                    call.offset = 1;
                    calls.push_back(call);
                    call.offset = 3;
                    call.ragged = true;
                    calls.push_back(call);
                }
            }
        }
    }
    return calls;
}

/// Around the widths of the widest vector and tile, and long enough for both to follow an aligned head.
template <class T>
std::vector<std::size_t> counts_around_widths() {
    constexpr std::size_t vector = 64 / sizeof(T);
    constexpr std::size_t tile = 256 / sizeof(T);
    return {0, 1, 5, vector - 1, vector, vector + 1, tile - 1, tile, tile + 1, 2048 / sizeof(T) + 3};
}

} // namespace

TEST_CASE_TEMPLATE("every operator on every type", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
                   std::complex<float>, std::complex<double>) {
    const auto calls = reductions({{1, 1}, {1, 3}, {2, 2}, {3, 1}, {5, 7}});
    for (std::size_t code = 0; code < kernel::operator_count; ++code) {
        const auto op = static_cast<Operator>(code);
        REQUIRE(detail::has_builtin(type_of<T>(), op) == reference::makes_sense<T>(op));
        if (reference::makes_sense<T>(op)) {
            check_kernels<T>(op, 5, calls, {0, 1, 2, 3, 7, 31, 61, 257, 1031});
            check_kernels<T>(op, 9, all_scans(9), counts_around_widths<T>());
        }
    }
}

TEST_CASE("prefixes that are moved tile by tile") {
    check_kernels<double>(Operator::sum, 9, all_scans(9), {10'007});
}

TEST_CASE("up to 17 inputs and outputs") {
    for (int ins = 1; ins <= 17; ++ins) {
        for (int outs = 1; outs <= 17; ++outs) {
            check_kernels<float>(Operator::sum, 17, reductions({{ins, outs}}), {1, 331});
        }
    }
    check_kernels<std::complex<double>>(Operator::prod, 17, reductions({{17, 17}}), {331});
    check_kernels<std::int8_t>(Operator::min, 17, reductions({{17, 17}}), {2003});
}

TEST_CASE("more inputs than registers hold partial results of") {
    for (const int ins : {18, 23, 24, 31, 32, 33, 40, 47, 48, 63, 64, 65, 96, 100}) {
        check_kernels<double>(Operator::sum, 100, reductions({{ins, 1}}), {1, 331});
    }
}

TEST_CASE("vectors of some thousand elements") {
    const auto calls = reductions({{2, 2}, {3, 1}, {8, 8}});
    check_kernels<float>(Operator::sum, 8, calls, {4096, 5003});
    check_kernels<std::int16_t>(Operator::max, 8, calls, {4096, 5003});
    check_kernels<std::complex<float>>(Operator::prod, 8, calls, {4096, 5003});
}

TEST_CASE("copy_many copies bytes to every destination") {
    for (const std::size_t bytes : {0U, 1U, 2U, 3U, 63U, 64U, 65U, 1009U, 5003U, 40'009U}) {
        for (const std::size_t offset : {0U, 1U, 17U}) {
            for (const StoreHints stores :
                 {StoreHints{}, StoreHints{.stream = true}, StoreHints{.move = true}}) {
                const auto in = reference::random_vector<std::uint8_t>(bytes + offset, bytes);
                std::vector<std::vector<std::uint8_t>> buffers(
                    17, std::vector<std::uint8_t>(bytes + offset + 80, 99));
                std::vector<void*> outs;
                for (std::size_t j = 0; j < buffers.size(); ++j) {
                    outs.push_back(buffers[j].data() + offset + j);
                }
                detail::copy_many(outs.data(), 17, in.data() + offset, bytes, stores);
                for (std::size_t j = 0; j < buffers.size(); ++j) {
                    auto expected = std::vector<std::uint8_t>(bytes + offset + 80, 99);
                    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(offset), bytes,
                                expected.begin() + static_cast<std::ptrdiff_t>(offset + j));
                    REQUIRE(buffers[j] == expected);
                }
            }
        }
    }
}

TEST_CASE("complex numbers that start in the middle of an element's size") {
    // std::complex<double> is 16 bytes aligned to 8, so no number of whole elements reaches vector alignment.
    constexpr std::size_t count = 301;
    using Complex = std::complex<double>;
    const auto values = reference::random_vector<double>(2 * count, 5);
    for (const Isa isa : kernel::available_isas()) {
        for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
            std::vector<double> in(values);
            in.insert(in.begin(), shift, 99.0);
            std::vector<double> out(2 * count + 2, 99.0);
            void* const outs[] = {out.data() + shift};
            const void* const ins[] = {in.data() + shift, in.data() + shift};
            kernel::kernels_in<Type::complex128>(isa, Operator::prod)
                .reduce_many(nullptr, outs, 1, ins, 2, count, Association::tree, {.stream = true});
            for (std::size_t i = 0; i < count; ++i) {
                const Complex element(values[2 * i], values[2 * i + 1]);
                const Complex result(out[shift + 2 * i], out[shift + 2 * i + 1]);
                REQUIRE(reference::same_bits(result, reference::apply(Operator::prod, element, element)));
            }
            CHECK(out[shift == 0 ? 2 * count : 0] == 99.0);
        }
    }
}
