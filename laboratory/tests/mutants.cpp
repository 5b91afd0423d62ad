#include "laboratory/tests/mutants.hpp"

namespace tutti::test {

using schedule::Blocks;
using schedule::every;
using schedule::Move;
using schedule::Place;
using schedule::Prefix;
using schedule::Program;
using schedule::Protocol;
using schedule::Round;
using schedule::Schedule;
using schedule::Space;
using schedule::Synchronised;
using schedule::Wait;
using schedule::wrap;

std::string to_string(Fault fault) {
    constexpr const char* names[fault_count] = {
        "wait dropped",      "wait weakened",    "peer shifted",    "blocks shifted", "blocks shortened",
        "blocks lengthened", "operands swapped", "move dropped",    "combined twice", "space changed",
        "message changed",   "prefix changed",   "blocks misplaced"};
    return names[static_cast<std::size_t>(fault)];
}

namespace {

std::string show(const Place& place) {
    return std::string(schedule::to_string(place.space)) + "@" + std::to_string(place.member) + "[" +
           std::to_string(place.blocks.first) + "+" + std::to_string(place.blocks.count) + "]";
}

std::string show(const Move& move) {
    std::string text = show(move.to) + (move.joins ? " joins " : " = ") + show(move.left);
    if (move.has_right()) {
        text += " op " + show(move.right);
    }
    return text;
}

class Mutator {
public:
    Mutator(const Synchronised& plan, const std::function<void(const Mutant&)>& use)
        : plan_(plan), schedule_(plan.schedule), use_(use) {}

    long run() {
        for (stored_ = 0; stored_ < schedule_.programs().size(); ++stored_) {
            mutate_waits();
            if (!plan_.eager.empty()) {
                mutate_messages();
            }
            for (round_ = 0; round_ < schedule_.programs()[stored_].size(); ++round_) {
                const Round round = schedule_.programs()[stored_][round_];
                for (index_ = 0; index_ < round.size(); ++index_) {
                    mutate_move(round[index_]);
                }
            }
        }
        return refused_;
    }

private:
    void mutate_waits() {
        const auto& waits = plan_.waits[stored_];
        for (std::size_t i = 0; i < waits.size(); ++i) {
            const Wait wait = waits[i];
            const std::string where = "member " + std::to_string(stored_) + " before round " +
                                      std::to_string(wait.before_round) + ": point " +
                                      std::to_string(wait.point) + " of " + std::to_string(wait.member);
            Synchronised dropped = plan_;
            dropped.waits[stored_].erase(dropped.waits[stored_].begin() + static_cast<std::ptrdiff_t>(i));
            use_({Fault::wait_dropped, where, std::move(dropped), wait, stored_});
            if (wait.point > 0) {
                Synchronised weakened = plan_;
                --weakened.waits[stored_][i].point;
                use_({Fault::wait_weakened, where, std::move(weakened), wait, stored_});
            }
        }
    }

    void mutate_messages() {
        for (std::size_t i = 0; i < plan_.eager[stored_].size(); ++i) {
            const std::string where = "message " + std::to_string(i);
            Synchronised dropped = plan_;
            dropped.eager[stored_].erase(dropped.eager[stored_].begin() + static_cast<std::ptrdiff_t>(i));
            use_({Fault::message_changed, where + " dropped", std::move(dropped), {}, stored_});
            Synchronised moved = plan_;
            ++moved.eager[stored_][i].point;
            use_({Fault::message_changed, where + " a point later", std::move(moved), {}, stored_});
            Synchronised other = plan_;
            Space& space = other.eager[stored_][i].space;
            space = static_cast<Space>((static_cast<int>(space) + 1) % schedule::space_count);
            use_({Fault::message_changed, where + " from the next vector", std::move(other), {}, stored_});
        }
    }

    void mutate_move(const Move& move) {
        mutate_peers(move);
        mutate_blocks(move);
        replace(Fault::move_dropped, move, {});
        if (move.has_right()) {
            Move swapped = move;
            std::swap(swapped.left, swapped.right);
            replace(Fault::operands_swapped, move, {swapped});
        }
        if (move.reduces && schedule_.collective() != Collective::barrier && move.to.member != every) {
            Move again{move.to, move.to, move.has_right() ? move.right : move.left, true};
            again.right.member = move.has_right() ? move.right.member : wrap(1, schedule_.ranks());
            replace(Fault::combined_twice, move, {move, again});
        }
        for (const Prefix prefix : {Prefix::none, Prefix::inclusive, Prefix::exclusive}) {
            if (move.prefix != Prefix::none && prefix != move.prefix) {
                Move changed = move;
                changed.prefix = prefix;
                replace(Fault::prefix_changed, move, {changed});
            }
        }
        for (Place Move::*place : {&Move::to, &Move::left, &Move::right}) {
            for (int space = 0; space < schedule::space_count; ++space) {
                Move changed = move;
                (changed.*place).space = static_cast<Space>(space);
                if (changed != move && (place != &Move::right || move.has_right())) {
                    replace(Fault::space_changed, move, {changed});
                }
            }
        }
    }

    void mutate_peers(const Move& move) {
        for (Place Move::*place : {&Move::to, &Move::left, &Move::right}) {
            if ((move.*place).member == every || (place == &Move::right && !move.has_right())) {
                continue;
            }
            for (const int by : {-1, 1}) {
                Move shifted = move;
                (shifted.*place).member = wrap((move.*place).member + by, schedule_.ranks());
                if (shifted != move) {
                    replace(Fault::peer_shifted, move, {shifted});
                }
            }
        }
    }

    Blocks moved(Blocks range, int first, int count) const {
        return {wrap(range.first + first, schedule_.blocks()), range.count + count};
    }

    void mutate_blocks(const Move& move) {
        const auto with = [&](int first, int count) {
            Move changed = move;
            for (Place* place : {&changed.to, &changed.left, &changed.right}) {
                place->blocks = moved(place->blocks, first, count);
            }
            return changed;
        };
        for (Place Move::*place : {&Move::to, &Move::left, &Move::right}) {
            for (const int by : {-1, 1}) {
                Move changed = move;
                (changed.*place).blocks = moved((move.*place).blocks, by, 0);
                if (changed != move && move.to.blocks.count < schedule_.blocks() &&
                    (place != &Move::right || move.has_right())) {
                    replace(Fault::blocks_misplaced, move, {changed});
                }
            }
        }
        if (schedule_.blocks() > 1 && move.to.blocks.count < schedule_.blocks()) {
            replace(Fault::blocks_shifted, move, {with(1, 0)});
            replace(Fault::blocks_shifted, move, {with(-1, 0)});
        }
        if (move.to.blocks.count > 1) {
            replace(Fault::blocks_shortened, move, {with(0, -1)});
            replace(Fault::blocks_shortened, move, {with(1, -1)});
        }
        replace(Fault::blocks_lengthened, move, {with(0, 1)});
        replace(Fault::blocks_lengthened, move, {with(-1, 1)});
    }

    void replace(Fault fault, const Move& move, const std::vector<Move>& by) {
        std::vector<Program> programs = schedule_.programs();
        programs[stored_] = replaced(by);
        std::string where = "member " + std::to_string(stored_) + " round " + std::to_string(round_) + ": " +
                            show(move) + " ->";
        for (const Move& instead : by) {
            where.append(" ").append(show(instead)).append(";");
        }
        try {
            Synchronised mutant{{schedule_.collective(), schedule_.ranks(), schedule_.blocks(),
                                 schedule_.symmetry(), std::move(programs), schedule_.root()},
                                plan_.protocol,
                                plan_.waits,
                                plan_.eager};
            use_({fault, where, std::move(mutant), {}, stored_, moves_nothing(move, plan_.protocol)});
        } catch (const std::invalid_argument&) {
            ++refused_;
        }
    }

    /// The program with `by` instead of the move that is looked at.
    Program replaced(const std::vector<Move>& by) const {
        const Program& program = schedule_.programs()[stored_];
        Program made;
        for (std::size_t round = 0; round < program.size(); ++round) {
            made.extend_to(round + 1);
            for (std::size_t index = 0; index < program[round].size(); ++index) {
                const bool is_it = round == round_ && index == index_;
                for (const Move& move : is_it ? Round(by) : program[round].subspan(index, 1)) {
                    made.add(move);
                }
            }
        }
        return made;
    }

    const Synchronised& plan_;
    const Schedule& schedule_;
    const std::function<void(const Mutant&)>& use_;
    std::size_t stored_ = 0;
    std::size_t round_ = 0;
    std::size_t index_ = 0;
    long refused_ = 0;
};

} // namespace

long for_each_mutant(const Synchronised& plan, const std::function<void(const Mutant&)>& use) {
    return Mutator(plan, use).run();
}

} // namespace tutti::test
