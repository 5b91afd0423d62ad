#pragma once

#include "../test.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

namespace tutti::test {

/// The exception of a call, by the most derived of the library's own types, with the text.
struct Thrown {
    enum class Kind { nothing, argument, mismatch, aborted, timeout, error, other } kind = Kind::nothing;
    std::string text;
};

inline Thrown thrown_by(const std::function<void()>& call) {
    using enum Thrown::Kind;
    try {
        call();
    } catch (const ArgumentError& error) {
        return {argument, error.what()};
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

/// A team that has been through something works.
inline void check_usable(Team& team) {
    std::vector<int> sums(static_cast<std::size_t>(team.size()));
    team.run([&](Member& me) { me.allreduce(me.rank(), sums[static_cast<std::size_t>(me.rank())], sum); });
    CHECK(sums == std::vector<int>(sums.size(), team.size() * (team.size() - 1) / 2));
}

/// Teams whose caller waits, or is a member.
inline std::vector<TeamOptions> team_options() {
    return {{.placement = "none"}, {.placement = "none", .caller_is_member = true}};
}

/// The exceptions of each member's part.
class Outcomes {
public:
    explicit Outcomes(int members) : each_(static_cast<std::size_t>(members)) {}

    /// Runs `function` as the member's part and notes what it throws.
    void note(const Member& me, const std::function<void()>& function) {
        each_[static_cast<std::size_t>(me.rank())] = thrown_by(function);
    }

    const Thrown& of(int rank) const { return each_[static_cast<std::size_t>(rank)]; }

    int count(Thrown::Kind kind) const {
        int found = 0;
        for (const Thrown& thrown : each_) {
            found += thrown.kind == kind ? 1 : 0;
        }
        return found;
    }

    /// The text of the first of that kind.
    std::string text(Thrown::Kind kind) const {
        for (const Thrown& thrown : each_) {
            if (thrown.kind == kind) {
                return thrown.text;
            }
        }
        return {};
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
inline Ended run(Team& team, const std::function<void(Member&)>& part) {
    Outcomes each(team.size());
    const Thrown thrown = thrown_by([&] {
        team.run([&](Member& me) {
            std::exception_ptr ended;
            each.note(me, [&] {
                try {
                    part(me);
                } catch (...) {
                    ended = std::current_exception();
                    throw;
                }
            });
            if (ended != nullptr) {
                std::rethrow_exception(ended);
            }
        });
    });
    return {each, thrown};
}

} // namespace tutti::test
