#include "tasks/src/agreement.hpp"

#include "diagnose/disagreement.hpp"
#include "run/footprint.hpp"
#include "run/opening.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tasks {

namespace {

using run::Fault;

/// The ranks whose calls differ, in an operation that has this number, or 0 if there are no others.
MismatchError mismatch(std::span<const Contribution> all, std::uint64_t number, std::size_t rank,
                       std::size_t peer, const std::string& text) {
    return MismatchError(text, {.rank = static_cast<int>(rank),
                                .peer = static_cast<int>(peer),
                                .operation = number,
                                .collective = all[rank].call.collective});
}

void require_same_signatures(std::span<const Contribution> all, std::uint64_t number) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (!(all[rank].signature == all[0].signature)) {
            throw mismatch(all, number, 0, rank,
                           engine::text_of_signatures(engine::Sequence::blocking, 0, static_cast<int>(rank),
                                                      number, all[0].signature, all[rank].signature));
        }
    }
}

/// For calls in which only the sender and the receiver of a block know of it.
void require_matching_counts(std::span<const Contribution> all, std::uint64_t number) {
    for (std::size_t to = 0; to < all.size(); ++to) {
        for (std::size_t from = 0; from < all.size(); ++from) {
            const std::size_t sent = all[from].blocks.sent[to].count;
            const std::size_t expected = all[to].blocks.received[from].count;
            if (sent != expected) {
                throw mismatch(all, number, to, from,
                               engine::text_of_counts(all[to].signature, static_cast<int>(to),
                                                      static_cast<int>(from),
                                                      {.sent = sent,
                                                       .expected = expected,
                                                       .number_of_sender = to,
                                                       .number_of_receiver = from}));
            }
        }
    }
}

/// Memory that a rank reads or writes.
struct Piece {
    run::Range range;
    std::size_t rank;
    bool is_written;
};

std::vector<Piece> pieces_of(std::span<const Contribution> all) {
    std::vector<Piece> pieces;
    pieces.reserve(2 * all.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const Contribution& own = all[rank];
        const auto input = reinterpret_cast<std::uintptr_t>(own.call.input);
        const auto output = reinterpret_cast<std::uintptr_t>(own.call.output);
        const std::size_t element_bytes = own.call.element_bytes;
        Piece read{{input, own.blocks.read * element_bytes}, rank, false};
        Piece written{{output, own.blocks.written * element_bytes}, rank, true};
        if (!own.signature.has_private_counts) {
            const run::Footprint footprint(own.call, own.shape.total, own.shape.block,
                                           own.offsets.empty() ? nullptr : own.offsets.data());
            const std::size_t before = own.shape.own_offset * element_bytes;
            const int member = static_cast<int>(rank);
            read.range = footprint.read(member, input - (own.shape.input_is_block ? before : 0));
            written.range = footprint.written(member, output - (own.shape.output_is_block ? before : 0));
        }
        for (const Piece& piece : {read, written}) {
            if (piece.range.bytes != 0) {
                pieces.push_back(piece);
            }
        }
    }
    return pieces;
}

/// Finds the two pieces that reach furthest, of different ranks, among pieces in the order of their starts.
class Furthest {
public:
    void add(const Piece& piece) {
        if (first_ == nullptr || end(piece) > end(*first_)) {
            second_ = std::exchange(first_, &piece);
        } else if (second_ == nullptr || end(piece) > end(*second_)) {
            second_ = &piece;
        }
    }

    /// One that a piece of another rank overlaps which starts no earlier than all that were added, or null.
    const Piece* overlapped_by(const Piece& piece) const {
        const Piece* const other = first_ != nullptr && first_->rank == piece.rank ? second_ : first_;
        return other != nullptr && end(*other) > piece.range.start ? other : nullptr;
    }

private:
    static std::uintptr_t end(const Piece& piece) { return piece.range.start + piece.range.bytes; }

    const Piece* first_ = nullptr;
    const Piece* second_ = nullptr;
};

/// The output of one rank must not overlap any memory of another.
void require_apart(std::span<const Contribution> all, std::uint64_t number) {
    std::vector<Piece> pieces = pieces_of(all);
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.range.start; });
    Furthest read;
    Furthest written;
    for (const Piece& piece : pieces) {
        const Piece* other = written.overlapped_by(piece);
        if (other == nullptr && piece.is_written) {
            other = read.overlapped_by(piece);
        }
        if (other != nullptr) {
            const Fault fault = piece.is_written && other->is_written ? Fault::both_write : Fault::one_writes;
            const auto [one, two] =
                std::minmax({static_cast<int>(piece.rank), static_cast<int>(other->rank)});
            throw mismatch(all, number, static_cast<std::size_t>(one), static_cast<std::size_t>(two),
                           engine::text_of_vectors(fault, one, two, all[0].signature.describe()));
        }
        (piece.is_written ? written : read).add(piece);
    }
}

void require_one_output(std::span<const Contribution> all, std::uint64_t number) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (all[rank].call.output != all[0].call.output) {
            throw mismatch(all, number, 0, rank,
                           engine::text_of_vectors(Fault::shared_output, 0, static_cast<int>(rank),
                                                   all[0].signature.describe()));
        }
    }
}

} // namespace

void require_agreement(std::span<const Contribution> all, std::uint64_t number) {
    require_same_signatures(all, number);
    const engine::CallSignature& signature = all[0].signature;
    if (signature.has_private_counts) {
        require_matching_counts(all, number);
    }
    if (!signature.shared_output) {
        require_apart(all, number);
    } else if (signature.bytes != 0) {
        require_one_output(all, number);
    }
}

} // namespace tutti::tasks
