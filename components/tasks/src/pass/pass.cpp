#include "tasks/src/pass/pass.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace tutti::pass {

using detail::Result;

namespace {

/// How the members divide the work among them.
plan::Partition divided(const Layout& layout) {
    const auto members = static_cast<std::size_t>(layout.members);
    return {.total = layout.elements,
            .block = (layout.elements + members - 1) / members,
            .offsets = layout.offsets};
}

/// Builds the passes of one member.
class Passes {
public:
    Passes(const Layout& layout, int rank, const Vectors& vectors, const plan::Partition& partition)
        : layout_(layout), inputs_(vectors.inputs), outputs_(vectors.outputs), partition_(partition),
          own_(static_cast<std::size_t>(rank)), root_(static_cast<std::size_t>(layout.root)),
          own_block_(block_of(own_)) {}

    /// The member's block of all inputs combined, to the outputs that want it.
    std::vector<Pass> combined() const {
        Pass pass{.kind = kind(), .ins = {}, .outs = {}, .elements = own_block_.elements};
        for (const std::byte* input : inputs_) {
            pass.ins.push_back(input + own_block_.offset_bytes);
        }
        if (layout_.call.collective == Collective::reduce_scatter) {
            pass.outs.push_back(outputs_[own_] + (layout_.call.in_place ? own_block_.offset_bytes : 0));
        } else if (layout_.call.collective == Collective::reduce) {
            pass.outs.push_back(outputs_[root_] + own_block_.offset_bytes);
        } else {
            pass.outs = at_own_block();
        }
        return {pass};
    }

    std::vector<Pass> broadcast(Direction direction) const {
        if (direction == Direction::pull) {
            return own_ == root_ ? std::vector<Pass>{}
                                 : std::vector{copy(inputs_[root_], {outputs_[own_]}, layout_.elements)};
        }
        std::vector<void*> outs;
        for (std::size_t member = 0; member < outputs_.size(); ++member) {
            if (member != root_) {
                outs.push_back(outputs_[member] + own_block_.offset_bytes);
            }
        }
        return outs.empty()
                   ? std::vector<Pass>{}
                   : std::vector{copy(inputs_[root_] + own_block_.offset_bytes, outs, own_block_.elements)};
    }

    std::vector<Pass> allgather(Direction direction) const {
        if (direction == Direction::push) {
            return {copy(contribution(own_), at_own_block(), own_block_.elements)};
        }
        std::vector<Pass> passes;
        for (const std::size_t member : members_from_own()) {
            const Block block = block_of(member);
            if (!layout_.call.in_place || member != own_) {
                passes.push_back(
                    copy(contribution(member), {outputs_[own_] + block.offset_bytes}, block.elements));
            }
        }
        return passes;
    }

    std::vector<Pass> alltoall(Direction direction) const {
        std::vector<Pass> passes;
        for (const std::size_t member : members_from_own()) {
            const Block block = block_of(member);
            passes.push_back(direction == Direction::push
                                 ? copy(inputs_[own_] + block.offset_bytes,
                                        {outputs_[member] + own_block_.offset_bytes}, block.elements)
                                 : copy(inputs_[member] + own_block_.offset_bytes,
                                        {outputs_[own_] + block.offset_bytes}, block.elements));
        }
        return passes;
    }

    /// The blocks that this member sends, where they may lie anywhere.
    std::vector<Pass> placed() const {
        std::vector<Pass> passes;
        for (const std::size_t member : members_from_own()) {
            const plan::BlockPlace& block = layout_.sent[own_][member];
            if (block.count == 0) {
                continue; // and there may be no vector
            }
            const std::byte* const in = inputs_[own_] + block.start * layout_.call.element_bytes;
            std::byte* const out =
                outputs_[member] + layout_.received[member][own_].start * layout_.call.element_bytes;
            if (in != out) {
                passes.push_back(copy(in, {out}, block.count));
            }
        }
        return passes;
    }

    /// Blocks of whole vectors, each from where it comes.
    std::vector<Pass> copied() const {
        const detail::CollectiveTraits& traits = detail::traits_of(layout_.call.collective);
        const std::size_t blocks = traits.blocks(inputs_.size());
        const std::size_t elements = layout_.elements / blocks;
        const auto start = [&](std::size_t block) { return block * elements * layout_.call.element_bytes; };
        std::vector<Pass> passes;
        for (std::size_t block = 0; block < blocks; ++block) {
            const detail::Origin origin =
                traits.origin(static_cast<int>(own_), static_cast<int>(block), layout_.members, layout_.root);
            passes.push_back(copy(inputs_[static_cast<std::size_t>(origin.first)] +
                                      start(static_cast<std::size_t>(origin.block)),
                                  {outputs_[own_] + start(block)}, elements));
        }
        return passes;
    }

    /// The member's block, from the root or to it.
    std::vector<Pass> one_copy() const {
        if (layout_.call.in_place && own_ == root_) {
            return {}; // its block is where it should be
        }
        return layout_.call.collective == Collective::gather
                   ? std::vector{copy(inputs_[own_], {outputs_[root_] + own_block_.offset_bytes},
                                      own_block_.elements)}
                   : std::vector{copy(inputs_[root_] + own_block_.offset_bytes, {outputs_[own_]},
                                      own_block_.elements)};
    }

private:
    struct Block {
        std::size_t offset_bytes;
        std::size_t elements;
    };

    Block block_of(std::size_t member) const {
        return {.offset_bytes = partition_.offset(member) * layout_.call.element_bytes,
                .elements = partition_.elements(member, 1)};
    }

    static Pass copy(const void* in, std::vector<void*> outs, std::size_t elements) {
        return {.kind = Pass::Kind::copy, .ins = {in}, .outs = std::move(outs), .elements = elements};
    }

    Pass::Kind kind() const {
        return layout_.call.collective == Collective::scan     ? Pass::Kind::scan
               : layout_.call.collective == Collective::exscan ? Pass::Kind::exscan
                                                               : Pass::Kind::reduce;
    }

    std::vector<void*> at_own_block() const {
        if (layout_.call.shared_output) {
            return {outputs_[own_] + own_block_.offset_bytes};
        }
        std::vector<void*> outs;
        for (std::byte* output : outputs_) {
            outs.push_back(output + own_block_.offset_bytes);
        }
        return outs;
    }

    /// The place of a member's contribution to an allgather.
    const std::byte* contribution(std::size_t member) const {
        return inputs_[member] + (layout_.call.in_place ? block_of(member).offset_bytes : 0);
    }

    /// Every member begins at another one.
    std::vector<std::size_t> members_from_own() const {
        std::vector<std::size_t> order;
        for (std::size_t step = 0; step < inputs_.size(); ++step) {
            order.push_back((own_ + step) % inputs_.size());
        }
        return order;
    }

    const Layout& layout_;
    const std::vector<std::byte*>& inputs_;
    const std::vector<std::byte*>& outputs_;
    plan::Partition partition_;
    std::size_t own_;
    std::size_t root_;
    Block own_block_;
};

/// Whether the blocks that a member receives take the places of those that it sends.
bool exchanges_in_place(const Layout& layout) {
    const Result result = detail::traits_of(layout.call.collective).result;
    return layout.call.in_place && (result == Result::of_pair || result == Result::of_neighbour);
}

Pass rotation(std::vector<void*> vectors, std::size_t elements) {
    return {.kind = Pass::Kind::rotate, .ins = {}, .outs = std::move(vectors), .elements = elements};
}

std::vector<Pass> shifted_in_place(const Layout& layout, const Vectors& vectors) {
    const std::size_t members = vectors.outputs.size();
    const auto distance = static_cast<std::size_t>(layout.root);
    if (distance == 0) {
        return {};
    }
    std::vector<Pass> passes;
    for (std::size_t first = 0; first < std::gcd(members, distance); ++first) {
        std::vector<void*> circle;
        std::size_t member = first;
        do {
            circle.push_back(vectors.outputs[member]);
            member = (member + distance) % members;
        } while (member != first);
        passes.push_back(rotation(std::move(circle), layout.elements));
    }
    return passes;
}

std::vector<Pass> exchanged_in_place(const Layout& layout, const Vectors& vectors) {
    if (layout.call.collective == Collective::shift) {
        return shifted_in_place(layout, vectors);
    }
    const plan::Partition equal = divided(layout);
    const auto block = [&](std::size_t of, std::size_t with) {
        return layout.sent != nullptr ? layout.sent[of][with]
                                      : plan::BlockPlace{equal.offset(with), equal.elements(with, 1)};
    };
    const auto at = [&](std::size_t of, const plan::BlockPlace& place) {
        return vectors.outputs[of] + place.start * layout.call.element_bytes;
    };
    std::vector<Pass> passes;
    for (std::size_t one = 0; one < vectors.outputs.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const plan::BlockPlace to = block(one, other);
            if (to.count != 0) {
                passes.push_back(rotation({at(one, to), at(other, block(other, one))}, to.count));
            }
        }
    }
    return passes;
}

std::vector<Pass> of_each_member(const Layout& layout, const Vectors& vectors) {
    std::vector<Pass> all;
    for (int rank = 0; rank < layout.members; ++rank) {
        std::ranges::move(passes_of(layout, rank, vectors, Direction::push), std::back_inserter(all));
    }
    return all;
}

} // namespace

bool has_passes(const Layout& layout) {
    return layout.call.collective != Collective::barrier && !exchanges_in_place(layout);
}

bool has_directions(const Layout& layout) {
    return layout.call.collective == Collective::broadcast ||
           layout.call.collective == Collective::alltoall ||
           (layout.call.collective == Collective::allgather && !layout.call.shared_output);
}

std::vector<Pass> passes_of(const Layout& layout, int rank, const Vectors& vectors, Direction direction) {
    const Passes passes(layout, rank, vectors, divided(layout));
    if (layout.sent != nullptr) {
        return passes.placed();
    }
    const detail::CollectiveTraits& traits = detail::traits_of(layout.call.collective);
    if (traits.reduces()) {
        return passes.combined();
    }
    if (traits.result == Result::of_pair) {
        return passes.alltoall(direction);
    }
    if (traits.is_rooted()) {
        return traits.is_divided() ? passes.one_copy() : passes.broadcast(direction);
    }
    return traits.gathers() ? passes.allgather(layout.call.shared_output ? Direction::push : direction)
                            : passes.copied();
}

std::vector<Pass> passes_of_all(const Layout& layout, const Vectors& vectors) {
    const detail::CollectiveTraits& traits = detail::traits_of(layout.call.collective);
    std::vector<Pass> all;
    if (exchanges_in_place(layout)) {
        all = exchanged_in_place(layout, vectors);
    } else if (!traits.is_divided() && (traits.reduces() || traits.is_rooted())) {
        const plan::Partition all_of_0{.total = layout.elements, .block = layout.elements};
        const Passes passes(layout, 0, vectors, all_of_0);
        all = traits.reduces() ? passes.combined() : passes.broadcast(Direction::push);
    } else if (traits.result != Result::nothing) {
        all = of_each_member(layout, vectors);
    }
    std::erase_if(all, [](const Pass& pass) { return pass.elements == 0; });
    return all;
}

} // namespace tutti::pass
