#include "threads/traced_calls.hpp"

#include "measure/buffer.hpp"
#include "measure/data.hpp"
#include "threads/tutti_calls.hpp"

#include <tutti/team.hpp>

namespace tutti::bench {

std::string traced_calls(const TracedCall& call) {
    const Problem& problem = call.problem;
    Team team(problem.members, TeamOptions{.placement = call.placement, .group = {.trace = Trace::steps}});
    team.run([&](Member& me) {
        Buffer input(problem.bytes());
        Buffer output(problem.bytes());
        Data(problem, me.rank()).write_input(input.data(), 0);
        const auto calls = tutti_calls(me, problem, call.algorithm, input.data(),
                                       problem.in_place ? input.data() : output.data());
        for (int i = 0; i < call.calls; ++i) {
            me.barrier();
            calls(1);
        }
    });
    return team.trace();
}

} // namespace tutti::bench
