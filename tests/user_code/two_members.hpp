#pragma once

// Two members, one of which has user code.

#include "../api/support.hpp"
#include "../test.hpp"

namespace tutti::test {

using namespace std::chrono_literals;

inline const std::vector<double> ones(10, 1);

/// Runs `first` and `second` as the two members of a team whose timeout no case waits for.
inline Thrown run_two(const std::function<void(Member&)>& first, const std::function<void(Member&)>& second,
                      GroupOptions options = {}) {
    options.timeout = 20s;
    Team team(2, {.placement = "none", .group = options});
    return thrown_by([&] { team.run([&](Member& me) { me.rank() == 0 ? first(me) : second(me); }); });
}

/// Lets the second member go on when the first is ready, and has perhaps come to its next call.
class Turn {
public:
    void pass() {
        is_passed_ = true;
        is_passed_.notify_all();
    }
    void await() {
        is_passed_.wait(false);
        hesitate();
    }
    static void hesitate() { std::this_thread::sleep_for(2ms); }

private:
    std::atomic<bool> is_passed_{false};
};

/// A sum, before which a function of one member does something. Both members pass this type.
struct Adds {
    std::function<void()> before = {};
    double operator()(double a, double b) const {
        if (before) {
            before();
        }
        return a + b;
    }
};

} // namespace tutti::test
