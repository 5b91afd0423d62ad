// Predictions beside measurements.
#include "model/prediction_errors.hpp"
#include "model/prediction_table.hpp"
#include "survey/find_profile.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::laboratory;

namespace {

PredictedPoint point(double predicted_us, double measured_us, std::uint64_t plan) {
    return {.collective = Collective::allreduce,
            .algorithm = "made",
            .bytes = 8,
            .predicted_us = predicted_us,
            .measured_us = measured_us,
            .plan = plan};
}

bench::Point measured(const std::string& algorithm, std::size_t bytes, double us) {
    bench::Point made;
    made.provider = "tutti";
    made.algorithm = algorithm;
    made.problem = bench::make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, bytes, false);
    made.time_us.median = us;
    return made;
}

} // namespace

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
    CHECK(table.find("ring") != std::string::npos);
    CHECK(table.find("4 KiB       4           0 %") != std::string::npos);
    CHECK_THROWS_AS(predicted_points(profile, all, 4, "all"), std::invalid_argument);
    CHECK_THROWS_AS(predicted_points(profile, all, 2, "scan"), std::invalid_argument);
}
