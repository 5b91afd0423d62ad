// Members that start or prepare other operations than the others.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("members that start different operations are told which, whenever they wait") {
    Team team(2, {.placement = "none"});
    for (const int before : {0, 1, 5, 40, 100}) {
        for (const std::size_t bytes :
             {std::size_t{8}, std::size_t{24}, std::size_t{3000}, std::size_t{100000}}) {
            CAPTURE(before);
            CAPTURE(bytes);
            const Ended ended = run(team, [&](Member& me) {
                std::vector<std::uint8_t> vector(bytes);
                std::vector<Request> requests;
                std::vector<double> values(static_cast<std::size_t>(before));
                for (double& value : values) {
                    requests.push_back(me.start.allreduce(std::span(&value, 1), sum));
                }
                requests.push_back(me.rank() == 0 ? me.start.allreduce(vector, bor)
                                                  : me.start.broadcast(vector, 0));
                std::vector<double> after(3);
                for (double& value : after) {
                    requests.push_back(me.start.allreduce(std::span(&value, 1), max));
                }
                wait_all(requests);
            });
            INFO("the message is: ", ended.run.text);
            CHECK(ended.run.kind == Thrown::Kind::mismatch);
            CHECK(ended.each.count(Thrown::Kind::nothing) == 0);
            CHECK(mentions(ended.run.text, "started operation " + std::to_string(before + 1)));
            CHECK(mentions(ended.run.text, "starts allreduce"));
            CHECK(mentions(ended.run.text, "starts broadcast"));
            test::check_usable(team);
        }
    }
}

TEST_CASE("members that prepare different operations are told which") {
    Team team(2, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(10);
        Persistent same = me.prepare.barrier();
        Persistent other = me.rank() == 0 ? me.prepare.allreduce(vector, sum) : me.prepare.scan(vector, sum);
        same.start();
        same.wait();
        other.start();
        other.wait();
    });
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "prepared operation 2"));
    test::check_usable(team);
}

TEST_CASE("members that make blocking and started calls in another order are told") {
    Team team(2, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(1000, 1);
        std::vector<int> other(1000, 1);
        if (me.rank() == 0) {
            me.start.allreduce(vector, sum).wait();
            me.allreduce(other, sum);
        } else {
            me.allreduce(other, sum);
            me.start.allreduce(vector, sum).wait();
        }
    });
    INFO("the message is: ", ended.run.text);
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "another order"));
    test::check_usable(team);
}

TEST_CASE("members of which one prepares what the others start, or call, are told") {
    for (const int members : {2, 3}) {
        for (const bool blocks : {false, true}) {
            Team team(members, {.placement = "none"});
            const Ended ended = run(team, [&](Member& me) {
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
            INFO("the message is: ", ended.run.text);
            CHECK(ended.run.kind == Thrown::Kind::mismatch);
            CHECK(mentions(ended.run.text, "wait for each other"));
            CHECK(mentions(ended.run.text, "member 0 prepares allreduce"));
            test::check_usable(team);
        }
    }
}

TEST_CASE("members may prepare and start in another order, and wait long") {
    Team team(2, {.placement = "none"});
    team.run([&](Member& me) {
        using namespace std::chrono_literals;
        std::vector<int> one(10, 1);
        std::vector<int> two(10, 1);
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
        CHECK(one[0] == 2);
        CHECK(two[0] == 2);
    });
}

TEST_CASE("who waits for an operation that a member never starts is told when that has returned") {
    Team team(3, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        std::vector<int> vector(100, 1);
        me.start.allreduce(vector, sum).wait();
        if (me.rank() != 1) {
            me.start.allreduce(vector, sum).wait();
        }
    });
    INFO("the message is: ", ended.run.text);
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(ended.run.text, "started operation 2"));
    CHECK(mentions(ended.run.text, "has returned without starting it"));
    test::check_usable(team);
}

TEST_CASE("members that end with different starts that nobody waited for are told when the run is over") {
    Team team(2, {.placement = "none"});
    const Ended ended = run(team, [](Member& me) {
        int value = 1;
        // The root waits for nobody.
        if (me.rank() == 0) {
            me.start.broadcast(std::span(&value, 1), 0).wait();
        }
    });
    CHECK(ended.run.kind == Thrown::Kind::mismatch);
    test::check_usable(team);
}

TEST_CASE("who tests in a loop is told as well when a member has left") {
    Team team(2, {.placement = "none"});
    for (const bool is_prepared : {false, true}) {
        const Ended ended = run(team, [&](Member& me) {
            std::vector<double> in(4, 1);
            std::vector<double> out(4);
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
        INFO("the message is: ", ended.run.text);
        CHECK(ended.run.kind == Thrown::Kind::mismatch);
        CHECK(!mentions(ended.run.text, "further back"));
        test::check_usable(team);
    }
}

TEST_CASE(
    "members that prepare different operations, or start them more often, are told by the end of the run") {
    Team team(2, {.placement = "none"});
    const Ended prepared = run(team, [](Member& me) {
        int value = me.rank();
        std::vector<int> all(2);
        const int root = me.rank(); // small, so that nobody waits
        Persistent step = me.prepare.broadcast(std::span(&value, 1), root);
        step.start();
        step.wait();
    });
    INFO("the message is: ", prepared.run.text);
    CHECK(prepared.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(prepared.run.text, "prepared operation 1"));
    const Ended started = run(team, [](Member& me) {
        int value = me.rank();
        Persistent step = me.prepare.broadcast(std::span(&value, 1), 0);
        for (int start = me.rank(); start < 3; ++start) {
            step.start();
            step.wait();
        }
    });
    INFO("the message is: ", started.run.text);
    CHECK(started.run.kind == Thrown::Kind::mismatch);
    CHECK(mentions(started.run.text, "equally often"));
    test::check_usable(team);
}
