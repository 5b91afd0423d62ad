#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "plan/plan.hpp"
#include "schedule/recorder.hpp"

namespace {

using namespace tutti;
using schedule::Protocol;
using schedule::Space;

constexpr Protocol protocols[] = {Protocol::zero_copy, Protocol::in_place, Protocol::eager};

schedule::Place place(int member, Space space, int first, int count = 1) {
    return {member, space, {first, count}};
}

/// The plan of a member for the zero-copy form of a row.
plan::Plan row_plan(Collective collective, const char* name, int ranks, int rank, int root = 0) {
    const schedule::Schedule made = algorithm::find(collective, name)->make(ranks, root);
    return plan::compile(schedule::synchronise(made, Protocol::zero_copy), rank);
}

/// The same plan for an output that all members share: each stores its own block there, and no other.
void check_stores_once(const plan::Plan& own, int rank) {
    const plan::Plan once = plan::for_shared_output(own);
    REQUIRE(once.steps.size() == own.steps.size());
    int stores = 0;
    for (std::size_t i = 0; i < once.steps.size(); ++i) {
        const plan::Step& step = once.steps[i];
        if (own.steps[i].traits().stores == plan::Stores::nothing) {
            // The waits are those that are proved for outputs of one's own.
            CHECK(std::memcmp(&step, &own.steps[i], sizeof(step)) == 0);
            continue;
        }
        CHECK_FALSE(step.to.remote());
        CHECK(step.first == rank);
        CHECK(step.count == 1);
        ++stores;
    }
    CHECK(stores == 1);
}

} // namespace

TEST_CASE("steps are small, and blocks of a step never wrap around") {
    static_assert(sizeof(plan::Step) == 16);
    for (const auto& row : algorithm::registry()) {
        const int ranks = takes(row, 22) ? 22 : 16;
        for (const Protocol protocol : protocols) {
            if (!takes(row, protocol)) {
                continue;
            }
            const auto synchronised = schedule::synchronise(row.make(ranks, has_root(row) ? 7 : 0), protocol);
            for (int rank = 0; rank < ranks; ++rank) {
                const plan::Plan plan = plan::compile(synchronised, rank);
                // The entry, and the end of each round.
                REQUIRE(static_cast<int>(plan.points) == synchronised.schedule.rounds() + 1);
                for (const plan::Step& step : plan.steps) {
                    REQUIRE(step.first + step.count <= plan.blocks);
                    const bool lists = step.traits().reads == plan::Reads::listed;
                    const auto from_end = lists ? std::size_t{step.list()} + step.operands() + step.targets()
                                                : std::size_t{step.from()} + step.count;
                    REQUIRE(from_end <=
                            (lists ? plan.operands.size() : static_cast<std::size_t>(plan.blocks)));
                    REQUIRE(step.slot < plan::slots_per_operation(ranks));
                }
            }
        }
    }
}

TEST_CASE("in an output that all members share everything is stored once, or there is no plan for that") {
    int shared = 0;
    for (const auto& row : algorithm::registry()) {
        const bool delivers_to_all =
            row.collective == Collective::allreduce || row.collective == Collective::allgather;
        for (int ranks = 2; ranks <= 9; ++ranks) {
            if (!delivers_to_all || !takes(row, Protocol::zero_copy) || !takes(row, ranks)) {
                continue;
            }
            const auto synchronised = schedule::synchronise(row.make(ranks, 0), Protocol::zero_copy);
            for (int rank = 0; rank < ranks; ++rank) {
                INFO(to_string(row.collective), " ", row.name, " ", ranks, " ", rank);
                const plan::Plan own = plan::compile(synchronised, rank);
                if (row.protocols.shared) {
                    ++shared;
                    check_stores_once(own, rank);
                } else {
                    CHECK_THROWS_AS(plan::for_shared_output(own), std::invalid_argument);
                }
            }
        }
    }
    CHECK(shared == 2 * (2 + 3 + 4 + 5 + 6 + 7 + 8 + 9)); // each member's plan of two algorithms
}

TEST_CASE("a partition has empty blocks at the end, or blocks of any size") {
    const plan::Partition equal{5, 2, nullptr};
    CHECK(equal.offset(2) == 4);
    CHECK(equal.offset(3) == 5);
    CHECK(equal.offset(7) == 5);
    CHECK(equal.elements(2, 2) == 1);
    CHECK(equal.elements(4, 3) == 0);
    const std::size_t offsets[] = {0, 0, 7, 7, 8};
    const plan::Partition irregular{8, 0, offsets};
    CHECK(irregular.elements(0, 1) == 0);
    CHECK(irregular.elements(1, 1) == 7);
    CHECK(irregular.elements(1, 3) == 8);
}

TEST_CASE("slots: point 0 has its own, the others take turns") {
    CHECK(plan::slots_per_operation(1) == 2);
    CHECK(plan::slots_per_operation(2) == 3);
    CHECK(plan::slots_per_operation(64) == 8);
    CHECK(plan::slots_per_operation(65) == 9);
    CHECK(plan::slot_of(0, 8) == 0);
    for (int point = 1; point < 30; ++point) {
        CHECK(plan::slot_of(point, 8) >= 1);
        CHECK(plan::slot_of(point, 8) < 8);
        CHECK(plan::slot_of(point, 8) != plan::slot_of(point + 1, 8));
    }
}

TEST_CASE("what does not fit into a step is refused") {
    const auto refuses = [](int ranks, int blocks, schedule::Symmetry symmetry) {
        schedule::Recorder recorder;
        recorder.round().copy({0, Space::output, {0, 1}}, {0, Space::input, {0, 1}});
        const schedule::Schedule made(Collective::allreduce, ranks, blocks, symmetry, {recorder.take()});
        const schedule::Synchronised too_large{made, Protocol::zero_copy, {{}}, {}};
        CHECK_THROWS_AS(plan::compile(too_large, 0), schedule::TooLarge);
    };
    refuses(65536, 1, schedule::Symmetry::rotation);
    refuses(1, 65536, schedule::Symmetry::none);
}

TEST_CASE("operands that are combined in one pass are one step, wherever their members have them") {
    // Members 1 and 2 combine what is theirs first, so that their scratch begins at other blocks.
    std::vector<schedule::Recorder> members(3);
    for (schedule::Recorder& member : members) {
        member.round();
    }
    members[1].copy(place(1, Space::scratch0, 3, 2), place(1, Space::input, 3, 2));
    members[2].copy(place(2, Space::scratch0, 2, 2), place(2, Space::input, 2, 2));
    members[2].copy(place(2, Space::scratch0, 0, 2), place(2, Space::input, 0, 2));
    const schedule::Place operands[] = {place(1, Space::scratch0, 3, 2), place(0, Space::input, 3, 2),
                                        place(2, Space::input, 3, 2)};
    members[0].round().combine(place(0, Space::output, 3, 2), operands);
    std::vector<schedule::Program> programs;
    for (schedule::Recorder& member : members) {
        member.round();
        programs.push_back(member.take());
    }
    programs[0].extend_to(3);
    programs[1].extend_to(3);
    programs[2].extend_to(3);
    const schedule::Schedule made(Collective::reduce, 3, 4, schedule::Symmetry::none, std::move(programs));
    const plan::Plan plan = plan::compile(schedule::synchronise(made, Protocol::zero_copy), 0);
    std::vector<plan::Step> listing;
    std::ranges::copy_if(plan.steps, std::back_inserter(listing),
                         [](const plan::Step& step) { return step.code == plan::Code::reduce_listed; });
    // The blocks are 3 and 0: two steps, each of three operands.
    REQUIRE(listing.size() == 2);
    CHECK(listing[0].first == 3);
    CHECK(listing[1].first == 0);
    for (const plan::Step& step : listing) {
        REQUIRE(step.operands() == 3);
        REQUIRE(step.count == 1);
        const auto listed = operands_of(plan, step);
        CHECK(listed[0].peer == 1);
        CHECK(listed[0].vector.is(Space::scratch0));
        CHECK(listed[0].vector.remote());
        CHECK(listed[0].vector.lapped() == (step.first == 0));
        CHECK_FALSE(listed[1].vector.remote());
        CHECK(listed[2].peer == 2);
        CHECK_FALSE(listed[2].vector.lapped());
    }
}

TEST_CASE("a pass and the copies of its result that follow are one step") {
    const schedule::Place operands[] = {place(0, Space::input, 1), place(1, Space::input, 1)};
    const schedule::Place result = place(0, Space::output, 1);
    const auto plan_of = [&](const schedule::Place& copied, const std::vector<schedule::Place>& copies) {
        schedule::Recorder combines;
        combines.round().combine(result, operands);
        for (const schedule::Place& to : copies) {
            combines.copy(to, copied);
        }
        schedule::Recorder idle;
        schedule::Recorder others;
        const schedule::Schedule made(Collective::allreduce, 3, 3, schedule::Symmetry::none,
                                      {combines.take(), idle.round().take(), others.round().take()});
        return plan::compile(schedule::synchronise(made, Protocol::zero_copy), 0);
    };
    const auto count = [](const plan::Plan& plan, plan::Code code) {
        return std::ranges::count(plan.steps, code, &plan::Step::code);
    };
    const plan::Plan one = plan_of(result, {place(2, Space::output, 1), place(1, Space::output, 1)});
    CHECK(count(one, plan::Code::copy) == 0);
    const auto step = std::ranges::find(one.steps, plan::Code::reduce_listed_to_listed, &plan::Step::code);
    REQUIRE(step != one.steps.end());
    CHECK(step->operands() == 2);
    CHECK(step->first == 1);
    const auto targets = targets_of(one, *step);
    REQUIRE(targets.size() == 2);
    CHECK(targets[0].peer == 2);
    CHECK(targets[1].peer == 1);
    CHECK(targets[1].vector.remote());
    // The address of a member that is stored to is needed first.
    CHECK(std::ranges::count_if(one.steps.begin(), step, [](const plan::Step& before) {
              return before.code == plan::Code::open || before.code == plan::Code::open_every;
          }) == 2);
    // Another block, another vector, or one's own, is copied by itself.
    for (const auto& [copied, to] : {std::pair(result, place(1, Space::output, 2)),
                                     std::pair(place(0, Space::input, 1), place(1, Space::output, 1)),
                                     std::pair(result, place(0, Space::scratch0, 1))}) {
        const plan::Plan apart = plan_of(copied, {to});
        CHECK(count(apart, plan::Code::reduce_listed_to_listed) == 0);
        CHECK(count(apart, plan::Code::copy) == 1);
    }
}

TEST_CASE("a pass is cut where any operand's scratch begins") {
    schedule::Recorder combines;
    const schedule::Place operands[] = {place(0, Space::input, 0, 4), place(1, Space::input, 0, 4),
                                        place(2, Space::scratch0, 0, 4)};
    combines.round().round().combine(place(0, Space::output, 0, 4), operands);
    // All four blocks, from block 3 on: it is said first that it begins there.
    schedule::Recorder prepares;
    prepares.round().copy(place(2, Space::scratch0, 3, 1), place(2, Space::input, 3, 1));
    schedule::Recorder idle;
    idle.round().round();
    const schedule::Schedule made(Collective::reduce, 3, 4, schedule::Symmetry::none,
                                  {combines.take(), idle.take(), prepares.round().take()});
    const plan::Plan plan = plan::compile(schedule::synchronise(made, Protocol::zero_copy), 0);
    std::vector<schedule::Blocks> parts;
    for (const plan::Step& step : plan.steps) {
        if (step.code == plan::Code::reduce_listed) {
            parts.push_back({step.first, step.count});
            CHECK(operands_of(plan, step)[2].vector.lapped() == (step.first < 3));
        }
    }
    CHECK(parts == std::vector<schedule::Blocks>{{0, 3}, {3, 1}});
}

TEST_CASE("an operand in a list is found in a message of the whole vector") {
    // Member 0 reads block 1 of all, and member 2 block 0 of member 1, who therefore carries both.
    schedule::Recorder combines;
    const schedule::Place operands[] = {place(0, Space::input, 1), place(1, Space::input, 1),
                                        place(2, Space::input, 1)};
    combines.round().combine(place(0, Space::output, 1), operands);
    schedule::Recorder copies;
    copies.round().copy(place(2, Space::output, 0), place(1, Space::input, 0));
    schedule::Recorder idle;
    idle.round();
    const schedule::Schedule made(Collective::allreduce, 3, 2, schedule::Symmetry::none,
                                  {combines.take(), idle.take(), copies.take()});
    const plan::Plan plan = plan::compile(schedule::synchronise(made, Protocol::eager), 0);
    const auto step = std::ranges::find(plan.steps, plan::Code::reduce_listed_received, &plan::Step::code);
    REQUIRE(step != plan.steps.end());
    const auto listed = operands_of(plan, *step);
    CHECK(listed[0].peer == 0);
    CHECK(listed[1].whole == 1);
    CHECK(received_from(*step, listed[1]).from() == 1);
    CHECK(listed[2].whole == 0);
}

TEST_CASE("moves that a step cannot say are refused") {
    const auto compiled = [](const schedule::Move& move, Protocol protocol) {
        const schedule::Schedule made(Collective::allreduce, 3, 3, schedule::Symmetry::none,
                                      {{{move}}, {{}}, {{}}});
        return plan::compile(schedule::synchronise(made, protocol), 0);
    };
    const auto out = [](int block) { return schedule::Place{0, Space::output, {block, 1}}; };
    const auto in = [](int member, int block) { return schedule::Place{member, Space::input, {block, 1}}; };
    CHECK_NOTHROW(compiled({out(0), in(0, 1), in(1, 1), true}, Protocol::zero_copy));
    // Two operands from blocks of different numbers, and two other members.
    CHECK_THROWS_AS(compiled({out(0), in(0, 1), in(1, 2), true}, Protocol::zero_copy), std::invalid_argument);
    CHECK_THROWS_AS(compiled({{1, Space::output, {0, 1}}, in(2, 0), {}, false}, Protocol::zero_copy),
                    std::invalid_argument);
    // Operands of two others are listed: of the same blocks, and for the member itself.
    CHECK_NOTHROW(compiled({out(0), in(1, 0), in(2, 0), true}, Protocol::zero_copy));
    CHECK_THROWS_AS(compiled({out(0), in(1, 1), in(2, 1), true}, Protocol::zero_copy), std::invalid_argument);
    CHECK_THROWS_AS(compiled({{1, Space::output, {0, 1}}, in(1, 0), in(2, 0), true}, Protocol::zero_copy),
                    std::invalid_argument);
    // A carried operand is found in the message wherever it goes, but not combined with another number.
    CHECK_NOTHROW(compiled({out(0), in(1, 2), {}, false}, Protocol::eager));
    CHECK_THROWS_AS(compiled({out(0), in(0, 1), in(1, 2), true}, Protocol::eager), std::invalid_argument);
}

TEST_CASE("a call is an exchange if all messages are whole, and are combined or stored in order") {
    for (const auto& row : algorithm::registry()) {
        const detail::CollectiveTraits& traits = detail::traits_of(row.collective);
        const bool has_parts = traits.is_divided() && !traits.gathers();
        for (int ranks = 2; ranks <= 9; ++ranks) {
            for (int root = 0; takes(row, ranks) && takes(row, Protocol::eager) && root < ranks; ++root) {
                const auto made =
                    schedule::synchronise(row.make(ranks, has_root(row) ? root : 0), Protocol::eager);
                for (int rank = 0; rank < ranks; ++rank) {
                    INFO(to_string(row.collective), " ", row.name, " ", ranks, " ", root, " ", rank);
                    const plan::Plan plan = plan::compile(made, rank);
                    const plan::Exchange& found = plan.exchange;
                    const bool communicates = std::ranges::any_of(
                        plan.steps, [](const plan::Step& step) { return step.traits().has_point(); });
                    const bool is_simple = row.name == (traits.gathers() ? "flat" : "direct");
                    CHECK((!found.is_all || !has_parts));
                    CHECK((!found.is_all || found.gathers == traits.gathers()));
                    CHECK((found.is_all || has_parts || !communicates || !is_simple));
                }
            }
        }
    }
}

TEST_CASE("the plan of an irregular exchange compares counts right after it has entered, before it copies") {
    constexpr int ranks = 4;
    for (const auto& row :
         {std::pair{Collective::alltoall, "direct"}, std::pair{Collective::alltoall, "pairwise"},
          std::pair{Collective::allgather, "flat"}, std::pair{Collective::gather, "flat"},
          std::pair{Collective::scatter, "direct"}}) {
        const Collective collective = row.first; // no structured binding: INFO captures
        const char* const name = row.second;
        for (int rank = 0; rank < ranks; ++rank) {
            INFO(to_string(collective), " ", name, " ", rank);
            const plan::Plan plan = plan::for_irregular_exchange(row_plan(collective, name, ranks, rank, 1));
            const bool receives = collective == Collective::gather    ? rank == 1
                                  : collective == Collective::scatter ? rank != 1
                                                                      : true;
            const auto matches = [](const plan::Step& step) {
                return step.traits().takes == plan::Takes::counts;
            };
            CHECK(plan.steps[0].code == plan::Code::enter);
            CHECK(std::ranges::count_if(plan.steps, matches) == (receives ? 1 : 0));
            CHECK(matches(plan.steps[1]) == receives);
            CHECK(std::ranges::none_of(plan.steps, [](const plan::Step& step) {
                return step.code == plan::Code::copy || step.traits().takes == plan::Takes::addresses;
            }));
        }
    }
}

TEST_CASE("no irregular exchange goes through a third member, or combines") {
    for (const auto& [collective, name] :
         {std::pair{Collective::alltoall, "ring"}, std::pair{Collective::allreduce, "direct"},
          std::pair{Collective::allgather, "direct"}}) {
        CHECK_THROWS_AS(plan::for_irregular_exchange(row_plan(collective, name, 5, 0)),
                        std::invalid_argument);
    }
}

TEST_CASE("where results are made in one pass, all steps that combine take the inputs of all at once") {
    for (const auto& row : algorithm::registry()) {
        for (const int ranks : {3, 4, 7, 8}) {
            if (!detail::traits_of(row.collective).reduces() || !takes(row, ranks) ||
                !combines_in_one_pass(row, ranks)) {
                continue;
            }
            for (const Protocol protocol : protocols) {
                if (!takes(row, protocol)) {
                    continue;
                }
                const auto synchronised = schedule::synchronise(row.make(ranks, 0), protocol);
                INFO(to_string(row.collective), " ", row.name, " ", ranks);
                int combining = 0;
                for (int rank = 0; rank < ranks; ++rank) {
                    for (const plan::Step& step : plan::compile(synchronised, rank).steps) {
                        using plan::Reads;
                        const Reads reads = step.traits().reads;
                        CHECK(reads != Reads::left_and_right);
                        CHECK(reads != Reads::left_and_message);
                        CHECK(reads != Reads::listed);
                        if (reads >= Reads::every) {
                            CHECK((step.left.is(Space::input) || protocol != Protocol::zero_copy));
                            ++combining;
                        }
                    }
                }
                CHECK(combining > 0);
            }
        }
    }
}
