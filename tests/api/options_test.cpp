// Options whose values are no enumerators.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// What is no enumerator.
template <class Enum>
constexpr Enum wrong = static_cast<Enum>(99);

} // namespace

TEST_CASE("values of options that are no enumerators are refused, with those that are") {
    const std::string order = "`options.order` is 99, must be 0 (canonical), 1 (serial) or 2 (by_process)";
    const std::string roll_call = "roll_call: `format` is 99, must be 0 (text) or 1 (json)";
    const std::string trace = "trace: `format` is 99, must be 0 (json_lines) or 1 (perfetto)";
    const auto refusal = [](const std::function<void()>& call) {
        const Thrown thrown = thrown_by(call);
        CHECK(thrown.kind == Thrown::Kind::argument);
        return thrown.text;
    };
    Team team(2, {.placement = "none"});
    AsyncGroup async(1);
    team.run([&](Member& me) {
        const Options options{.order = wrong<Order>};
        CHECK(refusal([&] { static_cast<void>(me.allreduce(1, sum, options)); }) == "allreduce: " + order);
        int sums = 1;
        CHECK(refusal([&] { me.start.allreduce(std::span(&sums, 1), sum, options).wait(); }) ==
              "allreduce: " + order);
        CHECK(refusal([&] { static_cast<void>(me.prepare.barrier(options)); }) == "barrier: " + order);
        CHECK(refusal([&] { static_cast<void>(me.split(wrong<Level>)); }) ==
              "split: `level` is 99, must be 0 (socket), 1 (numa_node), 2 (l3), 3 (l2) or 4 (core)");
        CHECK(refusal([&] { static_cast<void>(me.roll_call(wrong<RollCallFormat>)); }) == roll_call);
        CHECK(refusal([&] { static_cast<void>(me.trace(wrong<TraceFormat>)); }) == trace);
        CHECK(me.allreduce(1, sum) == 2);
    });
    CHECK(refusal([&] { static_cast<void>(async.at(0).barrier({.order = wrong<Order>})); }) ==
          "barrier: " + order);
    CHECK(refusal([&] { static_cast<void>(async.roll_call(wrong<RollCallFormat>)); }) == roll_call);
    CHECK(refusal([&] { static_cast<void>(team.roll_call(wrong<RollCallFormat>)); }) == roll_call);
    CHECK(refusal([&] { static_cast<void>(team.trace(wrong<TraceFormat>)); }) == trace);
    CHECK(refusal([] { const Group group(2, {.wait = wrong<Wait>}); }) ==
          "GroupOptions::wait is 99, must be 0 (automatic), 1 (spin), 2 (yield) or 3 (sleep)");
    CHECK(refusal([] { const Team traced(2, {.group = {.trace = wrong<Trace>}}); }) ==
          "GroupOptions::trace is 99, must be 0 (off), 1 (statistics), 2 (operations) or 3 (steps)");
}
