#include "promise.hpp"

#include <cstddef>
#include <numeric>

namespace tutti::test {

using schedule::Space;

bool Promise::everybody_enters_first() const {
    return collective_ == Collective::barrier || collective_ == Collective::allreduce ||
           collective_ == Collective::reduce_scatter || collective_ == Collective::allgather ||
           collective_ == Collective::alltoall;
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
    switch (collective_) {
    case Collective::barrier:
        return none;
    case Collective::broadcast:
        return output || in_place_ || is_root(rank) ? whole : none;
    case Collective::reduce:
        return !output || is_root(rank) ? whole : none;
    case Collective::allgather:
        return output || in_place_ ? whole : own(rank);
    case Collective::reduce_scatter:
        return output ? own(rank) : whole;
    case Collective::gather:
        return !output && !(in_place_ && is_root(rank)) ? own(rank) : is_root(rank) ? whole : none;
    case Collective::scatter:
        return output || (in_place_ && !is_root(rank)) ? own(rank) : is_root(rank) ? whole : none;
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::scan:
    case Collective::exscan:
    case Collective::shift:
        break;
    }
    return whole;
}

bool Promise::contributes(int rank, std::size_t element) const {
    switch (collective_) {
    case Collective::allgather:
    case Collective::gather:
        return is_own(rank, element);
    case Collective::broadcast:
    case Collective::scatter:
        return is_root(rank);
    default:
        return true;
    }
}

bool Promise::is_result(int rank, Space space, std::size_t element) const {
    if (space == Space::input && !in_place_) {
        return false;
    }
    switch (collective_) {
    case Collective::reduce:
    case Collective::gather:
        return is_root(rank);
    case Collective::reduce_scatter:
        return is_own(rank, element);
    case Collective::scatter:
        return is_own(rank, element) && !(in_place_ && is_root(rank));
    case Collective::exscan:
        return rank > 0;
    default:
        return true;
    }
}

std::vector<Promise::Input> Promise::inputs_of(int rank, std::size_t element) const {
    const auto of_first = [&](int members) {
        std::vector<Input> all;
        for (int member = 0; member < members; ++member) {
            all.push_back({member, element});
        }
        return all;
    };
    if (sent_ != nullptr) {
        int from = 0;
        while (received_before(rank, from + 1) <= element) {
            ++from;
        }
        return {{from, sent_before(from, rank) + element - received_before(rank, from)}};
    }
    switch (collective_) {
    case Collective::broadcast:
    case Collective::scatter:
        return {{root_, element}};
    case Collective::allgather:
    case Collective::gather:
        return {{owner_of(element), element}};
    case Collective::alltoall: {
        const int from = owner_of(element);
        return {{from, offset(rank) + element - offset(from)}};
    }
    case Collective::shift:
        return {{(rank + ranks_ - root_) % ranks_, element}};
    case Collective::scan:
        return of_first(rank + 1);
    case Collective::exscan:
        return of_first(rank);
    default:
        return of_first(ranks_);
    }
}

bool Promise::is_prefix() const {
    return collective_ == Collective::scan || collective_ == Collective::exscan;
}

} // namespace tutti::test
