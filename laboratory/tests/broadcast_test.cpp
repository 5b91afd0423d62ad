// One writer and k readers, beside what others have measured and published.
#include "laboratory/tests/two_sockets.hpp"
#include "machine/machine.hpp"
#include "model/prediction_table.hpp"
#include "survey/profile_json.hpp"
#include "tests/test.hpp"

using namespace tutti;
using plan::Code;
using plan::Step;
using schedule::Space;

namespace {

/// Plans of all members, placed compactly on a published machine.
struct Simulated {
    Simulated(const std::string& machine, std::span<const plan::Plan> plans)
        : profile(laboratory::find_line_profile(machine)),
          simulation(
              plans, profile,
              laboratory::positions_on(laboratory::described(profile), static_cast<int>(plans.size()))) {}

    /// ns until each member leaves, for a vector of so many bytes.
    auto leaves(std::size_t bytes) { return simulation.leaves(blocks_of(bytes, bytes)); }

    distance::MachineModel profile;
    simulate::Simulation simulation;
};

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream rest(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(rest, word, ',');) {
        words.push_back(word);
    }
    return words;
}

std::vector<plan::Plan> flat_plans(int ranks) {
    return plans_of(Collective::broadcast, "flat", ranks, schedule::Protocol::in_place);
}

/// Predicted times as multiples of the measured ones.
struct Ratios {
    std::vector<double> all;
    std::vector<double> not_fitted; ///< of sizes to which no number of the profiles was fitted
};

bool is_fitted(std::size_t bytes) {
    return bytes == 4 || bytes == std::size_t{1} << 20U;
}

/// By machine.
std::map<std::string, Ratios> held_ratios() {
    std::ifstream file(TUTTI_FIXTURES "flat_broadcast.csv");
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> header = words_of(line);
    constexpr std::size_t first_size = 2;
    std::map<std::string, Ratios> ratios;
    while (std::getline(file, line)) {
        const std::vector<std::string> row = words_of(line);
        REQUIRE(row.size() == header.size());
        const auto plans = flat_plans(std::stoi(row[1]));
        Simulated simulated(row[0], plans);
        for (std::size_t column = first_size; column < row.size(); ++column) {
            const std::size_t bytes = std::stoul(header[column]);
            const double ratio = std::ranges::max(simulated.leaves(bytes)) * 1e-3 / std::stod(row[column]);
            ratios[row[0]].all.push_back(ratio);
            if (!is_fitted(bytes)) {
                ratios[row[0]].not_fitted.push_back(ratio);
            }
        }
    }
    return ratios;
}

double median_error(const std::vector<double>& ratios) {
    std::vector<double> errors;
    errors.reserve(ratios.size());
    for (const double ratio : ratios) {
        errors.push_back(std::abs(ratio - 1));
    }
    std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2));
    return errors[errors.size() / 2];
}

double worst(const std::vector<double>& ratios) {
    const auto [least, most] = std::ranges::minmax(ratios);
    return std::max(1 / least, most);
}

Step look_at(Code code, int peer, int point) {
    Step step;
    step.code = code;
    step.set_peer(peer);
    step.set_point(point);
    return step;
}

Step copy_from(Space space, bool remote) {
    Step step;
    step.code = Code::copy;
    step.left = plan::Vector(space, remote, false);
    step.to = plan::Vector(Space::output, false, false);
    step.count = 1;
    return step;
}

/// Member 0 writes, all others read its vector and acknowledge. With `apart` it has a flag and a copy for
/// those from rank `far` on.
std::vector<plan::Plan> broadcast(int ranks, int far, bool apart) {
    constexpr int near_flag = 0;
    constexpr int far_flag = 1;
    constexpr int acknowledged = 2;
    std::vector<plan::Plan> plans(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        plan::Plan& plan = plans[static_cast<std::size_t>(rank)];
        plan.ranks = ranks;
        plan.rank = rank;
        plan.points = 3;
        plan.protocol = schedule::Protocol::in_place;
        const bool is_apart = apart && rank >= far;
        plan.steps = {look_at(Code::await, 0, is_apart ? far_flag : near_flag),
                      copy_from(is_apart ? Space::output : Space::input, true),
                      look_at(Code::publish, 0, acknowledged)};
    }
    plans[0].steps = {look_at(Code::enter, 0, near_flag)};
    if (apart) {
        plans[0].steps.push_back(copy_from(Space::input, false));
        plans[0].steps.push_back(look_at(Code::publish, 0, far_flag));
    }
    plans[0].steps.push_back(look_at(Code::await_every, 0, acknowledged));
    return plans;
}

/// us, of members first .. last.
double mean_us(const std::string& machine, const std::vector<plan::Plan>& plans, std::size_t bytes, int first,
               int last) {
    Simulated simulated(machine, plans);
    const auto leaves = simulated.leaves(bytes);
    double sum = 0;
    for (int member = first; member <= last; ++member) {
        sum += leaves[static_cast<std::size_t>(member)];
    }
    return sum / (last - first + 1) * 1e-3;
}

struct Figures {
    const char* machine;
    int cores; ///< of a socket
    /// us of 4 bytes: readers near the writer without a far one, and with one.
    double near_alone;
    double near_with_far;
    /// Mean of all ranks, with one flag and buffer, and with one for each socket.
    double together;
    double apart;
};

constexpr Figures figures[] = {{"xeon-cascade-lake-2x24", 24, 0.19, 0.80, 0.72, 0.48},
                               {"xeon-skylake-2x12", 12, 0.16, 0.56, 0.63, 0.38}};

} // namespace

TEST_CASE("flat broadcasts take about what has been measured, from 2 ranks to two sockets, 1 B to 1 MiB") {
    std::map<std::string, Ratios> held = held_ratios();
    REQUIRE(held.size() == 2);
    const Ratios& cascade_lake = held["xeon-cascade-lake-2x24"];
    CHECK(cascade_lake.all.size() == 47 * 21);
    CHECK(median_error(cascade_lake.all) < 0.11);
    CHECK(median_error(cascade_lake.not_fitted) < 0.12);
    CHECK(worst(cascade_lake.all) < 1.75);
    const Ratios& skylake = held["xeon-skylake-2x12"];
    CHECK(skylake.all.size() == 23 * 21);
    CHECK(median_error(skylake.all) < 0.14);
    CHECK(median_error(skylake.not_fitted) < 0.15);
    CHECK(worst(skylake.all) < 1.5);
}

TEST_CASE("times are the same numbers on every run and with every compiler") {
    const auto plans = flat_plans(192);
    Simulated simulated("epyc-7742-2s", plans);
    const auto leaves = simulated.leaves(100000);
    CHECK(leaves[0] == 92087.484712291116);
    CHECK(leaves[100] == 48271.954170922734);
}

TEST_CASE(
    "one far reader slows near ones, and a flag and a buffer for each socket help small messages only") {
    for (const Figures& each : figures) {
        CAPTURE(std::string(each.machine));
        const int all = 2 * each.cores;
        const auto mean = [&](bool apart, std::size_t bytes) {
            return mean_us(each.machine, broadcast(all, each.cores, apart), bytes, 0, all - 1);
        };
        const auto near = [&](int ranks) {
            return mean_us(each.machine, broadcast(ranks, each.cores, false), 4, 1, each.cores - 1);
        };
        const double slower = near(each.cores + 1) - near(each.cores);
        CHECK(slower == doctest::Approx(each.near_with_far - each.near_alone).epsilon(0.25));
        CHECK(mean(false, 4) < 1.45 * each.together);
        CHECK(mean(true, 4) < 1.75 * each.apart);
        CHECK(mean(true, 4) < 0.85 * mean(false, 4));
        CHECK(mean(true, 65536) > mean(false, 65536)); // published: no gain above 1 KiB
    }
}

TEST_CASE("more readers get less each out of a writer's caches") {
    constexpr std::size_t bytes = std::size_t{1} << 20U;
    const auto each_gets = [&](int ranks) {
        const double us = mean_us("xeon-cascade-lake-2x24", broadcast(ranks, 24, false), bytes, 1, ranks - 1);
        return static_cast<double>(bytes) / us * 1e-3; // GB/s
    };
    CHECK(each_gets(2) == doctest::Approx(14.5).epsilon(0.05)); // published: 14 to 15
    CHECK(each_gets(24) == doctest::Approx(9).epsilon(0.45));
    CHECK(each_gets(48) == doctest::Approx(5).epsilon(0.15)); // published: 5 to 6
}
