#pragma once

#include "../associated.hpp"
#include "../std.hpp"

#include <tutti/collective.hpp>
#include <tutti/half.hpp>

namespace tutti::test {

/// The elements of the block from one member to another. For all collectives except the all-to-all, a
/// member's block is the one from the member to itself.
using Lengths = std::function<std::size_t(std::size_t from, std::size_t to)>;

/// A collective call as all its members make it: all but data, operator, and way of calling.
struct Shape {
    Collective collective = Collective::barrier;
    /// Elements of the vector, or of each block if the collective divides its vector.
    std::size_t count = 0;
    bool in_place = false;
    /// The root, or the distance of a shift.
    int root = 0;
    /// If blocks are irregular.
    Lengths lengths = {};
    /// If blocks have displacements, the seed of these: each member has its own.
    std::optional<std::uint32_t> displaced = {};
    /// Only the root knows the counts.
    bool counts_at_root = false;

    const detail::CollectiveTraits& traits() const { return detail::traits_of(collective); }
    bool is_irregular() const { return lengths != nullptr; }
    bool is_root(std::size_t rank) const { return static_cast<int>(rank) == root; }

    std::size_t length(std::size_t from, std::size_t to) const {
        return is_irregular() ? lengths(from, to) : count;
    }
    /// The elements of block number `block` in the whole vector of a member, which sends or receives it.
    std::size_t sent_length(std::size_t rank, std::size_t block) const {
        return collective == Collective::alltoall ? length(rank, block) : length(block, block);
    }
    std::size_t received_length(std::size_t rank, std::size_t block) const {
        return collective == Collective::alltoall ? length(block, rank) : length(block, block);
    }

    std::string describe() const {
        return std::string(traits().name) + (in_place ? " in place" : "") + ", root " + std::to_string(root) +
               (is_irregular() ? ", irregular" : ", " + std::to_string(count) + " elements") +
               (displaced ? " with displacements" : "") + (counts_at_root ? ", counts at the root" : "");
    }
};

/// The places of a vector's blocks: back to back, or in any order with gaps. Empty blocks lie anywhere then.
struct Layout {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> starts;
    std::size_t elements = 0;

    Layout() = default;
    explicit Layout(std::vector<std::size_t> lengths) : counts(std::move(lengths)), starts(counts.size()) {
        for (std::size_t block = 0; block < counts.size(); ++block) {
            starts[block] = elements;
            elements += counts[block];
        }
    }
    Layout(std::vector<std::size_t> lengths, std::uint32_t seed)
        : counts(std::move(lengths)), starts(counts.size()) {
        std::mt19937 random(seed);
        std::vector<std::size_t> order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t block : order) {
            elements += random() % 3;
            starts[block] = counts[block] != 0 ? elements : random();
            elements += counts[block];
        }
        elements += random() % 3;
    }
};

/// For every collective a call with separate vectors and one in place, if there are such, for each of the
/// roots and distances.
inline std::vector<Shape> regular_shapes(std::size_t count, const std::vector<int>& roots,
                                         const std::vector<int>& distances) {
    std::vector<Shape> shapes;
    for (const Collective collective : detail::all_collectives) {
        const detail::CollectiveTraits& traits = detail::traits_of(collective);
        for (const bool in_place : {false, true}) {
            if (traits.in_place == (in_place ? detail::OneVector::never : detail::OneVector::always)) {
                continue;
            }
            for (const int number : traits.is_rooted()      ? roots
                                    : traits.takes_number() ? distances
                                                            : std::vector{0}) {
                shapes.push_back(
                    {.collective = collective, .count = count, .in_place = in_place, .root = number});
            }
        }
    }
    return shapes;
}

/// The same of every collective whose blocks may be irregular, or have displacements if there is a seed for
/// these, with counts that all members know, or the root alone.
inline std::vector<Shape> irregular_shapes(const Lengths& lengths, const std::vector<int>& roots,
                                           std::optional<std::uint32_t> displaced = {}) {
    std::vector<Shape> shapes;
    for (Shape shape : regular_shapes(0, roots, {})) {
        if (shape.traits().irregular <
            (displaced ? detail::Irregular::displacements : detail::Irregular::counts)) {
            continue;
        }
        shape.lengths = lengths;
        shape.displaced = displaced;
        if (shape.collective == Collective::alltoall && shape.in_place) { // each gets as much as it gives
            shape.lengths = [lengths](std::size_t from, std::size_t to) {
                return lengths(std::min(from, to), std::max(from, to));
            };
        }
        shapes.push_back(shape);
        if (shape.traits().is_rooted()) {
            shape.counts_at_root = true;
            shapes.push_back(shape);
        }
    }
    return shapes;
}

/// One member's vectors in a call, and what the call must leave in the output. In place the input is empty.
template <class T>
struct Vectors {
    std::size_t rank = 0;
    std::vector<T> in;
    std::vector<T> out;
    std::vector<T> expected;
    /// The layouts of the blocks in the input and in the output, if they have any; in place both are the
    /// same.
    Layout sent;
    Layout received;
    /// Elements in front of the input and of the output that belong to neither.
    std::size_t lead = 0;
};

/// The type in which operands are combined. The result of all is rounded to T once.
template <class T>
using Wide = std::conditional_t<detail::Half<T>, float, T>;

/// The inputs of all members, and what each collective makes of them: written down from what the collectives
/// promise, with loops over the ranks. Operands are combined as type W.
template <class T, class W = Wide<T>>
class Reference {
public:
    /// make(rank, i) is element i of the input of the member of that rank; lower(all, n) is the result of n
    /// operands that are combined.
    Reference(
        int members, std::function<T(std::size_t, std::size_t)> make, std::function<W(const W&, const W&)> op,
        std::function<T(const W&, std::size_t)> lower = [](const W& all,
                                                           std::size_t) { return static_cast<T>(all); })
        : members_(static_cast<std::size_t>(members)), make_(std::move(make)), op_(std::move(op)),
          lower_(std::move(lower)), untouched_(make_(members_, 0)) {}

    /// Computes the first elements of all inputs, and their reductions, once for all calls.
    void keep(std::size_t elements) {
        std::vector<Vector> inputs;
        for (std::size_t rank = 0; rank < members_; ++rank) {
            inputs.push_back(input(rank, 0, elements));
        }
        kept_inputs_ = std::move(inputs);
        std::array<std::vector<Vector>, 2> prefixes;
        for (std::size_t rank = 0; rank < members_; ++rank) {
            prefixes[0].push_back(combined(rank, 0, elements, detail::Association::left));
            prefixes[1].push_back(combined(rank, 0, elements, detail::Association::tree));
        }
        kept_prefixes_ = std::move(prefixes);
    }

    std::size_t members() const { return members_; }
    /// The content of outputs before calls.
    const T& untouched() const { return untouched_; }

    Vectors<T> vectors(std::size_t rank, const Shape& shape,
                       detail::Association association = detail::Association::tree) const {
        Vectors<T> made;
        made.rank = rank;
        if (shape.traits().is_divided()) {
            made.sent = layout(rank, shape, true);
            made.received = shape.in_place ? made.sent : layout(rank, shape, false);
        }
        const Vector in = whole_input(rank, shape, made.sent);
        if (shape.in_place) {
            made.out = before_in_place(rank, shape, in, made.received);
        } else {
            made.in = in;
            made.out = blank(output_elements(rank, shape, made.received));
        }
        made.expected = after(rank, shape, made, association);
        return made;
    }

private:
    using Vector = std::vector<T>;
    using Part = detail::Part;

    static std::ptrdiff_t distance(std::size_t elements) { return static_cast<std::ptrdiff_t>(elements); }
    static Vector part(const Vector& vector, std::size_t first, std::size_t count) {
        return {vector.begin() + distance(first), vector.begin() + distance(first + count)};
    }
    static void put(Vector& vector, std::size_t first, const Vector& elements) {
        if (!elements.empty()) {
            std::copy(elements.begin(), elements.end(), vector.begin() + distance(first));
        }
    }
    Vector blank(std::size_t count) const { return Vector(count, untouched_); }

    Vector input(std::size_t rank, std::size_t first, std::size_t count) const {
        if (!kept_inputs_.empty()) {
            return part(kept_inputs_[rank], first, count);
        }
        Vector made;
        made.reserve(count);
        for (std::size_t i = first; i < first + count; ++i) {
            made.push_back(make_(rank, i));
        }
        return made;
    }
    /// The result of the members up to `last`.
    Vector combined(std::size_t last, std::size_t first, std::size_t count,
                    detail::Association association) const {
        if (!kept_prefixes_[0].empty()) {
            return part(kept_prefixes_[association == detail::Association::left ? 0 : 1][last], first, count);
        }
        const auto element = [&](std::size_t rank, std::size_t i) -> W {
            return kept_inputs_.empty() ? make_(rank, i) : kept_inputs_[rank][i];
        };
        Vector made;
        made.reserve(count);
        for (std::size_t i = first; i < first + count; ++i) {
            made.push_back(
                lower_(bracketed(
                           association, last + 1, [&](std::size_t rank) { return element(rank, i); }, op_),
                       last + 1));
        }
        return made;
    }

    Layout layout(std::size_t rank, const Shape& shape, bool sends) const {
        std::vector<std::size_t> lengths;
        for (std::size_t block = 0; block < members(); ++block) {
            lengths.push_back(sends ? shape.sent_length(rank, block) : shape.received_length(rank, block));
        }
        const auto own = static_cast<std::uint32_t>(2 * rank + (sends ? 0 : 1));
        return shape.displaced ? Layout(std::move(lengths), *shape.displaced + own)
                               : Layout(std::move(lengths));
    }

    /// The start of block number `block` in a member's data for all members.
    static std::size_t start_of(std::size_t rank, const Shape& shape, std::size_t block) {
        std::size_t start = 0;
        for (std::size_t before = 0; before < block; ++before) {
            start += shape.sent_length(rank, before);
        }
        return start;
    }

    Vector whole_input(std::size_t rank, const Shape& shape, const Layout& sent) const {
        const Part wanted = shape.traits().input.of(shape.is_root(rank));
        if (wanted == Part::none) {
            return {};
        }
        if (wanted == Part::block) {
            return input(rank, 0, shape.length(rank, rank));
        }
        if (!shape.traits().is_divided()) {
            return input(rank, 0, shape.count);
        }
        Vector whole = blank(sent.elements);
        for (std::size_t block = 0; block < members(); ++block) {
            put(whole, place(sent, block), input(rank, start_of(rank, shape, block), sent.counts[block]));
        }
        return whole;
    }

    /// Empty blocks may have displacements beyond the vector.
    static std::size_t place(const Layout& layout, std::size_t block) {
        return layout.counts[block] == 0 ? 0 : layout.starts[block];
    }

    /// A member that gets nothing may still have an output, which is not touched.
    std::size_t output_elements(std::size_t rank, const Shape& shape, const Layout& received) const {
        const Part wanted = shape.traits().output.of(shape.is_root(rank));
        if (wanted == Part::block) {
            return shape.length(rank, rank);
        }
        if (shape.traits().is_divided()) {
            return wanted == Part::whole ? received.elements : 0;
        }
        return shape.collective == Collective::barrier ? 0 : shape.count;
    }

    Vector before_in_place(std::size_t rank, const Shape& shape, const Vector& in,
                           const Layout& received) const {
        const Part has = shape.traits().input.of(shape.is_root(rank));
        const bool gets_whole = shape.traits().output.of(shape.is_root(rank)) == Part::whole;
        if (has == Part::block && gets_whole) {
            Vector out = blank(received.elements);
            put(out, place(received, rank), in);
            return out;
        }
        return has == Part::none ? blank(output_elements(rank, shape, received)) : in;
    }

    Vector after(std::size_t rank, const Shape& shape, const Vectors<T>& call,
                 detail::Association association) const {
        const detail::CollectiveTraits& traits = shape.traits();
        const Part wanted = traits.output.of(shape.is_root(rank));
        const bool keeps = wanted == Part::none || (shape.collective == Collective::exscan && rank == 0) ||
                           (shape.collective == Collective::scatter && shape.in_place && shape.is_root(rank));
        Vector out = call.out;
        if (keeps) {
            return out;
        }
        if (wanted == Part::block) {
            const bool is_in_whole = shape.in_place && traits.reduces();
            put(out, is_in_whole ? place(call.received, rank) : 0, result(rank, shape, rank, association));
        } else if (!traits.is_divided()) {
            put(out, 0, result(rank, shape, 0, association));
        } else {
            for (std::size_t block = 0; block < members(); ++block) {
                put(out, place(call.received, block), result(rank, shape, block, association));
            }
        }
        return out;
    }

    /// A block of a member's result, or all of it if the collective does not divide its vector.
    Vector result(std::size_t rank, const Shape& shape, std::size_t block,
                  detail::Association association) const {
        const bool is_divided = shape.traits().is_divided();
        const std::size_t first = is_divided ? start_of(rank, shape, block) : 0;
        const std::size_t count = is_divided ? shape.sent_length(rank, block) : shape.count;
        const std::size_t last = members_ - 1;
        switch (shape.collective) {
        case Collective::barrier:
            return {};
        case Collective::broadcast:
        case Collective::scatter:
            return input(static_cast<std::size_t>(shape.root), first, count);
        case Collective::reduce:
        case Collective::allreduce:
        case Collective::reduce_scatter:
            return combined(last, first, count, association);
        case Collective::allgather:
        case Collective::gather:
            return input(block, 0, count);
        case Collective::alltoall:
            return input(block, start_of(block, shape, rank), shape.sent_length(block, rank));
        case Collective::scan:
            return combined(rank, first, count, association);
        case Collective::exscan:
            return combined(rank - 1, first, count, association);
        case Collective::shift:
            break;
        }
        const auto size = static_cast<int>(members_);
        const int from = (static_cast<int>(rank) - shape.root % size + size) % size;
        return input(static_cast<std::size_t>(from), first, count);
    }

    std::size_t members_;
    std::function<T(std::size_t, std::size_t)> make_;
    std::function<W(const W&, const W&)> op_;
    std::function<T(const W&, std::size_t)> lower_;
    T untouched_;
    std::vector<Vector> kept_inputs_;
    /// [r]: of the members up to r, from the left and in a tree.
    std::array<std::vector<Vector>, 2> kept_prefixes_;
};

} // namespace tutti::test
