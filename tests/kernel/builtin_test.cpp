// Every compiled kernel of every instruction set this CPU has, against plain scalar code.

#include "../associated.hpp"
#include "../test.hpp"
#include "kernel/table.hpp"
#include "reference.hpp"

#include <tutti/detail/kernels.hpp>

namespace {

using tutti::Operator;
using tutti::detail::Association;
using tutti::detail::Kernels;
using tutti::detail::StoreHints;
using tutti::kernel::Isa;

constexpr int most_inputs = 100;
constexpr std::size_t guard = 70; // elements before and after each operand: more than any kernel's vector

struct Shape {
    int ins_count;
    int outs_count;
    std::size_t offset;
    bool ragged; // operands at different offsets, so that they do not share their misalignment
    bool in_place;
    tutti::detail::StoreHints stores;
    Association association = Association::tree;
};

template <class T>
class Case {
public:
    Case(Operator op, int max_ins, std::size_t max_count) : op_(op) {
        for (int k = 0; k < max_ins; ++k) {
            values_.push_back(
                reference::random_vector<T>(max_count, static_cast<std::uint64_t>(k) * 977 + max_count));
        }
    }

    /// Runs one call on fresh buffers; says what is wrong, or nothing.
    std::string reduce_many(const Kernels& kernels, const Shape& shape, std::size_t count) const {
        std::vector<std::vector<T>> buffers;
        std::vector<const void*> ins;
        std::vector<void*> outs;
        const auto place = [&](std::size_t index) {
            return guard + shape.offset + (shape.ragged ? index % 5 : 0);
        };
        buffers.reserve(static_cast<std::size_t>(shape.ins_count + shape.outs_count));
        for (std::size_t k = 0; k < static_cast<std::size_t>(shape.ins_count); ++k) {
            buffers.push_back(placed(k, place(k), count));
            ins.push_back(buffers[k].data() + place(k));
        }
        std::vector<std::size_t> out_index;
        for (int j = 0; j < shape.outs_count; ++j) {
            // In place the outputs are the inputs in reverse, then further buffers.
            if (shape.in_place && j < shape.ins_count) {
                out_index.push_back(static_cast<std::size_t>(shape.ins_count - 1 - j));
            } else {
                out_index.push_back(buffers.size());
                buffers.push_back(placed(0, place(buffers.size()), 0));
            }
            outs.push_back(buffers[out_index.back()].data() + place(out_index.back()));
        }
        // A member's number may be that of no output: what would be there is not to be touched.
        std::vector<T> no_output = placed(0, guard, 0);
        outs.resize(std::max(outs.size(), static_cast<std::size_t>(shape.stores.cached_out + 1)),
                    no_output.data() + guard);
        kernels.reduce_many(nullptr, outs.data(), shape.outs_count, ins.data(), shape.ins_count, count,
                            shape.association, shape.stores);
        if (const std::string wrong = check(no_output, guard, {}); !wrong.empty()) {
            return "behind the outputs, " + wrong;
        }
        for (const std::size_t index : out_index) {
            const std::string wrong =
                check(buffers[index], place(index), expected(shape.ins_count, shape.association, count));
            if (!wrong.empty()) {
                return "output in buffer " + std::to_string(index) + ", " + wrong;
            }
        }
        return {};
    }

    /// out = a op b with out in a buffer of its own, in a's, in b's, and all three the same.
    std::string reduce(const Kernels& kernels, std::size_t offset, std::size_t count) const {
        for (int alias = 0; alias < 4; ++alias) {
            const std::size_t place = guard + offset;
            std::vector<T> a = placed(0, place, count);
            std::vector<T> b = placed(1, place, count);
            std::vector<T> c = placed(0, place, 0);
            std::vector<T>& out = alias == 0 ? c : alias == 2 ? b : a;
            kernels.reduce(nullptr, out.data() + place, a.data() + place,
                           (alias == 3 ? a.data() : b.data()) + place, count);
            if (alias == 3) {
                for (std::size_t i = 0; i < count; ++i) {
                    if (!reference::same_bits(out[place + i],
                                              reference::apply(op_, values_[0][i], values_[0][i]))) {
                        return "a op a, element " + std::to_string(i);
                    }
                }
            } else if (const std::string wrong = check(out, place, expected(2, Association::left, count));
                       !wrong.empty()) {
                return "alias " + std::to_string(alias) + ", " + wrong;
            }
        }
        return {};
    }

private:
    /// A guarded buffer with the first `count` values of input k from element `place` on.
    std::vector<T> placed(std::size_t k, std::size_t place, std::size_t count) const {
        std::vector<T> buffer(values_[k].size() + 2 * guard + 8, T(99));
        std::copy_n(values_[k].begin(), count, buffer.begin() + static_cast<std::ptrdiff_t>(place));
        return buffer;
    }

    std::vector<T> expected(int ins_count, Association association, std::size_t count) const {
        std::vector<T> result;
        for (std::size_t i = 0; i < count; ++i) {
            result.push_back(tutti::test::bracketed(
                association, static_cast<std::size_t>(ins_count),
                [&](std::size_t k) { return values_[k][i]; },
                [this](T a, T b) { return reference::apply(op_, a, b); }));
        }
        return result;
    }

    std::string check(const std::vector<T>& buffer, std::size_t place, const std::vector<T>& expected) const {
        const std::size_t count = expected.size();
        std::vector<T> whole(buffer.size(), T(99));
        std::copy_n(expected.begin(), count, whole.begin() + static_cast<std::ptrdiff_t>(place));
        if (std::memcmp(whole.data(), buffer.data(), whole.size() * sizeof(T)) == 0) {
            return {};
        }
        for (std::size_t i = 0; i < buffer.size(); ++i) {
            const bool inside = i >= place && i < place + count;
            if (inside ? !reference::same_bits(buffer[i], expected[i - place]) : buffer[i] != T(99)) {
                return (inside ? "element " : "overwritten neighbour ") + std::to_string(i - place);
            }
        }
        return {};
    }

    Operator op_;
    std::vector<std::vector<T>> values_;
};

template <class T>
void check_pair(Operator op, const std::vector<Shape>& shapes, const std::vector<std::size_t>& counts) {
    if (!reference::makes_sense<T>(op)) {
        for (const Isa isa : tutti::kernel::available_isas()) {
            CHECK((tutti::kernel::kernels_in<tutti::type_of<T>()>(isa, op).reduce == nullptr));
            CHECK((tutti::kernel::kernels_in<tutti::type_of<T>()>(isa, op).reduce_many == nullptr));
        }
        return;
    }
    const Case<T> values(op, most_inputs, counts.back());
    for (const Isa isa : tutti::kernel::available_isas()) {
        const Kernels& kernels = tutti::kernel::kernels_in<tutti::type_of<T>()>(isa, op);
        INFO("isa " << std::string(to_string(isa)) << ", type " << std::string(to_string(tutti::type_of<T>()))
                    << ", op " << std::string(to_string(op)));
        REQUIRE((kernels.reduce != nullptr));
        REQUIRE((kernels.reduce_many != nullptr));
        for (const std::size_t count : counts) {
            for (const Shape& shape : shapes) {
                if (!tutti::test::is_sampled()) {
                    continue;
                }
                INFO(shape.ins_count << " in, " << shape.outs_count << " out, count " << count << ", offset "
                                     << shape.offset << ", ragged " << shape.ragged << ", in place "
                                     << shape.in_place << ", stream " << shape.stores.stream << ", move "
                                     << shape.stores.move << ", cached output " << shape.stores.cached_out
                                     << (shape.association == Association::left ? ", from the left" : ""));
                REQUIRE(values.reduce_many(kernels, shape, count) == "");
            }
            INFO("reduce, count " << count);
            REQUIRE(values.reduce(kernels, 0, count) == "");
            REQUIRE(values.reduce(kernels, 1, count) == "");
        }
    }
}

std::vector<Shape> all_shapes(std::initializer_list<std::pair<int, int>> arities) {
    std::vector<Shape> shapes;
    for (const auto& [ins_count, outs_count] : arities) {
        for (const bool in_place : {false, true}) {
            const int cached_out = outs_count > 1 ? outs_count / 2 : -1;
            std::vector<StoreHints> all_stores{{},
                                               {.stream = true, .cached_out = cached_out},
                                               {.move = true},
                                               {.cached_out = cached_out, .move = true}};
            if (outs_count == 1) { // another member's, which has its number
                all_stores.push_back({.stream = true, .cached_out = 2});
                all_stores.push_back({.cached_out = 2, .move = true});
            }
            for (const StoreHints& stores : all_stores) {
                for (const Association association : {Association::tree, Association::left}) {
                    if (association == Association::left && ins_count <= 3) {
                        continue; // the same
                    }
                    shapes.push_back({ins_count, outs_count, 0, false, in_place, stores, association});
                    shapes.push_back({ins_count, outs_count, 1, false, in_place, stores, association});
                    shapes.push_back({ins_count, outs_count, 3, true, in_place, stores, association});
                }
            }
        }
    }
    return shapes;
}

} // namespace

TEST_CASE_TEMPLATE("every operator on every type", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
                   std::complex<float>, std::complex<double>) {
    const auto shapes = all_shapes({{1, 1}, {1, 3}, {2, 2}, {3, 1}, {5, 7}});
    for (std::size_t op = 0; op < tutti::kernel::operator_count; ++op) {
        check_pair<T>(static_cast<Operator>(op), shapes, {0, 1, 2, 3, 7, 31, 61, 257, 1031});
    }
}

TEST_CASE("up to 17 inputs and outputs") {
    for (int ins_count = 1; ins_count <= 17; ++ins_count) {
        for (int outs_count = 1; outs_count <= 17; ++outs_count) {
            check_pair<float>(Operator::sum, all_shapes({{ins_count, outs_count}}), {1, 331});
        }
    }
    check_pair<std::complex<double>>(Operator::prod, all_shapes({{17, 17}}), {331});
    check_pair<std::int8_t>(Operator::min, all_shapes({{17, 17}}), {2003});
}

TEST_CASE("more inputs than registers hold partial results of") {
    for (const int ins_count : {18, 23, 24, 31, 32, 33, 40, 47, 48, 63, 64, 65, 96, 100}) {
        check_pair<double>(Operator::sum, all_shapes({{ins_count, 1}}), {1, 331});
    }
}

TEST_CASE("vectors of some thousand elements") {
    const auto shapes = all_shapes({{2, 2}, {3, 1}, {8, 8}});
    check_pair<float>(Operator::sum, shapes, {4096, 5003});
    check_pair<std::int16_t>(Operator::max, shapes, {4096, 5003});
    check_pair<std::complex<float>>(Operator::prod, shapes, {4096, 5003});
}

TEST_CASE("floating-point sums are associated as asked") {
    // In single precision 1e8 + 1 is 1e8: ((1e8 + 1) + -1e8) + 1 = 1, but (1e8 + 1) + (-1e8 + 1) = 0.
    const std::vector<float> values{1e8F, 1, -1e8F, 1};
    const void* const ins[] = {&values[0], &values[1], &values[2], &values[3]};
    for (const Isa isa : tutti::kernel::available_isas()) {
        float out = 0;
        void* const outs[] = {&out};
        const Kernels& kernels = tutti::kernel::kernels_in<tutti::Type::f32>(isa, Operator::sum);
        kernels.reduce_many(nullptr, outs, 1, ins, 4, 1, Association::left, {});
        CHECK(out == 1);
        kernels.reduce_many(nullptr, outs, 1, ins, 4, 1, Association::tree, {});
        CHECK(out == 0);
    }
}

TEST_CASE("where neither is less, min and max keep the left operand") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    // Long enough for whole vectors.
    for (const std::size_t count : {std::size_t{1}, std::size_t{64}}) {
        for (const auto& [a, b] : {std::pair{0.0, -0.0}, {-0.0, 0.0}, {nan, 1.0}, {1.0, nan}, {nan, -nan}}) {
            const std::vector<double> left(count, a);
            const std::vector<double> right(count, b);
            for (const Isa isa : tutti::kernel::available_isas()) {
                for (const Operator op : {Operator::min, Operator::max}) {
                    std::vector<double> out(count, 99);
                    tutti::kernel::kernels_in<tutti::Type::f64>(isa, op).reduce(
                        nullptr, out.data(), left.data(), right.data(), count);
                    CHECK(std::memcmp(out.data(), left.data(), count * sizeof(double)) == 0);
                }
            }
        }
    }
}

TEST_CASE(
    "of two NaNs that meet in a sum or product the left one's payload stays, where the hardware keeps any") {
    const auto nan_of = [](std::uint64_t payload) {
        return std::bit_cast<double>(0x7ff8'0000'0000'0000 | payload);
    };
#if defined(__riscv) // each operation that results in NaN results in the canonical one
    const double expected = nan_of(0);
#else
    const double expected = nan_of(1);
#endif
    for (const std::size_t count : {std::size_t{1}, std::size_t{64}}) {
        const std::vector<double> left(count, nan_of(1));
        const std::vector<double> right(count, nan_of(2));
        const std::vector<double> expected_all(count, expected);
        for (const Isa isa : tutti::kernel::available_isas()) {
            for (const Operator op : {Operator::sum, Operator::prod}) {
                std::vector<double> out(count, 99);
                tutti::kernel::kernels_in<tutti::Type::f64>(isa, op).reduce(nullptr, out.data(), left.data(),
                                                                            right.data(), count);
                CHECK(std::memcmp(out.data(), expected_all.data(), count * sizeof(double)) == 0);
            }
        }
    }
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
                tutti::detail::copy_many(outs.data(), 17, in.data() + offset, bytes, stores);
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
    for (const Isa isa : tutti::kernel::available_isas()) {
        for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
            std::vector<double> in(values);
            in.insert(in.begin(), shift, 99.0);
            std::vector<double> out(2 * count + 2, 99.0);
            void* const outs[] = {out.data() + shift};
            const void* const ins[] = {in.data() + shift, in.data() + shift};
            tutti::kernel::kernels_in<tutti::Type::complex128>(isa, Operator::prod)
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
