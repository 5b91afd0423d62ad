#include "plan/moves.hpp"

#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tutti::plan {

using schedule::Blocks;
using schedule::Carried;
using schedule::Protocol;
using schedule::Schedule;
using schedule::Space;
using schedule::Synchronised;
using schedule::Wait;

namespace {

Plan plan_for(const Synchronised& source, int rank) {
    const Schedule& schedule = source.schedule;
    Plan plan;
    plan.ranks = schedule.ranks();
    plan.rank = rank;
    plan.blocks = schedule.blocks();
    plan.protocol = source.protocol;
    plan.points = static_cast<std::uint32_t>(schedule.rounds()) + 1;
    plan.scratch_vectors = static_cast<std::uint32_t>(schedule.scratch_vectors());
    if (plan.scratch_vectors > 1 && schedule.blocks() > 1) {
        throw std::invalid_argument("compile: more than one scratch vector of more than one block");
    }
    plan.scratch = schedule::scratch_range(schedule, rank, Space::scratch0);
    return plan;
}

/// Determines whether a plan is an exchange.
class ExchangeFinder {
public:
    explicit ExchangeFinder(const Plan& plan) : plan_(plan) {}

    Exchange find() {
        const auto first =
            std::ranges::find_if(plan_.steps, [](const Step& step) { return step.traits().has_point(); });
        found_.step = static_cast<std::uint16_t>(first - plan_.steps.begin());
        if (first == plan_.steps.end() ||
            !std::ranges::all_of(plan_.steps, [&](const Step& step) { return is_part(step); })) {
            return {};
        }
        found_.first = found_.gathers ? std::uint16_t{0} : found_.first;
        found_.is_all = found_.gathers && found_.count != 0 ? found_.count == plan_.ranks : taken_ <= 1;
        return found_;
    }

private:
    bool is_part(const Step& step) {
        if (step.traits().has_point() && step.point() != plan_.steps[found_.step].point()) {
            return false;
        }
        switch (step.code) {
        case Code::publish:
            return found_.sends = true;
        case Code::carry:
            return (found_.sends = true) && is_input(step) && is_of(step, plan_.rank);
        case Code::await:
        case Code::await_every:
            return found_.sends && (step.code == Code::await_every || plan_.ranks == 2) &&
                   takes(0, plan_.ranks);
        case Code::receive:
            return takes(step.peer(), found_.count + 1);
        case Code::copy_received:
            return is_output(step) && is_of(step, found_.first);
        case Code::copy:
            return is_input(step) && is_output(step) && is_of(step, plan_.rank) &&
                   takes(plan_.rank, found_.count + 1);
        case Code::reduce_every_received:
        case Code::reduce_first_received:
            return is_input(step) && is_output(step) && step.count == plan_.blocks &&
                   takes(0, step.operands());
        default:
            return false;
        }
    }

    static bool is_input(const Step& step) { return step.left.is(Space::input) && !step.left.remote(); }
    static bool is_output(const Step& step) { return step.to.is(Space::output) && !step.to.remote(); }

    /// Whether its blocks are the whole buffer as in all steps, or in all steps the block of that member.
    bool is_of(const Step& step, int member) {
        const bool is_whole = step.count == plan_.blocks;
        (is_whole ? has_whole_ : found_.gathers) = true;
        return !(has_whole_ && found_.gathers) && step.from() == step.first &&
               (is_whole || (plan_.blocks == plan_.ranks && step.count == 1 && step.first == member));
    }

    bool takes(int first, int count) {
        ++taken_;
        found_.first = static_cast<std::uint16_t>(first);
        found_.count = static_cast<std::uint16_t>(count);
        return true;
    }

    const Plan& plan_;
    Exchange found_;
    bool has_whole_ = false;
    int taken_ = 0;
};

/// Adds the points, which order the moves.
class Compiler {
public:
    Compiler(const Synchronised& source, int rank)
        : source_(source), schedule_(source.schedule), plan_(plan_for(source, rank)), moves_(source, plan_) {
        find_awaited();
    }

    Plan run() {
        const auto program = schedule_.program(plan_.rank);
        const auto waits = source_.waits_of(plan_.rank);
        publish(0);
        for (int round = 0; round <= schedule_.rounds(); ++round) {
            std::vector<Wait> due;
            std::ranges::copy_if(waits, std::back_inserter(due),
                                 [&](const Wait& wait) { return wait.before_round == round; });
            if (round == schedule_.rounds()) {
                await(due);
                break;
            }
            if (!eager() || is_barrier()) {
                await(due);
            }
            if (!is_barrier()) {
                moves_.add_round(program[static_cast<std::size_t>(round)], due);
            }
            publish(round + 1);
        }
        if (plan_.operands.size() > std::numeric_limits<std::uint16_t>::max()) {
            throw schedule::TooLarge("compile: more than 65535 operands in lists");
        }
        plan_.carries = std::ranges::find(plan_.steps, Code::carry, &Step::code) != plan_.steps.end();
        plan_.publishes_first =
            !plan_.steps.empty() && plan_.steps.front().traits().publishes != Publishes::nothing;
        plan_.exchange = ExchangeFinder(plan_).find();
        return std::move(plan_);
    }

private:
    bool eager() const { return source_.protocol == Protocol::eager; }

    /// A barrier moves nothing: its tokens are the points themselves.
    bool is_barrier() const { return schedule_.collective() == Collective::barrier; }

    /// The points of this member that anyone waits for.
    void find_awaited() {
        awaited_.assign(static_cast<std::size_t>(schedule_.rounds()) + 1, 0);
        awaited_[0] = eager() ? 0 : 1;
        for (const auto& waits : source_.waits) {
            for (const Wait& wait : waits) {
                if (schedule_.symmetry().translates() || wait.member == plan_.rank) {
                    awaited_[static_cast<std::size_t>(wait.point)] = 1;
                }
            }
        }
    }

    void publish(int point) {
        if (awaited_[static_cast<std::size_t>(point)] == 0) {
            return;
        }
        if (!eager()) {
            add_step_at(plan_, point == 0 ? Code::enter : Code::publish, point);
            return;
        }
        if (point >= slots_per_operation(plan_.ranks)) {
            throw std::invalid_argument(
                "compile: a carried schedule has more points than a member has slots");
        }
        const auto& list = source_.eager.at(schedule_.representative(plan_.rank));
        const auto found = std::ranges::find(list, point, &Carried::point);
        if (found == list.end() || is_barrier()) {
            add_step_at(plan_, Code::publish, point);
            return;
        }
        Step& step = add_step_at(plan_, Code::carry, point);
        step.left = Vector(found->space, false, false);
        const bool whole = found->blocks.count == schedule_.blocks();
        const Blocks blocks = whole ? found->blocks : schedule_.translation(plan_.rank).range(found->blocks);
        step.first = static_cast<std::uint16_t>(blocks.first);
        step.count = static_cast<std::uint16_t>(blocks.count);
        step.set_from(blocks.first);
    }

    void await(const std::vector<Wait>& due) {
        if (!due.empty() && same_for_all(due, due.front().point)) {
            add_step_at(plan_, Code::await_every, due.front().point);
            return;
        }
        for (const Wait& wait : due) {
            add_step_at(plan_, Code::await, wait.point).set_peer(wait.member);
        }
    }

    bool same_for_all(const std::vector<Wait>& waits, int point) const {
        return std::ranges::count(waits, point, &Wait::point) == schedule_.ranks() - 1 &&
               schedule_.ranks() > 2;
    }

    const Synchronised& source_;
    const Schedule& schedule_;
    std::vector<char> awaited_;
    Plan plan_;
    MoveWriter moves_;
};

/// The code of the step if blocks are irregular.
Code exchanging(const Step& step) {
    const StepTraits& traits = step.traits();
    if (!traits.moves() && traits.takes == Takes::nothing) {
        return step.code;
    }
    if (step.code == Code::copy && step.left.is(Space::input) && step.to.is(Space::output) &&
        !step.to.remote() && step.count == 1) {
        return Code::exchange;
    }
    throw std::invalid_argument("for_neighbor_exchange: a step that is no copy of one block from an input to "
                                "the own output");
}

/// The steps that compare the lengths of the blocks that the plan copies from others.
std::vector<Step> matching(const Plan& plan) {
    std::vector<Step> steps;
    for (Step step : plan.steps) {
        if (step.code == Code::exchange && step.left.remote()) {
            step.code = Code::match;
            steps.push_back(step);
        }
    }
    return steps;
}

constexpr Vector own_output{Space::output, false, false};

/// The step that does once what `step` does for every member.
Step done_once(Step step) {
    const StepTraits& traits = step.traits();
    if (!traits.moves() && (traits.takes == Takes::nothing || traits.takes == Takes::addresses)) {
        return step;
    }
    const bool copies = step.code == Code::copy_to_every;
    if ((copies || step.code == Code::reduce_every_to_every) && step.left.is(Space::input) &&
        step.to.is(Space::output)) {
        step.code = copies ? Code::copy : Code::reduce_every;
        step.to = own_output;
        return step;
    }
    throw std::invalid_argument(
        "for_shared_output: a step that does not store from inputs to the outputs of all members");
}

} // namespace

int slots_per_operation(int ranks) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))) + 2;
}

Plan compile(const Synchronised& synchronised, int rank) {
    if (synchronised.schedule.ranks() > most_members || synchronised.schedule.blocks() > most_members) {
        throw schedule::TooLarge("compile: at most 65535 ranks and blocks");
    }
    return Compiler(synchronised, rank).run();
}

Plan for_neighbor_exchange(Plan plan) {
    std::erase_if(plan.steps, // comparing opens
                  [](const Step& step) { return step.code == Code::open || step.code == Code::open_every; });
    for (Step& step : plan.steps) {
        step.code = exchanging(step);
    }
    const std::vector<Step> matches = matching(plan);
    const auto entered = std::ranges::find(plan.steps, Code::enter, &Step::code);
    if (entered == plan.steps.end()) {
        throw std::invalid_argument("for_neighbor_exchange: members show nothing to each other");
    }
    plan.steps.insert(entered + 1, matches.begin(), matches.end());
    return plan;
}

Plan for_irregular_exchange(Plan plan) {
    plan = for_neighbor_exchange(std::move(plan));
    const auto is_match = [](const Step& step) { return step.code == Code::match; };
    for (Step& step : plan.steps) {
        if (step.code == Code::exchange || is_match(step)) {
            step.first = step.peer();
            step.set_from(plan.rank);
        }
    }
    if (std::ranges::count_if(plan.steps, is_match) == plan.ranks - 1) {
        std::erase_if(plan.steps, is_match);
        Step all;
        all.code = Code::match_every;
        plan.steps.insert(std::ranges::find(plan.steps, Code::enter, &Step::code) + 1, all);
    }
    return plan;
}

Plan for_shared_output(Plan plan) {
    for (Step& step : plan.steps) {
        step = done_once(step);
    }
    return plan;
}

} // namespace tutti::plan
