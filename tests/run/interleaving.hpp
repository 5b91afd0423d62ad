#pragma once

#include "delayed.hpp"
#include "program.hpp"
#include "random.hpp"
#include "run/runner.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::test {

/// How a run of a program went.
struct Outcome {
    enum class What : std::uint8_t {
        fine,    ///< all calls are complete, with the results that they promise
        stuck,   ///< everybody waits for what nobody will publish
        differs, ///< a member has found that another makes another call, and the others go on as far as they
                 ///< can
        early,   ///< a member has returned before all had entered
        wrong,   ///< a result is wrong, or an input changed
        late     ///< somebody has written into vectors that their owner had back, or beside any
    };
    What what = What::fine;
    std::size_t operation = 0;
    int member = 0;
};

/// What a test breaks: it gets a member's line after each of its operations, and what it was before.
using Breaks = void (*)(run::Line& line, const run::Line& before);

/// Runs programs on one thread, with all members in turn: always the one of highest priority that can go on,
/// with priorities that change at random. A member goes on until it waits, and it waits where it looks for
/// something that is not there or that it does not see yet. Now and then it is interrupted after a look or a
/// publication, and goes on when the others have got on for a while. The real runner and the real plans.
class Interleaving final : private Interrupts {
public:
    /// In a mailbox of so many sets of slots.
    Interleaving(int ranks, unsigned sets);

    /// One interleaving of the calls of `program`. Allocates nothing but in the first run of it.
    Outcome run(Program& program, Random& random, Breaks breaks = nullptr);

    /// What there is to say of it.
    static std::string text(const Program& program, const Outcome& outcome);

private:
    using Runner = run::Runner<DelayedMailbox>;

    struct Player {
        run::Line line;
        run::Bindings bindings;
        std::optional<Runner> runner;
        std::size_t operation = 0;
        bool has_entered = false;
        /// Interrupted, or at work.
        bool is_busy = false;
        std::uint64_t horizon = 0;
        /// The last thing published when the member could not go on though it saw everything.
        std::uint64_t blocked_at = 0;
    };

    Player& player_of(int member) { return players_[static_cast<std::size_t>(member)]; }
    const Player& player_of(int member) const { return players_[static_cast<std::size_t>(member)]; }

    void reset();
    void begin(int member);
    void play();
    std::optional<int> next() const;
    void take_turn(int member);
    run::State advance(Player& player);
    Outcome::What complete(int member);
    void interrupt() noexcept override;
    void stop(Outcome outcome) {
        outcome_ = outcome;
        is_over_ = true;
    }

    std::vector<DelayedMailbox::Slot> slots_;
    std::vector<mailbox::Stage> stages_;
    std::vector<DelayedMailbox::Board> boards_;
    Delayed failed_;
    DelayedMailbox mailbox_;
    std::vector<Player> players_;
    /// The members with calls left to make, by falling priority.
    std::vector<int> order_;

    // Of the current run.
    Program* program_ = nullptr;
    Random* random_ = nullptr;
    Breaks breaks_ = nullptr;
    Outcome outcome_;
    bool is_over_ = false;
    /// The members that are interrupted.
    int interrupted_ = 0;
};

} // namespace tutti::test
