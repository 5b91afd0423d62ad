#include "simulate/predictor.hpp"

#include <algorithm>

namespace tutti::simulate {

namespace {

/// Whether a block of the whole vector is what a member has or gets.
bool divides_by_rank(schedule::Collective collective) {
    using enum schedule::Collective;
    switch (collective) {
    case reduce_scatter:
    case allgather:
    case gather:
    case scatter:
    case alltoall:
        return true;
    default:
        return false;
    }
}

} // namespace

double Predictor::ns(const Vector& vector, schedule::Form form, bool staged) {
    const auto leaves = compiled_in(form).simulation->leaves(
        {.partition = partition(vector), .element_bytes = vector.element_bytes, .staged = staged});
    return *std::ranges::max_element(leaves);
}

Predictor::Compiled& Predictor::compiled_in(schedule::Form form) {
    Compiled& compiled = compiled_[form];
    if (!compiled.simulation) {
        const schedule::Synchronised synchronised = schedule::synchronise(schedule_, form);
        for (int rank = 0; rank < positions_.members(); ++rank) {
            compiled.plans.push_back(plan::compile(synchronised, rank));
        }
        compiled.simulation.emplace(compiled.plans, profile_, positions_);
    }
    return compiled;
}

plan::Partition Predictor::partition(const Vector& vector) const {
    const auto blocks = static_cast<std::size_t>(schedule_.blocks());
    const std::size_t block = divides_by_rank(schedule_.collective())
                                  ? (vector.elements + blocks - 1) / blocks
                                  : plan::free_block(vector.elements, blocks, vector.element_bytes);
    return {.total = vector.elements, .block = blocks == 1 ? vector.elements : block, .offsets = nullptr};
}

} // namespace tutti::simulate
