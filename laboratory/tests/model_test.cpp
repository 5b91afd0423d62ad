// Predictions: of algorithms on machine models, and beside measurements.
#include "bench/tests/command.hpp"
#include "choose/select.hpp"
#include "model/prediction_errors.hpp"
#include "model/prediction_table.hpp"
#include "model/tables.hpp"
#include "survey/profile_json.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using namespace tutti::test;

namespace {

/// How much faster the table's choice is predicted to be than `flat` and `direct`.
double gain(const char* machine, int members, Collective collective, std::size_t bytes) {
    std::string row;
    for (const library::LevelChoice& each : library::level_choices()) {
        if (each.collective == collective && each.from_bytes <= bytes) {
            row = each.row;
        }
    }
    const distance::MachineModel profile = find_line_profile(machine);
    const auto us = [&](const std::string& name) {
        const double predicted = predict(profile, {collective, members, {bytes}, {name}}).front().us.front();
        return predicted < 0 ? std::numeric_limits<double>::infinity() : predicted;
    };
    return (collective == Collective::barrier ? us("direct") : std::min(us("direct"), us("flat"))) / us(row);
}

PredictedPoint point(double predicted_us, double measured_us, std::uint64_t plan) {
    return {.collective = Collective::allreduce,
            .algorithm = "made",
            .bytes = 8,
            .predicted_us = predicted_us,
            .measured_us = measured_us,
            .plan = plan};
}

bench::Point measured(const std::string& algorithm, std::size_t bytes, double us) {
    bench::Point made = point_with(bytes, {us});
    made.algorithm = algorithm;
    return made;
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
                INFO(to_string(collective), " ", times.algorithm);
                CHECK(times.us.size() == 5);
                const auto served = std::ranges::count_if(times.us, [](double us) { return us > 0; });
                CHECK(served >= (collective == Collective::barrier ? 1 : 3));
            }
        }
    }
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

TEST_CASE("an error is how many times the lesser the greater is, less 1") {
    CHECK(point(2, 1, 0).error() == doctest::Approx(1));
    CHECK(point(1, 2, 0).error() == doctest::Approx(1));
    CHECK(point(3, 3, 0).error() == 0);
    const std::vector<PredictedPoint> three{point(1, 2, 0), point(5, 4, 0), point(7, 7, 0)};
    CHECK(median_error(three) == doctest::Approx(0.25));
}

TEST_CASE("an order counts pairs that do not do the same and did not take the same") {
    const std::vector<PredictedPoint> right{point(1, 10, 1), point(2, 20, 2), point(3, 30, 3)};
    CHECK(count_order(right).pairs == 3);
    CHECK(count_order(right).tau() == 1.0);
    const std::vector<PredictedPoint> one_wrong{point(1, 10, 1), point(3, 20, 2), point(2, 30, 3)};
    CHECK(*count_order(one_wrong).tau() == doctest::Approx(1.0 / 3));
    const std::vector<PredictedPoint> undecided{point(1, 10, 1), point(1, 20, 2)};
    CHECK(count_order(undecided).tau() == 0.0);
    const std::vector<PredictedPoint> alike{point(2, 10, 1), point(1, 20, 1)};
    CHECK(!count_order(alike).tau());
    const std::vector<PredictedPoint> as_long{point(2, 100, 1), point(1, 102.9, 2)};
    CHECK(count_order(as_long).pairs == 0);
    std::vector<PredictedPoint> two_collectives{point(2, 10, 1), point(1, 20, 2)};
    two_collectives[0].collective = Collective::scan;
    CHECK(count_order(two_collectives).pairs == 0);
}

TEST_CASE("points are found beside what is predicted for them") {
    const distance::MachineModel profile = find_line_profile("ryzen-7950x");
    const auto predicted = predict(profile, {.collective = Collective::allreduce,
                                             .members = 2,
                                             .bytes = {8, 4096},
                                             .algorithms = {"flat", "direct", "ring", "mesh"}});
    std::vector<bench::Point> all;
    for (const PredictedTimes& times : predicted) {
        all.push_back(measured(times.algorithm, 8, times.us[0]));
        all.push_back(measured(times.algorithm, 4096, times.us[1]));
    }
    CHECK(predicted[2].plans == predicted[3].plans); // of two members, who do the same by ring and by mesh
    CHECK(predicted[0].plans != predicted[1].plans);
    all.push_back(measured("auto", 8, 1));
    all.push_back(measured("flat", 8, 1));
    all.back().provider = "openmpi";
    const auto points = predicted_points(profile, all, 2, "all");
    CHECK(points.size() == 8);
    CHECK(median_error(points) == 0);
    CHECK(predicted_points(profile, all, 2, "allreduce").size() == 8);
    const std::string table = prediction_errors(points);
    CHECK(mentions(table, "ring"));
    CHECK(mentions(table, "4 KiB       4           0 %"));
    CHECK_THROWS_AS(predicted_points(profile, all, 4, "all"), std::invalid_argument);
    CHECK_THROWS_AS(predicted_points(profile, all, 2, "scan"), std::invalid_argument);
}
