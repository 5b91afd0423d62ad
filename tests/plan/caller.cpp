#include "caller.hpp"

#include "../associated.hpp"

namespace tutti::test {

using algorithm::Order;
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

} // namespace

Memory Caller::before(int rank, Space space, int operation) const {
    const Promise::Extent part = promise_.extent(rank, space);
    Memory memory{part.first, std::vector<std::string>(part.count, poison)};
    for (std::size_t i = 0; space == Space::input && i < part.count; ++i) {
        const std::size_t element = part.first + i;
        if (promise_.contributes(rank, element)) {
            memory.elements[i] = leaf(rank, operation, element);
        }
    }
    return memory;
}

/// The inputs that a result is made of, in rank order.
std::vector<std::string> Caller::wanted(int rank, std::size_t element, int operation) const {
    std::vector<std::string> all;
    for (const Promise::Input& input : promise_.inputs_of(rank, element)) {
        all.push_back(leaf(input.member, operation, input.element));
    }
    return all;
}

std::string Caller::check(int rank, Space space, int operation, const Memory& found) {
    const Memory unchanged = before(rank, space, operation);
    for (std::size_t i = 0; i < found.elements.size(); ++i) {
        const std::string& value = found.elements[i];
        const std::size_t element = found.first + i;
        const std::string problem = promise_.is_result(rank, space, element)
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
    if (order_ == Order::none || order_ >= Order::canonical) {
        const auto association =
            order_ == Order::serial ? detail::Association::left : detail::Association::tree;
        const std::string right = inputs.empty() ? ""
                                                 : test::bracketed(
                                                       association, inputs.size(),
                                                       [&](std::size_t k) { return inputs[k]; }, combined);
        return found == right ? "" : found + " rather than " + right;
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
    const auto key = std::tuple(operation, in_order ? 0 : element, promise_.is_prefix() ? rank : 0);
    const std::string tree = without_elements(found);
    const auto [agreed, is_new] = agreed_.try_emplace(key, tree);
    return agreed->second == tree ? "" : found + " is put together in another way than elsewhere";
}

} // namespace tutti::test
