#include "interleaving.hpp"

#include "mixed.hpp"
#include "plan/plan.hpp"

namespace tutti::test {

using What = Outcome::What;

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
constexpr unsigned char scratch_rubbish = 0x5A;

unsigned char* scratch_of(const run::Bindings& bindings, const run::Prepared& prepared) {
    return static_cast<unsigned char*>(
        run::pointer(bindings.own[schedule::Space::scratch0] + prepared.scratch_start_bytes));
}

/// Whether the memory around scratch is as it was.
bool is_guarded(const run::Bindings& bindings, const run::Prepared& prepared) {
    const unsigned char* const scratch = scratch_of(bindings, prepared);
    const auto is_kept = [](unsigned char byte) { return byte == scratch_rubbish; };
    return prepared.scratch_bytes == 0 || (std::all_of(scratch, scratch + scratch_guard_bytes, is_kept) &&
                                           std::all_of(scratch + prepared.scratch_bytes - scratch_guard_bytes,
                                                       scratch + prepared.scratch_bytes, is_kept));
}

} // namespace

Interleaving::Channel::Channel(int ranks, unsigned sets, const Delayed& failed)
    : slots(static_cast<std::size_t>(ranks * plan::slots_per_operation(ranks)) * sets),
      stages(static_cast<std::size_t>(ranks) * sets), boards(static_cast<std::size_t>(ranks)),
      mailbox(slots.data(), plan::slots_per_operation(ranks), sets, stages.data(), boards.data(), failed) {}

Interleaving::Interleaving(int ranks, unsigned sets, std::size_t channels)
    : players_(static_cast<std::size_t>(ranks) * channels), eyes_(static_cast<std::size_t>(ranks)) {
    channels_.reserve(channels);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        channels_.emplace_back(ranks, sets, failed_);
    }
    for (std::size_t place = 0; place < players_.size(); ++place) {
        players_[place].member = static_cast<int>(place / channels);
        players_[place].channel = place % channels;
    }
    order_.reserve(players_.size());
}

Outcome Interleaving::run(Program& program, Random& random, unsigned depth) {
    program_ = &program;
    random_ = &random;
    depth_ = depth;
    reset();
    play();
    if (is_over_) {
        return outcome_;
    }
    if (!order_.empty() && outcome_.what == What::fine) {
        outcome_ = {What::stuck, order_.front()->operation, order_.front()->member};
    }
    for (const Player& player : players_) {
        for (std::size_t left = player.operation; left < program.operations(); left += channels_.size()) {
            program.abandon(left, player.member);
        }
    }
    return program.is_untouched() ? outcome_ : Outcome{What::late};
}

void Interleaving::reset() {
    program_->reset();
    outcome_ = {};
    is_over_ = false;
    Sight::now = Sight::horizon = 0;
    Sight::interrupts = this;
    for (Channel& channel : channels_) {
        std::ranges::fill(channel.slots, DelayedMailbox::Slot{});
        std::ranges::fill(channel.boards, DelayedMailbox::Board{});
    }
    std::ranges::fill(eyes_, Eyes{});
    order_.clear();
    for (Player& player : players_) {
        order_.push_back(&player);
    }
    for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random_->below(i)]);
    }
    for (Player& player : players_) {
        player.cursor = {};
        player.operation = player.channel;
        begin(player);
        prepare_fiber(player);
    }
    sees_all_ = depth_ != 0 && random_->one_in(2);
    changes_.clear();
    while (changes_.size() + 1 < depth_) {
        changes_.push_back(1 + random_->below(std::max(steps_, std::size_t{1})));
    }
    steps_ = lowered_ = 0;
}

void Interleaving::prepare_fiber(Player& player) const {
    if (depth_ != 0 && player.fiber == nullptr) {
        player.fiber = std::make_unique<Fiber>([&player] {
            for (;;) {
                player.state = player.runner->advance(1);
                player.is_amid = false;
                player.fiber->suspend();
            }
        });
    } else if (std::exchange(player.is_amid, false)) { // of a run that has ended before
        player.fiber->restart();
    }
}

/// Sets a player up for its next call, with rubbish in what it keeps between calls.
void Interleaving::begin(Player& player) {
    const int member = player.member;
    const Call& call = program_->call(player.operation, member);
    const run::Prepared& prepared = call.prepared(member);
    player.bindings.reserve(prepared);
    player.bindings.bind(prepared, program_->input(player.operation, member),
                         program_->output(player.operation, member), call.order_operator().state);
    if (prepared.scratch_bytes != 0) {
        std::memset(scratch_of(player.bindings, prepared), scratch_rubbish, prepared.scratch_bytes);
    }
    if (channels_.size() > 1) {
        player.cursor.history = history(player.operation, member);
    }
    if (meeting_ && player.operation == meeting_->earlier) {
        player.epoch_to_meet = player.cursor.epoch;
    }
    if (meeting_ && player.operation == meeting_->at) {
        player.cursor.wait_for_all_to_enter(player.epoch_to_meet);
    }
    if (reuses_too_early_) {
        std::uint64_t& awaited = player.cursor.message_epochs[player.cursor.set];
        awaited -= awaited != 0 ? 1 : 0;
    }
    player.runner.emplace(channels_[player.channel].mailbox, player.cursor, prepared, player.bindings);
    player.has_entered = false;
    player.blocked_at = never;
}

/// A digest of all calls that a member has started up to this one, as operations in flight have it.
std::uint64_t Interleaving::history(std::size_t operation, int member) const {
    std::uint64_t history = 0;
    for (std::size_t before = 0; before <= operation; ++before) {
        history = tutti::mixed(history, program_->call(before, member).prepared(member).digests.digest);
    }
    return history;
}

/// Until nobody can go on, or, in an interruption, for a while.
void Interleaving::play() {
    while (!is_over_ && !order_.empty() && (interrupted_ == 0 || !random_->one_in(4))) {
        if (depth_ == 0 && random_->one_in(8)) {
            std::swap(order_[random_->below(order_.size())], order_[random_->below(order_.size())]);
        }
        Player* const player = next();
        if (player == nullptr) {
            return;
        }
        take_turn(*player);
    }
}

/// The first that can go on.
Interleaving::Player* Interleaving::next() const {
    const auto found = std::ranges::find_if(order_, [&](const Player* player) {
        return player->is_amid || (!eyes_of(*player).are_busy && player->blocked_at != Sight::now);
    });
    return found == order_.end() ? nullptr : *found;
}

void Interleaving::take_turn(Player& player) {
    const std::size_t operation = player.operation;
    const run::State state = advance(player);
    if (is_over_ || player.is_amid) {
        return;
    }
    const auto place = std::ranges::find(order_, &player);
    if (state == run::State::waits) {
        if (depth_ == 0 && random_->one_in(2)) {
            std::rotate(place, place + 1, order_.end());
        }
        return;
    }
    if (state != run::State::done) {
        outcome_ = {What::differs, operation, player.member};
        order_.erase(place); // the others go on as far as they can
        return;
    }
    count_step(player);
    if (const What what = complete(player); what != What::fine) {
        stop({what, operation, player.member});
    }
}

/// Lets the player go on until it waits or is through.
run::State Interleaving::advance(Player& player) {
    Eyes& eyes = eyes_of(player);
    const bool goes_on = player.is_amid; // its last look was before it was suspended
    Sight::horizon = eyes.horizon;
    if (const std::uint64_t unseen = Sight::now - eyes.horizon; sees_all_) {
        Sight::horizon = Sight::now;
    } else if (unseen != 0 && !goes_on) {
        Sight::horizon += 1 + random_->below(unseen);
    }
    player.has_entered = true;
    eyes.are_busy = true;
    running_ = &player;
    player.is_amid = depth_ != 0;
    player.is_amid ? player.fiber->resume() : static_cast<void>(player.state = player.runner->advance(1));
    const run::State state = player.state;
    eyes.are_busy = player.is_amid;
    eyes.horizon = Sight::horizon;
    player.blocked_at = eyes.horizon == Sight::now && !goes_on ? Sight::now : never;
    return state;
}

/// Lowers the priority of the player whose step this is, if that is due.
void Interleaving::count_step(const Player& player) {
    ++steps_;
    if (std::ranges::find(changes_, steps_) == changes_.end()) {
        return;
    }
    const auto place = std::ranges::find(order_, &player);
    const auto behind = static_cast<std::size_t>(order_.end() - place) - 1;
    const std::size_t below = std::min(random_->below(++lowered_), behind);
    std::rotate(place, place + 1, order_.end() - static_cast<std::ptrdiff_t>(below));
}

void Interleaving::interrupt() noexcept {
    if (depth_ != 0) {
        count_step(*running_);
        if (next() != running_) {
            running_->fiber->suspend();
        }
        return;
    }
    if (is_over_ || !random_->one_in(8)) {
        return;
    }
    const std::uint64_t horizon = Sight::horizon;
    ++interrupted_;
    play();
    --interrupted_;
    Sight::horizon = horizon;
}

bool Interleaving::have_all_entered(std::size_t operation, std::size_t channel) const {
    return std::ranges::all_of(players_, [&](const Player& player) {
        return player.channel != channel || player.operation > operation ||
               (player.operation == operation && player.has_entered);
    });
}

/// Gives the caller its vectors back and goes on to the next call in the channel.
What Interleaving::complete(Player& player) {
    const std::size_t operation = player.operation;
    const Call& call = program_->call(operation, player.member);
    if (!program_->take_back(operation, player.member)) {
        return What::wrong;
    }
    if (!is_guarded(player.bindings, call.prepared(player.member))) {
        return What::beside;
    }
    const bool synchronises = call.synchronises();
    const bool meets = meeting_ && operation == meeting_->at;
    if ((synchronises && !have_all_entered(operation, player.channel)) ||
        (meets && !have_all_entered(meeting_->earlier, player.channel))) {
        return What::early;
    }
    player.operation += channels_.size();
    if (player.operation < program_->operations()) {
        begin(player);
    } else {
        order_.erase(std::ranges::find(order_, &player));
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
        return "somebody has written into vectors that their owner had back, or beside any";
    case What::beside:
        return where + " writes beside its scratch";
    }
    return {};
}

} // namespace tutti::test
