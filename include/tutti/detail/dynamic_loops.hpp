#pragma once

#include <tutti/detail/template_loops.hpp>
#include <tutti/dynamic.hpp>
#include <tutti/operators.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// Pieces of buffers that stay in the caches, as bytes: the current value, the next operand, and partial
/// results of a DynamicOp with a function.
class Pieces {
public:
    /// Allocates room for `partial_results` partial results.
    Pieces(const DynamicOp& op, int partial_results) : op_(op) {
        const std::size_t places = 2 + static_cast<std::size_t>(partial_results);
        const std::size_t share = room_bytes / places / align * align;
        elements_ = std::max<std::size_t>(1, share / op.element_bytes());
        const std::size_t place_bytes = (elements_ * op.element_bytes() + align - 1) / align * align;
        if (places * place_bytes > room_bytes) {
            large_room_ = std::make_unique<std::byte[]>(places * place_bytes + align);
        }
        std::byte* const first = large_room_ ? aligned(large_room_.get()) : room_;
        for (std::size_t place = 0; place < places; ++place) {
            places_[place] = first + place * place_bytes;
        }
    }

    /// The number of elements of each piece except the last.
    std::size_t elements() const { return elements_; }
    /// Moves to elements `start` .. `start` + `length` - 1.
    void move_to(std::size_t start, std::size_t length) {
        offset_ = start * op_.element_bytes();
        length_ = length;
        bytes_ = length * op_.element_bytes();
    }

    void take_next(const void* in) {
        std::memcpy(next(), static_cast<const std::byte*>(in) + offset_, bytes_);
    }
    /// Makes the operand taken last the current value.
    void go_on() { std::swap(now(), next()); }
    void combine_with(int place) { op_.function()(partial(place), now(), length_, op_.user()); }
    /// move_into() gives the current value away; copy_into() stores a copy of it.
    void move_into(int place) { std::swap(partial(place), now()); }
    void copy_into(int place) { std::memcpy(partial(place), now(), bytes_); }
    void put(void* out) { std::memcpy(static_cast<std::byte*>(out) + offset_, now(), bytes_); }

private:
    static std::byte* aligned(std::byte* at) {
        return at + (align - reinterpret_cast<std::uintptr_t>(at) % align) % align;
    }
    std::byte*& now() { return places_[0]; }
    std::byte*& next() { return places_[1]; }
    std::byte*& partial(int place) { return places_[2 + static_cast<std::size_t>(place)]; }

    static constexpr std::size_t most_places = 2 + std::numeric_limits<unsigned>::digits;
    static constexpr std::size_t align = alignof(std::max_align_t);
    static constexpr std::size_t room_bytes = 8192;

    const DynamicOp& op_;
    alignas(align) std::byte room_[room_bytes];
    std::unique_ptr<std::byte[]> large_room_;
    std::byte* places_[most_places];
    std::size_t elements_ = 1;
    std::size_t offset_ = 0;
    std::size_t length_ = 0;
    std::size_t bytes_ = 0;
};

/// The loops of a DynamicOp with a function, which gets one piece after the other.
struct DynamicLoops {
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        if (out == a) {
            const void* const ins[] = {a, b};
            return reduce_many(state, &out, 1, ins, 2, count, Association::left, {});
        }
        const DynamicOp& op = op_in(state);
        if (count != 0) {
            if (out != b) {
                std::memcpy(out, b, count * op.element_bytes());
            }
            op.function()(a, out, count, op.user());
        }
    }

    static void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, Association association,
                            StoreHints /*stores*/) {
        Pieces pieces(op_in(state), partial_results(ins_count - 1, association));
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            for (int source = 0; source < ins_count; ++source) {
                pieces.take_next(ins[source]);
                pieces.go_on();
                const bool is_last = source == ins_count - 1;
                const auto combine = [&](int place) { pieces.combine_with(place); };
                is_last ? Merges(source, association).of_all(combine)
                        : pieces.move_into(Merges(source, association).of_kept(combine));
            }
            for (int destination = 0; destination < outs_count; ++destination) {
                pieces.put(outs[destination]);
            }
        }
    }

    static void scan_many(const void* state, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, Association association, StoreHints /*stores*/) {
        const int prefixes = exclusive ? members - 1 : members;
        if (prefixes == 0) {
            return;
        }
        void* const* const results = exclusive ? outs + 1 : outs;
        Pieces pieces(op_in(state), partial_results(prefixes, association));
        const auto combine = [&](int place) { pieces.combine_with(place); };
        for (std::size_t start = 0; start < count; start += pieces.elements()) {
            pieces.move_to(start, std::min(pieces.elements(), count - start));
            for (int member = 0; member < prefixes; ++member) {
                // In place and exclusive, the prefix overwrites this operand, so the operand is copied first.
                pieces.take_next(ins[member]);
                if (member > 0) {
                    pieces.put(results[member - 1]);
                }
                pieces.go_on();
                const Merges merges(member, association);
                pieces.copy_into(merges.of_kept(combine));
                merges.of_rest(combine);
            }
            pieces.put(results[prefixes - 1]);
        }
    }

    static void fold(const void* state, void* out, const void* in, std::size_t rows) {
        const int terms = static_cast<int>(rows);
        const std::size_t element_bytes = op_in(state).element_bytes();
        Pieces pieces(op_in(state), partial_results(terms, Association::tree));
        pieces.move_to(0, 1);
        for (int term = 0; term < terms; ++term) {
            pieces.take_next(static_cast<const std::byte*>(in) +
                             static_cast<std::size_t>(term) * element_bytes);
            pieces.go_on();
            pieces.copy_into(
                Merges(term, Association::tree).of_kept([&](int place) { pieces.combine_with(place); }));
        }
        pieces.put(out);
    }

    static constexpr Kernels kernels{&reduce, &reduce_many, &scan_many, &fold};

private:
    static const DynamicOp& op_in(const void* state) { return *static_cast<const DynamicOp*>(state); }
};

/// The loops of pairs without compiled kernels.
template <class T, class Op>
struct LoopsOf : std::type_identity<TemplateLoops<T, Op>> {};

/// Whether the loops of a pair without compiled kernels need one pass: see Call::needs_one_pass().
template <class T, class Op>
inline constexpr bool is_one_pass = false;

} // namespace tutti::inline TUTTI_NAMESPACE::detail
