#include "program.hpp"

namespace tutti::test {

namespace {

constexpr Element guard = 0xA5A5A5A5;
constexpr std::size_t guards = 2;

} // namespace

void Program::finish() {
    for (std::size_t operation = 0; operation < operations(); ++operation) {
        const auto input = [operation](std::size_t rank, std::size_t element) {
            return input_value(static_cast<int>(rank), operation, element);
        };
        for (int rank = 0; rank < ranks(); ++rank) {
            const Call& made = call(operation, rank);
            const Reference<Element> reference(ranks(), input, made.order_operator().combine);
            const auto vectors =
                reference.vectors(static_cast<std::size_t>(rank), made.shape(), made.association());
            inputs_.push_back(lay_out(vectors.in, vectors.in));
            outputs_.push_back(lay_out(vectors.out, vectors.expected));
        }
    }
    memory_ = found_ = before_;
}

Program::Vector Program::lay_out(const std::vector<Element>& before, const std::vector<Element>& after) {
    const auto add = [](std::vector<Element>& to, const std::vector<Element>& elements) {
        to.insert(to.end(), guards, guard);
        to.insert(to.end(), elements.begin(), elements.end());
        to.insert(to.end(), guards, guard);
    };
    const Vector vector{before_.size() + guards, before.size()};
    add(before_, before);
    add(after_, after);
    add(at_the_end_, std::vector<Element>(before.size(), rubbish));
    return vector;
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
