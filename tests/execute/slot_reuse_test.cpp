#include "../test.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"

#include <tutti/tutti.hpp>

using namespace tutti;

TEST_CASE("a member that enters a call in which it only receives wakes who waits for that") {
    const auto state = std::make_shared<detail::GroupState>(2, engine::config_for(2, {.wait = Wait::sleep}),
                                                            engine::diagnosis_of);
    mailbox::Board& board = state->memory().board(1);
    const auto has_entered = [&] { return board.progress.observe() != 0; };
    // Longer than anything here takes: who has not been woken shows it.
    constexpr std::chrono::seconds bound{60};
    std::atomic<bool> was_woken{false};
    std::thread sleeper([&] {
        const auto start = std::chrono::steady_clock::now();
        while (!has_entered()) {
            board.event.sleep(has_entered, std::chrono::nanoseconds(bound).count());
        }
        was_woken = std::chrono::steady_clock::now() - start < bound;
    });
    // Time to fall asleep; who has not by then notices by itself, and nothing is shown.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::thread receiver([&] {
        Member me(state, state->seat(1));
        std::vector<int> value(1);
        me.broadcast(value, 0);
    });
    sleeper.join();
    Member me(state, state->seat(0));
    std::vector<int> value(1);
    me.broadcast(value, 0);
    receiver.join();
    CHECK(was_woken);
}
