#include "measure/problem.hpp"

#include "measure/types.hpp"
#include "terminal/exit_codes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace tutti::bench {

namespace {

/// Another library's name of a collective.
struct Alias {
    std::string_view theirs;
    std::string_view ours;
};

constexpr std::array collective_aliases{Alias{"bcast", "broadcast"}};

constexpr std::array type_aliases{Alias{"float", "f32"},    Alias{"double", "f64"}, Alias{"int", "i32"},
                                  Alias{"unsigned", "u32"}, Alias{"long", "i64"},   Alias{"float32", "f32"},
                                  Alias{"float64", "f64"},  Alias{"int8", "i8"},    Alias{"uint8", "u8"},
                                  Alias{"int16", "i16"},    Alias{"uint16", "u16"}, Alias{"int32", "i32"},
                                  Alias{"uint32", "u32"},   Alias{"int64", "i64"},  Alias{"uint64", "u64"}};

/// Small letters, without what separates words: "Reduce-Scatter" and "reduce_scatter" are the same.
std::string folded(std::string_view text) {
    std::string letters;
    for (const char letter : text) {
        if (letter != '-' && letter != '_') {
            letters += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        }
    }
    return letters;
}

template <class Value>
Value parse_one_of(const char* what, const std::string& text, std::span<const Value> values,
                   std::span<const Alias> aliases = {}) {
    std::string wanted = folded(text);
    for (const Alias& alias : aliases) {
        if (wanted == alias.theirs) {
            wanted = folded(alias.ours);
        }
    }
    std::vector<std::string_view> names;
    std::string list;
    for (const Value value : values) {
        if (folded(to_string(value)) == wanted) {
            return value;
        }
        names.push_back(to_string(value));
        list += (list.empty() ? "" : ", ") + std::string(to_string(value));
    }
    throw std::invalid_argument("\"" + text + "\" is no " + what + did_you_mean(text, names) +
                                "; there are: " + list);
}

template <class Value>
constexpr auto first_values(Value end) {
    std::array<Value, 16> values{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(end); ++i) {
        values[i] = static_cast<Value>(i);
    }
    return values;
}

} // namespace

std::size_t Problem::element_bytes() const {
    return with_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

int Problem::number() const {
    return detail::traits_of(collective).example_number(members);
}

std::size_t Problem::elements_of(detail::Part part) const {
    return part == detail::Part::none ? 0 : part == detail::Part::block ? block_elements() : elements;
}

std::size_t Problem::input_elements(int rank) const {
    return elements_of(detail::traits_of(collective).input.of(rank == root));
}

std::size_t Problem::vector_elements(int rank) const {
    if (collective == Collective::reduce || collective == Collective::exscan) {
        return elements;
    }
    return in_place ? std::max(input_elements(rank), output_elements(rank)) : output_elements(rank);
}

std::size_t Problem::output_elements(int rank) const {
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    return traits.result == detail::Result::of_before && rank == 0
               ? 0
               : elements_of(traits.output.of(rank == root));
}

Problem make_problem(Collective collective, Type type, Operator op, int members, std::size_t bytes,
                     bool in_place) {
    Problem problem{
        .collective = collective, .type = type, .op = op, .members = members, .in_place = in_place};
    if (collective == Collective::barrier) {
        return problem;
    }
    problem.in_place = in_place || collective == Collective::broadcast;
    const std::size_t unit = detail::traits_of(collective).blocks(static_cast<std::size_t>(members));
    problem.elements = std::max<std::size_t>(bytes / (problem.element_bytes() * unit), 1) * unit;
    return problem;
}

pass::Layout layout_of(const Problem& problem) {
    return {.call = {.collective = problem.collective,
                     .in_place = problem.in_place,
                     .shared_output = problem.shared,
                     .element_bytes = problem.element_bytes()},
            .members = problem.members,
            .elements = problem.elements,
            .root = problem.number()};
}

Collective parse_collective(const std::string& text) {
    return parse_one_of<Collective>("collective", text, detail::all_collectives, collective_aliases);
}

Type parse_type(const std::string& text) {
    constexpr auto types = first_values(Type::other);
    return parse_one_of<Type>("element type", text,
                              std::span(types).first(static_cast<std::size_t>(Type::other)), type_aliases);
}

Operator parse_operator(const std::string& text) {
    constexpr auto operators = first_values(Operator::callable);
    return parse_one_of<Operator>("operator", text,
                                  std::span(operators).first(static_cast<std::size_t>(Operator::callable)));
}

bool can_share(Collective collective) {
    return detail::traits_of(collective).may_share();
}

void check_shared(const Problem& problem) {
    if (problem.shared && !can_share(problem.collective)) {
        throw std::invalid_argument(std::string(to_string(problem.collective)) +
                                    " has no result that members could share; allreduce and allgather have");
    }
}

void check_operator(Type type, Operator op) {
    with_type(type, [&]<class T>(std::type_identity<T>) { with_operator<T>(op, [](const auto&) {}); });
}

} // namespace tutti::bench
