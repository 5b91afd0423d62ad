#include "program.hpp"

#include "../associated.hpp"

namespace tutti::test {

using schedule::Space;

namespace {

constexpr Element guard = 0xA5A5A5A5;
constexpr std::size_t guards = 2;

} // namespace

void Program::finish() {
    for (std::size_t operation = 0; operation < operations(); ++operation) {
        for (int rank = 0; rank < ranks(); ++rank) {
            inputs_.push_back(lay_out(operation, rank, Space::input));
            outputs_.push_back(call(operation, rank).in_place() ? Vector{before_.size(), 0}
                                                                : lay_out(operation, rank, Space::output));
        }
    }
    memory_ = found_ = before_;
}

Program::Vector Program::lay_out(std::size_t operation, int rank, Space space) {
    const Promise& promise = call(operation, rank).promise();
    const Promise::Extent extent = promise.extent(rank, space);
    const auto add = [&](Element before, Element after, Element at_the_end) {
        before_.push_back(before);
        after_.push_back(after);
        at_the_end_.push_back(at_the_end);
    };
    for (std::size_t i = 0; i < guards; ++i) {
        add(guard, guard, guard);
    }
    const Vector vector{before_.size(), extent.count};
    for (std::size_t element = extent.first; element < extent.first + extent.count; ++element) {
        const bool speaks = space == Space::input && promise.contributes(rank, element);
        const Element before = speaks ? input_value(rank, operation, element) : rubbish;
        add(before, promise.is_result(rank, space, element) ? result(operation, rank, element) : before,
            rubbish);
    }
    for (std::size_t i = 0; i < guards; ++i) {
        add(guard, guard, guard);
    }
    return vector;
}

Element Program::result(std::size_t operation, int rank, std::size_t element) const {
    const Call& made = call(operation, rank);
    const auto inputs = made.promise().inputs_of(rank, element);
    const auto operand = [&](std::size_t k) {
        return input_value(inputs[k].member, operation, inputs[k].element);
    };
    return inputs.empty()
               ? 0
               : bracketed(made.association(), inputs.size(), operand, made.order_operator().combine);
}

bool Program::take_back(std::size_t operation, int rank) {
    const std::size_t at = index(operation, rank);
    const Vector vectors[] = {inputs_[at], outputs_[at]};
    const auto begin_in = [](std::vector<Element>& all, const Vector& vector) {
        return all.begin() + static_cast<std::ptrdiff_t>(vector.first);
    };
    const bool is_right = std::ranges::all_of(vectors, [&](const Vector& vector) {
        const auto begin = begin_in(memory_, vector);
        return std::equal(begin, begin + static_cast<std::ptrdiff_t>(vector.count), begin_in(after_, vector));
    });
    if (!is_right) {
        found_ = memory_;
    }
    fill(at);
    return is_right;
}

void Program::fill(std::size_t at) {
    for (const Vector& vector : {inputs_[at], outputs_[at]}) {
        std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(vector.first), vector.count, rubbish);
    }
}

void Program::abandon(std::size_t operation, int rank) {
    for (; operation < operations(); ++operation) {
        fill(index(operation, rank));
    }
}

std::string Program::complaint(std::size_t operation, int rank) const {
    const std::size_t at = index(operation, rank);
    for (const auto& [vector, what] : {std::pair{inputs_[at], "input"}, {outputs_[at], "output"}}) {
        for (std::size_t i = vector.first; i < vector.first + vector.count; ++i) {
            if (found_[i] != after_[i]) {
                return "element " + std::to_string(i - vector.first) + " of its " + what + " is " +
                       std::to_string(found_[i]) + " rather than " + std::to_string(after_[i]);
            }
        }
    }
    return "nothing";
}

std::string Program::late_complaint() const {
    const auto found = std::ranges::mismatch(memory_, at_the_end_).in1 - memory_.begin();
    for (std::size_t at = 0; at < inputs_.size(); ++at) {
        for (const auto& [vector, what] : {std::pair{inputs_[at], "input"}, {outputs_[at], "output"}}) {
            const auto first = static_cast<std::ptrdiff_t>(vector.first);
            if (found >= first - static_cast<std::ptrdiff_t>(guards) &&
                found < first + static_cast<std::ptrdiff_t>(vector.count + guards)) {
                return "element " + std::to_string(found - first) + " of the " + what + " of member " +
                       std::to_string(at % ranks_) + " in operation " + std::to_string(at / ranks_) +
                       " was written after the call, or is none";
            }
        }
    }
    return "nothing";
}

std::string Program::name() const {
    std::string text;
    for (std::size_t operation = 0; operation < operations(); ++operation) {
        for (int rank = 0; rank < ranks(); ++rank) {
            const Call& made = call(operation, rank);
            if (rank == 0) {
                text += "\n  operation " + std::to_string(operation) + ": " + made.name();
            } else if (&made != &call(operation, 0)) {
                text += ", of member " + std::to_string(rank) + ": " + made.name();
            }
        }
    }
    return text;
}

} // namespace tutti::test
