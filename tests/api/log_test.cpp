// Messages that no call can report as an error.

#include "support.hpp"

namespace {

/// Makes the library warn.
void refuse_tuning(const std::string& name) {
    const Group group(2, {.tuning = "/nonesuch/" + name});
}

} // namespace

TEST_CASE("a function gets the messages in place of stderr") {
    const Collected log;
    refuse_tuning("one");
    REQUIRE(log.messages().size() == 1);
    const auto [severity, text] = log.messages().front();
    CHECK(severity == Severity::warning);
    CHECK(text.starts_with("GroupOptions::tuning: tuning file /nonesuch/one is rejected: "));
    CHECK(text.ends_with("; groups begin with the built-in choice of algorithms"));
    refuse_tuning("one"); // once
    CHECK(log.messages().size() == 1);
}

TEST_CASE("what the function throws is ignored, and it cannot replace itself") {
    std::string refused;
    set_log([&](Severity, std::string_view) {
        refused = thrown_by([] { set_log({}); }).text;
        throw std::runtime_error("nobody learns of it");
    });
    refuse_tuning("two");
    set_log({});
    CHECK(refused == "set_log: called by a function that set_log() has set");
}

TEST_CASE("a hook runs once per failure, before anybody is released or another failure takes its place") {
    std::atomic<int> released{0}, calls{0};
    std::string seen, refused;
    Team team(3, {.placement = Placement::none});
    set_failure_hook([&](int member, std::string_view text) {
        CHECK(text.data()[text.size()] == '\0');
        std::this_thread::sleep_for(50ms);
        CHECK(released == 0);
        CHECK(text == std::to_string(member));
        CHECK(mentions(team.roll_call(), "roll call of 3 members"));
        seen = text;
        refused = thrown_by([] { set_failure_hook({}); }).text;
        ++calls;
        throw std::runtime_error("nobody learns of it");
    });
    for (int round = 1; round <= 2; ++round) {
        released = 0;
        const Ended ended = run(team, [&](Member& me) {
            if (me.rank() != 2) {
                throw std::range_error(std::to_string(me.rank()));
            }
            released += thrown_by([&] { me.barrier(); }).kind == Kind::aborted ? 1 : 0;
        });
        CHECK(released == 1);
        CHECK(calls == round);
        CHECK(ended.run.text == seen); // that of one member
    }
    CHECK(refused == "set_failure_hook: called by a function that set_failure_hook() has set");
    set_failure_hook({});
    CHECK_THROWS_AS(team.run([](Member& me) { me.abort("mine"); }), Error);
    CHECK(calls == 2);
}

TEST_CASE("a hook learns of a difference that only the end of the run shows") {
    int calls = 0;
    std::string seen;
    Team team(2, {.placement = Placement::none});
    set_failure_hook([&](int, std::string_view text) {
        seen = text;
        ++calls;
    });
    const auto only_the_root = [](Member& me) {
        std::vector<double> few(4);
        if (me.rank() == 0) {
            me.broadcast(few, 0);
        }
    };
    for (int round = 1; round <= 2; ++round) {
        const Thrown thrown = thrown_by([&] { team.run(only_the_root); });
        CHECK(thrown.kind == Kind::mismatch);
        CHECK(calls == round);
        CHECK(seen == thrown.text);
    }
    set_failure_hook({});
    team.run([](Member& me) { CHECK(me.allreduce(1, sum) == 2); });
}

TEST_CASE("the hook learns of a failure in a group of among() once, with the rank in the whole group") {
    std::string seen;
    Team team(3, {.placement = Placement::none});
    set_failure_hook([&](int member, std::string_view text) {
        seen += std::to_string(member) + ": " + std::string(text) + "\n";
    });
    CHECK_THROWS_AS(team.run([](Member& me) {
        if (me.rank() == 2) {
            me.among(2, 1).abort("mine");
        }
        me.barrier();
    }),
                    Error);
    CHECK(seen == "2: mine\n");
    set_failure_hook({});
}

TEST_CASE("a function that has been replaced is not called any more, and is gone") {
    auto alive = std::make_shared<std::atomic<bool>>(true);
    std::atomic<int> wrong{0};
    std::atomic<bool> ends{false};
    std::jthread reporter([&] {
        for (int number = 0; !ends; ++number) {
            refuse_tuning("number" + std::to_string(number));
        }
    });
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> is_valid{true};
        set_log([&is_valid, &wrong, alive](Severity, std::string_view) { wrong += is_valid ? 0 : 1; });
        std::this_thread::sleep_for(1ms);
        CHECK(alive.use_count() == 2);
        set_log([](Severity, std::string_view) {});
        is_valid = false;
        CHECK(alive.use_count() == 1);
    }
    ends = true;
    reporter.join();
    set_log({});
    CHECK(wrong == 0);
}
