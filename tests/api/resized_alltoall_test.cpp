#include "support.hpp"

// The all-to-all that resizes its output: the calls that it refuses, and those that it must not.

using namespace tutti;
using namespace tutti::test;

TEST_CASE("what they send is checked before anybody is told") {
    Group group(2);
    Member me = group.join(0);
    const Member other = group.join(1);
    std::vector<int> in(5);
    std::vector<int> out;
    const auto refused = [&](const Counts& counts) {
        const Thrown thrown = thrown_by([&] { me.alltoall(in, counts, out); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        return thrown.text;
    };
    CHECK(mentions(refused(Counts({1, 2, 2})), "`send_counts` has 3 entries, must have one per member: 2"));
    CHECK(mentions(refused(Counts({1, 3})), "`in` has 5 elements, which must be the sum of `send_counts`"));
    CHECK(mentions(refused(Counts({3, 9})), "`in` has 5 elements"));
    CHECK(mentions(refused(Counts({1, 4}, {0, 1})), "`send_counts` has displacements"));
    CHECK(out.empty());
}

TEST_CASE("an input in the vector that is resized is refused before anybody is told") {
    using Vector = std::vector<std::size_t>;
    const std::function<void(Member&)> calls[] = {[](Member& me) { // its part
                                                      Vector v{7, 1, 2};
                                                      me.alltoall(std::span(v).subspan(1), Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // in memory that it has in reserve
                                                      Vector v{7, 1, 2};
                                                      const std::span<std::size_t> part =
                                                          std::span(v).subspan(1);
                                                      v.resize(1);
                                                      me.alltoall(part, Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // the same
                                                      Vector v{1, 2};
                                                      me.alltoall(v, Counts({1, 1}), v);
                                                  },
                                                  [](Member& me) { // the same, without memory
                                                      Vector v;
                                                      me.alltoall(v, Counts({0, 0}), v);
                                                  },
                                                  [](Member& me) { // the counts
                                                      const Vector in{1, 2};
                                                      Vector v{1, 1};
                                                      me.alltoall(in, Counts(v), v);
                                                  }};
    for (const auto& call : calls) {
        const bool of_counts = &call == std::end(calls) - 1;
        const std::string text = std::string("alltoall: `") + (of_counts ? "send_counts" : "in") +
                                 "` lies in `out`, which changes its length: pass two vectors";
        Group alone(2); // nobody answers
        Member one = alone.join(0);
        const Member other = alone.join(1);
        CHECK(thrown_by([&] { call(one); }).text == text);

        Team team(2, {.placement = "none"});
        const Ended all = run(team, call);
        CHECK(all.each.count(Thrown::Kind::argument) == 2);
        CHECK(all.each.of(0).text == text);
        CHECK(all.each.of(1).text == text);

        const Ended ended = run(team, [&](Member& me) {
            Vector out;
            me.rank() == 1 ? call(me) : static_cast<void>(me.alltoall(Vector{1, 2}, Counts({1, 1}), out));
        });
        CHECK(ended.each.of(0).kind == Thrown::Kind::aborted);
        CHECK(mentions(ended.each.of(0).text, text));
        CHECK(ended.each.of(1).text == text);
    }
}

TEST_CASE("an input beside the vector that is resized is sent") {
    Team team(2, {.placement = "none"});
    team.run([](Member& me) {
        std::array<std::vector<int>, 3> vectors{{{1, 2}, {}, {3, 4}}};
        const auto mine = static_cast<std::size_t>(2 * me.rank());
        me.alltoall(vectors[mine], Counts({1, 1}), vectors[1]);
        CHECK(vectors[1] == (me.rank() == 0 ? std::vector<int>{1, 3} : std::vector<int>{2, 4}));
    });
}
