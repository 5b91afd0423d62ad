#include "support.hpp"

#include <cstdint>
#include <functional>

// Members that go on from different calls without having heard of each other.

using namespace tutti;
using test::mentions;
using test::Outcomes;
using test::Thrown;

namespace {

constexpr int repetitions = test::reduced ? 10 : 50;

} // namespace

TEST_CASE("members that left different calls without hearing of each other find out in the next") {
    using Call = std::function<void(Member&)>;
    struct Calls {
        Call of_first;
        Call of_second;
    };
    const std::vector<Calls> pairs{{[](Member& me) {
                                        int value = 1;
                                        me.broadcast(value, me.rank());
                                    },
                                    [](Member& me) {
                                        int value = 1;
                                        me.reduce(value, sum, (me.rank() + 1) % me.size());
                                    }},
                                   {[](Member& me) {
                                        int value = 1;
                                        me.reduce(value, sum, (me.rank() + 1) % me.size());
                                    },
                                    [](Member& me) {
                                        double value = 1;
                                        me.gather(value, std::span<double>(), (me.rank() + 1) % me.size());
                                    }},
                                   // Not even the same number of points.
                                   {[](Member& me) {
                                        int value = 1;
                                        me.reduce(value, sum, 1);
                                    },
                                    [](Member& me) {
                                        int value = 1;
                                        for (int call = 0; call < 2; ++call) {
                                            me.reduce(value, sum, 0);
                                        }
                                    }}};
    Team team({.members = 2, .placement = "none"});
    for (const Calls& calls : pairs) {
        for (const int bytes : {0, 8, 32, 100000}) {
            CAPTURE(bytes);
            Outcomes outcomes(2);
            const Thrown reached = test::thrown_by([&] {
                team.run([&](Member& me) {
                    me.rank() == 0 ? calls.of_first(me) : calls.of_second(me);
                    outcomes.note(me, [&] {
                        std::vector<std::uint8_t> values(static_cast<std::size_t>(bytes));
                        bytes == 0 ? me.barrier() : me.allreduce(values, bor);
                    });
                });
            });
            INFO("the message is: ", reached.text);
            CHECK(reached.kind == Thrown::Kind::mismatch);
            CHECK(outcomes.count(Thrown::Kind::nothing) == 0);
        }
    }
}

TEST_CASE("members that end in different calls are told when the run is over, and the team goes on") {
    Team team({.members = 3, .placement = "none"});
    for (int i = 0; i < repetitions; ++i) {
        const Thrown reached = test::thrown_by([&] {
            team.run([&](Member& me) {
                int value = me.rank();
                me.broadcast(value, 1);
                if (me.rank() == 1) {
                    me.broadcast(value, 1); // for nobody
                }
            });
        });
        CHECK(reached.kind == Thrown::Kind::mismatch);
        CHECK(mentions(reached.text, "members 0 and 1 have made different calls"));
        int sums = 0;
        team.run([&](Member& me) {
            int value = me.rank();
            me.reduce(value, sum, 0);
            if (me.rank() == 0) {
                sums = value;
            }
        });
        CHECK(sums == 3);
    }
}
