#pragma once

#include "../associated.hpp"
#include "../test.hpp"
#include "kernel/table.hpp"
#include "reference.hpp"

#include <tutti/detail/kernels.hpp>

namespace tutti::test {

using detail::Association;
using detail::Kernels;
using detail::StoreHints;
using kernel::Isa;

/// A call of reduce_many, or of scan_many if there are no `outs`.
struct KernelCall {
    int ins;
    int outs = 0;
    bool exclusive = false;
    std::size_t offset = 0;
    bool ragged = false; // operands at different offsets, so that they do not share their misalignment
    bool in_place = false;
    StoreHints stores = {};
    Association association = Association::tree;

    std::string text() const {
        return std::to_string(ins) + " in, " + std::to_string(outs) + " out, offset " +
               std::to_string(offset) + (exclusive ? ", exclusive" : "") + (ragged ? ", ragged" : "") +
               (in_place ? ", in place" : "") + (stores.stream ? ", streamed" : "") +
               (stores.move ? ", moved" : "") + ", cached output " + std::to_string(stores.cached_out) +
               (association == Association::left ? ", from the left" : "");
    }
};

/// As kernels round: a signalling bfloat16 that no operation has made quiet stays as it is.
template <class T, class Wide>
T rounded(const Wide& value) {
    if constexpr (std::is_same_v<T, bfloat16>) {
        if (std::isnan(value)) {
            return T::from_bits(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
        }
    }
    return T(value);
}

/// Inputs of kernels, and what they make of them in guarded buffers.
template <class T>
class Operands {
public:
    /// Numbers of 16 bits are combined in float, and rounded once.
    using Wide = std::conditional_t<detail::Half<T>, float, T>;

    Operands(std::vector<std::vector<T>> values, std::function<Wide(const Wide&, const Wide&)> combine,
             const T& filler)
        : values_(std::move(values)), combine_(std::move(combine)), filler_(filler) {}
    /// At random.
    Operands(Operator op, std::size_t inputs, std::size_t count)
        : Operands(
              {}, [op](const Wide& a, const Wide& b) { return reference::apply(op, a, b); }, T(99)) {
        for (std::size_t k = 0; k < inputs; ++k) {
            values_.push_back(reference::random_vector<T>(count, k * 977 + count));
        }
    }

    /// Makes all calls with all counts, and reductions of two operands. Says what is wrong, or nothing.
    std::string wrong(const Kernels& kernels, const std::vector<KernelCall>& calls,
                      const std::vector<std::size_t>& counts, const void* state = nullptr) {
        for (const std::size_t count : counts) {
            for (const KernelCall& call : calls) {
                const std::string found = is_sampled() ? wrong_call(kernels, call, count, state) : "";
                if (!found.empty()) {
                    return call.text() + ", count " + std::to_string(count) + ": " + found;
                }
            }
            for (const std::size_t offset : {0U, 1U}) {
                const std::string found = wrong_reduce(kernels, offset, count, state);
                if (!found.empty()) {
                    return "reduce, count " + std::to_string(count) + ": " + found;
                }
            }
        }
        return {};
    }

private:
    using Buffers = std::vector<std::vector<T>>;

    static constexpr std::size_t guard = 70; // elements around an operand: more than any kernel's vector

    std::string wrong_call(const Kernels& kernels, const KernelCall& call, std::size_t count,
                           const void* state) {
        const bool scans = call.outs == 0;
        const auto ins_count = static_cast<std::size_t>(call.ins);
        const std::size_t outs_count = scans ? ins_count : static_cast<std::size_t>(call.outs);
        // A member's number may be that of no output: what would be there is not to be touched.
        const std::size_t places = std::max(outs_count, static_cast<std::size_t>(call.stores.cached_out + 1));
        const auto place = [&](std::size_t buffer) {
            return guard + call.offset + (call.ragged ? buffer % 5 : 0);
        };
        Buffers buffers(ins_count + places, std::vector<T>(count + 2 * guard + 8, filler_));
        std::vector<const void*> ins;
        std::vector<void*> outs;
        for (std::size_t k = 0; k < ins_count; ++k) {
            put(buffers[k], place(k), values_[k], count);
            ins.push_back(buffers[k].data() + place(k));
        }
        Buffers expected = buffers;
        for (std::size_t j = 0; j < places; ++j) {
            // In place the outputs of a reduction are the inputs in reverse, then further buffers.
            const bool is_input = call.in_place && j < std::min(ins_count, outs_count);
            const std::size_t buffer = !is_input ? ins_count + j : scans ? j : ins_count - 1 - j;
            outs.push_back(buffers[buffer].data() + place(buffer));
            const std::size_t combined = !scans ? ins_count : call.exclusive ? j : j + 1;
            if (j < outs_count && combined != 0) {
                put(expected[buffer], place(buffer), result(call.association, combined), count);
            }
        }
        if (scans) {
            kernels.scan_many(state, outs.data(), ins.data(), call.ins, count, call.exclusive,
                              call.association, call.stores);
        } else {
            kernels.reduce_many(state, outs.data(), call.outs, ins.data(), call.ins, count, call.association,
                                call.stores);
        }
        return difference(buffers, expected);
    }

    /// out = a op b with out in a buffer of its own, in a's, in b's, and all three the same.
    std::string wrong_reduce(const Kernels& kernels, std::size_t offset, std::size_t count,
                             const void* state) {
        const std::size_t place = guard + offset;
        std::vector<T> with_itself;
        for (const T& value : values_[0]) {
            with_itself.push_back(rounded<T>(combine_(Wide(value), Wide(value))));
        }
        for (const auto& [out, right] : {std::pair(2U, 1U), {0U, 1U}, {1U, 1U}, {0U, 0U}}) {
            Buffers buffers(3, std::vector<T>(count + 2 * guard, filler_));
            put(buffers[0], place, values_[0], count);
            put(buffers[1], place, values_[1], count);
            Buffers expected = buffers;
            put(expected[out], place, right == 0 ? with_itself : result(Association::left, 2), count);
            kernels.reduce(state, buffers[out].data() + place, buffers[0].data() + place,
                           buffers[right].data() + place, count);
            if (const std::string found = difference(buffers, expected); !found.empty()) {
                return found;
            }
        }
        return {};
    }

    static void put(std::vector<T>& buffer, std::size_t place, const std::vector<T>& elements,
                    std::size_t count) {
        std::copy_n(elements.begin(), count, buffer.begin() + static_cast<std::ptrdiff_t>(place));
    }

    /// Inputs 0 .. count - 1, combined.
    const std::vector<T>& result(Association association, std::size_t count) {
        std::vector<T>& made = results_[{association, count}];
        for (std::size_t i = made.size(); i < values_[0].size(); ++i) {
            made.push_back(rounded<T>(bracketed(
                association, count, [&](std::size_t k) { return Wide(values_[k][i]); }, combine_)));
        }
        return made;
    }

    static std::string difference(const Buffers& found, const Buffers& expected) {
        for (std::size_t buffer = 0; buffer < found.size(); ++buffer) {
            if (std::memcmp(found[buffer].data(), expected[buffer].data(),
                            found[buffer].size() * sizeof(T)) != 0) {
                const auto at =
                    std::ranges::mismatch(found[buffer], expected[buffer], reference::same_bits<T>).in1;
                return "buffer " + std::to_string(buffer) + ", element " +
                       std::to_string(at - found[buffer].begin());
            }
        }
        return {};
    }

    std::vector<std::vector<T>> values_;
    std::function<Wide(const Wide&, const Wide&)> combine_;
    T filler_;
    std::map<std::pair<Association, std::size_t>, std::vector<T>> results_;
};

/// The kernels of the pair in every instruction set that this CPU has.
template <class T>
void check_kernels(Operator op, std::size_t inputs, const std::vector<KernelCall>& calls,
                   const std::vector<std::size_t>& counts) {
    Operands<T> operands(op, inputs, counts.back());
    for (const Isa isa : kernel::available_isas()) {
        INFO(std::string(to_string(isa)), ", ", std::string(to_string(type_of<T>())), ", ",
             std::string(to_string(op)));
        REQUIRE(operands.wrong(kernel::kernels_in<type_of<T>()>(isa, op), calls, counts) == "");
    }
}

/// Prefixes of up to so many members.
inline std::vector<KernelCall> all_scans(int most_members) {
    std::vector<KernelCall> calls;
    for (int members = 1; members <= most_members; ++members) {
        const int last = members > 1 ? members - 1 : -1;
        for (unsigned bits = 0; bits < 8; ++bits) {
            KernelCall call{.ins = members,
                            .exclusive = (bits & 1U) != 0,
                            .ragged = (bits & 2U) != 0,
                            .in_place = (bits & 4U) != 0};
            calls.push_back(call);
            for (const StoreHints stores :
                 {StoreHints{.stream = true, .cached_out = last}, StoreHints{.move = true},
                  StoreHints{.cached_out = last, .move = true}}) {
                call.stores = stores;
                calls.push_back(call);
            }
            call.stores = {};
            call.association = Association::left;
            calls.push_back(call);
        }
    }
    return calls;
}

} // namespace tutti::test
