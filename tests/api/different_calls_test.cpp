// Members that make, start or prepare different calls.

#include "support.hpp"

#include <tutti/extremes.hpp>

namespace {

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
template <std::size_t n>
struct Words {
    int values[n];
};

/// What the members call, and what the error has to say of it.
struct Wrong {
    const char* name;
    int members;
    Part part;
    std::vector<std::string> says;
};

void check_told(const std::vector<Wrong>& all) {
    for (const Wrong& wrong : all) {
        INFO(wrong.name);
        check_fails(wrong.members, Kind::mismatch, wrong.says, wrong.part);
    }
}

/// Member 1 of three reduces `n` elements of T by one operator, the others by another.
template <class T, class Odd, class Others>
Part reduce_differently(std::size_t n, Odd odd, Others others) {
    return [=](Member& me) {
        std::vector<T> x(n);
        me.rank() == 1 ? me.allreduce(x, odd) : me.allreduce(x, others);
    };
}

} // namespace

TEST_CASE("members that left different calls without hearing of each other find out in the next") {
    const auto next_is_root = [](Member& me) {
        int value = 1;
        value = me.reduce(value, sum, (me.rank() + 1) % me.size()).value_or(0);
    };
    const std::pair<Part, Part> pairs[] = {
        {[](Member& me) { static_cast<void>(me.broadcast(1, me.rank())); }, next_is_root},
        {next_is_root, [](Member& me) { me.gather(1.0, std::span<double>(), (me.rank() + 1) % me.size()); }},
        // Not even the same number of points.
        {[](Member& me) { static_cast<void>(me.reduce(1, sum, 1)); },
         [](Member& me) {
             for (int call = 0; call < 2; ++call) {
                 static_cast<void>(me.reduce(1, sum, 0));
             }
         }}};
    Team team(2, {.placement = Placement::none});
    for (const auto& pair : pairs) {
        for (const std::size_t bytes : {0U, 8U, 32U, 100'000U}) {
            INFO(bytes, " bytes");
            const Outcomes outcomes = check_fails(team, Kind::mismatch, {}, [&](Member& me) {
                me.rank() == 0 ? pair.first(me) : pair.second(me); // may learn of it here
                std::vector<std::uint8_t> values(bytes);
                bytes == 0 ? me.barrier() : me.allreduce(values, bor);
            });
            CHECK(outcomes.count(Kind::nothing) == 0);
        }
    }
}

TEST_CASE("members that end in different calls are told when the run is over, and the team goes on") {
    Team team(3, {.placement = Placement::none});
    for (int i = 0; i < (reduced ? 10 : 50); ++i) {
        check_fails(team, Kind::mismatch, {"members 0 and 1 have made different calls"}, [](Member& me) {
            for (int call = 0; call < (me.rank() == 1 ? 2 : 1); ++call) { // the second is for nobody
                static_cast<void>(me.broadcast(1, 1));
            }
        });
    }
}

TEST_CASE("members that wait for what nobody sends are told in which operation they differ") {
    check_told({
        {"three in a circle",
         3,
         [](Member& me) { static_cast<void>(me.broadcast(1, (me.rank() + 1) % 3)); },
         {"broadcast", "root"}},
        {"everybody is the root",
         8,
         [](Member& me) {
             std::vector<int> x(1000);
             me.reduce(x, sum, me.rank());
         },
         {"reduce", "root"}},
    });
    for (const char* const algorithm : {"linear", "mesh", "tree", "scatter-allgather"}) {
        check_fails(4, Kind::mismatch, {"operation 1", "flat", algorithm}, [algorithm](Member& me) {
            static_cast<void>(
                me.broadcast(1, 0, {.algorithm = me.rank() == 3 ? std::string_view(algorithm) : ""}));
            me.barrier();
        });
    }
}

TEST_CASE("a member that only sends is told after as many calls as it may be ahead, at the latest") {
    for (const int members : {2, 65}) {
        int calls = 0;
        check_fails(members, Kind::mismatch, {"broadcast"}, [&](Member& me) {
            while (me.rank() == 0) {
                static_cast<void>(me.broadcast(1, 0));
                ++calls;
            }
            std::this_thread::sleep_for(20ms);
            static_cast<void>(me.broadcast(1.0, 0));
        });
        CHECK(calls == (members > 64 ? 4 : 16));
    }
}

TEST_CASE("members whose small calls differ in a type or an operator are told") {
    const auto add = [](int a, int b) { return a + b; };
    const auto multiply = [](int a, int b) { return a * b; };
    using Function = int (*)(int, int);
    check_told({
        {"minloc and maxloc",
         3,
         reduce_differently<ValueAt<double>>(10'000, minloc, maxloc),
         {"MinLoc", "MaxLoc"}},
        {"operators of the program", 3, reduce_differently<int>(1, Left(), Right()), {"Left", "Right"}},
        {"two lambdas", 3, reduce_differently<int>(1, add, multiply), {"with callable <int, "}},
        {"two functions",
         3,
         reduce_differently<int>(1, Function(add), Function(multiply)),
         {"different functions"}},
        {"min and max of long double", 3, reduce_differently<long double>(1, min, max), {"min", "max"}},
        {"two elements of 12 bytes and one of 24",
         3,
         [](Member& me) {
             std::vector<Words<3>> small(2);
             std::vector<Words<6>> large(1);
             me.rank() == 1 ? me.broadcast(small, 0) : me.broadcast(large, 0);
             me.barrier();
         },
         {"12-byte", "24-byte"}},
        {"elements of other types of the program's own, of one size",
         2,
         [](Member& me) {
             me.rank() == 0 ? static_cast<void>(me.broadcast(Metres{1}, 0))
                            : static_cast<void>(me.broadcast(Seconds{1}, 0));
         },
         {"broadcast", "Metres", "Seconds"}},
        {"split on one",
         3,
         [](Member& me) {
             std::vector<Words<2>> all(3);
             me.rank() == 1 ? me.allgather(Words<2>{}, all) : static_cast<void>(me.dup());
         },
         {"split, subset or dup", "allgather"}},
    });
}

TEST_CASE("members that start different operations are told which, whenever they wait") {
    Team team(2, {.placement = Placement::none});
    for (const std::size_t before : {0U, 1U, 5U, 40U, 100U}) {
        for (const std::size_t bytes : {8U, 24U, 3000U, 100'000U}) {
            INFO(before, " operations before one of ", bytes, " bytes");
            const std::string operation = "started operation " + std::to_string(before + 1);
            const Outcomes outcomes = check_fails(
                team, Kind::mismatch, {operation, "starts allreduce", "starts broadcast"}, [&](Member& me) {
                    std::vector<std::uint8_t> vector(bytes);
                    std::vector<double> values(before), after(3);
                    std::vector<Request> requests;
                    for (double& value : values) {
                        requests.push_back(me.start.allreduce(std::span(&value, 1), sum));
                    }
                    requests.push_back(me.rank() == 0 ? me.start.allreduce(vector, bor)
                                                      : me.start.broadcast(vector, 0));
                    for (double& value : after) {
                        requests.push_back(me.start.allreduce(std::span(&value, 1), max));
                    }
                    wait_all(requests);
                });
            CHECK(outcomes.count(Kind::nothing) == 0);
        }
    }
}

TEST_CASE("members that prepare different operations, or call in another order, are told") {
    check_fails(2, Kind::mismatch, {"prepared operation 2"}, [](Member& me) {
        std::vector<int> vector(10);
        Persistent same = me.prepare.barrier();
        Persistent other = me.rank() == 0 ? me.prepare.allreduce(vector, sum) : me.prepare.scan(vector, sum);
        for (Persistent* each : {&same, &other}) {
            each->start();
            each->wait();
        }
    });
    check_fails(2, Kind::mismatch, {"another order"}, [](Member& me) {
        std::vector<int> vector(1000, 1), other(1000, 1);
        if (me.rank() == 0) {
            me.start.allreduce(vector, sum).wait();
        }
        me.allreduce(other, sum);
        if (me.rank() == 1) {
            me.start.allreduce(vector, sum).wait();
        }
    });
    for (const int members : {2, 3}) {
        for (const bool blocks : {false, true}) { // one prepares what the others start, or call
            const std::vector<std::string> says{"wait for each other", "member 0 prepares allreduce"};
            check_fails(members, Kind::mismatch, says, [&](Member& me) {
                std::vector<int> vector(10, 1);
                if (me.rank() == 0) {
                    Persistent prepared = me.prepare.allreduce(vector, sum, {.algorithm = "flat"});
                    prepared.start();
                    prepared.wait();
                } else if (blocks) {
                    me.allreduce(vector, sum, {.algorithm = "flat"});
                } else {
                    me.start.allreduce(vector, sum, {.algorithm = "flat"}).wait();
                }
            });
        }
    }
}

TEST_CASE("members may prepare and start in another order, and wait long") {
    check_members(2, [&](Member& me) {
        std::vector<int> one(10, 1), two(10, 1);
        // Member 0 comes late to what it prepares, and member 1 to what it starts.
        Request started;
        if (me.rank() == 0) {
            started = me.start.allreduce(two, sum);
            std::this_thread::sleep_for(50ms);
        }
        Persistent prepared = me.prepare.allreduce(one, sum);
        prepared.start();
        prepared.wait();
        if (me.rank() == 1) {
            std::this_thread::sleep_for(50ms);
            started = me.start.allreduce(two, sum);
        }
        started.wait();
        return one[0] == 2 && two[0] == 2;
    });
}

TEST_CASE("members that wait for, or test, what a member never starts are told when that has returned") {
    const std::vector<std::string> says{"started operation 2", "has returned without starting it"};
    check_fails(3, Kind::mismatch, says, [](Member& me) {
        std::vector<int> vector(100, 1);
        for (int start = 0; start < (me.rank() == 1 ? 1 : 2); ++start) {
            me.start.allreduce(vector, sum).wait();
        }
    });
    for (const bool is_prepared : {false, true}) {
        const Outcomes outcomes = check_fails(2, Kind::mismatch, {}, [&](Member& me) {
            std::vector<double> in(4, 1), out(4);
            Persistent step;
            if (is_prepared) {
                step = me.prepare.allreduce(in, out, sum);
            }
            if (me.rank() == 1) {
                return;
            }
            Request request;
            if (is_prepared) {
                step.start();
            } else {
                request = me.start.allreduce(in, out, sum);
            }
            while (!(is_prepared ? step.test() : request.test())) {
            }
        });
        CHECK(!mentions(outcomes.text(Kind::mismatch), "further back"));
    }
}

TEST_CASE("members that end with different starts that nobody waited for are told when the run is over") {
    // The root of a short broadcast waits for nobody.
    check_fails(2, Kind::mismatch, {}, [](Member& me) {
        int value = 1;
        if (me.rank() == 0) {
            me.start.broadcast(std::span(&value, 1), 0).wait();
        }
    });
    const auto start_often = [](Member& me, int root, int first) {
        int value = me.rank();
        Persistent step = me.prepare.broadcast(std::span(&value, 1), root);
        for (int start = first; start < 3; ++start) {
            step.start();
            step.wait();
        }
    };
    check_fails(2, Kind::mismatch, {"prepared operation 1"},
                [&](Member& me) { start_often(me, me.rank(), 2); });
    check_fails(2, Kind::mismatch, {"equally often"}, [&](Member& me) { start_often(me, 0, me.rank()); });
}
