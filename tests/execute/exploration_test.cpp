// How members come to the same choice of an algorithm, without threads and clocks.

#include "../test.hpp"
#include "choose/exploration.hpp"
#include "choose/group_config.hpp"
#include "choose/select.hpp"

namespace {

using namespace tutti;
using library::Exploration;
using library::MemberPosition;
using library::Selection;
using library::TrialTimes;
using std::chrono::nanoseconds;

std::vector<Selection> rows(std::size_t count, double rewrite_ns_of_first = 0) {
    std::vector<Selection> selections(count);
    selections.front().rewrite_ns = rewrite_ns_of_first;
    for (std::size_t row = 0; row < count; ++row) {
        selections[row].row = row;
    }
    return selections;
}

/// Members whose calls take what a test says.
class Members {
public:
    explicit Members(int count)
        : kinds_(static_cast<std::size_t>(count)), times_(kinds_.size()), prepared_(kinds_.size()) {}
    Members(int count, std::size_t candidates, bool synchronises,
            std::size_t at_first = TrialTimes::most_candidates)
        : Members(count) {
        add_kind(candidates, synchronises, at_first);
    }

    void add_kind(std::size_t candidates, bool synchronises,
                  std::size_t at_first = TrialTimes::most_candidates, double rewrite_ns_of_first = 0) {
        add_kind(rows(candidates, rewrite_ns_of_first), synchronises, at_first);
    }
    void add_kind(const std::vector<Selection>& candidates, bool synchronises,
                  std::size_t at_first = TrialTimes::most_candidates) {
        for (std::size_t rank = 0; rank < kinds_.size(); ++rank) {
            kinds_[rank].emplace_back(candidates, times_, static_cast<int>(rank), kinds_[rank].size(),
                                      synchronises, at_first);
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
                prepared.row = own.begin(before).row;
                prepared.selection = own.selection_number();
                meets = own.epoch_to_meet();
                if (own.is_trying()) {
                    own.end(nanoseconds(ns(static_cast<int>(rank), prepared.row)), position_);
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
    /// As many calls, one after the other; the row of the last.
    template <class Ns>
    std::size_t calls(int count, bool synchronises, Ns ns) {
        std::size_t used = 0;
        for (int each = 0; each < count; ++each) {
            used = call(synchronises, ns);
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
    std::vector<std::vector<Exploration>> kinds_;
    std::vector<TrialTimes> times_;
    std::vector<std::vector<Prepared>> prepared_;
    MemberPosition position_{1, 0};
    int meetings_ = 0;
};

/// The times of calls of which one row is faster.
auto fastest(std::size_t fast, int ns = 100, int others_ns = 200) {
    return [=](int /*rank*/, std::size_t row) { return row == fast ? ns : others_ns; };
}

/// The calls before a comparison: one that prepares, one of each candidate, and one before the decision.
constexpr int glance_at(int candidates) {
    return candidates + 2;
}

/// Which of two candidates members keep after eight calls that take `ns`, call 0 being the first compared
/// one.
struct Kept {
    const char* name;
    int (*ns)(int call, int rank, std::size_t row);
    std::size_t row;
};

constexpr Kept all_kept[] = {
    // Member 1 comes 10 us late each time, so that member 0 waits; member 1 sees what a call takes.
    {"a member that always comes late does not decide, and neither do the waits of the others",
     [](int, int rank, std::size_t row) {
         return (row == 0 ? 500 : 300) + (rank == 0 ? (row == 0 ? 10'000 : 12'000) : 0);
     },
     1},
    {"the first call of each candidate finds what another one has left, and does not count",
     [](int call, int, std::size_t row) { return row == 1 ? (call % 3 == 0 ? 50 : 900) : 400; }, 0},
    {"a call of the choice that was disturbed does not have it replaced",
     [](int call, int, std::size_t row) { return row == 1    ? 500
                                                 : call == 1 ? 90'000
                                                             : 400; }, 0},
    {"members that are late in turn do not make a candidate seem slow",
     [](int call, int rank, std::size_t row) {
         return (row == 0 ? 500 : 300) + (rank == call % 2 ? 10'000 : 0);
     },
     1},
    {"a little faster is not enough to leave the first candidate",
     [](int, int, std::size_t row) { return row == 1 ? 990 : 1000; }, 0}};

} // namespace

TEST_CASE("members glance at each candidate, try each three times, and keep the fastest") {
    Members members(3, 4, true);
    const auto ns = fastest(2);
    for (const char row : std::string("001230000111222333") + "02") {
        CHECK(members.call(true, ns) == static_cast<std::size_t>(row - '0'));
    }
    REQUIRE(members.of(1).chosen() != nullptr);
    CHECK(members.of(1).chosen()->row == 2);
}

TEST_CASE("members keep the faster candidate, whatever else takes time") {
    for (const Kept& each : all_kept) {
        INFO(each.name);
        Members members(2, 2, true);
        int call = -glance_at(2);
        const auto ns = [&](int rank, std::size_t row) { return each.ns(call, rank, row); };
        for (; call < 8; ++call) {
            members.call(true, ns);
        }
        REQUIRE(members.of(0).chosen() != nullptr);
        CHECK(members.of(0).chosen()->row == each.row);
        CHECK(members.call(true, ns) == each.row);
    }
}

TEST_CASE("members call much slower algorithms once, and no other candidate of these") {
    for (const bool synchronises : {true, false}) {
        Members members(2);
        members.add_kind(
            {{.row = 0}, {.row = 1, .stores = tuning::Stores::string_moves}, {.row = 1}, {.row = 2}},
            synchronises);
        std::array<int, 3> calls{};
        const auto ns = [](int, std::size_t row) { return row == 1 ? 30'000 : 1000; };
        for (int call = 0; call < 60; ++call) {
            ++calls[members.call(synchronises, ns)];
        }
        CHECK(members.of(0).learnt().entry.measured.size() == 3);
        CHECK(calls[1] == 1);
        CHECK(calls[2] == 1 + Exploration::rounds);
    }
}

TEST_CASE("an algorithm is compared even if its first call had members wait for the plan of another") {
    Members members(2, 2, false);
    std::array<int, 2> calls{};
    for (int call = 0; call < 30; ++call) {
        ++calls[members.call(false, [&](int rank, std::size_t row) {
            return row == 0 ? 6000 : rank == 0 && calls[1] == 0 ? 90'000 : 900;
        })];
    }
    CHECK(members.of(0).chosen()->row == 1);
}

TEST_CASE("if members can be through before the others, the slowest one counts") {
    Members members(2, 2, false);
    // By row 1 the root is through at once, and the other member takes long.
    const auto ns = [](int rank, std::size_t row) { return row == 0 ? 400 : rank == 0 ? 50 : 900; };
    for (int call = 0; call < glance_at(2) + 8; ++call) {
        members.call(false, ns);
        members.synchronise();
    }
    CHECK(members.call(false, ns) == 0);
}

TEST_CASE("members whose calls never have them wait for each other meet once after each trial") {
    Members members(4, 2, false);
    const auto ns = fastest(1);
    for (const char row : std::string("00100") + "00011100") { // they meet in the last of each
        CHECK(members.call(false, ns) == static_cast<std::size_t>(row - '0'));
    }
    CHECK(members.of(0).chosen() == nullptr);
    CHECK(members.meetings() == 2);
    for (int call = 0; call < 100; ++call) {
        // Once more for the look after the first interval: calls that count, one, and the meeting.
        CHECK(members.meetings() ==
              (call <= static_cast<int>(Exploration::first_interval) + Exploration::rounds + 1 ? 2 : 3));
        CHECK(members.call(false, ns) == 1);
    }
}

TEST_CASE("members do not meet if another call has had them wait for each other") {
    Members members(4, 2, false);
    const auto ns = fastest(1);
    for (int call = -glance_at(2); call < 9; ++call) {
        members.call(false, ns);
        if (call == -1 || call == 6) { // after each trial
            members.synchronise();
        }
    }
    CHECK(members.of(0).chosen() != nullptr);
    CHECK(members.meetings() == 0);
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

TEST_CASE("short calls try few candidates at first, and all of them later") {
    Members members(2, 4, true, 2);
    const auto ns = [](int, std::size_t row) { return 400 - 100 * static_cast<int>(row); };
    for (const char row : std::string("0010") + "00011101") {
        CHECK(members.call(true, ns) == static_cast<std::size_t>(row - '0'));
    }
    CHECK(members.of(0).learnt().entry.measured.size() == 2);
    int calls = 0;
    while (members.call(true, ns) == 1) {
        ++calls;
    }
    CHECK(calls >= static_cast<int>(Exploration::interval_before_all) - 2);
    members.calls(glance_at(4) + 4 * Exploration::rounds + 2, true, ns);
    CHECK(members.of(0).chosen()->row == 3);
    CHECK(members.of(0).learnt().entry.measured.size() == 4);
}

TEST_CASE("the time that a program's next stores take counts as well") {
    for (const double rewrite_ns : {0, 300}) {
        Members members(2);
        members.add_kind(2, true, TrialTimes::most_candidates, rewrite_ns);
        members.calls(glance_at(2) + 2 * Exploration::rounds + 2, true, fastest(0, 500, 700));
        CHECK(members.of(1).chosen()->row == (rewrite_ns == 0 ? 0 : 1));
        // The next look finds the choice as before, and is no reason to try the other one again.
        members.calls(2 * static_cast<int>(Exploration::first_interval), true, fastest(0, 500, 700));
        CHECK(members.of(1).learnt().tried_calls == 2 + 3 * Exploration::rounds);
    }
}

TEST_CASE("the shortest calls try nothing at first") {
    Members members(3, 2, true, 1);
    const auto ns = fastest(1);
    int calls = 0;
    for (; members.call(true, ns) == 0; ++calls) {
        CHECK(members.of(0).chosen() == nullptr);
    }
    CHECK(calls >= static_cast<int>(Exploration::interval_before_all));
    CHECK(calls <= static_cast<int>(Exploration::interval_before_all) + Exploration::rounds);
    members.calls(glance_at(2) + 2 * Exploration::rounds + 2, true, ns);
    CHECK(members.of(0).chosen()->row == 1);
}

TEST_CASE("what was much slower in calls of twice the bytes comes last, and is not all that is left") {
    const library::GroupConfig config = library::config_for(2, {.tuning = "on"});
    const detail::Call call{.collective = Collective::reduce, .type = Type::f64, .op = Operator::sum};
    for (std::size_t fast = 0; fast < TrialTimes::most_candidates; ++fast) {
        library::Trials trials(1);
        library::Explorations explorations(config, trials, 0);
        std::vector<tuning::Measured> before; // the choice first
        for (std::size_t bytes = std::size_t{1} << 20U; bytes >= 32768; bytes /= 2) {
            Exploration& own = *explorations.of(call, {bytes, bytes, 2 * bytes, false, 2, 2});
            const auto name = [](const auto& each) { return std::pair(each.row, each.stores); };
            const auto place = [&](const tuning::Measured& of) {
                return std::ranges::find(own.candidates(), name(of), name) - own.candidates().end();
            };
            for (const tuning::Measured& of : before) {
                CHECK((of.us < 1.5 * before[0].us || place(before[0]) == 0 || place(before[0]) <= place(of)));
            }
            for (std::uint64_t epoch = 1; epoch < 40; ++epoch) {
                const Selection& used = own.begin({epoch, epoch - 1});
                if (own.is_trying()) {
                    own.end(nanoseconds(&used == &own.candidates()[fast] ? 10'000 : 20'000),
                            {epoch + 1, epoch});
                }
            }
            REQUIRE(own.chosen() != nullptr);
            before = own.learnt().entry.measured;
        }
    }
}

TEST_CASE(
    "what has been learnt has the choice first, the calls that were measured and the time that they lost") {
    Members members(3, 3, true);
    const auto ns = [](int, std::size_t row) { return row == 0 ? 1500 : row == 1 ? 2000 : 1000; };
    members.calls(16, true, ns);
    const library::Learnt learnt = members.of(1).learnt();
    const std::vector<tuning::Measured>& measured = learnt.entry.measured; // the choice, then ascending
    REQUIRE(measured.size() == 3);
    CHECK(measured[0].row == 2);
    CHECK(measured[1].row == 0);
    CHECK(measured[2].row == 1);
    CHECK(measured[0].us == doctest::Approx(1));
    CHECK(measured[1].us == doctest::Approx(1.5));
    CHECK(measured[2].us == doctest::Approx(2));
    CHECK(learnt.tried_calls == 3 + 9);
    CHECK(learnt.lost_us == doctest::Approx(0.5 + 3 * (0.5 + 1)));
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
        members.calls(20, synchronises, ns);
        REQUIRE(members.of(0).chosen()->row == 1);
        is_rewritten = true;
        int calls = 0;
        while (members.call(synchronises, ns) == 1) {
            REQUIRE(++calls < 80);
        }
        members.calls(500, synchronises, ns);
        CHECK(members.of(0).chosen()->row == 0);
        CHECK(members.of(0).learnt().entry.measured.size() == 3);
    }
}

TEST_CASE("a choice that takes much less time than it did is compared again, as others may gain more") {
    Members members(2, 2, true);
    int far = 2; // the host moves the CPUs
    const auto ns = [&](int, std::size_t row) { return row == 1 ? 600 + 200 * far : 300 + 450 * far; };
    members.calls(20, true, ns);
    REQUIRE(members.of(0).chosen()->row == 1);
    far = 0;
    members.calls(100, true, ns);
    CHECK(members.of(0).chosen()->row == 0);
}

TEST_CASE("repeated calls count, and do not repeat a selection that is another one now") {
    Members members(2, 2, true);
    const auto ns = fastest(1);
    CHECK_FALSE(members.of(0).repeats(members.of(0).selection_number()));
    members.calls(glance_at(2) + 8, true, ns);
    const std::uint32_t now = members.of(0).selection_number();
    CHECK_FALSE(members.of(0).repeats(now - 1));
    std::uint32_t repeated = 0;
    while (members.of(0).repeats(now)) {
        ++repeated;
    }
    CHECK(repeated >= Exploration::first_interval - 3);
    CHECK(repeated < Exploration::first_interval);
}

TEST_CASE("many kinds at random, of which some synchronise: all members choose alike") {
    std::mt19937 random(5);
    for (int run = 0; run < 20; ++run) {
        constexpr std::size_t kinds = 20;
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
