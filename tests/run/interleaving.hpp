#pragma once

#include "delayed.hpp"
#include "fiber.hpp"
#include "program.hpp"
#include "run/runner.hpp"

namespace tutti::test {

/// How a run of a program went.
struct Outcome {
    enum class What : std::uint8_t {
        fine,    ///< all calls are complete, with the results that they promise
        stuck,   ///< everybody waits for what nobody will publish
        differs, ///< a member has found that another makes another call, and the others go on as far as they
                 ///< can
        early,   ///< a member has returned before all had entered, or had come as far as they should
        wrong,   ///< a result is wrong, or an input changed
        late,    ///< somebody has written into vectors that their owner had back, or beside any
        beside   ///< a member has written beside its scratch
    };
    What what = What::fine;
    std::size_t operation = 0;
    int member = 0;
};

/// Runs programs on one thread, with all members in turn: always the one of highest priority that can go on,
/// with priorities that change at random. A member goes on until it waits, and it waits where it looks for
/// something that is not there or that it does not see yet. Now and then it is interrupted after a look or a
/// publication, and goes on when the others have got on for a while. The real runner and the real plans.
///
/// Or by PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte 2010): random priorities stay, except that at
/// depth - 1 random steps the running member gets a priority below all first ones. A step is a look, a
/// publication or the end of a call. In every other such run members see publications at once.
class Interleaving final : private Interrupts {
public:
    /// In mailboxes of so many sets of slots. With several channels, which operations take in turn, a member
    /// has as many operations in flight, each in a mailbox of its own.
    Interleaving(int ranks, unsigned sets, std::size_t channels = 1);

    /// From now on all members begin the operation `at` by waiting until all have entered the operation
    /// `earlier`; for one channel. Has no effect on programs that have fewer operations.
    void meet(std::size_t at, std::size_t earlier) { meeting_ = {at, earlier}; }

    /// From now on a member that waits for slots waits only until all have entered, and not left, the
    /// operation that used them before: a fault.
    void reuse_too_early() { reuses_too_early_ = true; }

    /// One interleaving of the calls of `program`; of PCT if it has a depth. Allocates nothing but in the
    /// first run of it.
    Outcome run(Program& program, Random& random, unsigned depth = 0);

    /// The report on it.
    static std::string text(const Program& program, const Outcome& outcome);

private:
    using Runner = run::Runner<DelayedMailbox>;

    struct Meeting {
        std::size_t at;
        std::size_t earlier;
    };

    struct Channel {
        Channel(int ranks, unsigned sets, const Delayed& failed);

        std::vector<DelayedMailbox::Slot> slots;
        std::vector<mailbox::StagingBuffer> stages;
        std::vector<DelayedMailbox::Board> boards;
        DelayedMailbox mailbox;
    };

    /// A member's operations in one channel.
    struct Player {
        int member = 0;
        std::size_t channel = 0;
        run::Cursor cursor;
        run::Bindings bindings;
        std::optional<Runner> runner;
        std::size_t operation = 0;
        /// The epoch of the operation at which the members meet.
        std::uint64_t epoch_to_meet = 0;
        bool has_entered = false;
        /// The last thing published when the member could not go on though it saw everything.
        std::uint64_t blocked_at = 0;
        /// For PCT: runs the runner, which is in the middle of it or has returned that.
        std::unique_ptr<Fiber> fiber;
        bool is_amid = false;
        run::State state{};
    };

    /// The sight of a member, in whichever channel.
    struct Eyes {
        /// Interrupted, or at work.
        bool are_busy = false;
        std::uint64_t horizon = 0;
    };

    Eyes& eyes_of(const Player& player) { return eyes_[static_cast<std::size_t>(player.member)]; }
    const Eyes& eyes_of(const Player& player) const { return eyes_[static_cast<std::size_t>(player.member)]; }

    void reset();
    void begin(Player& player);
    void prepare_fiber(Player& player) const;
    bool have_all_entered(std::size_t operation, std::size_t channel) const;
    std::uint64_t history(std::size_t operation, int member) const;
    void play();
    Player* next() const;
    void take_turn(Player& player);
    run::State advance(Player& player);
    Outcome::What complete(Player& player);
    void interrupt() noexcept override;
    void count_step(const Player& player);
    void stop(Outcome outcome) {
        outcome_ = outcome;
        is_over_ = true;
    }

    Delayed failed_;
    std::optional<Meeting> meeting_;
    std::vector<Channel> channels_;
    std::vector<Player> players_;
    std::vector<Eyes> eyes_;
    /// Those with calls left to make, by falling priority.
    std::vector<Player*> order_;

    // The current run.
    Program* program_ = nullptr;
    Random* random_ = nullptr;
    Outcome outcome_;
    bool is_over_ = false;
    /// The players that are interrupted.
    int interrupted_ = 0;

    // For PCT: the depth, whether members see publications at once, the steps so far (before a run, those of
    // the last run), those at which priorities change, how many have, and the player that runs.
    unsigned depth_ = 0;
    bool sees_all_ = false;
    std::size_t steps_ = 0;
    std::vector<std::size_t> changes_;
    std::size_t lowered_ = 0;
    Player* running_ = nullptr;
    bool reuses_too_early_ = false;
};

} // namespace tutti::test
