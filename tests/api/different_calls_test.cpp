#include "support.hpp"

#include <tutti/extremes.hpp>

// Members that go on from different calls without having heard of each other.

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int repetitions = test::reduced ? 10 : 50;

struct Metres {
    double value;
};
struct Seconds {
    double value;
};
struct Left {
    int operator()(int a, int /*b*/) const { return a; }
};
struct Right {
    int operator()(int /*a*/, int b) const { return b; }
};

} // namespace

TEST_CASE("members that left different calls without hearing of each other find out in the next") {
    using Call = std::function<void(Member&)>;
    struct Calls {
        Call of_first;
        Call of_second;
    };
    const std::vector<Calls> pairs{{[](Member& me) {
                                        int value = 1;
                                        value = me.broadcast(value, me.rank());
                                    },
                                    [](Member& me) {
                                        int value = 1;
                                        value = me.reduce(value, sum, (me.rank() + 1) % me.size());
                                    }},
                                   {[](Member& me) {
                                        int value = 1;
                                        value = me.reduce(value, sum, (me.rank() + 1) % me.size());
                                    },
                                    [](Member& me) {
                                        double value = 1;
                                        me.gather(value, std::span<double>(), (me.rank() + 1) % me.size());
                                    }},
                                   // Not even the same number of points.
                                   {[](Member& me) {
                                        int value = 1;
                                        value = me.reduce(value, sum, 1);
                                    },
                                    [](Member& me) {
                                        int value = 1;
                                        for (int call = 0; call < 2; ++call) {
                                            value = me.reduce(value, sum, 0);
                                        }
                                    }}};
    Team team(2, {.placement = "none"});
    for (const Calls& calls : pairs) {
        for (const int bytes : {0, 8, 32, 100000}) {
            CAPTURE(bytes);
            Outcomes outcomes(2);
            const Thrown reached = test::thrown_by([&] {
                team.run([&](Member& me) {
                    outcomes.note(me, [&] {
                        me.rank() == 0 ? calls.of_first(me) : calls.of_second(me); // may learn of it here
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
    Team team(3, {.placement = "none"});
    for (int i = 0; i < repetitions; ++i) {
        const Thrown reached = test::thrown_by([&] {
            team.run([&](Member& me) {
                int value = me.rank();
                value = me.broadcast(value, 1);
                if (me.rank() == 1) {
                    value = me.broadcast(value, 1); // for nobody
                }
            });
        });
        CHECK(reached.kind == Thrown::Kind::mismatch);
        CHECK(mentions(reached.text, "members 0 and 1 have made different calls"));
        int sums = 0;
        team.run([&](Member& me) {
            int value = me.rank();
            value = me.reduce(value, sum, 0);
            if (me.rank() == 0) {
                sums = value;
            }
        });
        CHECK(sums == 3);
    }
}

namespace {

/// What the members call, and what the error has to say of it.
struct Wrong {
    const char* name;
    int members;
    std::function<void(Member&)> part;
    std::vector<const char*> says;
};

std::string_view for_the_last(const Member& me, std::string_view algorithm) {
    return me.rank() == me.size() - 1 ? algorithm : "";
}

std::vector<Wrong> calls_that_only_receive() {
    std::vector<Wrong> wrong{{"three in a circle",
                              3,
                              [](Member& me) {
                                  std::vector<int> x(1);
                                  me.broadcast(x, (me.rank() + 1) % 3);
                              },
                              {"broadcast", "root"}},
                             {"everybody is the root",
                              8,
                              [](Member& me) {
                                  std::vector<int> x(1000);
                                  me.reduce(x, sum, me.rank());
                              },
                              {"reduce", "root"}},
                             {"a call left out",
                              3,
                              [](Member& me) {
                                  std::vector<int> x(1);
                                  if (me.rank() != 0) {
                                      me.broadcast(x, 2);
                                  }
                                  me.allreduce(x, sum);
                              },
                              {"operation 1", "broadcast", "allreduce"}},
                             {"algorithms of a scatter",
                              4,
                              [](Member& me) {
                                  std::vector<int> in(4);
                                  std::vector<int> x(1);
                                  me.scatter(in, x, 0, {.algorithm = for_the_last(me, "circulant")});
                                  me.barrier();
                              },
                              {"operation 1", "direct", "circulant"}}};
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{500}}) {
        wrong.push_back({"one reduces, one broadcasts",
                         2,
                         [bytes](Member& me) {
                             std::vector<char> x(bytes);
                             me.rank() == 0 ? me.reduce(x, sum, 0) : me.broadcast(x, 0);
                         },
                         {"reduce", "broadcast"}});
    }
    for (const char* const algorithm : {"linear", "ring", "mesh", "tree", "hypercube", "scatter-allgather"}) {
        wrong.push_back({"algorithms of a broadcast",
                         4,
                         [algorithm](Member& me) {
                             std::vector<int> x(1);
                             me.broadcast(x, 0, {.algorithm = for_the_last(me, algorithm)});
                             me.barrier();
                         },
                         {"operation 1", "flat", algorithm}});
    }
    return wrong;
}

std::vector<Wrong> arguments_that_differ() {
    struct Twelve {
        int values[3];
    };
    struct TwentyFour {
        int values[6];
    };
    return {{"minloc and maxloc",
             3,
             [](Member& me) {
                 std::vector<ValueAt<double>> x(10'000);
                 me.rank() == 1 ? me.allreduce(x, minloc) : me.allreduce(x, maxloc);
             },
             {"MinLoc", "MaxLoc"}},
            {"two operators of the program",
             3,
             [](Member& me) {
                 std::vector<int> x(1);
                 me.rank() == 1 ? me.allreduce(x, Left()) : me.allreduce(x, Right());
             },
             {"Left", "Right"}},
            {"two lambdas",
             3,
             [](Member& me) {
                 std::vector<int> x(1);
                 const auto add = [](int a, int b) { return a + b; };
                 const auto multiply = [](int a, int b) { return a * b; };
                 me.rank() == 1 ? me.allreduce(x, add) : me.allreduce(x, multiply);
             },
             {"lambda"}},
            {"two functions",
             3,
             [](Member& me) {
                 using Function = int (*)(int, int);
                 const Function add = [](int a, int b) { return a + b; };
                 const Function multiply = [](int a, int b) { return a * b; };
                 std::vector<int> x(1);
                 me.allreduce(x, me.rank() == 1 ? add : multiply);
             },
             {"different functions"}},
            {"min and max of long double",
             3,
             [](Member& me) {
                 std::vector<long double> x(1);
                 me.rank() == 1 ? me.allreduce(x, min) : me.allreduce(x, max);
             },
             {"min", "max"}},
            {"two elements of 12 bytes and one of 24",
             3,
             [](Member& me) {
                 std::vector<Twelve> small(2);
                 std::vector<TwentyFour> large(1);
                 me.rank() == 1 ? me.broadcast(small, 0) : me.broadcast(large, 0);
                 me.barrier();
             },
             {"12-byte", "24-byte"}},
            {"elements of other types of the program's own, of one size",
             2,
             [](Member& me) {
                 Metres metres{1};
                 Seconds seconds{1};
                 if (me.rank() == 0) {
                     metres = me.broadcast(metres, 0);
                 } else {
                     seconds = me.broadcast(seconds, 0);
                 }
             },
             {"broadcast", "Metres", "Seconds"}},
            {"split on one",
             3,
             [](Member& me) {
                 struct Pair {
                     int first;
                     int second;
                 };
                 std::vector<Pair> all(3);
                 me.rank() == 1 ? me.allgather(Pair{0, 0}, all) : static_cast<void>(me.dup());
             },
             {"split, subset or dup", "allgather"}}};
}

void check_told(const std::vector<Wrong>& all) {
    for (const Wrong& wrong : all) {
        Team team(wrong.members, {.placement = "none"});
        const Thrown reached = test::thrown_by([&] { team.run(wrong.part); });
        INFO(wrong.name, ": ", reached.text);
        CHECK(reached.kind == Thrown::Kind::mismatch);
        for (const char* const part : wrong.says) {
            CHECK(mentions(reached.text, part));
        }
    }
}

} // namespace

TEST_CASE("members that wait for what nobody sends are told in which operation they differ") {
    check_told(calls_that_only_receive());
}

TEST_CASE("members whose small calls differ in a size, a type or an operator are told") {
    check_told(arguments_that_differ());
}

TEST_CASE("the operation that was wrong is named, not the one in which it was noticed") {
    Team team(2, {.placement = "none"});
    const Thrown reached = test::thrown_by([&] {
        team.run([](Member& me) {
            std::vector<int> x(1);
            for (int call = 0; call < 16; ++call) {
                me.barrier();
            }
            me.reduce(x, sum, (me.rank() + 1) % 2); // both send and go on
            me.barrier();
        });
    });
    CHECK(reached.kind == Thrown::Kind::mismatch);
    CHECK(mentions(reached.text, "operation 17"));
    CHECK(mentions(reached.text, "reduce"));
}
