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
    Memory(const Work& work, std::uint64_t salt) : work_(work) {
        for (int rank = 0; rank < work.members; ++rank) {
            inputs_.emplace_back(work.bytes());
            outputs_.emplace_back(work.bytes());
        }
        for (int rank = 0; rank < work.members; ++rank) {
            const auto own = static_cast<std::size_t>(rank);
            vectors_.inputs.push_back(inputs_[own].data());
            vectors_.outputs.push_back(work.in_place ? inputs_[own].data() : outputs_[own].data());
            const Data data(work, rank);
            data.spoil_output(vectors_.outputs[own]);
            data.write_input(vectors_.inputs[own], salt);
        }
    }

    const Vectors& vectors() const { return vectors_; }

    std::size_t wrong(std::uint64_t salt) const {
        std::size_t wrong = 0;
        for (int rank = 0; rank < work_.members; ++rank) {
            const auto own = static_cast<std::size_t>(rank);
            const bool amidst = work_.collective == Collective::reduce_scatter && work_.in_place;
            const std::size_t offset = amidst ? own * work_.block_elements() * work_.element_bytes() : 0;
            wrong += Data(work_, rank).wrong(vectors_.outputs[own] + offset, salt);
        }
        return wrong;
    }

private:
    Work work_;
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

/// Calls visit(work) for every collective that has passes, among 1 to 5 members, in place and not.
template <class Visit>
void for_works(Visit visit) {
    for (int code = 0; code < tutti::schedule::collective_count; ++code) {
        for (const int members : {1, 2, 3, 5}) {
            for (const bool in_place : {false, true}) {
                const Work work = make_work(static_cast<Collective>(code), Type::f64, Operator::sum, members,
                                            8 * 1007, in_place);
                if (has_passes(work)) {
                    CAPTURE(to_string(work.collective));
                    CAPTURE(members);
                    CAPTURE(in_place);
                    visit(work);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("the passes of all members together are the collective, whoever copies") {
    int works = 0;
    for_works([&](const Work& work) {
        for (const Direction direction : {Direction::push, Direction::pull}) {
            const Memory memory(work, 5);
            for (int rank = 0; rank < work.members; ++rank) {
                for (const Pass& pass : passes_of(work, rank, memory.vectors(), direction)) {
                    carry_out(pass);
                }
            }
            CHECK(memory.wrong(5) == 0);
            const bool has_result = work.collective != Collective::exscan || work.members > 1;
            CHECK((memory.wrong(6) > 0) == has_result); // what another repetition would expect
            ++works;
        }
    });
    CHECK(works == 2 * 4 * (11 * 2 - 2));
}

TEST_CASE("without its passes a collective among several members is not done") {
    for_works([](const Work& work) {
        if (work.members > 1) {
            CHECK(Memory(work, 5).wrong(5) > 0);
        }
    });
}

TEST_CASE("every member has a share of the work where it can be divided") {
    for_works([](const Work& work) {
        const Memory memory(work, 1);
        const bool rooted_in_place = work.in_place && (work.collective == Collective::gather ||
                                                       work.collective == Collective::scatter);
        for (int rank = 0; rank < work.members && work.members > 1; ++rank) {
            const auto passes = passes_of(work, rank, memory.vectors(), Direction::push);
            CHECK(passes.empty() == (rooted_in_place && rank == Work::root));
        }
    });
}
