// The prefixes of every compiled kernel of every instruction set this CPU has, against plain scalar code, and
// the template loops.

#include "../affine.hpp"
#include "../associated.hpp"
#include "../test.hpp"
#include "kernel/table.hpp"
#include "reference.hpp"

#include <tutti/detail/template_loops.hpp>

using tutti::detail::Kernels;
using tutti::test::Affine;
using tutti::test::compose;

namespace {

using tutti::Operator;
using tutti::detail::Association;
using tutti::detail::Kernels;
using tutti::kernel::Isa;

constexpr std::size_t guard = 70; // elements before and after each operand: more than any kernel's vector
constexpr int most_members = 9;

struct Shape {
    int members;
    bool ragged; // operands at different offsets, so that they do not share their misalignment
    bool in_place;
    bool exclusive;
    tutti::detail::StoreHints stores;
    Association association = Association::tree;
};

std::vector<Shape> all_shapes() {
    std::vector<Shape> shapes;
    for (int members = 1; members <= most_members; ++members) {
        const tutti::detail::StoreHints all_but_last{.stream = true,
                                                     .cached_out = members > 1 ? members - 1 : -1};
        for (const bool ragged : {false, true}) {
            for (const bool in_place : {false, true}) {
                for (const bool exclusive : {false, true}) {
                    shapes.push_back({members, ragged, in_place, exclusive, {}});
                    shapes.push_back({members, ragged, in_place, exclusive, {}, Association::left});
                    shapes.push_back({members, ragged, in_place, exclusive, all_but_last});
                    shapes.push_back({members, ragged, in_place, exclusive, {.move = true}});
                    shapes.push_back({members,
                                      ragged,
                                      in_place,
                                      exclusive,
                                      {.cached_out = all_but_last.cached_out, .move = true}});
                }
            }
        }
    }
    return shapes;
}

/// The inputs of all members, and what their prefixes must be.
template <class T>
struct Data {
    std::vector<std::vector<T>> values;
    std::vector<std::vector<T>> in_tree; // [k]: inputs 0..k combined
    std::vector<std::vector<T>> from_the_left;

    template <class Apply>
    Data(std::vector<std::vector<T>> inputs, const Apply& apply)
        : values(std::move(inputs)), in_tree(values), from_the_left(values) {
        for (std::size_t k = 1; k < values.size(); ++k) {
            for (std::size_t i = 0; i < values[k].size(); ++i) {
                const auto element = [&](std::size_t j) -> T { return values[j][i]; };
                in_tree[k][i] = tutti::test::in_tree(k + 1, element, apply);
                from_the_left[k][i] = tutti::test::from_the_left(k + 1, element, apply);
            }
        }
    }

    const std::vector<std::vector<T>>& prefixes(Association association) const {
        return association == Association::tree ? in_tree : from_the_left;
    }
};

/// Runs one call on fresh buffers and looks at everything in them; says what is wrong, or nothing.
template <class T, class Same>
std::string wrong_scan(const Kernels& kernels, const void* state, const Data<T>& data, const Shape& shape,
                       std::size_t count, const T& filler, const Same& same) {
    const auto members = static_cast<std::size_t>(shape.members);
    const auto place = [&](std::size_t buffer) { return guard + (shape.ragged ? 3 + buffer % 5 : 0); };
    std::vector<std::vector<T>> buffers(2 * members, std::vector<T>(count + 2 * guard + 8, filler));
    std::vector<std::vector<T>> expected = buffers;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    const auto put = [&](std::vector<T>& buffer, std::size_t at, const std::vector<T>& elements) {
        std::copy_n(elements.begin(), count, buffer.begin() + static_cast<std::ptrdiff_t>(at));
    };
    for (std::size_t j = 0; j < members; ++j) {
        const std::size_t out = shape.in_place ? j : members + j;
        put(buffers[j], place(j), data.values[j]);
        put(expected[j], place(j), data.values[j]);
        if (!shape.exclusive) {
            put(expected[out], place(out), data.prefixes(shape.association)[j]);
        } else if (j > 0) {
            put(expected[out], place(out), data.prefixes(shape.association)[j - 1]);
        }
        ins.push_back(buffers[j].data() + place(j));
        outs.push_back(buffers[out].data() + place(out));
    }
    kernels.scan_many(state, outs.data(), ins.data(), shape.members, count, shape.exclusive,
                      shape.association, shape.stores);
    for (std::size_t b = 0; b < buffers.size(); ++b) {
        if (std::memcmp(buffers[b].data(), expected[b].data(), buffers[b].size() * sizeof(T)) == 0) {
            continue;
        }
        for (std::size_t i = 0; i < buffers[b].size(); ++i) {
            if (!same(buffers[b][i], expected[b][i])) {
                return (b < members ? "input " : "output ") + std::to_string(b % members) + ", element " +
                       std::to_string(static_cast<long>(i) - static_cast<long>(place(b)));
            }
        }
    }
    return {};
}

/// Around the widths of the widest vector and tile, and long enough for both to follow an aligned head.
template <class T>
std::vector<std::size_t> counts_around_widths() {
    constexpr std::size_t vector = 64 / sizeof(T);
    constexpr std::size_t tile = 256 / sizeof(T);
    return {0, 1, 5, vector - 1, vector, vector + 1, tile - 1, tile, tile + 1, 2048 / sizeof(T) + 3};
}

std::string text(const Shape& shape, std::size_t count) {
    return std::to_string(shape.members) + " members, count " + std::to_string(count) +
           (shape.ragged ? ", ragged" : "") + (shape.in_place ? ", in place" : "") +
           (shape.exclusive ? ", exclusive" : "") + (shape.stores.stream ? ", streaming" : "") +
           (shape.stores.move ? ", moving" : "") + (shape.stores.cached_out >= 0 ? " but the last" : "");
}

template <class T>
void check_pair(Operator op) {
    const std::vector<std::size_t> counts = counts_around_widths<T>();
    std::vector<std::vector<T>> inputs;
    for (std::uint64_t k = 0; k < most_members; ++k) {
        inputs.push_back(reference::random_vector<T>(counts.back(), 31 * k + 7));
    }
    const Data<T> data(std::move(inputs), [op](T a, T b) { return reference::apply(op, a, b); });
    const auto same = [](T a, T b) { return reference::same_bits(a, b); };
    for (const Isa isa : tutti::kernel::available_isas()) {
        const Kernels& kernels = tutti::kernel::kernels_in<tutti::type_of<T>()>(isa, op);
        INFO("isa " << std::string(to_string(isa)) << ", op " << std::string(to_string(op)));
        REQUIRE((kernels.scan_many != nullptr));
        for (const std::size_t count : counts) {
            for (const Shape& shape : all_shapes()) {
                if (!tutti::test::is_sampled()) {
                    continue;
                }
                INFO(text(shape, count));
                REQUIRE(wrong_scan(kernels, nullptr, data, shape, count, T(99), same) == "");
            }
        }
    }
}

TEST_CASE_TEMPLATE("prefixes by every operator on every type", T, std::int8_t, std::uint8_t, std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
                   std::complex<float>, std::complex<double>) {
    for (std::size_t code = 0; code < tutti::kernel::operator_count; ++code) {
        const auto op = static_cast<Operator>(code);
        if (reference::makes_sense<T>(op)) {
            check_pair<T>(op);
        } else {
            for (const Isa isa : tutti::kernel::available_isas()) {
                CHECK((tutti::kernel::kernels_in<tutti::type_of<T>()>(isa, op).scan_many == nullptr));
            }
        }
    }
}

TEST_CASE("prefixes that are moved tile by tile") {
    constexpr std::size_t count = 10'007;
    std::vector<std::vector<double>> inputs;
    for (std::uint64_t k = 0; k < most_members; ++k) {
        inputs.push_back(reference::random_vector<double>(count, 31 * k + 7));
    }
    const Data<double> data(std::move(inputs),
                            [](double a, double b) { return reference::apply(Operator::sum, a, b); });
    const Kernels& kernels = tutti::detail::builtin<tutti::Type::f64>(Operator::sum);
    for (const Shape& shape : all_shapes()) {
        INFO(text(shape, count));
        REQUIRE(wrong_scan(kernels, nullptr, data, shape, count, 99.0, reference::same_bits<double>) == "");
    }
}

TEST_CASE("prefixes by a callable that does not commute, on 3-byte structs") {
    std::vector<std::vector<Affine>> inputs(most_members, std::vector<Affine>(101));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        for (std::size_t i = 0; i < inputs[k].size(); ++i) {
            inputs[k][i] = {static_cast<std::uint8_t>(2 * (k + i) + 1), static_cast<std::uint8_t>(31 * k + i),
                            1};
        }
    }
    const Data<Affine> data(std::move(inputs), compose);
    const Kernels& kernels = tutti::detail::TemplateLoops<Affine, decltype(compose)>::kernels;
    for (const std::size_t count : {0U, 1U, 2U, 101U}) {
        for (const Shape& shape : all_shapes()) {
            INFO(text(shape, count));
            REQUIRE(wrong_scan(kernels, &compose, data, shape, count, Affine{9, 9, 9}, std::equal_to<>()) ==
                    "");
        }
    }
}

TEST_CASE("a prefix uses the operator's own state, and an exclusive one not the last operand") {
    const auto refuses_13 = [bias = 100](int a, int b) {
        if (b == 13) {
            throw std::runtime_error("thirteen");
        }
        return a + b + bias;
    };
    const Kernels& kernels = tutti::detail::TemplateLoops<int, decltype(refuses_13)>::kernels;
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

/// The kernels that reduce elements of type T with `op`, compiled or instantiated.
template <class T, class Op>
requires tutti::Applicable<Op, T>
const Kernels& kernels_for(const Op& /*op*/) {
    if constexpr (tutti::detail::has_builtin_kernels<T, Op>) {
        return tutti::detail::builtin<tutti::type_of<T>()>(tutti::operator_of<Op>());
    } else {
        return tutti::detail::TemplateLoops<T, Op>::kernels;
    }
}

Affine affine(std::size_t source, std::size_t i) {
    return {static_cast<std::uint8_t>(2 * (source + i) + 1), static_cast<std::uint8_t>(source * 31 + i), 1};
}

struct alignas(64) Wide {
    double value;
    friend bool operator==(const Wide&, const Wide&) = default;
};

/// Left-to-right reduction of inputs 0..ins_count-1 at i.
Affine expected(std::size_t ins_count, std::size_t i) {
    Affine result = affine(0, i);
    for (std::size_t source = 1; source < ins_count; ++source) {
        result = compose(result, affine(source, i));
    }
    return result;
}

TEST_CASE("a non-commutative callable on 3-byte structs, out of place and in place") {
    const Kernels& kernels = kernels_for<Affine>(compose);
    for (const std::size_t count : {0U, 1U, 2U, 101U, 1000U}) {
        for (std::size_t ins_count = 1; ins_count <= 17; ++ins_count) {
            for (const bool in_place : {false, true}) {
                std::vector<std::vector<Affine>> buffers(2 * ins_count,
                                                         std::vector<Affine>(count + 1, Affine{9, 9, 9}));
                std::vector<const void*> ins;
                std::vector<void*> outs;
                for (std::size_t k = 0; k < ins_count; ++k) {
                    for (std::size_t i = 0; i < count; ++i) {
                        buffers[k][i] = affine(k, i);
                    }
                    ins.push_back(buffers[k].data());
                    outs.push_back(buffers[in_place ? ins_count - 1 - k : ins_count + k].data());
                }
                const int arity = static_cast<int>(ins_count);
                kernels.reduce_many(&compose, outs.data(), arity, ins.data(), arity, count,
                                    tutti::detail::Association::tree, {.stream = true});
                for (std::size_t k = 0; k < ins_count; ++k) {
                    const auto& out = buffers[in_place ? k : ins_count + k];
                    for (std::size_t i = 0; i < count; ++i) {
                        REQUIRE(out[i] == expected(ins_count, i));
                    }
                    REQUIRE(out[count] == Affine{9, 9, 9});
                }
            }
        }
    }
}

TEST_CASE("reduce keeps the left operand on the left, whichever it overwrites") {
    const Kernels& kernels = kernels_for<Affine>(compose);
    for (int alias = 0; alias < 3; ++alias) {
        std::array<Affine, 3> operands[] = {
            {}, {affine(0, 0), affine(0, 1), affine(0, 2)}, {affine(1, 0), affine(1, 1), affine(1, 2)}};
        auto& out = operands[alias];
        kernels.reduce(&compose, out.data(), operands[1].data(), operands[2].data(), 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(out[i] == compose(affine(0, i), affine(1, i)));
        }
    }
}

TEST_CASE("the operator's own state is used") {
    struct Modulo {
        unsigned modulus;
        unsigned operator()(unsigned a, unsigned b) const { return (a + b) % modulus; }
    };
    const Modulo seven{7};
    const Modulo ten{10};
    const unsigned a = 5;
    const unsigned b = 6;
    unsigned out = 0;
    kernels_for<unsigned>(seven).reduce(&seven, &out, &a, &b, 1);
    CHECK(out == 4);
    kernels_for<unsigned>(ten).reduce(&ten, &out, &a, &b, 1);
    CHECK(out == 1);
}

TEST_CASE("function pointers, over-aligned elements, bool, and named operators on user types") {
    const auto larger = +[](Wide a, Wide b) { return a.value < b.value ? b : a; };
    const Wide small{1};
    const Wide large{2};
    Wide out{};
    kernels_for<Wide>(larger).reduce(&larger, &out, &small, &large, 1);
    CHECK(out == large);

    const bool yes = true;
    const bool no = false;
    bool both = true;
    kernels_for<bool>(tutti::land).reduce(&tutti::land, &both, &yes, &no, 1);
    CHECK(both == false);

    const long double x = 1.5L;
    const long double y = 2;
    long double product = 0;
    kernels_for<long double>(tutti::prod).reduce(&tutti::prod, &product, &x, &y, 1);
    CHECK(product == 3.0L);
}

TEST_CASE("named operators on known types use the compiled kernels") {
    CHECK(&kernels_for<long long>(tutti::sum) ==
          &tutti::detail::builtin<tutti::Type::i64>(tutti::Operator::sum));
    CHECK(&kernels_for<float>(tutti::max) == &tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::max));
    const auto plus = std::plus<>{};
    CHECK(&kernels_for<float>(plus) != &tutti::detail::builtin<tutti::Type::f32>(tutti::Operator::sum));
}

TEST_CASE("a throwing operator's exception arrives, and what was done before it stays") {
    const auto refuses_13 = [](int a, int b) {
        if (b == 13) {
            throw std::runtime_error("thirteen");
        }
        return a + b;
    };
    const Kernels& kernels = kernels_for<int>(refuses_13);
    const std::vector<int> a{1, 2, 3};
    const std::vector<int> b{10, 13, 20};
    std::vector<int> out{-1, -1, -1};
    CHECK_THROWS_WITH_AS(kernels.reduce(&refuses_13, out.data(), a.data(), b.data(), 3), "thirteen",
                         std::runtime_error);
    CHECK(out == std::vector<int>{11, -1, -1});
    void* const outs[] = {out.data()};
    const void* const ins[] = {a.data(), a.data(), b.data()};
    CHECK_THROWS_AS(
        kernels.reduce_many(&refuses_13, outs, 1, ins, 3, 3, tutti::detail::Association::tree, {}),
        std::runtime_error);
    CHECK(out == std::vector<int>{12, -1, -1});
}

} // namespace
