// Operators that wait for other groups, and destroy their members, in the middle of a call.

#include "../test.hpp"
#include "two_members.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("an operator may wait for another group while operations of its own member are outstanding") {
    const Thrown thrown = run_two(
        [](Member& me) {
            Member other = me.dup();
            std::vector<double> out(10);
            std::vector<double> beside(10);
            bool has_waited = false;
            const Adds waits{[&] {
                if (!std::exchange(has_waited, true)) {
                    other.start.barrier().wait(); // looks at all operations of the thread
                }
            }};
            Request one = me.start.allreduce(ones, out, waits);
            Request two = me.start.allreduce(ones, beside, sum);
            one.wait();
            two.wait();
            CHECK(out == std::vector<double>(10, 2));
            CHECK(beside == std::vector<double>(10, 2));
        },
        [](Member& me) {
            Member other = me.dup();
            std::vector<double> out(10);
            std::vector<double> beside(10);
            Request one = me.start.allreduce(ones, out, Adds());
            Request two = me.start.allreduce(ones, beside, sum);
            Turn::hesitate();
            other.start.barrier().wait();
            one.wait();
            two.wait();
        });
    CHECK(thrown.text == "");
}

TEST_CASE("an operator may destroy another member of its thread, whose operations the thread looks at next") {
    const Thrown thrown = run_two(
        [](Member& me) {
            std::array<std::optional<Member>, 3> others{me.dup(), me.dup(), me.dup()};
            std::array<Request, 3> requests;
            std::array<std::vector<double>, 3> results{std::vector<double>(10), std::vector<double>(10),
                                                       std::vector<double>(10)};
            std::vector<double> out(10);
            Request first = others[0]->start.allreduce(ones, results[0], sum);
            const Adds destroys{[&] {
                others[0].reset();
                others[2].reset();
            }};
            Request last = others[2]->start.allreduce(ones, results[2], sum);
            others[1]->start.allreduce(ones, out, destroys).wait();
            first.wait();
            last.wait();
            CHECK(out == std::vector<double>(10, 2));
            CHECK(results[0] == std::vector<double>(10, 2));
            CHECK(results[2] == std::vector<double>(10, 2));
        },
        [](Member& me) {
            std::array<Member, 3> others{me.dup(), me.dup(), me.dup()};
            std::vector<double> out(10);
            Turn::hesitate();
            others[1].start.allreduce(ones, out, Adds()).wait();
            others[0].start.allreduce(ones, out, sum).wait();
            others[2].start.allreduce(ones, out, sum).wait();
        });
    CHECK(thrown.text == "");
}

TEST_CASE("functions are called when no call is under way, not in a call that an operator makes") {
    const Thrown thrown = run_two(
        [](Member& me) {
            Member other = me.dup();
            Member side = me.dup();
            std::vector<double> out(10);
            std::vector<double> beside(10);
            bool is_inside = false;
            bool is_called = false;
            Request request = side.start.allreduce(ones, beside, sum);
            request.then([&](const std::exception_ptr&) {
                CHECK(!is_inside);
                is_called = true;
            });
            int calls = 0;
            me.allreduce(ones, out, Adds{[&] {
                             is_inside = true;
                             if (++calls == 1) {
                                 other.barrier();
                                 request.wait(); // completes it, and calls no function
                                 other.barrier();
                                 CHECK(!is_called);
                             }
                             is_inside = false;
                         }});
            me.barrier();
            request.wait();
            progress_until([&] { return is_called; });
        },
        [](Member& me) {
            Member other = me.dup();
            Member side = me.dup();
            std::vector<double> out(10);
            int calls = 0;
            std::vector<double> beside(10);
            me.allreduce(ones, out, Adds{[&] {
                             if (++calls == 1) {
                                 Turn::hesitate();
                                 other.barrier();
                                 side.start.allreduce(ones, beside, sum).wait();
                                 Turn::hesitate();
                                 other.barrier();
                             }
                         }});
            me.barrier();
        });
    CHECK(thrown.text == "");
}
