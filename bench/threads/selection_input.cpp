#include "algorithm/registry.hpp"
#include "choose/group_config.hpp"
#include "terminal/exit_codes.hpp"
#include "threads/tutti_calls.hpp"

#include <fmt/format.h>

namespace tutti::bench {

SelectionInput selection_input_of(const Problem& problem) {
    SelectionInput input;
    input.call.collective = problem.collective;
    input.call.in_place = problem.in_place;
    input.call.shared_output = problem.shared;
    input.call.element_bytes = problem.element_bytes();
    if (problem.reduces()) {
        input.call.type = problem.type;
        input.call.op = problem.op;
    }
    const bool sends_one_block =
        problem.collective == Collective::allgather || problem.collective == Collective::gather;
    const std::size_t message_elements = sends_one_block ? problem.block_elements() : problem.elements;
    const auto cpus = static_cast<int>(tuning::this_machine().pus.size());
    input.size = {.message_bytes = message_elements * problem.element_bytes(),
                  .total_bytes = problem.bytes(),
                  .touched_bytes =
                      library::touched_bytes(input.call.collective, problem.bytes(), problem.members),
                  .in_place = problem.in_place,
                  .members = problem.members,
                  .cpus = cpus};
    return input;
}

void check_algorithm(const std::string& name, const Problem& problem) {
    const std::string why = library::refusal(*algorithm::find(problem.collective, name),
                                             selection_input_of(problem).call, problem.members);
    if (!why.empty()) {
        throw UsageError(fmt::format("--algorithm: {} {} {}", to_string(problem.collective), name, why));
    }
}

} // namespace tutti::bench
