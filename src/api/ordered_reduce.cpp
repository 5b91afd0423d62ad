#include "api/ordered_tree.hpp"
#include "call/wrong_argument.hpp"
#include "group/group_state.hpp"
#include "group/seat.hpp"
#include "run/memory.hpp"

#include <tutti/error.hpp>
#include <tutti/ordered_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::detail {

namespace {

using engine::TermRange;

constexpr const char* preparation = "prepare.ordered_reduce: ";

/// What each member shows the others when it prepares.
struct Shown {
    TermRange range;
    std::size_t element_bytes;
    std::size_t type_and_operator;
    const std::type_info* types;
    std::uintptr_t function;

    bool has_same_elements(const Shown& other) const {
        return element_bytes == other.element_bytes && type_and_operator == other.type_and_operator &&
               function == other.function && (types == nullptr) == (other.types == nullptr) &&
               (types == nullptr || *types == *other.types);
    }
};

Call bytes_of_all(const void* mine, std::size_t bytes, void* all, std::size_t members,
                  const SourceLine& where) {
    return {.collective = Collective::allgather,
            .type = Type::u8,
            .input = mine,
            .output = all,
            .input_count = bytes,
            .output_count = bytes * members,
            .where = where};
}

void check_own(const Call& call, std::size_t first_index) {
    if (call.wrong != Wrong::nothing) {
        throw ArgumentError(preparation + engine::wrong_argument(call, "terms", "result"));
    }
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    if (first_index > most || call.input_count > most / call.element_bytes) {
        throw ArgumentError(std::string(preparation) + "`first_index` is " + std::to_string(first_index) +
                            " and `count` is " + std::to_string(call.input_count) +
                            ": both must be lengths of memory");
    }
}

std::string terms(std::size_t first, std::size_t end) {
    return end - first == 1 ? "term " + std::to_string(first)
                            : "terms " + std::to_string(first) + " to " + std::to_string(end - 1);
}

/// The members that have terms, in the order of these. Throws if any term has no member or two.
std::vector<std::size_t> in_order(const std::vector<Shown>& shown) {
    std::vector<std::size_t> ranks(shown.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::erase_if(ranks, [&](std::size_t rank) { return shown[rank].range.count == 0; });
    std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
        return shown[a].range.first < shown[b].range.first;
    });
    std::size_t end = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const TermRange& range = shown[ranks[i]].range;
        const std::string next = std::to_string(ranks[i]);
        const std::string before =
            i == 0 ? "before rank " + next : "between ranks " + std::to_string(ranks[i - 1]) + " and " + next;
        if (range.first > end) {
            throw ArgumentError(preparation + ("no member has " + terms(end, range.first)) + ", " + before +
                                ": the ranges of all members must cover all indices from 0 on");
        }
        if (range.first < end) {
            throw ArgumentError(std::string(preparation) + "ranks " + std::to_string(ranks[i - 1]) + " and " +
                                next + " both have " + terms(range.first, std::min(end, range.end())) +
                                ": each term must belong to one member");
        }
        end = range.end();
    }
    return ranks;
}

void check_elements(const std::vector<Shown>& shown) {
    for (std::size_t rank = 1; rank < shown.size(); ++rank) {
        if (!shown[rank].has_same_elements(shown[0])) {
            throw MismatchError(preparation + ("ranks 0 and " + std::to_string(rank)) +
                                " have different elements or operators: pass the same on every member");
        }
    }
}

} // namespace

struct OrderedReduction::State {
    Seat* seat;
    const Kernels* kernels;
    bool is_compiled;
    std::size_t element_bytes;
    std::size_t members = 0;
    TermRange range;
    engine::TreeShape shape;
    engine::Pieces pieces;
    /// Whether an allreduce does the rest after this member's assembly; otherwise all pieces are gathered.
    bool ends_with_allreduce = false;
    std::size_t passed_elements = 0; ///< by each member; 0: there are no terms
    engine::Assembly assembly{{}, 0};
    run::Memory passed;
    run::Memory room;

    State(Seat& own, std::size_t first_index, const Call& call, bool has_identity);

    std::byte* at(std::size_t element) const { return room.data() + element * element_bytes; }
    void reduce(const void* state, void* left, const void* right, std::size_t count) const {
        kernels->reduce(state, left, left, right, count);
    }
    void evaluate_chunks(void* out, const std::byte* in, std::size_t rows) const;
    void evaluate(const void* state, void* out, const std::byte* in, std::size_t rows) const;
    void evaluate_pieces(const void* state, const std::byte* terms, std::byte* out) const;
    void assemble(const void* state) const;
    template <class Work>
    void guarded(const Work& work) const;
    void run(const Call& call);
};

OrderedReduction::State::State(Seat& own, std::size_t first_index, const Call& call, bool has_identity)
    : seat(&own), is_compiled(call.kernels == nullptr),
      element_bytes(call.element_bytes), range{first_index, call.input_count} {
    check_own(call, first_index);
    kernels = is_compiled ? &builtin(call.type, call.op) : call.kernels;
    shape.lanes = is_compiled ? fold_row_bytes / element_bytes : 1;

    members = static_cast<std::size_t>(own.group().size());
    const Shown mine{range, element_bytes,
                     static_cast<std::size_t>(call.type) << 8U | static_cast<std::size_t>(call.op),
                     call.types, call.function};
    std::vector<Shown> shown(members);
    own.called_from().show(call.where);
    execute(own, bytes_of_all(&mine, sizeof mine, shown.data(), members, call.where));
    check_elements(shown);
    const std::vector<std::size_t> ranks = in_order(shown);
    if (ranks.empty()) {
        if (!has_identity) {
            throw ArgumentError(std::string(preparation) +
                                "there are no terms, and the operator has no known identity, which would be "
                                "the result");
        }
        return;
    }

    pieces = engine::pieces_of(range, shape);
    std::vector<TermRange> ranges;
    for (const Shown& each : shown) {
        ranges.push_back(each.range);
        passed_elements = std::max(passed_elements, engine::pieces_of(each.range, shape).elements);
    }
    ends_with_allreduce = engine::is_top_of_tree(ranges, shape);
    assembly = engine::Assembly(shape, ends_with_allreduce ? pieces.elements : members * passed_elements);
    const auto own_rank = static_cast<std::size_t>(own.rank());
    for (const std::size_t rank : ranks) {
        if (!ends_with_allreduce || rank == own_rank) {
            for (const engine::Piece& piece : engine::pieces_of(ranges[rank], shape).pieces) {
                assembly.add(piece, (ends_with_allreduce ? 0 : rank * passed_elements) + piece.at);
            }
        }
    }
    assembly.finish();
    room.at_least(assembly.elements() * element_bytes, std::max(call.element_align, fold_row_bytes));
    const std::size_t bytes = passed_elements * element_bytes;
    std::memset(passed.at_least(bytes, std::max(call.element_align, fold_row_bytes)), 0, bytes);
}

/// A node of several chunks: the last node of each size is kept until its right neighbour is there.
void OrderedReduction::State::evaluate_chunks(void* out, const std::byte* in, std::size_t rows) const {
    alignas(fold_row_bytes) std::byte row[fold_row_bytes];
    alignas(fold_row_bytes) std::byte kept[std::numeric_limits<std::size_t>::digits][16];
    for (std::size_t chunk = 0; chunk < rows / fold_chunk_rows; ++chunk) {
        kernels->fold(nullptr, row, in, fold_chunk_rows);
        for (std::size_t half = shape.lanes / 2; half != 0; half /= 2) {
            reduce(nullptr, row, row + half * element_bytes, half);
        }
        std::size_t level = 0;
        for (; (chunk >> level) % 2 != 0; ++level) {
            kernels->reduce(nullptr, row, kept[level], row, 1);
        }
        std::memcpy(kept[level], row, element_bytes);
        in += fold_chunk_rows * fold_row_bytes;
    }
    std::memcpy(out, row, element_bytes);
}

void OrderedReduction::State::evaluate(const void* state, void* out, const std::byte* in,
                                       std::size_t rows) const {
    if (!is_compiled) {
        return kernels->fold(state, out, in, rows);
    }
    if (rows >= fold_chunk_rows) {
        return evaluate_chunks(out, in, rows);
    }
    if (rows >= fold_least_rows) {
        return kernels->fold(nullptr, out, in, rows);
    }
    const void* each[fold_least_rows];
    for (std::size_t row = 0; row < rows; ++row) {
        each[row] = in + row * fold_row_bytes;
    }
    kernels->reduce_many(nullptr, &out, 1, each, static_cast<int>(rows), shape.lanes, Association::tree, {});
}

void OrderedReduction::State::evaluate_pieces(const void* state, const std::byte* terms,
                                              std::byte* out) const {
    for (const engine::Piece& piece : pieces.pieces) {
        const std::byte* const in = terms + (piece.first - range.first) * element_bytes;
        std::byte* const to = out + piece.at * element_bytes;
        if (piece.terms != 0) {
            std::memcpy(to, in, piece.terms * element_bytes);
        } else {
            evaluate(state, to, in, std::size_t{1} << piece.level);
        }
    }
}

void OrderedReduction::State::assemble(const void* state) const {
    for (const engine::Step& step : assembly.steps()) {
        if (step.combines) {
            reduce(state, at(step.to), at(step.from), step.count);
        } else {
            std::memcpy(at(step.to), at(step.from), step.count * element_bytes);
        }
    }
}

/// Work that may run an operator of the program, which must not make calls, and may throw.
template <class Work>
void OrderedReduction::State::guarded(const Work& work) const {
    if (is_compiled) {
        return work();
    }
    try {
        const Seat::OperatorRuns runs(*seat, true);
        work();
    } catch (...) {
        seat->group().fail(seat->rank(), std::current_exception());
        throw;
    }
}

void OrderedReduction::State::run(const Call& call) {
    if (ends_with_allreduce) {
        guarded([&] {
            evaluate_pieces(call.state, static_cast<const std::byte*>(call.input), room.data());
            assemble(call.state);
        });
        Call rest = call;
        rest.in_place = true;
        rest.input = rest.output = at(assembly.result());
        rest.input_count = rest.output_count = 1;
        execute_or_repeat(*seat, rest);
    } else {
        guarded(
            [&] { evaluate_pieces(call.state, static_cast<const std::byte*>(call.input), passed.data()); });
        execute_or_repeat(*seat, bytes_of_all(passed.data(), passed_elements * element_bytes, room.data(),
                                              members, call.where));
        guarded([&] { assemble(call.state); });
    }
    std::memcpy(call.output, at(assembly.result()), element_bytes);
}

OrderedReduction::OrderedReduction(Seat& seat, std::size_t first_index, const Call& call, bool has_identity)
    : state_(std::make_unique<State>(seat, first_index, call, has_identity)) {}
OrderedReduction::~OrderedReduction() = default;
OrderedReduction::OrderedReduction(OrderedReduction&&) noexcept = default;
OrderedReduction& OrderedReduction::operator=(OrderedReduction&&) noexcept = default;

bool OrderedReduction::run(const Call& call) {
    if (state_ == nullptr) {
        throw Error("OrderedReduce: the object is empty, because it was moved from; assign it a reduction of "
                    "Member::prepare first");
    }
    if (call.input_count != state_->range.count) {
        throw ArgumentError("OrderedReduce: `terms` has " + std::to_string(call.input_count) +
                            " elements, but " + std::to_string(state_->range.count) +
                            " were prepared: pass as many");
    }
    if (state_->passed_elements == 0) {
        return false;
    }
    state_->seat->called_from().show(call.where);
    state_->run(call);
    return true;
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
