#pragma once

// Two members, one of which has user code.

#include "../api/support.hpp"

namespace tutti::test {

inline const std::vector<double> ones(10, 1);

/// Lets the second member go on when the first is ready, and has perhaps come to its next call.
class Turn {
public:
    void pass() { passed_.count_down(); }
    void await() {
        passed_.wait();
        hesitate();
    }
    static void hesitate() { std::this_thread::sleep_for(2ms); }

private:
    std::latch passed_{1};
};

/// What each of two members has beside its group.
struct Beside {
    explicit Beside(Member& member) : me(member), side(me.dup()), other(me.dup()) {}

    bool is_first() const { return me.rank() == 0; }

    /// A barrier, to which the second member comes last.
    void meet() {
        if (!is_first()) {
            Turn::hesitate();
        }
        other.barrier();
    }

    Member& me;
    std::optional<Member> side;
    Member other;
    std::vector<double> out = std::vector<double>(10);
    /// Of member 0, in `side`.
    Request request;
};

/// Both members of a team do the same, or what belongs to their rank. No case waits for the timeout.
inline Thrown run_both(const std::function<void(Beside&)>& part) {
    Team team(2, {.placement = Placement::none, .group = {.timeout = 20s}});
    return thrown_by([&] {
        team.run([&](Member& me) {
            Beside own(me);
            part(own);
        });
    });
}

/// `follows` is called after an allreduce of member 0, which then goes on with `waits`. Member 1 completes
/// the allreduce, or aborts, and goes on with `others`. Returns what `waits` throws.
inline Thrown run_beside(
    bool fails, const std::function<void(Beside&, const std::exception_ptr&)>& follows,
    const std::function<void(Beside&)>& waits, const std::function<void(Beside&)>& others = [](Beside&) {}) {
    Turn turn;
    Thrown waited;
    run_both([&](Beside& own) {
        if (own.is_first()) {
            own.request = own.side->start.allreduce(ones, own.out, sum);
            own.request.then([&](const std::exception_ptr& failure) { follows(own, failure); });
            turn.pass();
            waited = thrown_by([&] { waits(own); });
        } else {
            turn.await();
            fails ? own.side->abort("deliberate") : own.side->start.allreduce(ones, own.out, sum).wait();
            others(own);
        }
    });
    return waited;
}

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
