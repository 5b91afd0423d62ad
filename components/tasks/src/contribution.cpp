#include "tasks/src/contribution.hpp"

#include "choose/select.hpp"
#include "diagnose/disagreement.hpp"
#include "run/bindings.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace tutti::tasks {

using detail::Call;
using library::Aliasing;
using run::Fault;

namespace {

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
                           library::text_of_signatures(library::Sequence::blocking, 0, static_cast<int>(rank),
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
                               library::text_of_counts(all[to].signature, static_cast<int>(to),
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
            const run::Footprint footprint(own.call, {own.shape.total, own.shape.block,
                                                      own.offsets.empty() ? nullptr : own.offsets.data()});
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
                           library::text_of_vectors(fault, one, two, all[0].signature.describe()));
        }
        (piece.is_written ? written : read).add(piece);
    }
}

void require_one_output(std::span<const Contribution> all, std::uint64_t number) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (all[rank].call.output != all[0].call.output) {
            throw mismatch(all, number, 0, rank,
                           library::text_of_vectors(Fault::shared_output, 0, static_cast<int>(rank),
                                                    all[0].signature.describe()));
        }
    }
}

/// Throws MismatchError unless all ranks make the same call, the `number`-th one, or 0 if there are no
/// others, with vectors of their own.
void require_agreement(std::span<const Contribution> all, std::uint64_t number) {
    require_same_signatures(all, number);
    const library::CallSignature& signature = all[0].signature;
    if (signature.has_private_counts) {
        require_matching_counts(all, number);
    }
    if (!signature.shared_output) {
        require_apart(all, number);
    } else if (signature.bytes != 0) {
        require_one_output(all, number);
    }
}

/// Makes the task of calls that go together.
class Maker {
public:
    explicit Maker(std::span<const Contribution> all)
        : all_(all), call_(all[0].call), collective_(call_.collective) {}

    Task task(int cpus) {
        list_vectors();
        pass::Layout layout{.call = call_,
                            .members = static_cast<int>(all_.size()),
                            .elements = all_[0].shape.total,
                            .offsets = all_[0].offsets.empty() ? nullptr : all_[0].offsets.data(),
                            .root = static_cast<int>(all_[0].signature.root)};
        std::vector<const plan::BlockPlace*> sent;
        std::vector<const plan::BlockPlace*> received;
        if (all_[0].signature.has_private_counts) {
            for (const Contribution& each : all_) {
                sent.push_back(each.blocks.sent.data());
                received.push_back(each.blocks.received.data());
            }
            layout.sent = sent.data();
            layout.received = received.data();
        }
        task_.cpus = static_cast<std::size_t>(cpus);
        pass::Work& work = task_.work;
        work.passes = pass::passes_of_all(layout, vectors_);
        pass::Elements& elements = work.elements;
        elements.bytes = call_.element_bytes;
        elements.state = call_.state;
        elements.association = library::association_of(call_);
        if (detail::traits_of(collective_).reduces()) {
            elements.kernels = &call_.loops();
        }
        // Nobody has read the output of a broadcast, though it is in place.
        const bool may_stream = is_separate_ || collective_ == Collective::broadcast;
        elements.stores.stream = may_stream && library::StorePolicy::here().streams_to_own(
                                                   collective_, pass::touched_bytes(work), cpus);
        return std::move(task_);
    }

private:
    /// An exchanged block takes the place of a block that others still have to read, unless all call in
    /// place.
    void list_vectors() {
        const bool takes_the_place = detail::traits_of(collective_).permutes();
        for (const Contribution& each : all_) {
            // A call reads its input only, but in place it also writes there.
            auto* input = static_cast<std::byte*>(const_cast<void*>(each.call.input));
            if (each.shape.aliasing == Aliasing::same) {
                is_separate_ = false;
                if (takes_the_place && !call_.in_place) {
                    input = copied(input, each.call.input_count * call_.element_bytes);
                }
            }
            vectors_.inputs.push_back(input);
            vectors_.outputs.push_back(static_cast<std::byte*>(each.call.output));
        }
    }

    std::byte* copied(const std::byte* input, std::size_t bytes) {
        std::byte* const copy = task_.copies.emplace_back(new std::byte[bytes]).get();
        std::memcpy(copy, input, bytes);
        return copy;
    }

    std::span<const Contribution> all_;
    const Call& call_;
    Collective collective_;
    pass::Vectors vectors_;
    /// No member's input and output are the same memory.
    bool is_separate_ = true;
    Task task_;
};

} // namespace

void Contribution::take(const Call& asked, int rank, int members) {
    repeated.forget();
    library::check_given(asked);
    if (!asked.algorithm.empty()) {
        throw ArgumentError(std::string(to_string(asked.collective)) + ": `algorithm` is " +
                            std::string(asked.algorithm) +
                            ", but calls of an AsyncGroup or of the all-buffers form cannot name an "
                            "algorithm: leave it empty");
    }
    if (exchanges(asked)) {
        if (neighborhood_of(asked) != nullptr) {
            throw ArgumentError("neighbor_alltoall: is for members of a Team or Group; an AsyncGroup and the "
                                "all-buffers form have alltoall with counts, 0 for all but the neighbours");
        }
        shape = library::checked_layout(asked, rank, members, blocks);
    } else {
        offsets.resize(asked.counts != nullptr ? static_cast<std::size_t>(members) + 1 : 0);
        shape = library::checked_shape(asked, rank, members, offsets.data());
    }
    signature = library::signature_of(asked, shape);
    digest = signature.digests(0).digest;
    call = asked;
    call.counts = call.received = nullptr;
    repeated.set(asked, library::aliasing_of(asked, shape), detail::key_of(asked));
}

Task task_of(std::span<const Contribution> all, std::uint64_t number, int cpus) {
    require_agreement(all, number);
    return Maker(all).task(cpus);
}

} // namespace tutti::tasks
