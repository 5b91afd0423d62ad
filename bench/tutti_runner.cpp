#include "tutti_runner.hpp"

#include "floor.hpp"
#include "tutti_calls.hpp"

#include <exception>

namespace tutti::bench {

TuttiRunner::TuttiRunner(int members, const std::string& placement, bool crowded, std::size_t most_bytes,
                         const Method& method)
    : method_(method), crowded_(crowded), team_({.members = members, .placement = placement}),
      board_memory_(Board::bytes(members, stamps_needed(method))) {
    for (int member = 0; member < members; ++member) {
        inputs_.emplace_back(most_bytes);
        outputs_.emplace_back(most_bytes);
    }
}

Subject TuttiRunner::subject_of(Member& me, const Work& work, const std::string& algorithm) {
    Vectors vectors;
    for (std::size_t member = 0; member < inputs_.size(); ++member) {
        vectors.inputs.push_back(inputs_[member].data());
        vectors.outputs.push_back(work.in_place ? inputs_[member].data() : outputs_[member].data());
    }
    const auto own = static_cast<std::size_t>(me.rank());
    std::byte* const input = vectors.inputs[own];
    std::byte* const output = vectors.outputs[own];
    const bool scatters = work.collective == Collective::reduce_scatter;
    Subject subject{.input = input,
                    .output = output,
                    .result = output,
                    .collective = tutti_calls(me, work, algorithm, input, output),
                    .floors = floors(work, me.rank(), vectors)};
    if (work.in_place && scatters) {
        subject.result += own * work.block_elements() * work.element_bytes();
    }
    const bool tiny = work.collective == Collective::allreduce && work.bytes() <= sizeof(std::uint64_t);
    if (tiny && me.size() == 2 && !crowded_) {
        subject.exchange = [this, rank = me.rank()](std::size_t calls) { exchange_.run(rank, calls); };
    }
    return subject;
}

Point TuttiRunner::measure(const Work& work, const std::string& algorithm) {
    const std::size_t stamps = stamps_needed(method_);
    Board::create(board_memory_.data(), team_.size(), crowded_);
    const Board board(board_memory_.data(), team_.size(), stamps);
    Point point;
    team_.run([&](Member& me) {
        try {
            Harness harness(board, me.rank());
            Point measured = bench::measure(harness, work, subject_of(me, work, algorithm), method_);
            if (harness.leads()) {
                point = std::move(measured);
            }
        } catch (const GateClosed&) {
            return; // whoever closed it says why
        } catch (...) {
            board.gate().fail();
            throw;
        }
    });
    point.provider = "tutti";
    point.algorithm = algorithm.empty() ? "auto" : algorithm;
    return point;
}

} // namespace tutti::bench
