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
        differs, ///< a member has found that another makes another call
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
/// something that is not there or that it does not see yet. The real runner and the real plans.
class Interleaving {
public:
    /// For members so many, and calls as those of the program.
    explicit Interleaving(int ranks);

    /// One interleaving of the calls of `program`. Allocates nothing after the first run of it.
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
        std::uint64_t horizon = 0;
        /// The last thing published when the member could not go on though it saw everything.
        std::uint64_t blocked_at = 0;
    };

    void reset(Program& program, Random& random);
    void begin(Program& program, int member);
    std::optional<int> next() const;
    void look_further(Player& player, Random& random) const;
    Outcome::What complete(Program& program, int member);

    std::vector<DelayedMailbox::Slot> slots_;
    std::vector<mailbox::Stage> stages_;
    std::vector<DelayedMailbox::Board> boards_;
    Delayed failed_;
    DelayedMailbox mailbox_;
    std::vector<Player> players_;
    /// The members with calls left to make, by falling priority.
    std::vector<int> order_;
};

} // namespace tutti::test
