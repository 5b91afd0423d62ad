#include "measure/data.hpp"
#include "measure/pass.hpp"

#include <tutti/detail/kernels.hpp>

#include <doctest/doctest.h>

using namespace tutti::bench;
using tutti::Operator;
using tutti::Type;

namespace {

/// The vectors of all members, with their contributions written.
class Memory {
public:
    Memory(const Problem& problem, std::uint64_t salt) : problem_(problem) {
        for (int rank = 0; rank < problem.members; ++rank) {
            inputs_.emplace_back(problem.bytes());
            outputs_.emplace_back(problem.bytes());
        }
        for (int rank = 0; rank < problem.members; ++rank) {
            const auto own = static_cast<std::size_t>(rank);
            vectors_.inputs.push_back(inputs_[own].data());
            vectors_.outputs.push_back(problem.in_place ? inputs_[own].data() : outputs_[own].data());
            const Data data(problem, rank);
            data.spoil_output(vectors_.outputs[own]);
            data.write_input(vectors_.inputs[own], salt);
        }
    }

    const Vectors& vectors() const { return vectors_; }

    std::size_t wrong(std::uint64_t salt) const {
        std::size_t wrong = 0;
        for (int rank = 0; rank < problem_.members; ++rank) {
            const auto own = static_cast<std::size_t>(rank);
            const bool amidst = problem_.collective == Collective::reduce_scatter && problem_.in_place;
            const std::size_t offset =
                amidst ? own * problem_.block_elements() * problem_.element_bytes() : 0;
            wrong += Data(problem_, rank).wrong(vectors_.outputs[own] + offset, salt);
        }
        return wrong;
    }

private:
    Problem problem_;
    std::vector<std::vector<std::byte>> inputs_;
    std::vector<std::vector<std::byte>> outputs_;
    Vectors vectors_;
};

void carry_out(const Pass& pass) {
    using Loops = tutti::detail::TemplateLoops<double, tutti::Sum>;
    const auto ins = static_cast<int>(pass.ins.size());
    if (pass.kind == Pass::Kind::scan || pass.kind == Pass::Kind::exscan) {
        Loops::scan_many(&tutti::sum, pass.outs.data(), pass.ins.data(), ins, pass.elements,
                         pass.kind == Pass::Kind::exscan, {});
    } else {
        Loops::reduce_many(&tutti::sum, pass.outs.data(), static_cast<int>(pass.outs.size()), pass.ins.data(),
                           ins, pass.elements, {});
    }
}

/// Calls visit(problem) for every collective that has passes, among 1 to 5 members, in place and not.
template <class Visit>
void for_problems(Visit visit) {
    for (int code = 0; code < tutti::schedule::collective_count; ++code) {
        for (const int members : {1, 2, 3, 5}) {
            for (const bool in_place : {false, true}) {
                const Problem problem = make_problem(static_cast<Collective>(code), Type::f64, Operator::sum,
                                                     members, 8 * 1007, in_place);
                if (has_passes(problem)) {
                    CAPTURE(to_string(problem.collective));
                    CAPTURE(members);
                    CAPTURE(in_place);
                    visit(problem);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("the passes of all members together are the collective, whoever copies") {
    int problems = 0;
    for_problems([&](const Problem& problem) {
        for (const Direction direction : {Direction::push, Direction::pull}) {
            const Memory memory(problem, 5);
            for (int rank = 0; rank < problem.members; ++rank) {
                for (const Pass& pass : passes_of(problem, rank, memory.vectors(), direction)) {
                    carry_out(pass);
                }
            }
            CHECK(memory.wrong(5) == 0);
            const bool has_result = problem.collective != Collective::exscan || problem.members > 1;
            CHECK((memory.wrong(6) > 0) == has_result); // what another repetition would expect
            ++problems;
        }
    });
    CHECK(problems == 2 * 4 * (11 * 2 - 2));
}

TEST_CASE("without its passes a collective among several members is not done") {
    for_problems([](const Problem& problem) {
        if (problem.members > 1) {
            CHECK(Memory(problem, 5).wrong(5) > 0);
        }
    });
}

TEST_CASE("every member has a share of the work where it can be divided") {
    for_problems([](const Problem& problem) {
        const Memory memory(problem, 1);
        const bool rooted_in_place = problem.in_place && (problem.collective == Collective::gather ||
                                                          problem.collective == Collective::scatter);
        for (int rank = 0; rank < problem.members && problem.members > 1; ++rank) {
            const auto passes = passes_of(problem, rank, memory.vectors(), Direction::push);
            CHECK(passes.empty() == (rooted_in_place && rank == Problem::root));
        }
    });
}
