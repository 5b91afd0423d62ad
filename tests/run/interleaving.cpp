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

Interleaving::Interleaving(int ranks)
    : slots_(static_cast<std::size_t>(ranks * plan::slots_per_operation(ranks)) * DelayedMailbox::parities),
      stages_(static_cast<std::size_t>(ranks) * DelayedMailbox::parities),
      boards_(static_cast<std::size_t>(ranks)),
      mailbox_(slots_.data(), plan::slots_per_operation(ranks), stages_.data(), boards_.data(), failed_),
      players_(static_cast<std::size_t>(ranks)) {
    order_.reserve(players_.size());
}

void Interleaving::reset(Program& program, Random& random) {
    program.reset();
    Sight::now = Sight::horizon = 0;
    std::ranges::fill(slots_, DelayedMailbox::Slot{});
    std::ranges::fill(boards_, DelayedMailbox::Board{});
    order_.resize(players_.size());
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random.below(i)]);
    }
    for (std::size_t member = 0; member < players_.size(); ++member) {
        Player& player = players_[member];
        player.line = {};
        player.operation = 0;
        player.horizon = 0;
        player.blocked_at = never;
        begin(program, static_cast<int>(member));
    }
}

/// Sets the member up for its next call, with rubbish in what it keeps between calls.
void Interleaving::begin(Program& program, int member) {
    Player& player = players_[static_cast<std::size_t>(member)];
    const Call& call = program.call(player.operation, member);
    const run::Prepared& prepared = call.prepared(member);
    player.bindings.reserve(prepared);
    player.bindings.bind(prepared, program.input(player.operation, member),
                         program.output(player.operation, member), call.operation().state);
    if (prepared.scratch_bytes != 0) {
        const std::uintptr_t scratch =
            player.bindings.own[schedule::Space::scratch0] + prepared.scratch_start_bytes;
        std::memset(run::pointer(scratch), 0x5A, prepared.scratch_bytes);
    }
    player.runner.emplace(mailbox_, player.line, prepared, player.bindings);
    player.has_entered = false;
}

/// The first that can go on.
std::optional<int> Interleaving::next() const {
    const auto found = std::ranges::find_if(order_, [&](int member) {
        return players_[static_cast<std::size_t>(member)].blocked_at != Sight::now;
    });
    return found == order_.end() ? std::nullopt : std::optional(*found);
}

void Interleaving::look_further(Player& player, Random& random) const {
    Sight::horizon = player.horizon;
    if (const std::uint64_t unseen = Sight::now - player.horizon; unseen != 0) {
        Sight::horizon += 1 + random.below(unseen);
    }
}

/// What is to be said of a call that has returned.
What Interleaving::complete(Program& program, int member) {
    Player& player = players_[static_cast<std::size_t>(member)];
    const std::size_t operation = player.operation;
    if (!program.take_back(operation, member)) {
        return What::wrong;
    }
    const bool all_entered = std::ranges::all_of(players_, [&](const Player& other) {
        return other.operation > operation || (other.operation == operation && other.has_entered);
    });
    return all_entered || !program.call(operation, member).settles() ? What::fine : What::early;
}

Outcome Interleaving::run(Program& program, Random& random, Breaks breaks) {
    reset(program, random);
    while (!order_.empty()) {
        if (random.one_in(8)) {
            std::swap(order_[random.below(order_.size())], order_[random.below(order_.size())]);
        }
        const std::optional<int> member = next();
        if (!member) {
            return {What::stuck, players_[static_cast<std::size_t>(order_.front())].operation,
                    order_.front()};
        }
        Player& player = players_[static_cast<std::size_t>(*member)];
        const run::Line before = player.line;
        look_further(player, random);
        player.has_entered = true;
        const run::State state = player.runner->advance(1);
        player.horizon = Sight::horizon;
        if (state == run::State::waits) {
            player.blocked_at = player.horizon == Sight::now ? Sight::now : never;
            if (random.one_in(2)) {
                std::rotate(std::ranges::find(order_, *member), std::ranges::find(order_, *member) + 1,
                            order_.end());
            }
            continue;
        }
        if (state != run::State::done) {
            return {What::differs, player.operation, *member};
        }
        if (breaks != nullptr) {
            breaks(player.line, before);
        }
        if (const What what = complete(program, *member); what != What::fine) {
            return {what, player.operation, *member};
        }
        if (++player.operation < program.operations()) {
            begin(program, *member);
        } else {
            order_.erase(std::ranges::find(order_, *member));
        }
    }
    return {program.is_untouched() ? What::fine : What::late};
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
