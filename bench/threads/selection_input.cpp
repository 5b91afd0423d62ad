#include "threads/selection_input.hpp"

#include "algorithm/registry.hpp"
#include "tuning/load.hpp"

namespace tutti::bench {

namespace {

bool sends_one_block(Collective collective) {
    return collective == Collective::allgather || collective == Collective::gather;
}

} // namespace

Question question_of(const Work& work) {
    Question question;
    question.call.kind = static_cast<detail::Kind>(work.collective);
    question.call.in_place = work.in_place;
    question.call.shared_output = work.shared;
    question.call.element_bytes = work.element_bytes();
    if (work.reduces()) {
        question.call.type = work.type;
        question.call.op = work.op;
    }
    const std::size_t message_elements =
        sends_one_block(work.collective) ? work.block_elements() : work.elements;
    const auto cpus = static_cast<int>(tuning::this_machine().pus.size());
    question.size = {.message_bytes = message_elements * work.element_bytes(),
                     .total_bytes = work.bytes(),
                     .touched_bytes = execute::touched_bytes(question.call.kind, work.bytes(), work.members),
                     .in_place = work.in_place,
                     .members = work.members,
                     .cpus = cpus};
    return question;
}

std::vector<std::size_t> candidates(const Work& work) {
    const tuning::Operands operands = execute::operands_of(question_of(work).call);
    const auto rows = algorithm::registry();
    std::vector<std::size_t> found;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].collective == work.collective &&
            tuning::may_choose(rows[row], operands, work.members)) {
            found.push_back(row);
        }
    }
    return found;
}

} // namespace tutti::bench
