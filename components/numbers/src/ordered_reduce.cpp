#include "call/arguments.hpp"
#include "group/seat.hpp"
#include "immovable.hpp"
#include "numbers/src/ordered_tree.hpp"
#include "run/bindings.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>
#include <tutti/ordered_reduce.hpp>
#include <tutti/start.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>
#include <string>
#include <typeinfo>

namespace tutti::v0_1::detail {

namespace {

using library::TermRange;

constexpr const char* preparation = "prepare_ordered_reduce: ";

/// The part that each member shows the others when it prepares.
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
        throw ArgumentError(preparation + library::wrong_argument(call, "terms", "result"));
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
            throw CombinationError(preparation + ("no member has " + terms(end, range.first)) + ", " +
                                   before + ": the ranges of all members must cover all indices from 0 on");
        }
        if (range.first < end) {
            throw CombinationError(std::string(preparation) + "ranks " + std::to_string(ranks[i - 1]) +
                                   " and " + next + " both have " +
                                   terms(range.first, std::min(end, range.end())) +
                                   ": each term must belong to one member");
        }
        end = range.end();
    }
    return ranks;
}

void check_elements(const std::vector<Shown>& shown) {
    for (std::size_t rank = 1; rank < shown.size(); ++rank) {
        if (!shown[rank].has_same_elements(shown[0])) {
            throw CombinationError(preparation + ("ranks 0 and " + std::to_string(rank)) +
                                   " have different elements or operators: pass the same on every member");
        }
    }
}

/// The same order, if the members can reduce. Throws the same on every member if not.
std::vector<std::size_t> checked_order(const std::vector<Shown>& shown, bool has_identity) {
    check_elements(shown);
    std::vector<std::size_t> ranks = in_order(shown);
    if (ranks.empty() && !has_identity) {
        throw CombinationError(std::string(preparation) +
                               "there are no terms, and the operator has no known identity, which would be "
                               "the result");
    }
    return ranks;
}

} // namespace

/// The state of a prepared reduction. Only run() needs a call.
class OrderedTree : Immovable {
public:
    OrderedTree(Seat& own, std::size_t first_index, const Call& call, bool has_identity);
    ~OrderedTree() {
        if (gather_ != nullptr) {
            gather_->release();
        }
    }

    std::size_t own_terms() const { return range_.count; }
    bool has_terms() const { return passed_elements_ != 0; }
    /// There must be terms.
    void run(const Call& call) {
        if (ends_with_allreduce_) {
            guarded([&] {
                evaluate_pieces(call.state, static_cast<const std::byte*>(call.input), room_.data());
                assemble(call.state);
            });
            seat_->called_from().show(call.where);
            void* const value = at(assembly_.result());
            if (key_ == 0 || !execute_again(*seat_, key_, value, value)) {
                execute(*seat_, allreduce_of_value(call));
            }
        } else {
            guarded([&] {
                evaluate_pieces(call.state, static_cast<const std::byte*>(call.input), passed_.data());
            });
            gather_->start();
            gather_->wait();
            guarded([&] { assemble(call.state); });
        }
        std::memcpy(call.output, at(assembly_.result()), element_bytes_);
    }

private:
    std::byte* at(std::size_t element) const { return room_.data() + element * element_bytes_; }
    /// A node of several chunks: the last node of each size is kept until its right neighbour is there.
    void evaluate_chunks(void* out, const std::byte* in, std::size_t rows) const {
        constexpr std::size_t most_bytes = 16; // of an element of a compiled kernel
        alignas(most_bytes) std::byte value[most_bytes];
        alignas(most_bytes) std::byte kept[std::numeric_limits<std::size_t>::digits][most_bytes];
        for (std::size_t chunk = 0; chunk < rows / fold_chunk_rows; ++chunk) {
            kernels_->fold(nullptr, value, in, fold_chunk_rows);
            std::size_t level = 0;
            for (; (chunk >> level) % 2 != 0; ++level) {
                kernels_->reduce(nullptr, value, kept[level], value, 1);
            }
            std::memcpy(kept[level], value, element_bytes_);
            in += fold_chunk_rows * fold_row_bytes;
        }
        std::memcpy(out, value, element_bytes_);
    }

    void evaluate(const void* state, void* out, const std::byte* in, std::size_t rows) const {
        if (!is_compiled_) {
            return kernels_->fold(state, out, in, rows);
        }
        if (rows > fold_chunk_rows) {
            return evaluate_chunks(out, in, rows);
        }
        if (rows >= fold_least_rows) {
            return kernels_->fold(nullptr, out, in, rows);
        }
        const void* each[fold_least_rows];
        for (std::size_t row = 0; row < rows; ++row) {
            each[row] = in + row * fold_row_bytes;
        }
        kernels_->reduce_many(nullptr, &out, 1, each, static_cast<int>(rows), shape_.lanes, Association::tree,
                              {});
    }

    void evaluate_pieces(const void* state, const std::byte* terms, std::byte* out) const {
        for (const library::Piece& piece : pieces_.pieces) {
            const std::byte* const in = terms + (piece.first - range_.first) * element_bytes_;
            std::byte* const to = out + piece.at * element_bytes_;
            if (piece.terms != 0) {
                std::memcpy(to, in, piece.terms * element_bytes_);
            } else {
                evaluate(state, to, in, std::size_t{1} << piece.level);
            }
        }
    }

    void assemble(const void* state) const {
        for (const library::Step& step : assembly_.steps()) {
            if (step.combines) {
                kernels_->reduce(state, at(step.to), at(step.to), at(step.from), step.count);
            } else {
                std::memcpy(at(step.to), at(step.from), step.count * element_bytes_);
            }
        }
    }

    /// Work that may run an operator of the program, which must not make calls, and may throw.
    template <class Work>
    void guarded(const Work& work) const {
        is_compiled_ ? work() : run_operator_of(*seat_, work);
    }

    Call allreduce_of_value(const Call& call) const {
        Call made = call;
        made.in_place = true;
        made.input = made.output = at(assembly_.result());
        made.input_count = made.output_count = 1;
        return made;
    }

    Seat* seat_;
    const Kernels* kernels_;
    bool is_compiled_;
    std::size_t element_bytes_;
    std::size_t members_ = 0;
    TermRange range_;
    library::TreeShape shape_;
    library::Pieces pieces_;
    /// Whether an allreduce does the rest after this member's assembly; otherwise all pieces are gathered.
    bool ends_with_allreduce_ = false;
    std::size_t passed_elements_ = 0; ///< by each member; 0: there are no terms
    library::Assembly assembly_{{}, 0};
    run::Memory passed_;
    run::Memory room_;
    std::uint64_t key_ = 0; ///< of the allreduce
    PersistentRequestBase* gather_ = nullptr;
};

OrderedTree::OrderedTree(Seat& own, std::size_t first_index, const Call& call, bool has_identity)
    : seat_(&own), kernels_(&call.loops()), is_compiled_(call.kernels == nullptr),
      element_bytes_(call.element_bytes), range_{first_index, call.input_count} {
    check_own(call, first_index);
    shape_.lanes = is_compiled_ ? fold_row_bytes / element_bytes_ : 1;
    members_ = static_cast<std::size_t>(own.members());
    const Shown mine{range_, element_bytes_,
                     static_cast<std::size_t>(call.type) << 8U | static_cast<std::size_t>(call.op),
                     call.types, call.function};
    std::vector<Shown> shown(members_);
    own.called_from().show(call.where);
    const auto exchange = [&] {
        execute(own, bytes_of_all(&mine, sizeof mine, shown.data(), members_, call.where));
    };
    exchange();
    const std::vector<std::size_t> ranks =
        library::judged_by_all([&] { return checked_order(shown, has_identity); }, exchange);
    if (ranks.empty()) {
        return;
    }

    pieces_ = library::pieces_of(range_, shape_);
    std::vector<TermRange> ranges;
    for (const Shown& each : shown) {
        ranges.push_back(each.range);
        passed_elements_ = std::max(passed_elements_, library::pieces_of(each.range, shape_).elements);
    }
    ends_with_allreduce_ = library::is_top_of_tree(ranges, shape_);
    assembly_ =
        library::Assembly(shape_, ends_with_allreduce_ ? pieces_.elements : members_ * passed_elements_);
    const auto own_rank = static_cast<std::size_t>(own.rank());
    for (const std::size_t rank : ranks) {
        if (!ends_with_allreduce_ || rank == own_rank) {
            for (const library::Piece& piece : library::pieces_of(ranges[rank], shape_).pieces) {
                assembly_.add(piece, (ends_with_allreduce_ ? 0 : rank * passed_elements_) + piece.at);
            }
        }
    }
    assembly_.finish();
    room_.at_least(assembly_.elements() * element_bytes_, std::max(call.element_align, fold_row_bytes));
    const std::size_t bytes = passed_elements_ * element_bytes_;
    std::memset(passed_.at_least(bytes, std::max(call.element_align, fold_row_bytes)), 0, bytes);
    if (ends_with_allreduce_) {
        key_ = key_of(allreduce_of_value(call));
    } else {
        gather_ = &prepare(own, bytes_of_all(passed_.data(), bytes, room_.data(), members_, call.where));
    }
}

OrderedReduction::OrderedReduction(Seat& seat, std::size_t first_index, const Call& call, bool has_identity)
    : tree_(
          as_one_call([&] { return std::make_unique<OrderedTree>(seat, first_index, call, has_identity); })) {
}
OrderedReduction::~OrderedReduction() = default;
OrderedReduction::OrderedReduction(OrderedReduction&&) noexcept = default;
OrderedReduction& OrderedReduction::operator=(OrderedReduction&&) noexcept = default;

bool OrderedReduction::run(const Call& call) {
    if (tree_ == nullptr) {
        throw Error("OrderedReduce: the object is empty, because it was moved from; assign it a reduction of "
                    "prepare_ordered_reduce() first");
    }
    if (call.input_count != tree_->own_terms()) {
        throw ArgumentError("OrderedReduce: `terms` has " + std::to_string(call.input_count) +
                            (call.input_count == 1 ? " element, but " : " elements, but ") +
                            std::to_string(tree_->own_terms()) + " were prepared: pass as many");
    }
    if (!tree_->has_terms()) {
        return false;
    }
    return as_one_call([&] {
        tree_->run(call);
        return true;
    });
}

} // namespace tutti::v0_1::detail
