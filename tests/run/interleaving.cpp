#include "interleaving.hpp"

#include "plan/plan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace tutti::test {

using What = Outcome::What;

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

} // namespace

Interleaving::Interleaving(int ranks, unsigned sets)
    : slots_(static_cast<std::size_t>(ranks * plan::slots_per_operation(ranks)) * sets),
      stages_(static_cast<std::size_t>(ranks) * sets), boards_(static_cast<std::size_t>(ranks)),
      mailbox_(slots_.data(), plan::slots_per_operation(ranks), sets, stages_.data(), boards_.data(),
               failed_),
      players_(static_cast<std::size_t>(ranks)) {
    order_.reserve(players_.size());
}

Outcome Interleaving::run(Program& program, Random& random, Breaks breaks) {
    program_ = &program;
    random_ = &random;
    breaks_ = breaks;
    reset();
    play();
    if (is_over_) {
        return outcome_;
    }
    if (!order_.empty() && outcome_.what == What::fine) {
        outcome_ = {What::stuck, player_of(order_.front()).operation, order_.front()};
    }
    for (std::size_t member = 0; member < players_.size(); ++member) {
        program.abandon(players_[member].operation, static_cast<int>(member));
    }
    return program.is_untouched() ? outcome_ : Outcome{What::late};
}

void Interleaving::reset() {
    program_->reset();
    outcome_ = {};
    is_over_ = false;
    Sight::now = Sight::horizon = 0;
    Sight::interrupts = this;
    std::ranges::fill(slots_, DelayedMailbox::Slot{});
    std::ranges::fill(boards_, DelayedMailbox::Board{});
    order_.resize(players_.size());
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random_->below(i)]);
    }
    for (std::size_t member = 0; member < players_.size(); ++member) {
        Player& player = players_[member];
        player.line = {};
        player.operation = 0;
        player.is_busy = false;
        player.horizon = 0;
        begin(static_cast<int>(member));
    }
}

/// Sets the member up for its next call, with rubbish in what it keeps between calls.
void Interleaving::begin(int member) {
    Player& player = player_of(member);
    const Call& call = program_->call(player.operation, member);
    const run::Prepared& prepared = call.prepared(member);
    player.bindings.reserve(prepared);
    player.bindings.bind(prepared, program_->input(player.operation, member),
                         program_->output(player.operation, member), call.operation().state);
    if (prepared.scratch_bytes != 0) {
        const std::uintptr_t scratch =
            player.bindings.own[schedule::Space::scratch0] + prepared.scratch_start_bytes;
        std::memset(run::pointer(scratch), 0x5A, prepared.scratch_bytes);
    }
    player.runner.emplace(mailbox_, player.line, prepared, player.bindings);
    player.has_entered = false;
    player.blocked_at = never;
}

/// Until nobody can go on, or, in an interruption, for a while.
void Interleaving::play() {
    while (!is_over_ && !order_.empty() && (interrupted_ == 0 || !random_->one_in(4))) {
        if (random_->one_in(8)) {
            std::swap(order_[random_->below(order_.size())], order_[random_->below(order_.size())]);
        }
        const std::optional<int> member = next();
        if (!member) {
            return;
        }
        take_turn(*member);
    }
}

/// The first that can go on.
std::optional<int> Interleaving::next() const {
    const auto found = std::ranges::find_if(order_, [&](int member) {
        const Player& player = player_of(member);
        return !player.is_busy && player.blocked_at != Sight::now;
    });
    return found == order_.end() ? std::nullopt : std::optional(*found);
}

void Interleaving::take_turn(int member) {
    Player& player = player_of(member);
    const run::Line before = player.line;
    const std::size_t operation = player.operation;
    const run::State state = advance(player);
    if (is_over_) {
        return;
    }
    const auto place = std::ranges::find(order_, member);
    if (state == run::State::waits) {
        if (random_->one_in(2)) {
            std::rotate(place, place + 1, order_.end());
        }
        return;
    }
    if (state != run::State::done) {
        outcome_ = {What::differs, operation, member};
        order_.erase(place); // the others go on as far as they can
        return;
    }
    if (breaks_ != nullptr) {
        breaks_(player.line, before);
    }
    if (const What what = complete(member); what != What::fine) {
        stop({what, operation, member});
    }
}

/// Lets the member go on until it waits or is through.
run::State Interleaving::advance(Player& player) {
    Sight::horizon = player.horizon;
    if (const std::uint64_t unseen = Sight::now - player.horizon; unseen != 0) {
        Sight::horizon += 1 + random_->below(unseen);
    }
    player.has_entered = true;
    player.is_busy = true;
    const run::State state = player.runner->advance(1);
    player.is_busy = false;
    player.horizon = Sight::horizon;
    player.blocked_at = player.horizon == Sight::now ? Sight::now : never;
    return state;
}

void Interleaving::interrupt() noexcept {
    if (is_over_ || !random_->one_in(8)) {
        return;
    }
    const std::uint64_t horizon = Sight::horizon;
    ++interrupted_;
    play();
    --interrupted_;
    Sight::horizon = horizon;
}

/// Gives the caller its vectors back and goes on to the member's next call. What there is to say of the call.
What Interleaving::complete(int member) {
    Player& player = player_of(member);
    const std::size_t operation = player.operation;
    if (!program_->take_back(operation, member)) {
        return What::wrong;
    }
    const bool all_entered = std::ranges::all_of(players_, [&](const Player& other) {
        return other.operation > operation || (other.operation == operation && other.has_entered);
    });
    if (!all_entered && program_->call(operation, member).settles()) {
        return What::early;
    }
    if (++player.operation < program_->operations()) {
        begin(member);
    } else {
        order_.erase(std::ranges::find(order_, member));
    }
    return What::fine;
}

std::string Interleaving::text(const Program& program, const Outcome& outcome) {
    const std::string where =
        "member " + std::to_string(outcome.member) + " in operation " + std::to_string(outcome.operation);
    switch (outcome.what) {
    case What::fine:
        return "nothing";
    case What::stuck:
        return where + " waits for ever, as all others do";
    case What::differs:
        return where + " finds that another member makes another call";
    case What::early:
        return where + " returns before all have entered";
    case What::wrong:
        return where + ": " + program.complaint(outcome.operation, outcome.member);
    case What::late:
        return program.late_complaint();
    }
    return {};
}

} // namespace tutti::test
