#include "measure/pass.hpp"

#include <algorithm>

namespace tutti::bench {

namespace {

struct Block {
    std::size_t offset_bytes;
    std::size_t elements;
};

/// Blocks of equal length, rounded up; the last ones are shorter or empty.
Block block_of(const Problem& problem, std::size_t member) {
    const auto members = static_cast<std::size_t>(problem.members);
    const std::size_t block = (problem.elements + members - 1) / members;
    const std::size_t first = std::min(member * block, problem.elements);
    return {first * problem.element_bytes(), std::min(block, problem.elements - first)};
}

/// Builds the passes of one member.
class Passes {
public:
    Passes(const Problem& problem, int rank, const Vectors& vectors)
        : problem_(problem), inputs_(vectors.inputs), outputs_(vectors.outputs),
          own_(static_cast<std::size_t>(rank)), own_block_(block_of(problem, own_)) {}

    /// The member's block of all inputs combined, to the outputs that want it.
    std::vector<Pass> combined() const {
        Pass pass{.kind = kind(), .ins = {}, .outs = {}, .elements = own_block_.elements};
        for (const std::byte* input : inputs_) {
            pass.ins.push_back(input + own_block_.offset_bytes);
        }
        if (problem_.collective == Collective::reduce_scatter) {
            pass.outs.push_back(outputs_[own_] + (problem_.in_place ? own_block_.offset_bytes : 0));
        } else if (problem_.collective == Collective::reduce) {
            pass.outs.push_back(outputs_[root] + own_block_.offset_bytes);
        } else {
            pass.outs = at_own_block();
        }
        return {pass};
    }

    std::vector<Pass> broadcast(Direction direction) const {
        if (direction == Direction::pull) {
            return own_ == root ? std::vector<Pass>{}
                                : std::vector{copy(inputs_[root], {outputs_[own_]}, problem_.elements)};
        }
        std::vector<void*> outs;
        for (std::size_t member = 0; member < outputs_.size(); ++member) {
            if (member != root) {
                outs.push_back(outputs_[member] + own_block_.offset_bytes);
            }
        }
        return outs.empty()
                   ? std::vector<Pass>{}
                   : std::vector{copy(inputs_[root] + own_block_.offset_bytes, outs, own_block_.elements)};
    }

    std::vector<Pass> allgather(Direction direction) const {
        if (direction == Direction::push) {
            return {copy(contribution(own_), at_own_block(), own_block_.elements)};
        }
        std::vector<Pass> passes;
        for (const std::size_t member : members_from_own()) {
            const Block block = block_of(problem_, member);
            if (!problem_.in_place || member != own_) {
                passes.push_back(
                    copy(contribution(member), {outputs_[own_] + block.offset_bytes}, block.elements));
            }
        }
        return passes;
    }

    std::vector<Pass> alltoall(Direction direction) const {
        std::vector<Pass> passes;
        for (const std::size_t member : members_from_own()) {
            const Block block = block_of(problem_, member);
            passes.push_back(direction == Direction::push
                                 ? copy(inputs_[own_] + block.offset_bytes,
                                        {outputs_[member] + own_block_.offset_bytes}, block.elements)
                                 : copy(inputs_[member] + own_block_.offset_bytes,
                                        {outputs_[own_] + block.offset_bytes}, block.elements));
        }
        return passes;
    }

    std::vector<Pass> one_copy() const {
        if (problem_.collective == Collective::shift) {
            const auto distance = static_cast<std::size_t>(Problem::distance);
            const std::size_t from = (own_ + inputs_.size() - distance % inputs_.size()) % inputs_.size();
            return {copy(inputs_[from], {outputs_[own_]}, problem_.elements)};
        }
        if (problem_.in_place && own_ == root) {
            return {}; // its block is where it should be
        }
        return problem_.collective == Collective::gather
                   ? std::vector{copy(inputs_[own_], {outputs_[root] + own_block_.offset_bytes},
                                      own_block_.elements)}
                   : std::vector{copy(inputs_[root] + own_block_.offset_bytes, {outputs_[own_]},
                                      own_block_.elements)};
    }

private:
    static constexpr std::size_t root = Problem::root;

    static Pass copy(const void* in, std::vector<void*> outs, std::size_t elements) {
        return {.kind = Pass::Kind::copy, .ins = {in}, .outs = std::move(outs), .elements = elements};
    }

    Pass::Kind kind() const {
        return problem_.collective == Collective::scan     ? Pass::Kind::scan
               : problem_.collective == Collective::exscan ? Pass::Kind::exscan
                                                           : Pass::Kind::reduce;
    }

    std::vector<void*> at_own_block() const {
        if (problem_.shared) {
            return {outputs_[own_] + own_block_.offset_bytes};
        }
        std::vector<void*> outs;
        for (std::byte* output : outputs_) {
            outs.push_back(output + own_block_.offset_bytes);
        }
        return outs;
    }

    /// Where a member's contribution to an allgather lies.
    const std::byte* contribution(std::size_t member) const {
        return inputs_[member] + (problem_.in_place ? block_of(problem_, member).offset_bytes : 0);
    }

    /// Every member begins at another one.
    std::vector<std::size_t> members_from_own() const {
        std::vector<std::size_t> order;
        for (std::size_t step = 0; step < inputs_.size(); ++step) {
            order.push_back((own_ + step) % inputs_.size());
        }
        return order;
    }

    const Problem& problem_;
    const std::vector<std::byte*>& inputs_;
    const std::vector<std::byte*>& outputs_;
    std::size_t own_;
    Block own_block_;
};

} // namespace

bool has_passes(const Problem& problem) {
    const bool exchanges =
        problem.collective == Collective::alltoall || problem.collective == Collective::shift;
    return problem.collective != Collective::barrier && !(exchanges && problem.in_place);
}

bool has_directions(const Problem& problem) {
    return problem.collective == Collective::broadcast || problem.collective == Collective::alltoall ||
           (problem.collective == Collective::allgather && !problem.shared);
}

std::vector<Pass> passes_of(const Problem& problem, int rank, const Vectors& vectors, Direction direction) {
    const Passes passes(problem, rank, vectors);
    switch (problem.collective) {
    case Collective::broadcast:
        return passes.broadcast(direction);
    case Collective::allgather:
        return passes.allgather(problem.shared ? Direction::push : direction);
    case Collective::alltoall:
        return passes.alltoall(direction);
    default:
        return problem.reduces() ? passes.combined() : passes.one_copy();
    }
}

} // namespace tutti::bench
