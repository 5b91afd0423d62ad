#include "run/prepared.hpp"

#include "run/bindings.hpp"

#include <utility>

namespace tutti::run {

using detail::Call;
using detail::Part;
using plan::Step;
using plan::StepTraits;
using schedule::Space;

namespace {

bool touches_peer(const Step& step) {
    return step.to.remote() || step.left.remote() || step.right.remote();
}

/// Whether the step finds the addresses of members by their ranks.
bool finds_by_rank(const Step& step) {
    const StepTraits& traits = step.traits();
    return (traits.opens() && traits.awaits == plan::Awaits::every) || traits.takes == plan::Takes::counts ||
           (traits.names_several() && touches_peer(step));
}

/// The members whose vectors the plan opens one by one, in ascending order.
std::vector<std::uint16_t> opened_by(const plan::Plan& plan) {
    std::vector<std::uint16_t> opened;
    for (const Step& step : plan.steps) {
        if (step.code == plan::Code::open) {
            opened.push_back(step.peer());
        }
    }
    std::ranges::sort(opened);
    opened.erase(std::unique(opened.begin(), opened.end()), opened.end());
    return opened;
}

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

OwnPlan::OwnPlan(plan::Plan compiled) : plan(std::move(compiled)) {
    lists_all =
        std::ranges::any_of(plan.steps, [](const Step& step) { return step.traits().names_several(); });
    if (std::ranges::any_of(plan.steps, finds_by_rank)) {
        peers = static_cast<std::size_t>(plan.ranks);
        return;
    }
    const std::vector<std::uint16_t> opened = opened_by(plan);
    peers = opened.size();
    const auto number = [&](std::uint16_t peer) {
        return static_cast<int>(std::ranges::lower_bound(opened, peer) - opened.begin());
    };
    for (Step& step : plan.steps) {
        if (step.traits().opens() || touches_peer(step)) {
            step.set_number(number(step.peer()));
        }
    }
    if (plan.protocol == schedule::Protocol::eager) {
        return; // the listed operands are messages
    }
    for (plan::Operand& operand : plan.operands) {
        if (operand.vector.remote()) {
            operand.set_number(number(operand.peer));
        }
    }
}

void Prepared::set_words(std::size_t message_bytes) {
    exchange = plan->exchange;
    exchanges_words = exchange.is_all && message_bytes <= sizeof(std::uint64_t);
    word_bytes = static_cast<std::uint8_t>(exchanges_words ? message_bytes : 0);
    const std::ptrdiff_t before = exchange.gathers ? plan->rank * std::ptrdiff_t{word_bytes} : 0;
    word_offset = before - static_cast<std::ptrdiff_t>(exchange.gathers ? input_shift_bytes : 0);
}

Footprint::Footprint(const Call& call, const plan::Partition& blocks)
    : reads_(detail::traits_of(call.collective).input), writes_(detail::traits_of(call.collective).output),
      root_(call.root), element_bytes_(call.element_bytes), blocks_(blocks) {
    if (call.in_place && reads_.others == Part::none) {
        writes_.root = Part::none; // it has sent the block that it would receive
    }
}

Range Footprint::range(detail::Parts parts, int member, std::uintptr_t whole) const {
    const auto index = static_cast<std::size_t>(member);
    switch (parts.of(member == root_)) {
    case Part::none:
        return {};
    case Part::whole:
        return {whole, blocks_.total * element_bytes_};
    case Part::block:
        break;
    }
    return {whole + blocks_.offset(index) * element_bytes_, blocks_.elements(index, 1) * element_bytes_};
}

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
