// What members show each other before they touch each other's vectors, and what is wrong where that differs.

#include "execute/disagreement.hpp"
#include "execute/executor.hpp"

#include <tutti/error.hpp>

#include <string>

namespace tutti::execute {

using plan::Step;
using schedule::Space;

namespace {

/// The words of a slot that carries addresses.
enum Address : int { input_word, output_word, scratch_word, digest_word };

} // namespace

void Executor::enter(const Step& step) {
    const std::uint64_t words[mailbox::words_per_slot] = {op_.own[Space::input], op_.own[Space::output],
                                                          op_.own[Space::scratch0], op_.marks.digest};
    own_slot(step).publish(mailbox::make_tag(epoch_, print_), words, mailbox::words_per_slot);
    group_.board(plan_.rank).bell.ring_if_needed();
}

void Executor::mismatch(int peer) {
    throw MismatchError(disagreement(group_, plan_.rank, peer));
}

void Executor::mismatch_of_vectors(int peer, const std::string& what) {
    throw MismatchError("members " + std::to_string(plan_.rank) + " and " + std::to_string(peer) + " call " +
                        op_.claim.describe() + ", but " + what);
}

void Executor::open(int peer, std::size_t number) {
    const Step point_zero{};
    await(peer, point_zero, mailbox::words_per_slot);
    const mailbox::Slot& theirs = slot(peer, 0);
    if (theirs.word(digest_word) != op_.marks.digest) {
        mismatch(peer);
    }
    Bases& bases = seat_.peers_[number];
    bases[Space::input] = theirs.word(input_word);
    bases[Space::output] = theirs.word(output_word);
    set_scratch_bases(bases, theirs.word(scratch_word), op_.scratch_stride_bytes);
    check_apart(peer, bases);
}

/// The memory that a member with these bases reads and writes.
Executor::Touched Executor::touched(int member, const Bases& bases) const {
    if (!op_.claim.by_counts) {
        return {op_.footprint.read(member, bases[Space::input]),
                op_.footprint.written(member, bases[Space::output])};
    }
    const std::size_t* const totals = sent_offsets(bases) + plan_.ranks;
    return {{bases[Space::input], totals[0] * op_.element_bytes},
            {bases[Space::output], totals[1] * op_.element_bytes}};
}

/// Throws where this member and the peer write to the same memory, or one where the other reads.
void Executor::check_apart(int peer, const Bases& theirs) {
    if (op_.shares_output) {
        if (theirs[Space::output] != op_.own[Space::output]) {
            mismatch_of_vectors(
                peer, "`out` is not the same memory: shared() takes the vector that all members share");
        }
        return;
    }
    const bool may_overlap = op_.footprint.may_overlap(op_.own[Space::output], theirs[Space::output]) ||
                             op_.footprint.may_overlap(op_.own[Space::output], theirs[Space::input]) ||
                             op_.footprint.may_overlap(op_.own[Space::input], theirs[Space::output]);
    if (!may_overlap && !op_.claim.by_counts) {
        return;
    }
    const Touched here = touched(plan_.rank, op_.own);
    const Touched there = touched(peer, theirs);
    if (overlap(here.written, there.written)) {
        mismatch_of_vectors(peer, "they write to the same memory: each needs a vector of its own for the "
                                  "result; allreduce and allgather take one for all as tutti::shared(out)");
    }
    if (overlap(here.written, there.read) || overlap(here.read, there.written)) {
        mismatch_of_vectors(peer, "one writes to memory that the other reads: nobody's result may overlap "
                                  "another member's vectors");
    }
}

void Executor::match_counts(int peer) {
    open(peer, static_cast<std::size_t>(peer));
    const Bases& theirs = bases_of(peer);
    const std::size_t* const blocks = sent_offsets(theirs) + plan_.rank;
    const std::size_t sent = blocks[1] - blocks[0];
    const std::size_t expected = op_.partition.elements(static_cast<std::size_t>(peer), 1);
    if (sent != expected) {
        const std::string own = std::to_string(plan_.rank);
        const std::string other = std::to_string(peer);
        throw MismatchError("alltoall: recv_counts[" + other + "] of member " + own + " is " +
                            std::to_string(expected) + ", but send_counts[" + own + "] of member " + other +
                            " is " + std::to_string(sent));
    }
}

} // namespace tutti::execute
