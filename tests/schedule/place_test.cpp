#include "algorithm/registry.hpp"
#include "schedule/place.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

using namespace tutti;
using namespace tutti::schedule;

namespace {

/// The blocks that member 0 keeps in its scratch vectors.
std::set<int> scratch_blocks(const Schedule& schedule) {
    std::set<int> blocks;
    for (const Round& round : schedule.programs().front()) {
        for (const Move& move : round) {
            for (int i = 0; move.to.space >= Space::scratch0 && i < move.to.blocks.count; ++i) {
                blocks.insert(wrap(move.to.blocks.first + i, schedule.blocks()));
            }
        }
    }
    return blocks;
}

bool is_circulant(const algorithm::Algorithm& row) {
    return row.name.starts_with("circulant");
}

} // namespace

TEST_CASE("allreduce and allgather on circulant graphs need no scratch, reduce-scatter under half a vector") {
    int rows = 0;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!is_circulant(row)) {
            continue;
        }
        ++rows;
        for (int ranks = 1; ranks <= 128; ++ranks) {
            CAPTURE(row.name);
            CAPTURE(ranks);
            const int kept = static_cast<int>(scratch_blocks(row.make(ranks)).size());
            if (row.collective == Collective::reduce_scatter) {
                REQUIRE(kept <= std::max(0, ranks / 2 - 1));
            } else {
                REQUIRE(kept == 0);
            }
        }
    }
    CHECK(rows == 12);
}

TEST_CASE("the halving reduce-scatter uses exactly what its first round receives for others") {
    const algorithm::Algorithm* row = algorithm::find(Collective::reduce_scatter, "circulant");
    REQUIRE(row != nullptr);
    for (int ranks = 2; ranks <= 64; ++ranks) {
        CHECK(scratch_blocks(row->make(ranks)).size() == static_cast<std::size_t>(ranks / 2 - 1));
    }
}

TEST_CASE("reductions are three-address: no input is copied first") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!is_circulant(row) || row.collective == Collective::allgather) {
            continue;
        }
        const Schedule schedule = row.make(17);
        for (const Round& round : schedule.programs().front()) {
            for (const Move& move : round) {
                CHECK_FALSE((!move.reduces && move.left.space == Space::input));
            }
        }
    }
}

TEST_CASE("a member alone copies its input to its output") {
    const Pattern nothing(1, 1, 0, Symmetry::rotation, {{}});
    const Schedule schedule = place(nothing, Collective::allreduce);
    REQUIRE(schedule.rounds() == 1);
    CHECK(schedule.program(0).front() ==
          Round{{{0, Space::output, {0, 1}}, {0, Space::input, {0, 1}}, {}, false}});
}

TEST_CASE("a transfer of a block that its sender does not have is refused") {
    const Pattern pattern(4, 4, 1, Symmetry::rotation, {{{0, 1, {2, 1}, Action::copy}}});
    CHECK_THROWS_AS(place(pattern, Collective::allgather), std::invalid_argument);
    const Pattern combines(4, 4, 1, Symmetry::rotation, {{{0, 1, {1, 1}, Action::combine}}});
    CHECK_THROWS_AS(place(combines, Collective::allgather), std::invalid_argument);
}
