// The measurements on the machine of the test: that they are made, not their values.
#include "../../test.hpp"
#include "machine/pinning.hpp"
#include "survey/pinned_threads.hpp"
#include "survey/survey.hpp"
#include "survey/tries.hpp"

#include <stop_token>

using namespace tutti;
using namespace tutti::laboratory;

TEST_CASE("a survey has all numbers of a profile, each with a source") {
    const machine::Machine machine = machine::here();
    if (machine.pus.size() < 2) {
        return;
    }
    const Survey found = survey(machine, 0.1, false);
    CHECK(found.pus.size() == std::min<std::size_t>(machine.pus.size(), 64));
    CHECK(!found.profile.name.empty());
    distance::MachineModel profile = found.profile;
    for (const distance::NamedNumber& named : numbers_of(profile)) {
        CAPTURE(named.name);
        CHECK(std::isfinite(named.number->value));
        CHECK((named.number->value > 0 || named.name.ends_with("readers.each")));
        CHECK(named.number->value <
              1e9); // a second, in ns: how long it takes depends on the machine's other work
        const distance::Source& source = profile.sources[named.number->source];
        const bool is_estimated = source.origin == distance::Origin::estimated;
        CHECK((!is_estimated || source.name == "no-time" || named.name.ends_with("readers.each")));
    }
    for (std::size_t one = 0; one < found.pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            CHECK(found.one_way_ns.ns(one, other) > 0);
        }
    }
}

TEST_CASE("a survey takes the time that it is given on CPUs that others use as well") {
    constexpr int others_on_each = 4;
    const machine::Machine machine = machine::here();
    if (machine.pus.size() < 2) {
        return;
    }
    std::vector<std::jthread> others;
    for (int other = 0; other < others_on_each; ++other) {
        for (const machine::Pu& pu : machine.pus) {
            others.emplace_back([cpu = pu.os_index](const std::stop_token& stop) {
                machine::pin_this_thread(cpu);
                while (!stop.stop_requested()) {
                }
            });
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    survey(machine, 1, false);
    const auto took = std::chrono::steady_clock::now() - begin;
    MESSAGE(std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), " ms");
    // Each timing is made of some rounds at least, in which threads wait for others that have no CPU.
    CHECK(took < std::chrono::seconds(12));
}

TEST_CASE("threads that cannot be pinned measure nothing") {
    std::atomic<int> ran{0};
    CHECK_THROWS_AS(on_cpus(std::array{machine::here().pus[0].os_index, 99999},
                            [&](std::size_t, bench::Gate&) { ++ran; }),
                    std::runtime_error);
    CHECK(ran == 0);
}

TEST_CASE("what comes out as no time is measured again, and then is no measurement") {
    int calls = 0;
    CHECK(measured_above(0.001, [&] { return ++calls == 3 ? 0.5 : -0.1; }) == 0.5);
    CHECK(calls == 3);
    calls = 0;
    CHECK(!measured_above(0.001, [&] {
        ++calls;
        return 0.001;
    }));
    CHECK(calls == 3);
}
