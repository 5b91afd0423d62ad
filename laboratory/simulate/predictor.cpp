#include "simulate/predictor.hpp"

#include "mixed.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <type_traits>

namespace tutti::simulate {

namespace {

/// By which operands are put in order.
auto key_of(plan::Vector vector) {
    return std::tuple(vector.space(), vector.remote(), vector.lapped());
}

} // namespace

double Predictor::ns(const Vector& vector, schedule::Protocol protocol, const Handling& handling) {
    return *std::ranges::max_element(
        compiled_in(protocol).simulation->leaves(payload(vector, protocol, handling)));
}

trace::Timeline Predictor::timeline(const Vector& vector, schedule::Protocol protocol,
                                    const Handling& handling, const std::string& operation) {
    return {.name = "predicted on " + profile_.name,
            .lanes = compiled_in(protocol).simulation->lanes(payload(vector, protocol, handling), operation)};
}

std::uint64_t Predictor::digest(schedule::Protocol protocol) {
    std::uint64_t digest = 1;
    const auto add = [&](std::span<const std::byte> bytes) {
        digest = mixed(digest, bytes.size());
        for (const std::byte byte : bytes) {
            digest = mixed(digest, std::to_integer<std::uint64_t>(byte));
        }
    };
    for (const plan::Plan& plan : compiled_in(protocol).plans) {
        static_assert(std::has_unique_object_representations_v<plan::Step>);
        add(std::as_bytes(std::span(&plan.blocks, 1)));
        for (plan::Step step : plan.steps) {
            if (step.code == plan::Code::reduce && key_of(step.right) < key_of(step.left)) {
                std::swap(step.left, step.right);
            }
            add(std::as_bytes(std::span(&step, 1)));
        }
        static_assert(std::has_unique_object_representations_v<plan::Operand>);
        add(std::as_bytes(std::span(plan.operands)));
    }
    return digest;
}

/// The library's choice for a processor in its table (library::StorePolicy): separate vectors that are not
/// short, if invalidating a line takes longer than a non-temporal store.
bool Predictor::streams(schedule::Protocol protocol, std::size_t touched_bytes) const {
    constexpr std::size_t lines_from_bytes = std::size_t{16} << 10U;
    constexpr double least_gain = 1.25;
    const bool separate =
        protocol == schedule::Protocol::zero_copy || schedule_.collective() == Collective::broadcast;
    const Costs costs = costs_of(profile_);
    return separate && touched_bytes >= lines_from_bytes &&
           costs.memory_of(distance::Class::core).write * least_gain <
               costs.lines_at(costs.nearest).stored_line;
}

Predictor::Compiled& Predictor::compiled_in(schedule::Protocol protocol) {
    Compiled& compiled = compiled_[protocol];
    if (!compiled.simulation) {
        const schedule::Synchronised synchronised = schedule::synchronise(schedule_, protocol);
        for (int rank = 0; rank < positions_.members(); ++rank) {
            compiled.plans.push_back(plan::compile(synchronised, rank));
        }
        compiled.simulation.emplace(compiled.plans, profile_, positions_);
    }
    return compiled;
}

Payload Predictor::payload(const Vector& vector, schedule::Protocol protocol,
                           const Handling& handling) const {
    return {.partition = partition(vector),
            .element_bytes = vector.element_bytes,
            .staged = handling.staged,
            .streams = streams(protocol, handling.touched_bytes)};
}

plan::Partition Predictor::partition(const Vector& vector) const {
    const auto blocks = static_cast<std::size_t>(schedule_.blocks());
    const std::size_t block = detail::traits_of(schedule_.collective()).is_divided()
                                  ? (vector.elements + blocks - 1) / blocks
                                  : plan::free_block(vector.elements, blocks, vector.element_bytes);
    return {.total = vector.elements, .block = blocks == 1 ? vector.elements : block, .offsets = nullptr};
}

} // namespace tutti::simulate
