// Small operations, whose times are added up by hand.
#include "algorithm/levels/levels.hpp"
#include "graph/level_tree.hpp"
#include "laboratory/tests/two_sockets.hpp"
#include "simulate/audience.hpp"
#include "tests/test.hpp"

using namespace tutti;
using distance::Class;
using schedule::Protocol;
using simulate::Positions;
using simulate::Simulation;

namespace {

/// Bytes of one block.
simulate::Payload whole(std::size_t bytes) {
    return blocks_of(bytes, bytes);
}

/// ns until each member leaves.
std::vector<double> leaves(const std::vector<plan::Plan>& plans, const Positions& positions,
                           const simulate::Payload& payload,
                           const distance::MachineModel& profile = two_sockets()) {
    Simulation simulation(plans, profile, positions);
    const auto times = simulation.leaves(payload);
    return {times.begin(), times.end()};
}

std::vector<double> leaves(const std::vector<plan::Plan>& plans, const Positions& positions,
                           std::size_t bytes) {
    return leaves(plans, positions, whole(bytes));
}

/// ns until the last member leaves.
double last_of(const std::vector<plan::Plan>& plans, const Positions& positions,
               const simulate::Payload& payload, const distance::MachineModel& profile = two_sockets()) {
    return std::ranges::max(leaves(plans, positions, payload, profile));
}

} // namespace

TEST_CASE("two members exchange a line") {
    const auto plans = plans_of(Collective::allreduce, "flat", 2, Protocol::eager);
    const std::vector<double> both(2, entering + near + 2 * own_line);
    CHECK(leaves(plans, in_sockets({0, 0}), 8) == both);
    SUBCASE("over the link, where a single reader waits for the line to be taken back and to come") {
        const std::vector<double> far(2, entering + 180 + 150 + 2 * own_line);
        CHECK(leaves(plans, in_sockets({0, 1}), 8) == far);
    }
}

TEST_CASE("readers of a line see it one after the other, and the furthest makes it slow for all") {
    const auto plans = plans_of(Collective::broadcast, "flat", 4, Protocol::eager);
    const double seen = entering + 100 + 3 * 2;
    const double root = entering + 2 * own_line; // to its own output
    const std::vector<double> near_ones{root, seen + own_line, seen + own_line, seen + own_line};
    CHECK(leaves(plans, in_sockets({0, 0, 0, 0}), 8) == near_ones);
    const double late = entering + 700 + 3 * 2 + own_line;
    CHECK(leaves(plans, in_sockets({0, 0, 0, 1}), 8) == std::vector<double>{root, late, late, late});
}

TEST_CASE("flags are collected one after the other") {
    const auto plans = plans_of(Collective::reduce, "flat", 4, Protocol::eager);
    const double others = entering;
    const double root = entering + near + 20 + 20 + 2 * own_line;
    CHECK(leaves(plans, in_sockets({0, 0, 0, 0}), 8) == std::vector<double>{root, others, others, others});
}

TEST_CASE("longer messages lie on stages, which are written and read once more") {
    const auto plans = plans_of(Collective::allreduce, "flat", 2, Protocol::eager);
    simulate::Payload payload = whole(640);
    payload.staged = true;
    constexpr double lines = 10;
    // Its stage is taken back while the flag is.
    const double staged = entering + 2 * lines * own_line;
    const double combined = 50 + lines * own_line + lines * 4;
    CHECK(leaves(plans, in_sockets({0, 0}), payload)[0] == doctest::Approx(staged + near + combined));
}

TEST_CASE("two streams share a link") {
    const auto plans = plans_of(Collective::shift, "direct", 4, Protocol::zero_copy, 2);
    constexpr double lines = 100;
    const auto alone_on_it = leaves(plans, in_sockets({0, 1, 2, 3}), 6400);
    const double shared = last_of(plans, in_sockets({0, 0, 1, 1}), whole(6400));
    CHECK(alone_on_it[0] == alone_on_it[3]);
    CHECK(shared - alone_on_it[0] == doctest::Approx(lines * 16 - 150));
}

TEST_CASE("what readers of a socket have in common crosses the link once") {
    const auto plans = plans_of(Collective::broadcast, "flat", 5, Protocol::in_place);
    const double one = last_of(plans, in_sockets({0, 0, 0, 0, 1}), whole(64000));
    const double all = last_of(plans, in_sockets({0, 1, 1, 1, 1}), whole(64000));
    // They take turns at who has it, 2 ns a line, of which 18.75 are under way.
    CHECK(all < one + 1000);
}

TEST_CASE("whoever has lines serves their readers in order") {
    const auto plans = plans_of(Collective::broadcast, "flat", 3, Protocol::in_place);
    constexpr double lines = 1000;
    const auto times = leaves(plans, in_sockets({0, 0, 0}), 64000);
    const double first = entering + 100 + 2 * 2 + 50 + lines * 4;
    CHECK(times[1] == doctest::Approx(first));
    CHECK(times[2] == doctest::Approx(first + lines * 2 / 25)); // 25 are under way in 2 * 50 ns
    CHECK(times[0] == doctest::Approx(times[2] + near));
}

TEST_CASE("lines that others have are taken back before they are stored to") {
    const auto plans = plans_of(Collective::allreduce, "direct", 2, Protocol::zero_copy);
    const auto times = leaves(plans, in_sockets({0, 0}), blocks_of(128, 64));
    // Enters, reads a line of its own, and one of the other's, and stores to one of its lines.
    const double passed = entering + near + std::max(50, 60) + own_line + 2 * 4;
    CHECK(times[0] == doctest::Approx(passed + 2 / 25. + near)); // the second after the first
}

TEST_CASE("members that combine the same lines hinder each other, and one alone nobody") {
    distance::MachineModel profile = two_sockets();
    const auto last = [&](Collective collective) {
        return last_of(plans_of(collective, "flat", 2, Protocol::zero_copy), in_sockets({0, 0}), whole(6400),
                       profile);
    };
    const double both = last(Collective::allreduce);
    const double one = last(Collective::reduce);
    const double copied = last(Collective::allgather);
    profile.lines[1].fetch_contended = number(8); // 8 ns a line instead of 4
    CHECK(last(Collective::allreduce) == doctest::Approx(both + 100 * 4));
    CHECK(last(Collective::reduce) == one);
    CHECK(last(Collective::allgather) == copied);
}

TEST_CASE("lines that others have in an L2 take long to store to, but not past the caches, nor from an L3") {
    const auto plans = plans_of(Collective::gather, "direct", 2, Protocol::zero_copy);
    distance::MachineModel profile = two_sockets();
    profile.lines[1].store = number(1); // 64 ns a line
    simulate::Payload payload = blocks_of(12800, 6400);
    Positions positions = in_sockets({0, 0});
    const auto last = [&] { return last_of(plans, positions, payload, profile); };
    constexpr double lines = 100;
    const double taken_back = last();
    positions.l2_bytes = 12800; // twice as much are in and out
    const double let_go = last();
    CHECK(let_go == doctest::Approx(taken_back - lines * (64 - own_line)));
    payload.streams = true;
    positions.l2_bytes = 0;
    CHECK(last() < taken_back - lines * 40);
    profile.memory[0].write = number(1);
    CHECK(last() == doctest::Approx(taken_back - 60 - lines * own_line)); // beside what is read
}

TEST_CASE("an exscan neither reads the last vector nor stores to the first") {
    const auto plans = plans_of(Collective::exscan, "direct", 3, Protocol::zero_copy);
    int touches = 0;
    for (const plan::Plan& plan : plans) {
        for (const plan::Step& step : plan.steps) {
            simulate::for_each_touch(plan, step, [&](const simulate::Touch& touch) {
                ++touches;
                CHECK(touch.owner != (touch.stores ? 0 : 2));
            });
        }
    }
    CHECK(touches == 3 * (2 + 2));
}

TEST_CASE("what is one's own comes out of the L2, or else out of the L3") {
    const auto plans = plans_of(Collective::allgather, "flat", 2, Protocol::zero_copy);
    distance::MachineModel profile = two_sockets();
    Positions positions = in_sockets({0, 0});
    constexpr std::size_t bytes = 12800;
    const auto last = [&] { return last_of(plans, positions, blocks_of(bytes, bytes / 2), profile); };
    const double in_l2 = last();
    profile.l3.read = number(4); // 16 ns a line instead of 4
    positions.l2_bytes = 2 * bytes;
    CHECK(last() == in_l2);
    positions.l2_bytes = bytes;
    CHECK(last() == doctest::Approx(in_l2 + 100 * 12));
}

TEST_CASE("vectors that do not fit into the cache come from memory") {
    const auto plans = plans_of(Collective::broadcast, "flat", 2, Protocol::in_place);
    Positions positions = in_sockets({0, 0});
    constexpr std::size_t bytes = 64000;
    positions.l3_bytes = 2 * bytes;
    const double cached = leaves(plans, positions, bytes)[1];
    positions.l3_bytes = bytes;
    const double from_memory = leaves(plans, positions, bytes)[1];
    constexpr double lines = 1000;
    CHECK(cached == doctest::Approx(entering + near + 50 + lines * 4));
    CHECK(from_memory == doctest::Approx(entering + near + 50 + lines * (8 + 16)));
}

TEST_CASE("what lies in memory is input and output, where these are two vectors") {
    const auto plans = plans_of(Collective::shift, "direct", 2, Protocol::zero_copy, 1);
    Positions positions = in_sockets({0, 0});
    constexpr std::size_t bytes = 64000;
    positions.l3_bytes = 4 * bytes;
    const double cached = leaves(plans, positions, bytes)[0];
    positions.l3_bytes = 2 * bytes;
    CHECK(leaves(plans, positions, bytes)[0] == doctest::Approx(cached + 1000 * (8 + 16 - 4)));
}

TEST_CASE("cores share the memory of a node") {
    const auto plans = plans_of(Collective::broadcast, "flat", 3, Protocol::in_place);
    Positions positions = in_sockets({0, 0, 0});
    positions.groups[1] = {0, 1, 2};
    distance::MachineModel profile = two_sockets();
    profile.has[2] = true;
    profile.lines[2] = profile.lines[1];
    profile.memory[2] = bandwidth(1, 1); // 64 ns a line
    positions.l3_bytes = 1;
    const auto times = leaves(plans, positions, whole(64000), profile);
    // One after the other: each reads what both have in common and writes its own.
    const double both = 1000 * 64 + 1000 * 64;
    CHECK(times[2] == doctest::Approx(entering + 100 + 2 * 2 + 2 * both));
}

TEST_CASE("own lines that others have read are taken back as well") {
    const auto plans = plans_of(Collective::broadcast, "linear", 3, Protocol::in_place);
    const auto times = leaves(plans, in_sockets({0, 0, 0}), 6400);
    constexpr double lines = 100;
    const double middle =
        entering + near + 60 + lines * (4 + 4); // it reads, and takes back what the last one has
    const double flags =
        near + 2 + 20; // that all is there, which the first one wants to know as well; and where it is
    CHECK(times[2] == doctest::Approx(middle + flags + 50 + lines * 4));
}

TEST_CASE("readers are counted for each point and for each block") {
    const auto plans = plans_of(Collective::scatter, "direct", 4, Protocol::zero_copy);
    const Positions positions = in_sockets({0, 0, 1, 1});
    const simulate::Audience audience(plans, positions);
    using Readers = simulate::Audience::Readers;
    const std::size_t input = 0;
    CHECK(audience.of_block(0, input, 0) == Readers{});
    CHECK(audience.of_block(0, input, 1) == Readers{0, 1, 0, 0, 0});
    CHECK(audience.of_block(0, input, 2) == Readers{0, 0, 0, 0, 1});
    CHECK(audience.of_block(0, input, 3) == Readers{0, 0, 0, 0, 1});
    CHECK(audience.of_block(1, input, 1) == Readers{});
    CHECK(audience.of_point(0, 0) == Readers{0, 1, 0, 0, 2});
    CHECK(simulate::count_of(audience.of_point(0, 0)) == 3);
    CHECK(simulate::furthest_of(audience.of_point(0, 0)) == Class::link);
    CHECK(simulate::furthest_of(audience.of_point(1, 1)) == Class::l3);
}

TEST_CASE("blocks that others read are told apart from those beside them") {
    const auto plans = plans_of(Collective::scatter, "direct", 4, Protocol::zero_copy);
    const simulate::Audience audience(plans, in_sockets({0, 0, 1, 1}));
    const auto parts_of = [&](std::size_t first, std::size_t count) {
        std::vector<std::pair<std::size_t, std::size_t>> parts;
        const simulate::Touch touch{.owner = 0, .space = 0, .first = first, .count = count};
        audience.for_each_part(touch, [&](const simulate::Touch& part) {
            parts.emplace_back(part.first, part.count);
            CHECK(part.owner == 0);
        });
        return parts;
    };
    using Parts = std::vector<std::pair<std::size_t, std::size_t>>;
    CHECK(parts_of(0, 4) == Parts{{0, 1}, {1, 1}, {2, 2}});
    CHECK(parts_of(1, 2) == Parts{{1, 1}, {2, 1}});
    CHECK(parts_of(3, 1) == Parts{{3, 1}});
}

TEST_CASE("blocks that are read from afar make those beside them no slower") {
    // At last members copy four blocks from their neighbour: two that others of the node have read, and two
    // that were read over the link. These are the first two in one pair of members, and the others in the
    // next.
    const auto plans =
        plans_of(algorithm::levels(Collective::allreduce, graph::LevelTree::nested(8, {{4, 4}, {2, 2, 2, 2}}),
                                   algorithm::Acting::shares),
                 Protocol::zero_copy);
    distance::MachineModel profile = two_sockets();
    profile.has[2] = true;
    profile.lines[2] = line_costs(100, 200, 120, 25, 8);
    profile.memory[2] = profile.memory[4] = bandwidth(1000, 1000); // nobody waits for these
    Positions positions = in_sockets({0, 0, 0, 0, 1, 1, 1, 1});
    positions.groups[1] = {0, 0, 1, 1, 2, 2, 3, 3};
    constexpr std::size_t lines = 100;
    const auto times = leaves(plans, positions, blocks_of(8 * lines * 64, lines * 64), profile);
    for (const std::size_t member : {0U, 1U, 4U, 5U}) {
        CHECK(times[member] == doctest::Approx(times[member + 2]).epsilon(0.01));
    }
}

TEST_CASE("threads of a core share what it fetches") {
    const auto plans = plans_of(Collective::broadcast, "flat", 3, Protocol::in_place);
    Positions positions = in_sockets({0, 0, 0});
    distance::MachineModel profile = two_sockets();
    profile.has[0] = true;
    profile.lines[0] = line_costs(8, 20, 8, 4, 16);
    const auto last_reader = [&] { return leaves(plans, positions, whole(64000), profile)[2]; };
    const double apart = last_reader();
    positions.groups[0] = {0, 1, 1};
    CHECK(last_reader() == doctest::Approx(apart + 1000 * 4 - 1000 * 2 / 25.));
}

TEST_CASE("longer vectors take longer") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!row.protocols.pulled || !takes(row, 8)) {
            continue;
        }
        const auto plans = plans_of(row.collective, row.name, 8, Protocol::zero_copy,
                                    detail::traits_of(row.collective).example_number(8));
        Positions positions = in_sockets({0, 0, 0, 0, 1, 1, 1, 1});
        positions.l3_bytes = std::size_t{1} << 20U;
        Simulation simulation(plans, two_sockets(), positions);
        double last = 0;
        const auto blocks = static_cast<std::size_t>(plans.front().blocks);
        for (std::size_t total = 8; total <= std::size_t{1} << 22U; total *= 2) {
            const double now =
                std::ranges::max(simulation.leaves(blocks_of(total, (total + blocks - 1) / blocks)));
            CHECK_MESSAGE(now >= last, row.name);
            last = now;
        }
    }
}

TEST_CASE("what cannot be simulated is refused") {
    const auto plans = plans_of(Collective::allreduce, "direct", 2, Protocol::zero_copy);
    CHECK_THROWS_AS(Simulation(plans, two_sockets(), in_sockets({0, 0, 0})), std::invalid_argument);
    distance::MachineModel near_only = two_sockets();
    near_only.has[4] = false;
    CHECK_THROWS_AS(Simulation(plans, near_only, in_sockets({0, 1})), std::invalid_argument);
    auto irregular = plans_of(Collective::alltoall, "direct", 2, Protocol::zero_copy);
    for (plan::Plan& plan : irregular) {
        plan = plan::for_irregular_exchange(std::move(plan));
    }
    CHECK_THROWS_AS(Simulation(irregular, two_sockets(), in_sockets({0, 0})), std::invalid_argument);
}
