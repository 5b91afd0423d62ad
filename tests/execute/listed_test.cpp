// Groups that another thread reads for a roll call or a trace while they come and go.
#include "../test.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "diagnose/roll_call.hpp"
#include "group/group_state.hpp"
#include "record/recorder.hpp"

#include <tutti/options.hpp>

#include <unistd.h>

#include <csignal>

using namespace tutti;
using namespace std::chrono_literals;
using engine::RollCallListed;

namespace {

/// Sets a variable of the environment for a while.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    Environment(Environment&&) = delete;
    Environment& operator=(Environment&&) = delete;

private:
    const char* name_;
};

/// Whether that comes about within ten seconds.
template <class Holds>
bool comes(Holds holds) {
    for (int i = 0; i < 10'000 && !holds(); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    return holds();
}

} // namespace

TEST_CASE("a roll call may be the last to hold another group, and end it") {
    const Environment signal("TUTTI_ROLL_CALL", "USR1");
    auto other = std::make_optional<RollCallListed>([](RollCallFormat) { return std::string(); });
    std::atomic<bool> is_ended{false};
    // As a group that locks a pointer to the one that it was made of.
    const RollCallListed listed([&](RollCallFormat) {
        other.reset();
        is_ended = true;
        return std::string("a roll call that ends another group\n");
    });
    kill(getpid(), SIGUSR1);
    REQUIRE(comes([&] { return is_ended.load(); }));
}

TEST_CASE("the end of a group waits for its roll call, and not for those of others") {
    const Environment signal("TUTTI_ROLL_CALL", "USR1");
    std::atomic<int> called{0};
    std::atomic<bool> goes_on{false};
    std::optional<RollCallListed> before([](RollCallFormat) { return std::string(); });
    std::optional<RollCallListed> slow([&](RollCallFormat) {
        called = 1;
        while (!goes_on) {
            std::this_thread::sleep_for(1ms);
        }
        called = 2;
        return std::string("a roll call that takes long\n");
    });
    std::optional<RollCallListed> after([](RollCallFormat) { return std::string("none may be left\n"); });
    kill(getpid(), SIGUSR1);
    REQUIRE(comes([&] { return called == 1; }));
    before.reset();
    after.reset();
    std::optional<RollCallListed> made([](RollCallFormat) { return std::string("one made meanwhile\n"); });
    std::thread lets_go([&] {
        std::this_thread::sleep_for(20ms);
        goes_on = true;
    });
    slow.reset();
    CHECK(called == 2);
    lets_go.join();
}

TEST_CASE("a trace that is written while groups are made has all members of each") {
    const Environment file("TUTTI_TRACE", "/dev/null");
    std::atomic<bool> ends{false};
    std::thread writes([&] {
        while (!ends) {
            engine::write_trace_file();
        }
    });
    for (int round = 0; round < (test::reduced ? 4 : 20); ++round) {
        // Long enough in the making that the other thread comes across it.
        const auto group =
            std::make_shared<detail::GroupState>(2000, engine::config_for(2000, {}), engine::diagnosis_of);
        CHECK(group->size() == 2000);
    }
    ends = true;
    writes.join();
}
