// How members come to the same choice of an algorithm, without threads and clocks.

#include "../test.hpp"
#include "choose/exploration.hpp"
#include "choose/group_config.hpp"
#include "choose/store_policy.hpp"

namespace {

using namespace tutti;
using engine::Exploration;
using engine::MemberPosition;
using engine::Selection;
using engine::TrialAreas;
using engine::TrialTimes;
using std::chrono::nanoseconds;

std::vector<Selection> rows(std::size_t count) {
    std::vector<Selection> selections(count);
    for (std::size_t row = 0; row < count; ++row) {
        selections[row].row = row;
    }
    return selections;
}

/// Members whose calls take what a test says.
class Members {
public:
    explicit Members(int count)
        : times_(static_cast<std::size_t>(count)), kinds_(times_.size()), prepared_(times_.size()) {
        for (int rank = 0; rank < count; ++rank) {
            areas_.emplace_back(times_, rank);
        }
    }
    Members(int count, std::size_t candidates, bool synchronises,
            std::size_t at_first = TrialTimes::most_candidates)
        : Members(count) {
        add_kind(candidates, synchronises, at_first);
    }

    void add_kind(std::size_t candidates, bool synchronises,
                  std::size_t at_first = TrialTimes::most_candidates) {
        for (auto& of_member : kinds_) {
            of_member.emplace_back(rows(candidates), synchronises, at_first);
        }
        for (auto& of_member : prepared_) {
            of_member.emplace_back();
        }
    }

    /// All make one call of a kind, which takes `ns(rank, row)`; the row that all have used. Members at
    /// random recognise the call as one that they have prepared.
    template <class Ns>
    std::size_t call(bool synchronises, Ns ns, std::size_t kind = 0) {
        const MemberPosition before = position_;
        ++position_.epoch;
        if (synchronises) {
            position_.sync_epoch = before.epoch;
        }
        std::size_t used = 0;
        std::uint64_t epoch_to_meet = 0;
        for (std::size_t rank = 0; rank < kinds_.size(); ++rank) {
            Exploration& own = kinds_[rank][kind];
            Prepared& prepared = prepared_[rank][kind];
            std::uint64_t meets = 0;
            if (random_() % 2 == 0 || !own.repeats(prepared.selection)) {
                prepared.row = own.begin(areas_[rank], before).row;
                prepared.selection = own.selection_number();
                meets = own.epoch_to_meet();
                if (own.is_trying()) {
                    own.end(nanoseconds(ns(static_cast<int>(rank), prepared.row)), areas_[rank], position_);
                }
            }
            used = rank == 0 ? prepared.row : used;
            REQUIRE(prepared.row == used);
            epoch_to_meet = rank == 0 ? meets : epoch_to_meet;
            REQUIRE(meets == epoch_to_meet);
        }
        if (epoch_to_meet != 0) {
            REQUIRE(epoch_to_meet < before.epoch);
            position_.sync_epoch = std::max(position_.sync_epoch, epoch_to_meet);
            ++meetings_;
        }
        return used;
    }
    /// A call of another kind that waits for all.
    void synchronise() { position_.sync_epoch = position_.epoch++; }

    int meetings() const { return meetings_; }

    Exploration& of(std::size_t rank, std::size_t kind = 0) { return kinds_[rank][kind]; }

private:
    /// The call that a member has prepared for a kind.
    struct Prepared {
        std::uint32_t selection = 0;
        std::size_t row = 0;
    };

    std::mt19937 random_{3};
    std::vector<TrialTimes> times_;
    std::vector<TrialAreas> areas_;
    std::vector<std::vector<Exploration>> kinds_;
    std::vector<std::vector<Prepared>> prepared_;
    MemberPosition position_{1, 0};
    int meetings_ = 0;
};

} // namespace

TEST_CASE("members try each candidate three times, and keep the fastest") {
    Members members(3, 4, true);
    const auto ns = [](int, std::size_t row) { return row == 2 ? 100 : 200; };
    std::vector<std::size_t> used;
    for (int call = 0; call < 14; ++call) {
        used.push_back(members.call(true, ns));
    }
    CHECK(used == std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 2});
    REQUIRE(members.of(1).chosen() != nullptr);
    CHECK(members.of(1).chosen()->row == 2);
}

TEST_CASE("a member that always comes late does not decide, and neither do the waits of the others") {
    Members members(2, 2, true);
    // Member 1 comes 10 us late each time, so that member 0 waits; member 1 sees what a call takes.
    const auto ns = [](int rank, std::size_t row) {
        const int own = row == 0 ? 500 : 300;
        return rank == 0 ? own + (row == 0 ? 10'000 : 12'000) : own;
    };
    for (int call = 0; call < 8; ++call) {
        members.call(true, ns);
    }
    CHECK(members.call(true, ns) == 1);
}

TEST_CASE("if members can be through before the others, the slowest one counts") {
    Members members(2, 2, false);
    // By row 1 the root is through at once, and the other member takes long.
    const auto ns = [](int rank, std::size_t row) { return row == 0 ? 400 : rank == 0 ? 50 : 900; };
    for (int call = 0; call < 8; ++call) {
        members.call(false, ns);
        members.synchronise();
    }
    CHECK(members.call(false, ns) == 0);
}

TEST_CASE("members whose calls never have them wait for each other meet once for a decision") {
    Members members(4, 2, false);
    const auto ns = [](int, std::size_t row) { return row == 1 ? 100 : 200; };
    for (int call = 0; call < 8; ++call) { // six trials, one call, and the one at which they meet
        CHECK(members.call(false, ns) == static_cast<std::size_t>(call / 3 == 1));
    }
    CHECK(members.of(0).chosen() == nullptr);
    CHECK(members.meetings() == 1);
    for (int call = 0; call < 100; ++call) {
        // Once more for the look after the first interval: calls that count, one, and the meeting.
        CHECK(members.meetings() ==
              (call <= static_cast<int>(Exploration::first_interval) + Exploration::rounds + 1 ? 1 : 2));
        CHECK(members.call(false, ns) == 1);
    }
}

TEST_CASE("members do not meet if another call has had them wait for each other") {
    Members members(4, 2, false);
    const auto ns = [](int, std::size_t row) { return row == 1 ? 100 : 200; };
    for (int call = 0; call < 9; ++call) {
        members.call(false, ns);
        if (call == 6) { // after the trials
            members.synchronise();
        }
    }
    CHECK(members.of(0).chosen() != nullptr);
    CHECK(members.meetings() == 0);
}

TEST_CASE("the first call of each candidate finds what another one has left, and does not count") {
    Members members(2, 2, true);
    int call = 0;
    const auto ns = [&](int, std::size_t row) { return row == 1 ? (call % 3 == 0 ? 50 : 900) : 400; };
    for (; call < 8; ++call) {
        members.call(true, ns);
    }
    CHECK(members.call(true, ns) == 0);
}

TEST_CASE("a candidate does not win by a call that found the buffers as others had left them") {
    Members members(2, 2, true);
    int call = 0;
    // As if the lines that candidate 1 writes had been read elsewhere, but for every other call.
    const auto ns = [&](int, std::size_t row) { return row == 0 ? 400 : call % 2 == 0 ? 900 : 200; };
    for (; call < 2000; ++call) {
        members.call(true, ns);
        if (members.of(0).chosen() != nullptr) {
            CHECK(members.of(0).chosen()->row == 0);
        }
    }
}

TEST_CASE("a call of the choice that was disturbed does not have it replaced") {
    Members members(2, 2, true);
    int call = 0;
    const auto ns = [&](int, std::size_t row) { return row == 1 ? 500 : call == 1 ? 90'000 : 400; };
    for (; call < 8; ++call) {
        members.call(true, ns);
    }
    CHECK(members.call(true, ns) == 0);
}

TEST_CASE("members that are late in turn do not make a candidate seem slow") {
    Members members(2, 2, true);
    int call = 0;
    const auto ns = [&](int rank, std::size_t row) {
        return (row == 0 ? 500 : 300) + (rank == call % 2 ? 10'000 : 0);
    };
    for (; call < 8; ++call) {
        members.call(true, ns);
    }
    CHECK(members.call(true, ns) == 1);
}

TEST_CASE("short calls try few candidates at first, and all of them later") {
    Members members(2, 4, true, 2);
    const auto ns = [](int, std::size_t row) { return 400 - 100 * static_cast<int>(row); };
    std::vector<std::size_t> used;
    for (int call = 0; call < 8; ++call) {
        used.push_back(members.call(true, ns));
    }
    CHECK(used == std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 0, 1});
    CHECK(members.of(0).learnt().candidates.size() == 2);
    int calls = 0;
    while (members.call(true, ns) == 1) {
        ++calls;
    }
    CHECK(calls >= static_cast<int>(Exploration::interval_before_all) - 2);
    for (int call = 0; call < 4 * Exploration::rounds + 2; ++call) {
        members.call(true, ns);
    }
    CHECK(members.of(0).chosen()->row == 3);
    CHECK(members.of(0).learnt().candidates.size() == 4);
}

TEST_CASE("the shortest calls try nothing at first") {
    Members members(3, 2, true, 1);
    const auto ns = [](int, std::size_t row) { return row == 1 ? 100 : 200; };
    int calls = 0;
    for (; members.call(true, ns) == 0; ++calls) {
        CHECK(members.of(0).chosen() == nullptr);
    }
    CHECK(calls >= static_cast<int>(Exploration::interval_before_all));
    CHECK(calls <= static_cast<int>(Exploration::interval_before_all) + Exploration::rounds);
    for (int call = 0; call < Exploration::rounds + 2; ++call) {
        members.call(true, ns);
    }
    CHECK(members.of(0).chosen()->row == 1);
}

TEST_CASE("more kinds than areas, none of which has members wait for each other, are all decided") {
    constexpr std::size_t kinds = 3 * TrialTimes::areas;
    Members members(3);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        members.add_kind(2, false);
    }
    for (int call = 0; call < 40; ++call) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            members.call(
                false, [](int, std::size_t row) { return row == 1 ? 100 : 200; }, kind);
        }
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        CHECK(members.of(0, kind).chosen() != nullptr);
    }
    CHECK(members.meetings() <= 4 * static_cast<int>(kinds)); // some wait for areas as well
}

TEST_CASE(
    "what has been learnt has the choice first, the calls that were measured and the time that they lost") {
    Members members(3, 3, true);
    const auto ns = [](int, std::size_t row) { return row == 0 ? 1500 : row == 1 ? 2000 : 1000; };
    for (int call = 0; call < 12; ++call) {
        members.call(true, ns);
    }
    const engine::Learnt learnt = members.of(1).learnt();
    REQUIRE(learnt.candidates.size() == 3);
    CHECK(learnt.candidates[0].selection.row == 2);
    CHECK(learnt.candidates[1].selection.row == 0);
    CHECK(learnt.candidates[2].selection.row == 1);
    CHECK(learnt.candidates[0].us == doctest::Approx(1));
    CHECK(learnt.candidates[1].us == doctest::Approx(1.5));
    CHECK(learnt.tried_calls == 9);
    CHECK(learnt.lost_us == doctest::Approx(3 * (0.5 + 1)));
    tuning::Entry entry = learnt.entry(); // the choice, then ascending
    REQUIRE(entry.measured.size() == 3);
    CHECK(entry.measured[1].row == 0);
    CHECK(entry.measured[2].us == doctest::Approx(2));
}

TEST_CASE("a little faster is not enough to leave the first candidate") {
    Members members(2, 2, true);
    for (int call = 0; call < 8; ++call) {
        members.call(true, [](int, std::size_t row) { return row == 1 ? 990 : 1000; });
    }
    REQUIRE(members.of(0).chosen() != nullptr);
    CHECK(members.of(0).chosen()->row == 0);
}

TEST_CASE(
    "a choice that takes longer than it did is made anew, and a confirmed one is looked at less often") {
    Members members(2, 2, true);
    bool is_far = false;
    const auto ns = [&](int, std::size_t row) { return row == 0 ? 200 : is_far ? 900 : 100; };
    // Each round of looks takes four calls: three that are measured, and one that all members enter.
    std::vector<int> looked_at;
    for (int call = 0; call < 120'000; ++call) {
        const bool was_settled = members.of(0).chosen() != nullptr && !members.of(0).is_trying();
        members.call(true, ns);
        if (was_settled && members.of(0).is_trying()) {
            looked_at.push_back(call);
        }
        is_far = call > 30'000;
    }
    REQUIRE(looked_at.size() >= 3);
    CHECK(looked_at[1] - looked_at[0] > 7 * static_cast<int>(Exploration::first_interval));
    CHECK(members.of(0).chosen()->row == 0);
}

TEST_CASE("a choice that suited only the first calls of a program is soon left") {
    for (const bool synchronises : {true, false}) {
        Members members(2, 4, synchronises, 3);
        bool is_rewritten = false; // lines that were read elsewhere make row 1 slow from then on
        const auto ns = [&](int, std::size_t row) { return row == 1 ? (is_rewritten ? 1900 : 700) : 1000; };
        for (int call = 0; call < 20; ++call) {
            members.call(synchronises, ns);
        }
        REQUIRE(members.of(0).chosen()->row == 1);
        is_rewritten = true;
        int calls = 0;
        while (members.call(synchronises, ns) == 1) {
            REQUIRE(++calls < 80);
        }
        for (calls = 0; calls < 500; ++calls) {
            members.call(synchronises, ns);
        }
        CHECK(members.of(0).chosen()->row == 0);
        CHECK(members.of(0).learnt().candidates.size() == 3);
    }
}

TEST_CASE("repeated calls count, and do not repeat a selection that is another one now") {
    Members members(2, 2, true);
    const auto ns = [](int, std::size_t row) { return row == 1 ? 100 : 200; };
    CHECK_FALSE(members.of(0).repeats(members.of(0).selection_number()));
    for (int call = 0; call < 8; ++call) {
        members.call(true, ns);
    }
    const std::uint32_t now = members.of(0).selection_number();
    CHECK_FALSE(members.of(0).repeats(now - 1));
    std::uint32_t repeated = 0;
    while (members.of(0).repeats(now)) {
        ++repeated;
    }
    CHECK(repeated >= Exploration::first_interval - 3);
    CHECK(repeated < Exploration::first_interval);
}

TEST_CASE("areas are not written before all members have read them") {
    std::vector<TrialTimes> times(2);
    TrialAreas areas(times, 0);
    const std::vector<std::uint64_t> ns{7};
    MemberPosition now{1, 0};
    for (std::size_t area = 0; area < TrialTimes::areas; ++area) {
        CHECK(areas.show(ns, now) == area);
    }
    CHECK(areas.show(ns, now) == TrialAreas::none);
    now = {10, 5};
    CHECK(areas.take(3, 1, false, now) == ns);
    now = {12, 9}; // others may still read what this member has read before call 10
    CHECK(areas.show(ns, now) == TrialAreas::none);
    now = {12, 10};
    CHECK(areas.show(ns, now) == 3);
}

TEST_CASE("kinds that a program has ceased to call keep no other from being explored") {
    const engine::GroupConfig config;
    engine::Trials trials(1);
    engine::Explorations explorations(config, trials, 0);
    MemberPosition now{1, 0};
    detail::Call call;
    call.collective = Collective::allreduce;
    call.type = Type::f64;
    call.op = Operator::sum;
    call.element_bytes = sizeof(double);
    const auto exploration_of = [&](unsigned power) {
        const std::size_t bytes = std::size_t{1} << power;
        return explorations.of(call, {.message_bytes = bytes,
                                      .total_bytes = bytes,
                                      .touched_bytes = 4 * bytes,
                                      .members = 2,
                                      .cpus = 2});
    };
    constexpr unsigned first = 15; // shorter calls try nothing at first
    const unsigned last = first + TrialTimes::areas;
    for (unsigned power = first; power <= last; ++power) {
        Exploration* const exploration = exploration_of(power);
        REQUIRE(exploration != nullptr);
        for (int calls = 0;
             exploration->chosen() == nullptr && (power == last ? calls < 100 : exploration->is_trying());
             ++calls) {
            explorations.come_to(now);
            explorations.begin(*exploration);
            const bool is_tried = exploration->is_trying();
            now = {now.epoch + 1, now.epoch};
            explorations.come_to(now);
            if (is_tried) {
                explorations.end(*exploration, nanoseconds(100));
            }
        }
        CHECK((exploration->chosen() != nullptr) == (power == last));
    }
    // Member 0 reports all decisions, also of the kinds that it has ceased to call.
    CHECK(trials.learnt.all().size() == TrialTimes::areas + 1);
    CHECK(explorations.decisions() == TrialAreas::none + 1);
    explorations.clear();
    CHECK(trials.learnt.all().empty());
}

TEST_CASE("candidates that store to others do so in different ways, in broadcasts as well") {
    for (const Collective collective : {Collective::broadcast, Collective::gather, Collective::scan}) {
        detail::Call call;
        call.collective = collective;
        call.type = Type::f64;
        call.op = Operator::sum;
        call.element_bytes = sizeof(double);
        call.in_place = collective == Collective::broadcast;
        const std::size_t bytes = std::size_t{4} << 20U;
        const engine::Selection::Input size{.message_bytes = bytes,
                                            .total_bytes = bytes,
                                            .touched_bytes = engine::touched_bytes(collective, bytes, 2),
                                            .in_place = call.in_place,
                                            .members = 2,
                                            .cpus = 2};
        const auto all = engine::candidates(call, size, {}, TrialTimes::most_candidates);
        const std::size_t direct = algorithm::index_of(*algorithm::find(collective, "direct"));
        std::vector<engine::WaysToStore> ways;
        for (const Selection& each : all) {
            if (each.row == direct) {
                ways.push_back(engine::StorePolicy::here().ways_to_store(
                    each.stores, {collective, size.touched_bytes, 2, 2, 1}));
                CHECK(std::ranges::count(ways, ways.back()) == 1);
            }
        }
        CHECK(std::ranges::count(ways, engine::WaysToStore{}) == 1); // through the caches
        CHECK(ways.size() >= 2);
    }
}

TEST_CASE("many kinds at random, of which some synchronise: all members choose alike") {
    std::mt19937 random(5);
    for (int run = 0; run < 20; ++run) {
        constexpr std::size_t kinds = 20; // more than there are areas
        Members members(4);
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            members.add_kind(1 + random() % TrialTimes::most_candidates, kind % 2 == 0, 1 + random() % 4);
        }
        for (int call = 0; call < 5000; ++call) {
            members.call(
                random() % 5 == 0, [&](int, std::size_t) { return 1 + static_cast<int>(random() % 1000); },
                random() % kinds);
        }
    }
}

TEST_CASE(
    "what needs one pass is explored apart from what does not, and does not become an entry of a table") {
    const auto kind_of = [](Type type, Operator op) {
        const detail::Call call{.collective = Collective::allreduce, .type = type, .op = op};
        const std::size_t bytes = std::size_t{1} << 20U;
        return *engine::explored_kind(call, {.message_bytes = bytes, .total_bytes = bytes, .members = 4});
    };
    const engine::Learnt::Kind rounded = kind_of(Type::bf16, Operator::sum);
    CHECK(rounded != kind_of(Type::f32, Operator::sum));
    CHECK(rounded == kind_of(Type::f16, Operator::prod));
    CHECK(kind_of(Type::bf16, Operator::max) == kind_of(Type::f32, Operator::max));
    // A scan of 16-bit numbers copies its first operand, and that of an operator which accumulates does not.
    detail::Call scan{.collective = Collective::scan, .type = Type::bf16, .op = Operator::sum};
    const engine::Selection::Input size{.message_bytes = 20000, .total_bytes = 20000, .members = 2};
    const auto copies = engine::explored_kind(scan, size);
    scan.type = Type::f32;
    scan.op = Operator::callable;
    scan.one_pass_operator = true;
    CHECK(engine::explored_kind(scan, size) != copies);
    CHECK_FALSE(engine::Learnt{.kind = rounded, .point = {}, .candidates = {}}.has_entry());
    CHECK(
        engine::Learnt{.kind = kind_of(Type::f32, Operator::sum), .point = {}, .candidates = {}}.has_entry());
}
