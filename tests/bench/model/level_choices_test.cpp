#include "../../test.hpp"
#include "choose/built_in.hpp"
#include "model/level_choices.hpp"
#include "model/prediction_table.hpp"
#include "survey/find_profile.hpp"

using namespace tutti;

namespace {

/// How much faster the table's choice is predicted to be than `flat` and `direct`.
double gain(const char* machine, int members, Collective collective, std::size_t bytes) {
    std::string row;
    for (const engine::LevelChoice& each : engine::level_choices()) {
        if (each.collective == collective && each.from_bytes <= bytes) {
            row = each.row;
        }
    }
    if (row.empty()) {
        return 1;
    }
    std::vector<std::string> names{"direct", row};
    if (collective != Collective::barrier) {
        names.insert(names.begin(), "flat");
    }
    const auto times =
        laboratory::predict(laboratory::find_line_profile(machine), {collective, members, {bytes}, names});
    double near = times[0].us.front();
    if (times.size() == 3 && (near < 0 || (times[1].us.front() > 0 && times[1].us.front() < near))) {
        near = times[1].us.front();
    }
    return near / times.back().us.front();
}

} // namespace

TEST_CASE("the table of the library is the one that the simulation makes") {
    std::ifstream file(TUTTI_LEVEL_CHOICES);
    CHECK(laboratory::level_choices_text() == std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST_CASE("calls of all cores of big machines are predicted to take a fraction of the time") {
    struct Bar {
        const char* name;
        int members;
        double least_gain_short;
        double least_gain_mebibyte;
    };
    for (const Bar& bar : {Bar{"epyc-7742-2s", 128, 5.5, 1.3}, Bar{"xeon-8375c-2s", 64, 2.8, 1.3},
                           Bar{"graviton4-2s", 192, 3.8, 1.3}}) {
        CAPTURE(bar.name);
        CHECK(gain(bar.name, bar.members, Collective::barrier, 0) >= bar.least_gain_short);
        CHECK(gain(bar.name, bar.members, Collective::allreduce, 8) >= bar.least_gain_short);
        CHECK(gain(bar.name, bar.members, Collective::allreduce, std::size_t{1} << 20U) >=
              bar.least_gain_mebibyte);
    }
}
