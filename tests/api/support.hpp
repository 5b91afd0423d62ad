#pragma once

// What nearly every test of the public classes needs.

#include "../on_threads.hpp"
#include "../test.hpp"

#include <tutti/observe.hpp>
#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

namespace tutti::test {

using namespace std::chrono_literals;

using Part = std::function<void(Member&)>;

inline std::size_t index_of(const Member& me) {
    return static_cast<std::size_t>(me.rank());
}

/// The exception of a call, by the most derived of the library's own types, with the text.
struct Thrown {
    enum class Kind { nothing, argument, combination, mismatch, aborted, timeout, error, other };
    Kind kind = Kind::nothing;
    std::string text;
};

using Kind = Thrown::Kind;

inline Thrown thrown_by(const std::function<void()>& call) {
    using enum Thrown::Kind;
    try {
        call();
    } catch (const ArgumentError& error) {
        return {argument, error.what()};
    } catch (const CombinationError& error) {
        return {combination, error.what()};
    } catch (const MismatchError& error) {
        return {mismatch, error.what()};
    } catch (const Aborted& error) {
        return {aborted, error.what()};
    } catch (const TimeoutError& error) {
        return {timeout, error.what()};
    } catch (const Error& error) {
        return {Thrown::Kind::error, error.what()};
    } catch (const std::exception& exception) {
        return {other, exception.what()};
    }
    return {};
}

/// The fields of the E that `call` throws.
template <class E>
ErrorContext context_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const E& error) {
        return error.context();
    } catch (const std::exception& other) {
        FAIL_CHECK("another error: ", other.what());
        return {};
    }
    FAIL_CHECK("no error");
    return {};
}

inline void check_mentions(const std::string& text, const std::vector<std::string>& parts) {
    INFO("the text is: ", text);
    for (const std::string& part : parts) {
        CHECK_MESSAGE(mentions(text, part), part);
    }
}

/// The exception is of this kind, and its text has all of these parts. That of the program's own has no
/// other.
inline void check_thrown(const Thrown& thrown, Kind kind, const std::vector<std::string>& says = {}) {
    CHECK_MESSAGE(thrown.kind == kind, thrown.text);
    check_mentions(thrown.text, says);
    CHECK_MESSAGE((kind != Kind::other || says.empty() || thrown.text == says.front()), thrown.text);
}

/// The call throws an ArgumentError whose text has this part. Returns the text.
inline std::string check_rejected(const std::string& says, const std::function<void()>& call) {
    const Thrown thrown = thrown_by(call);
    check_thrown(thrown, Kind::argument, {says});
    return thrown.text;
}

/// The same for a call of member 0 of so many. No message is sent: the others need not take part.
inline std::string check_rejected(int members, const std::string& says, const Part& call) {
    Group group(members);
    std::vector<Member> all;
    for (int rank = 0; rank < members; ++rank) {
        all.push_back(group.join(rank));
    }
    return check_rejected(says, [&] { call(all[0]); });
}

/// Runs `part` on a new team.
inline void run_members(int members, const Part& part) {
    Team(members, {.placement = Placement::none}).run(part);
}

/// `part` returns on each member of a team whether it is right.
inline bool on_all(Team& team, const std::function<bool(Member&)>& part) {
    const std::vector<int> right = team.run([&](Member& me) { return part(me) ? 1 : 0; });
    return right == std::vector<int>(right.size(), 1);
}
inline void check_members(int members, const std::function<bool(Member&)>& part) {
    Team team(members, {.placement = Placement::none});
    CHECK(on_all(team, part));
}

/// Lets others go on until `value` is as expected.
template <class T>
void await(const std::atomic<T>& value, T expected) {
    while (value != expected) {
        std::this_thread::yield();
    }
}

/// Functions that make a call in each way of calling, to its end: `call` is given the member, or what makes
/// its nonblocking or persistent calls.
template <class Call>
std::array<std::function<void()>, 3> in_every_way(Member& me, Call call) {
    return {[&me, call] { call(me); }, [&me, call] { call(me.start).wait(); },
            [&me, call] {
                Persistent step = call(me.prepare);
                step.start();
                step.wait();
            }};
}

/// The exceptions of threads that are the first members of a group.
inline std::vector<Thrown> run_threads(Group& group, int threads, const Part& part) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(threads));
    on_threads(threads, [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = thrown_by([&] { group.run(rank, part); });
    });
    return thrown;
}

/// A team that has been through something works, with short and long buffers.
inline void check_usable(Team& team) {
    std::vector<int> sums(static_cast<std::size_t>(team.size()));
    team.run([&](Member& me) {
        std::vector<int> large(1000, me.rank());
        me.allreduce(large, sum);
        me.allreduce(me.rank(), sums[index_of(me)], sum);
    });
    CHECK(sums == std::vector<int>(sums.size(), team.size() * (team.size() - 1) / 2));
}

/// Sets a variable of the environment for a while.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
    ~Environment() { unsetenv(name_); }
    Environment& operator=(Environment&&) = delete;

private:
    const char* name_;
};

/// Collects messages while it lives.
class Collected {
public:
    using Message = std::pair<Severity, std::string>;

    Collected() {
        set_log([this](Severity severity, std::string_view text) {
            const std::scoped_lock lock(mutex_);
            CHECK(text.data()[text.size()] == '\0');
            messages_.emplace_back(severity, text);
        });
    }
    ~Collected() { set_log({}); }
    Collected& operator=(Collected&&) = delete;

    std::vector<Message> messages() const {
        const std::scoped_lock lock(mutex_);
        return messages_;
    }
    /// Waits for the first message.
    Message first() const {
        while (messages().empty()) {
            std::this_thread::sleep_for(1ms);
        }
        return messages().front();
    }

private:
    mutable std::mutex mutex_;
    std::vector<Message> messages_;
};

/// Teams whose caller waits, or is a member.
inline std::vector<TeamOptions> team_options() {
    return {{.placement = Placement::none}, {.placement = Placement::none, .caller_is_member = true}};
}

/// The exceptions of each member's part.
class Outcomes {
public:
    explicit Outcomes(int members) : each_(static_cast<std::size_t>(members)) {}

    /// Runs `function` as the member's part and notes what it throws.
    void note(const Member& me, const std::function<void()>& function) {
        each_[index_of(me)] = thrown_by(function);
    }

    const Thrown& of(int rank) const { return each_[static_cast<std::size_t>(rank)]; }

    int count(Kind kind) const { return static_cast<int>(std::ranges::count(each_, kind, &Thrown::kind)); }

    /// The text of the first of that kind.
    std::string text(Kind kind) const {
        const auto first = std::ranges::find(each_, kind, &Thrown::kind);
        return first == each_.end() ? "" : first->text;
    }

private:
    std::vector<Thrown> each_;
};

/// The exceptions of each member's part in a run, and of the run.
struct Ended {
    Outcomes each;
    Thrown run;
};

/// Runs `part`, which may throw what it likes.
inline Ended run(Team& team, const Part& part) {
    Outcomes each(team.size());
    const Thrown thrown = thrown_by([&] {
        team.run([&](Member& me) {
            try {
                part(me);
            } catch (...) {
                each.note(me, [] { throw; });
                throw;
            }
        });
    });
    return {each, thrown};
}

/// Runs `part`, whose failure is of this kind, with these parts of the text. The team must work afterwards.
inline Outcomes check_fails(Team& team, Kind kind, const std::vector<std::string>& says, const Part& part) {
    const Ended ended = run(team, part);
    check_thrown(ended.run, kind, says);
    check_usable(team);
    return ended.each;
}
inline Outcomes check_fails(int members, Kind kind, const std::vector<std::string>& says, const Part& part) {
    Team team(members, {.placement = Placement::none});
    return check_fails(team, kind, says, part);
}

/// A run in which member `late` begins when all others have ended; no part throws what `act` throws.
inline Ended late_member(Team& team, int late, const Part& act) {
    Outcomes each(team.size());
    std::atomic<int> ended{0};
    const Thrown run = thrown_by([&] {
        team.run([&](Member& me) {
            if (me.rank() == late) {
                await(ended, team.size() - 1);
            }
            each.note(me, [&] { act(me); });
            ++ended;
        });
    });
    return {each, run};
}

} // namespace tutti::test

using namespace tutti;
using namespace tutti::test;
