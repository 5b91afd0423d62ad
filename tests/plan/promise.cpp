#include "promise.hpp"

namespace tutti::test {

using detail::Part;
using detail::Result;
using schedule::Space;

bool Promise::everybody_enters_first() const {
    return traits().needs_all;
}

int Promise::owner_of(std::size_t element) const {
    int block = 0;
    while (offset(block + 1) <= element) {
        ++block;
    }
    return block;
}

std::size_t Promise::sent_before(int rank, int to) const {
    const std::size_t* const own = sent_ + static_cast<std::ptrdiff_t>(rank) * ranks_;
    return std::accumulate(own, own + to, std::size_t{0});
}

std::size_t Promise::received_before(int rank, int from) const {
    std::size_t elements = 0;
    for (int member = 0; member < from; ++member) {
        elements += sent_[static_cast<std::ptrdiff_t>(member) * ranks_ + rank];
    }
    return elements;
}

Promise::Extent Promise::extent(int rank, Space space) const {
    const Extent none{};
    const Extent whole{0, partition_.total};
    const bool output = space == Space::output;
    if (sent_ != nullptr) {
        return {0, output ? received_before(rank, ranks_) : sent_before(rank, ranks_)};
    }
    const Part in = traits().input.of(is_root(rank));
    const Part out = traits().output.of(is_root(rank));
    const Part part = output ? out : in_place_ ? std::max(in, out) : in;
    return part == Part::none ? none : part == Part::block ? own(rank) : whole;
}

bool Promise::contributes(int rank, std::size_t element) const {
    return has(traits().input.of(is_root(rank)), rank, element);
}

bool Promise::is_result(int rank, Space space, std::size_t element) const {
    if (space == Space::input && !in_place_) {
        return false;
    }
    const bool stays = in_place_ && is_root(rank) && traits().result == Result::of_root;
    return has(traits().output.of(is_root(rank)), rank, element) && !(stays && traits().is_divided()) &&
           !(traits().result == Result::of_before && rank == 0);
}

bool Promise::has(Part part, int rank, std::size_t element) const {
    return part == Part::whole || (part == Part::block && is_own(rank, element));
}

std::vector<Promise::Input> Promise::inputs_of(int rank, std::size_t element) const {
    if (sent_ != nullptr) {
        int from = 0;
        while (received_before(rank, from + 1) <= element) {
            ++from;
        }
        return {{from, sent_before(from, rank) + element - received_before(rank, from)}};
    }
    const int block = traits().is_divided() ? owner_of(element) : 0;
    const detail::Origin origin = traits().origin(rank, block, ranks_, root_);
    std::vector<Input> all;
    for (int member = origin.first; member < origin.first + origin.count; ++member) {
        all.push_back({member, offset(origin.block) + element - offset(block)});
    }
    return all;
}

bool Promise::is_prefix() const {
    return traits().is_prefix();
}

} // namespace tutti::test
