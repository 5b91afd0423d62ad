#include "run/opening.hpp"

namespace tutti::run {

using schedule::Space;

namespace {

struct Touched {
    Range read;
    Range written;
};

/// The memory that a member with these bases reads and writes.
Touched touched(const Prepared& prepared, int member, const Bases& bases) {
    if (!prepared.has_private_counts) {
        return {prepared.footprint.read(member, bases[Space::input]),
                prepared.footprint.written(member, bases[Space::output])};
    }
    const PrivateLayout& layout = layout_of(bases);
    return {{bases[Space::input], layout.read * prepared.element_bytes},
            {bases[Space::output], layout.written * prepared.element_bytes}};
}

} // namespace

Fault fault_of_memory(const Prepared& prepared, const Bases& own, int rank, const Bases& theirs, int peer) {
    if (prepared.shares_output) {
        return theirs[Space::output] == own[Space::output] ? Fault::none : Fault::shared_output;
    }
    const Footprint& footprint = prepared.footprint;
    const bool may_overlap = footprint.may_overlap(own[Space::output], theirs[Space::output]) ||
                             footprint.may_overlap(own[Space::output], theirs[Space::input]) ||
                             footprint.may_overlap(own[Space::input], theirs[Space::output]);
    if (!may_overlap && !prepared.has_private_counts) {
        return Fault::none;
    }
    const Touched here = touched(prepared, rank, own);
    const Touched there = touched(prepared, peer, theirs);
    if (overlap(here.written, there.written)) {
        return Fault::both_write;
    }
    if (overlap(here.written, there.read) || overlap(here.read, there.written)) {
        return Fault::one_writes;
    }
    return Fault::none;
}

DifferingBlock differing_block(const Prepared& prepared, const Bases& theirs, int peer) {
    DifferingBlock block{};
    for (const plan::Step& step : prepared.plan->steps) {
        if (step.code == plan::Code::match_every) {
            block.number_of_sender = static_cast<std::size_t>(prepared.plan->rank);
            block.number_of_receiver = static_cast<std::size_t>(peer);
        } else if (step.code == plan::Code::match && step.peer() == peer) {
            block.number_of_sender = step.from();
            block.number_of_receiver = step.first;
        } else {
            continue;
        }
        block.sent = layout_of(theirs).sent[block.number_of_sender].count;
        block.expected = prepared.layout.received[block.number_of_receiver].count;
        if (block.sent != block.expected) {
            break;
        }
    }
    return block;
}

} // namespace tutti::run
