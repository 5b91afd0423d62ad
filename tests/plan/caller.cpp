#include "caller.hpp"

#include <algorithm>

namespace tutti::test {

using algorithm::Order;
using schedule::Collective;
using schedule::Space;

namespace {

/// A value without the numbers of its elements, so that only the bracketing and the members are left.
std::string without_elements(const std::string& value) {
    std::string tree;
    for (std::size_t at = 0; at < value.size(); ++at) {
        if (value[at] == '.' && value.find('>', at) < value.find('.', at + 1)) {
            at = value.find('>', at);
        }
        tree += value[at];
    }
    return tree;
}

bool is_prefix(Collective collective) {
    return collective == Collective::scan || collective == Collective::exscan;
}

} // namespace

bool Caller::everybody_enters_first() const {
    return collective_ == Collective::barrier || collective_ == Collective::allreduce ||
           collective_ == Collective::reduce_scatter || collective_ == Collective::allgather ||
           collective_ == Collective::alltoall;
}

int Caller::owner_of(std::size_t element) const {
    int block = 0;
    while (offset(block + 1) <= element) {
        ++block;
    }
    return block;
}

Caller::Extent Caller::extent(int rank, Space space) const {
    const Extent none{};
    const Extent whole{0, partition_.total};
    const bool output = space == Space::output;
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

bool Caller::contributes(int rank, std::size_t element) const {
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

Memory Caller::before(int rank, Space space, int operation) const {
    const Extent part = extent(rank, space);
    Memory memory{part.first, std::vector<std::string>(part.count, poison)};
    for (std::size_t i = 0; space == Space::input && i < part.count; ++i) {
        const std::size_t element = part.first + i;
        if (contributes(rank, element)) {
            memory.elements[i] = leaf(rank, operation, element);
        }
    }
    return memory;
}

/// Whether the call leaves a result in this element of the vector.
bool Caller::is_result(int rank, Space space, std::size_t element) const {
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

/// The inputs that a result is made of, in rank order.
std::vector<std::string> Caller::wanted(int rank, std::size_t element, int operation) const {
    const auto of_first = [&](int members) {
        std::vector<std::string> all;
        for (int member = 0; member < members; ++member) {
            all.push_back(leaf(member, operation, element));
        }
        return all;
    };
    switch (collective_) {
    case Collective::broadcast:
    case Collective::scatter:
        return {leaf(root_, operation, element)};
    case Collective::allgather:
    case Collective::gather:
        return {leaf(owner_of(element), operation, element)};
    case Collective::alltoall: {
        const int from = owner_of(element);
        return {leaf(from, operation, offset(rank) + element - offset(from))};
    }
    case Collective::shift:
        return {leaf((rank + ranks_ - root_) % ranks_, operation, element)};
    case Collective::scan:
        return of_first(rank + 1);
    case Collective::exscan:
        return of_first(rank);
    default:
        return of_first(ranks_);
    }
}

std::string Caller::check(int rank, Space space, int operation, const Memory& found) {
    const Memory unchanged = before(rank, space, operation);
    for (std::size_t i = 0; i < found.elements.size(); ++i) {
        const std::string& value = found.elements[i];
        const std::size_t element = found.first + i;
        const std::string problem = is_result(rank, space, element)
                                        ? check_result(rank, element, operation, value)
                                        : (value == unchanged.elements[i] ? "" : "changed to " + value);
        if (!problem.empty()) {
            return "element " + std::to_string(element) + " of " + std::string(to_string(space)) +
                   " of member " + std::to_string(rank) + " in operation " + std::to_string(operation) +
                   ": " + problem;
        }
    }
    return {};
}

std::string Caller::check_result(int rank, std::size_t element, int operation, const std::string& found) {
    auto inputs = wanted(rank, element, operation);
    std::string serial;
    for (const std::string& input : inputs) {
        serial = serial.empty() ? input : combined(serial, input);
    }
    if (order_ == Order::none || order_ == Order::serial) {
        return found == serial ? "" : found + " rather than " + serial;
    }
    auto held = leaves(found);
    const bool in_order = order_ == Order::rank;
    if (!in_order) {
        std::ranges::sort(held);
        std::ranges::sort(inputs);
    }
    if (held != inputs) {
        return found + " has not the right inputs";
    }
    if (order_ == Order::any) {
        return {};
    }
    const auto key = std::tuple(operation, in_order ? 0 : element, is_prefix(collective_) ? rank : 0);
    const std::string tree = without_elements(found);
    const auto [agreed, is_new] = agreed_.try_emplace(key, tree);
    return agreed->second == tree ? "" : found + " is put together in another way than elsewhere";
}

} // namespace tutti::test
