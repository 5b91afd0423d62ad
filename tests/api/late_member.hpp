#pragma once

#include "support.hpp"

namespace tutti::test {

/// A run in which member `late` begins when all others have ended; no part throws what `act` throws.
inline Ended late_member(Team& team, int late, const std::function<void(Member&)>& act) {
    Outcomes each(team.size());
    std::atomic<int> ended{0};
    const Thrown run = thrown_by([&] {
        team.run([&](Member& me) {
            while (me.rank() == late && ended < team.size() - 1) {
                std::this_thread::yield();
            }
            each.note(me, [&] { act(me); });
            ++ended;
        });
    });
    return {each, run};
}

} // namespace tutti::test
