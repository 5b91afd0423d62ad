// The all-to-all in which every member has counts of its own, and that resizes its output if members do not
// know them.

#include "algorithm/registry.hpp"
#include "support.hpp"

namespace {

using CountList = std::vector<std::size_t>;

/// How many elements each member sends to each: row i of member i.
using Sent = std::vector<CountList>;

/// Every third block is empty, and some members have nothing to send.
Sent random_counts(int members, std::size_t most, std::mt19937& engine) {
    Sent made(static_cast<std::size_t>(members), CountList(static_cast<std::size_t>(members)));
    for (CountList& row : made) {
        const bool silent = engine() % 9 == 0;
        std::ranges::generate(row, [&] { return silent || engine() % 3 == 0 ? 0 : engine() % (most + 1); });
    }
    return made;
}

CountList received_by(const Sent& sent, std::size_t receiver) {
    CountList found;
    for (const CountList& row : sent) {
        found.push_back(row[receiver]);
    }
    return found;
}

/// The blocks of a member, which have its rank and that of their receiver in every element: as it sends them,
/// or gets them.
CountList blocks_of(const Sent& sent, std::size_t own, bool receives) {
    CountList made;
    for (std::size_t other = 0; other < sent.size(); ++other) {
        const std::size_t from = receives ? other : own;
        const std::size_t to = receives ? own : other;
        made.insert(made.end(), sent[from][to], 10 * from + to);
    }
    return made;
}

void check_refused(const CountList& sent, const CountList& received, const char* part) {
    const std::vector<int> in(5);
    std::vector<int> out(5);
    check_rejected(2, part, [&](Member& me) { me.alltoall(in, Counts(sent), out, Counts(received)); });
}

} // namespace

TEST_CASE("a count that is not what the other member expects is named on every member") {
    for (const int members : {2, 3, 8}) {
        for (const std::string_view algorithm : {"direct", "pairwise"}) {
            for (const std::size_t expected : {29U, 2'000'000U}) {
                const int receiver = members == 2 ? 0 : members - 1;
                const std::string to = std::to_string(receiver);
                const std::vector<std::string> says{"recv_counts[1] of member " + to + " is " +
                                                    std::to_string(expected) + ", but send_counts[" + to +
                                                    "] of member 1 is 30"};
                const Outcomes each = check_fails(members, Kind::mismatch, says, [&](Member& me) {
                    CountList sent(static_cast<std::size_t>(members), 30);
                    CountList received = sent;
                    received[1] = me.rank() == receiver ? expected : 30;
                    const std::vector<double> in(30 * sent.size());
                    std::vector<double> out(
                        std::accumulate(received.begin(), received.end(), std::size_t{0}));
                    me.alltoall(in, Counts(sent), out, Counts(received), {.algorithm = algorithm});
                });
                for (int rank = 0; rank < members; ++rank) {
                    check_thrown(each.of(rank), rank == receiver ? Kind::mismatch : Kind::aborted, says);
                }
            }
        }
    }
}

TEST_CASE("members that disagree on the element or on having counts are told what each of them calls") {
    const CountList ones(3, 1);
    const std::vector<float> floats(3);
    const std::vector<double> in(3);
    const std::pair<std::function<void(Member&, std::span<double>)>, const char*> disagreements[] = {
        {[&](Member& me, auto /*out*/) {
             std::vector<float> out(3);
             me.alltoall(floats, Counts(ones), out, Counts(ones));
         },
         "by counts of f32"},
        {[&](Member& me, auto out) { me.alltoall(in, out, {.algorithm = "direct"}); }, "of 24 bytes of f64"}};
    for (const auto& [odd, says] : disagreements) {
        check_fails(3, Kind::mismatch, {"alltoall (algorithm direct) by counts of f64", says},
                    [&, &call = odd](Member& me) {
                        std::vector<double> out(3);
                        me.rank() == 1 ? call(me, out) : me.alltoall(in, Counts(ones), out, Counts(ones));
                    });
    }
}

TEST_CASE("counts that cannot be right are refused before anybody is told") {
    check_refused({2, 3, 0}, {2, 3}, "`send_counts` has 3 entries, must have one for each of the 2 members");
    check_refused({2, 3}, {5}, "`recv_counts` has 1 entries");
    check_refused({}, {}, "`send_counts` has 0 entries");
    check_refused({2, 4}, {2, 3}, "`in` has 5 elements, but `send_counts` add up to 6");
    check_refused({2, 3}, {2, 2}, "`out` has 5 elements, but `recv_counts` add up to 4");
    check_refused({2, SIZE_MAX}, {2, 3}, "the sum of `send_counts` overflows");
    check_refused({2, 3}, {SIZE_MAX, 2}, "the sum of `recv_counts` overflows");
    check_refused({2, 3}, {3, 2}, "`send_counts[0]` is 2 and `recv_counts[0]` is 3 of member 0 itself");
}

TEST_CASE("an algorithm that passes blocks on, or stores them to others, is refused") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective != Collective::alltoall) {
            continue;
        }
        // Every block in one hop, by its receiver, is what the flag says.
        CHECK(row.protocols.one_hop == (row.cost(16, 0).blocks == 15 && !row.leaves_unread));
        const std::string refusal = check_rejected(2, "", [&](Member& me) {
            const std::vector<int> in(3);
            std::vector<int> out(3);
            const CountList wrong{1, 1};
            const CountList right{1, 2};
            me.alltoall(in, Counts(row.protocols.one_hop ? wrong : right), out, Counts(right),
                        {.algorithm = row.name});
        });
        CHECK(mentions(refusal, "these would work: direct, pairwise") == !row.protocols.one_hop);
    }
}

TEST_CASE("members that do not know what they receive get it in a vector that fits") {
    std::mt19937 engine(7);
    for (const int members : {1, 2, 3, 5}) {
        Team team(members, {.placement = Placement::none});
        for (int round = 0; round < 5; ++round) {
            const Sent sent = random_counts(members, round == 0 ? 0 : 900, engine);
            team.run([&](Member& me) {
                const auto own = index_of(me);
                CountList out(3, 77);
                CHECK(me.alltoall(blocks_of(sent, own, false), Counts(sent[own]), out) ==
                      received_by(sent, own));
                CHECK(out == blocks_of(sent, own, true));
            });
        }
    }
}

TEST_CASE("what they send is checked before anybody is told") {
    std::vector<int> in(5);
    std::vector<int> out;
    const auto refused = [&](const Counts& counts, const char* says) {
        check_rejected(2, says, [&](Member& me) { me.alltoall(in, counts, out); });
    };
    refused(Counts({1, 2, 2}), "`send_counts` has 3 entries, must have one per member: 2");
    refused(Counts({1, 3}), "`in` has 5 elements, which must be the sum of `send_counts`");
    refused(Counts({3, 9}), "`in` has 5 elements");
    refused(Counts({1, 4}, {0, 1}), "`send_counts` has displacements");
    CHECK(out.empty());
}

TEST_CASE("an input in the vector that is resized is refused before anybody is told") {
    const std::function<void(Member&)> calls[] = {[](Member& me) { // its part
                                                      CountList v{7, 1, 2};
                                                      me.alltoall(std::span(v).subspan(1), Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // in memory that it has in reserve
                                                      CountList v{7, 1, 2};
                                                      const auto part = std::span(v).subspan(1);
                                                      v.resize(1);
                                                      me.alltoall(part, Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // the same
                                                      CountList v{1, 2};
                                                      me.alltoall(v, Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // the same, without memory
                                                      CountList v;
                                                      me.alltoall(v, Counts({0, 0}), v);
                                                  },
                                                  [](Member& me) { // the counts
                                                      const CountList in{1, 2};
                                                      CountList v{1, 1};
                                                      me.alltoall(in, Counts(std::span(v)), v);
                                                  }};
    for (const auto& call : calls) {
        const bool of_counts = &call == std::end(calls) - 1;
        const std::string text = std::string("alltoall: `") + (of_counts ? "send_counts" : "in") +
                                 "` lies in `out`, which changes its length: pass two vectors";
        CHECK(check_rejected(2, "", call) == text); // nobody answers
        Team team(2, {.placement = Placement::none});
        const Ended ended = run(team, [&](Member& me) {
            CountList out;
            me.rank() == 1 ? call(me) : static_cast<void>(me.alltoall(CountList{1, 2}, Counts({1, 1}), out));
        });
        check_thrown(ended.each.of(0), Kind::aborted, {text});
        CHECK(ended.each.of(1).text == text);
    }
}

TEST_CASE("an input beside the vector that is resized is sent") {
    run_members(2, [](Member& me) {
        std::array<std::vector<int>, 3> vectors{{{1, 2}, {}, {3, 4}}};
        const auto mine = static_cast<std::size_t>(2 * me.rank());
        me.alltoall(vectors[mine], Counts({1, 1}), vectors[1]);
        CHECK(vectors[1] == (me.rank() == 0 ? std::vector<int>{1, 3} : std::vector<int>{2, 4}));
    });
}
