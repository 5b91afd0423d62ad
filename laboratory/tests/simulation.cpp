#include "laboratory/tests/simulation.hpp"

#include "laboratory/tests/simulated_values.hpp"
#include "tests/associated.hpp"

namespace tutti::test {

using schedule::count_of;
using schedule::is_several;
using schedule::Move;
using schedule::Place;
using schedule::Prefix;
using schedule::Protocol;
using schedule::Schedule;
using schedule::Space;
using schedule::Synchronised;
using schedule::wrap;

namespace {

constexpr int operations = 4;

/// The next action of a member: one wait, one publication, or one access to one block.
struct Action {
    enum class What { fill, publish, wait, read, store, join, join_listed, check } what = What::fill;
    int member = 0;
    int point = 0;
    Space space = Space::input;
    int block = 0;
    int round = 0;
    /// For read: the use of the value already held. A value set aside is combined with it by `join`, a listed
    /// one by `join_listed`.
    enum class Use { replace, combine, set_aside, list } use = Use::replace;
};

class Simulation {
public:
    Simulation(const Synchronised& plan, verify::Requirement requirement, std::uint32_t seed, Outputs outputs)
        : plan_(plan), schedule_(plan.schedule), requirement_(requirement), outputs_(outputs), random_(seed),
          ranks_(static_cast<std::size_t>(schedule_.ranks())), actions_(ranks_), next_(ranks_, 0),
          operation_(ranks_, 0), published_(ranks_, -1), held_(ranks_), aside_(ranks_), listed_(ranks_),
          vectors_(ranks_), slots_(ranks_), carried_(ranks_) {
        for (int rank = 0; rank < schedule_.ranks(); ++rank) {
            build(rank);
            vectors_[index(rank)].assign(schedule::space_count * index(schedule_.blocks()), "?");
        }
    }

    std::string run() {
        std::vector<int> priority(ranks_);
        std::iota(priority.begin(), priority.end(), 0);
        std::ranges::shuffle(priority, random_);
        while (failure_.empty()) {
            if (random_() % 16 == 0) {
                std::ranges::shuffle(priority, random_);
            }
            const auto runnable = std::ranges::find_if(priority, [&](int rank) { return can_run(rank); });
            if (runnable == priority.end()) {
                const bool done =
                    std::ranges::all_of(operation_, [](int operation) { return operation == operations; });
                return done ? "" : "deadlock";
            }
            step(*runnable);
        }
        return failure_;
    }

private:
    static std::size_t index(int value) { return static_cast<std::size_t>(value); }

    std::string& at(int member, Space space, int block) {
        const Space vector =
            plan_.protocol == Protocol::in_place && space == Space::output ? Space::input : space;
        const int owner = is_shared(space) ? 0 : member;
        return vectors_[index(owner)]
                       [index(static_cast<int>(vector)) * index(schedule_.blocks()) + index(block)];
    }

    bool is_shared(Space space) const { return outputs_ == Outputs::shared && space == Space::output; }

    bool holds(bool output, int rank, int block) const {
        return output ? schedule_.has_output_block(rank, block) : schedule_.has_input_block(rank, block);
    }

    void build(int rank) {
        auto& list = actions_[index(rank)];
        const auto program = schedule_.program(rank);
        const auto waits = plan_.waits_of(rank);
        std::set<int> opened{rank};
        list.push_back({Action::What::fill});
        list.push_back({Action::What::publish, rank, 0});
        for (int round = 0; round <= schedule_.rounds(); ++round) {
            for (const auto& wait : waits) {
                if (wait.before_round == round) {
                    list.push_back({Action::What::wait, wait.member, wait.point});
                }
            }
            if (round == schedule_.rounds()) {
                break;
            }
            for_each_pass(program[index(round)], [&](schedule::Round pass) {
                for (const Move& move : pass) {
                    build_open(rank, move, opened);
                }
                for (int i = 0; i < pass.front().to.blocks.count; ++i) {
                    if (pass.size() == 1) {
                        build_block(rank, round, pass.front(), i);
                    } else {
                        build_pass(rank, round, pass, i);
                    }
                }
            });
            list.push_back({Action::What::publish, rank, round + 1});
        }
        list.push_back({Action::What::check});
        const schedule::Translation rename = schedule_.translation(rank);
        if (plan_.protocol == Protocol::eager) {
            for (const auto& eager : plan_.eager[schedule_.representative(rank)]) {
                const bool whole = eager.blocks.count == schedule_.blocks();
                carried_[index(rank)].push_back(
                    {eager.point, eager.space, whole ? eager.blocks : rename.range(eager.blocks)});
            }
        }
    }

    /// Whether the member of a place stands for this one.
    bool stands_for(int places, int member) const {
        return is_several(places) ? member < count_of(places, schedule_.ranks()) : places == member;
    }

    void build_open(int rank, const Move& move, std::set<int>& opened) {
        if (plan_.protocol == Protocol::eager) {
            return;
        }
        for (const Place* place : {&move.to, &move.left, &move.right}) {
            if (place == &move.right && !move.has_right()) {
                continue;
            }
            for (int member = 0; member < schedule_.ranks(); ++member) {
                if (stands_for(place->member, member) && opened.insert(member).second) {
                    actions_[index(rank)].push_back({Action::What::wait, member, 0});
                }
            }
        }
    }

    /// One block after the other: nothing is promised about what a member has read before it writes.
    void build_block(int rank, int round, const Move& move, int i) {
        auto& list = actions_[index(rank)];
        const auto block_of = [&](const Place& place) {
            return wrap(place.blocks.first + i, schedule_.blocks());
        };
        if (moves_nothing(move, plan_.protocol)) {
            return;
        }
        const auto read = [&](int member, const Place& place, Action::Use use) {
            list.push_back({Action::What::read, member, 0, place.space, block_of(place), round, use});
        };
        const auto store = [&](int member) {
            list.push_back({Action::What::store, member, 0, move.to.space, block_of(move.to), round});
        };
        if (!is_several(move.left.member)) {
            read(move.left.member, move.left, Action::Use::replace);
            if (move.reduces) {
                read(move.right.member, move.right, Action::Use::combine);
            }
        }
        for (int member = 0; is_several(move.left.member) && stands_for(move.left.member, member); ++member) {
            const bool exclusive = move.prefix == Prefix::exclusive && member > 0;
            read(member, move.left,
                 member == 0 ? Action::Use::replace
                 : exclusive ? Action::Use::set_aside
                             : Action::Use::combine);
            if (exclusive || move.prefix == Prefix::inclusive) {
                store(member);
            }
            if (exclusive) {
                list.push_back({Action::What::join});
            }
        }
        for (int member = 0; move.prefix == Prefix::none && member < schedule_.ranks(); ++member) {
            if (stands_for(move.to.member, member)) {
                store(member);
            }
        }
    }

    /// All operands of a block are read before it is stored.
    void build_pass(int rank, int round, schedule::Round pass, int i) {
        auto& list = actions_[index(rank)];
        const auto block_of = [&](const Place& place) {
            return wrap(place.blocks.first + i, schedule_.blocks());
        };
        for_each_operand(pass, [&](const Place& place) {
            list.push_back({Action::What::read, place.member, 0, place.space, block_of(place), round,
                            Action::Use::list});
        });
        list.push_back({Action::What::join_listed});
        const Place& to = pass.front().to;
        list.push_back({Action::What::store, to.member, 0, to.space, block_of(to), round});
    }

    bool can_run(int rank) const {
        if (operation_[index(rank)] == operations) {
            return false;
        }
        const Action& action = actions_[index(rank)][next_[index(rank)]];
        if (action.what == Action::What::publish) {
            return may_write_over(rank);
        }
        return action.what != Action::What::wait ||
               published_[index(action.member)] >= stamp(operation_[index(rank)], action.point);
    }

    /// Messages lie where those of the operation before the last did, which may still be read where nobody
    /// waits for everybody: unless everybody has come to the last operation.
    bool may_write_over(int rank) const {
        return plan_.protocol != Protocol::eager || detail::traits_of(schedule_.collective()).needs_all ||
               std::ranges::all_of(operation_,
                                   [&](int operation) { return operation >= operation_[index(rank)] - 1; });
    }

    int stamp(int operation, int point) const { return operation * (schedule_.rounds() + 1) + point; }

    void step(int rank) {
        const Action& action = actions_[index(rank)][next_[index(rank)]];
        switch (action.what) {
        case Action::What::fill:
            fill(rank);
            break;
        case Action::What::publish:
            publish(rank, action.point);
            break;
        case Action::What::wait:
            break;
        case Action::What::read: {
            const std::string value = read(rank, action);
            expect_current(rank, action.block, value);
            std::string& held = held_[index(rank)];
            if (action.use == Action::Use::list) {
                listed_[index(rank)].push_back(value);
            } else if (action.use == Action::Use::set_aside) {
                aside_[index(rank)] = value;
            } else {
                held = action.use == Action::Use::replace ? value : "(" + held + value + ")";
            }
            break;
        }
        case Action::What::join:
            held_[index(rank)] = "(" + held_[index(rank)] + aside_[index(rank)] + ")";
            break;
        case Action::What::join_listed: {
            std::vector<std::string>& listed = listed_[index(rank)];
            held_[index(rank)] = in_tree(
                listed.size(), [&](std::size_t k) { return listed[k]; },
                [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });
            listed.clear();
            break;
        }
        case Action::What::store:
            at(action.member, action.space, action.block) = held_[index(rank)];
            break;
        case Action::What::check:
            check(rank);
            break;
        }
        if (++next_[index(rank)] == actions_[index(rank)].size()) {
            next_[index(rank)] = 0;
            ++operation_[index(rank)];
        }
    }

    void fill(int rank) {
        for (int space = 0; space < schedule::space_count; ++space) {
            for (int block = 0; block < schedule_.blocks() && !is_shared(static_cast<Space>(space));
                 ++block) {
                at(rank, static_cast<Space>(space), block) = "?";
            }
        }
        for (int block = 0; block < schedule_.blocks(); ++block) {
            if (holds(false, rank, block)) {
                at(rank, Space::input, block) = leaf(rank, operation_[index(rank)], block);
            }
        }
    }

    void publish(int rank, int point) {
        const int operation = operation_[index(rank)];
        published_[index(rank)] = stamp(operation, point);
        for (const auto& eager : carried_[index(rank)]) {
            if (eager.point != point) {
                continue;
            }
            for (int i = 0; i < eager.blocks.count; ++i) {
                const int block = wrap(eager.blocks.first + i, schedule_.blocks());
                slots_[index(rank)][{point, operation % 2, eager.space, block}] =
                    at(rank, eager.space, block);
            }
        }
    }

    std::string read(int rank, const Action& action) {
        if (plan_.protocol != Protocol::eager || action.member == rank) {
            return at(action.member, action.space, action.block);
        }
        std::string value = "?";
        for (const auto& wait : plan_.waits_of(rank)) {
            if (wait.before_round != action.round || wait.member != action.member) {
                continue;
            }
            const auto& slots = slots_[index(action.member)];
            const auto found =
                slots.find({wait.point, operation_[index(rank)] % 2, action.space, action.block});
            value = found == slots.end() ? value : found->second;
        }
        return value;
    }

    void check(int rank) {
        for (int block = 0; block < schedule_.blocks(); ++block) {
            if (holds(true, rank, block)) {
                check_block(rank, block, at(rank, Space::output, block));
            }
            if (holds(false, rank, block) && plan_.protocol != Protocol::in_place) {
                const std::string& input = at(rank, Space::input, block);
                expect(input == leaf(rank, operation_[index(rank)], block), rank, block, "input " + input);
            }
        }
    }

    void expect(bool good, int rank, int block, const std::string& found) {
        if (!good) {
            failure_ = "member " + std::to_string(rank) + " operation " +
                       std::to_string(operation_[index(rank)]) + " block " + std::to_string(block) + ": " +
                       found;
        }
    }

    /// Every block read was written in this operation, whether or not a result depends on it.
    void expect_current(int rank, int block, const std::string& value) {
        const std::string operation = "." + std::to_string(operation_[index(rank)]) + ".";
        for (const std::string& input : leaves(value)) {
            expect(input.find(operation) != std::string::npos, rank, block, "reads " + value);
        }
        expect(value.find('?') == std::string::npos, rank, block, "reads " + value);
    }

    bool is_prefix() const {
        return schedule_.collective() == Collective::scan || schedule_.collective() == Collective::exscan;
    }

    void check_block(int rank, int block, const std::string& value) {
        auto found = leaves(value);
        auto inputs = wanted(schedule_, operation_[index(rank)], rank, block);
        expect(value.find('?') == std::string::npos, rank, block, value);
        if (schedule_.collective() == Collective::barrier) {
            std::ranges::sort(found);
            found.erase(std::unique(found.begin(), found.end()), found.end());
            std::ranges::sort(inputs);
            return expect(found == inputs, rank, block, value);
        }
        check_order(rank, block, value);
        if (requirement_ < verify::Requirement::rank_order && !is_prefix()) {
            std::ranges::sort(found);
            std::ranges::sort(inputs);
        }
        expect(found == inputs, rank, block, value);
    }

    /// The bracketing of what is reduced, as far as it is promised.
    void check_order(int rank, int block, const std::string& value) {
        if (!detail::traits_of(schedule_.collective()).reduces() ||
            requirement_ == verify::Requirement::complete) {
            return;
        }
        const bool canonical = requirement_ >= verify::Requirement::rank_order;
        const auto [agreed, is_new] = agreed_.try_emplace(
            {operation_[index(rank)], canonical ? 0 : block, is_prefix() ? rank : 0}, without_blocks(value));
        expect(agreed->second == without_blocks(value), rank, block,
               "in another order than elsewhere, " + value);
        if (requirement_ >= verify::Requirement::canonical) {
            // Reductions that are combined as the call requires are combined from the left here.
            const auto association = requirement_ == verify::Requirement::canonical
                                         ? detail::Association::tree
                                         : detail::Association::left;
            const auto inputs = wanted(schedule_, operation_[index(rank)], rank, block);
            const std::string right =
                inputs.empty()
                    ? ""
                    : bracketed(
                          association, inputs.size(), [&](std::size_t k) { return inputs[k]; },
                          [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });
            expect(value == right, rank, block, "not bracketed as " + right + ", " + value);
        }
    }

    struct Slot {
        int point = 0;
        int parity = 0;
        Space space = Space::input;
        int block = 0;
        friend auto operator<=>(const Slot&, const Slot&) = default;
    };

    const Synchronised& plan_;
    const Schedule& schedule_;
    verify::Requirement requirement_;
    Outputs outputs_;
    std::mt19937 random_;
    std::size_t ranks_;
    std::vector<std::vector<Action>> actions_;
    std::vector<std::size_t> next_;
    std::vector<int> operation_;
    std::vector<int> published_;
    std::vector<std::string> held_;
    std::vector<std::string> aside_;
    std::vector<std::vector<std::string>> listed_;
    std::vector<std::vector<std::string>> vectors_;
    std::vector<std::map<Slot, std::string>> slots_;
    std::vector<std::vector<schedule::Carried>> carried_;
    /// The first result of an operation for a block and rank, where these matter.
    std::map<std::tuple<int, int, int>, std::string> agreed_;
    std::string failure_;
};

} // namespace

std::string simulate(const Synchronised& plan, verify::Requirement requirement, std::uint32_t seed,
                     Outputs outputs) {
    return Simulation(plan, requirement, seed, outputs).run();
}

} // namespace tutti::test
