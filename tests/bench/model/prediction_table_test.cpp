#include "model/candidates.hpp"
#include "model/machine_model.hpp"
#include "model/prediction_table.hpp"
#include "survey/find_profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace tutti;
using namespace tutti::laboratory;

TEST_CASE("members of a published machine are placed compactly, in a tree of what they share") {
    const machine::Machine machine = described(find_line_profile("epyc-7742-2s"));
    const simulate::Positions few = positions_on(machine, 8);
    CHECK(few.between(0, 3) == distance::Class::l3);
    CHECK(few.between(3, 4) == distance::Class::node);
    CHECK(few.l3_bytes == std::size_t{16} << 20U);
    const simulate::Positions all = positions_on(machine, 256);
    CHECK(all.between(0, 1) == distance::Class::core);
    CHECK(all.between(0, 255) == distance::Class::link);
    CHECK(tree_on(machine, all.members()).dimensions() == std::vector<int>{2, 4, 4, 4, 2});
    CHECK(tree_on(machine, 96).groups(1) == 2);
    CHECK_THROWS_AS(positions_on(machine, 257), std::invalid_argument);
    CHECK_THROWS_AS(positions_on(machine, 0), std::invalid_argument);
}

TEST_CASE("every algorithm for every collective is predicted where a size has a form for it") {
    const distance::MachineModel profile = find_line_profile("xeon-gold-6242-2s");
    for (const Collective collective : detail::all_collectives) {
        for (const int members : {2, 20}) {
            const auto all = predict(profile, {.collective = collective,
                                               .members = members,
                                               .bytes = {0, 8, 100, 4096, 1 << 20U},
                                               .algorithms = {}});
            const auto tree = tree_on(described(profile), members);
            CHECK(all.size() == candidates(collective, tree).size());
            for (const PredictedTimes& times : all) {
                CAPTURE(times.algorithm);
                CAPTURE(to_string(collective));
                CHECK(times.us.size() == 5);
                const auto served = std::ranges::count_if(times.us, [](double us) { return us > 0; });
                CHECK(served >= (collective == Collective::barrier ? 1 : 3));
            }
        }
    }
}

TEST_CASE("on many CPUs who goes by the machine's levels is predicted to be ahead, and who rings is behind") {
    const auto all = predict(find_line_profile("epyc-7742-2s"), {.collective = Collective::allreduce,
                                                                 .members = 128,
                                                                 .bytes = {8},
                                                                 .algorithms = {"ring", "levels-exchange"}});
    CHECK(all[0].us[0] > 10 * all[1].us[0]);
}

TEST_CASE("predictions refuse what cannot be") {
    distance::MachineModel profile = find_line_profile("ryzen-7950x");
    PredictionQuery query{.collective = Collective::allreduce, .members = 33, .bytes = {8}, .algorithms = {}};
    CHECK_THROWS_AS(predict(profile, query), std::invalid_argument);
    query.members = 4;
    query.algorithms = {"nothing"};
    CHECK_THROWS_AS(predict(profile, query), std::invalid_argument);
    query.algorithms.clear();
    profile.topology.clear();
    CHECK_THROWS_AS(predict(profile, query), std::invalid_argument);
}
