#include "schedule/schedule.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::schedule {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::invalid_argument("schedule: " + what);
}

[[noreturn]] void fail_member(const Schedule& schedule, int member) {
    fail("member " + std::to_string(member) + " is not one of " + std::to_string(schedule.ranks()) +
         " ranks");
}

[[noreturn]] void fail_blocks(Blocks range, const std::string& what) {
    fail("blocks " + std::to_string(range.first) + "+" + std::to_string(range.count) + what);
}

/// Whether blocks have other names at other members.
bool renames_blocks(const Schedule& schedule) {
    return schedule.symmetry().translates() && schedule.blocks() == schedule.ranks();
}

void check_place(const Schedule& schedule, const Place& place, bool may_be_several) {
    const bool member_exists = place.member >= 0 && place.member < schedule.ranks();
    const bool several_exist = may_be_several && is_several(place.member) &&
                               count_of(place.member, schedule.ranks()) <= schedule.ranks();
    if (!member_exists && !several_exist) {
        fail_member(schedule, place.member);
    }
    const Blocks range = place.blocks;
    if (range.first < 0 || range.first >= schedule.blocks() || range.count < 1 ||
        range.count > schedule.blocks()) {
        fail_blocks(range, " are not among " + std::to_string(schedule.blocks()));
    }
    if (renames_blocks(schedule) && !schedule.symmetry().keeps(range.first, range.count)) {
        fail_blocks(range, " do not stay together under the symmetry");
    }
}

void check_move(const Schedule& schedule, const Move& move) {
    check_place(schedule, move.to, true);
    check_place(schedule, move.left, move.reduces);
    if (move.has_right()) {
        check_place(schedule, move.right, false);
    }
    if (move.left.blocks.count != move.to.blocks.count ||
        (move.has_right() && move.right.blocks.count != move.to.blocks.count)) {
        fail("the places of a move must cover equally many blocks");
    }
    // Blocks within a unit change places when they are renamed, in all places of the move in the same way.
    const auto unit = [&](const Place& place) {
        return schedule.symmetry().unit(place.blocks.first, place.blocks.count);
    };
    if (renames_blocks(schedule) &&
        (unit(move.left) != unit(move.to) || (move.has_right() && unit(move.right) != unit(move.to)))) {
        fail("the blocks of a move do not stay together in the same way under the symmetry");
    }
    if (is_several(move.to.member) && move.to.member != every) {
        fail("only every member can be stored to at once");
    }
    if (is_several(move.left.member) && move.left.member != every &&
        (schedule.symmetry().translates() || is_several(move.to.member))) {
        fail("what the first members have is combined for one member, and not the same for all");
    }
    if (move.has_right() && move.to.member == every) {
        fail("only a copy or a reduction over every member can be stored to every member");
    }
    if (move.joins && (!move.reduces || is_several(move.left.member))) {
        fail("a move that joins a reduction brings an operand of one member");
    }
    if (move.prefix != Prefix::none && (move.left.member != every || move.to.member != every)) {
        fail("prefixes are of every member, for every member");
    }
}

/// A move that joins follows the reduction of two operands that it joins, or another move that joins it.
void check_joins(Round round) {
    for (std::size_t index = 0; index < round.size(); ++index) {
        const bool is_reduction = index > 0 && (round[index - 1].has_right() || round[index - 1].joins);
        if (round[index].joins && !(is_reduction && round[index - 1].to == round[index].to)) {
            fail("a move joins no reduction to the same place");
        }
    }
}

/// The two programs have the same number of rounds.
bool is_renamed(const Program& program, const Program& image, const Translation& rename) {
    for (std::size_t round = 0; round < program.size(); ++round) {
        const auto is_same = [&](const Move& move, const Move& its) { return renamed(move, rename) == its; };
        if (!std::ranges::equal(program[round], image[round], is_same)) {
            return false;
        }
    }
    return true;
}

/// The complement of the longest cyclic gap between `used` blocks, which are in order.
Blocks shortest_cover(const std::vector<int>& used, int blocks) {
    if (used.empty()) {
        return {0, 0};
    }
    int first = 0;
    int longest = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        const int next = i + 1 < used.size() ? used[i + 1] : used.front() + blocks;
        if (const int gap = next - used[i] - 1; gap > longest) {
            longest = gap;
            first = wrap(next, blocks);
        }
    }
    return {first, blocks - longest};
}

} // namespace

std::string_view to_string(Space space) {
    switch (space) {
    case Space::input:
        return "input";
    case Space::output:
        return "output";
    case Space::scratch0:
        return "scratch0";
    case Space::scratch1:
        return "scratch1";
    case Space::scratch2:
        return "scratch2";
    }
    return "unknown";
}

Program::Program(std::initializer_list<std::vector<Move>> rounds) {
    for (const std::vector<Move>& round : rounds) {
        extend_to(size() + 1);
        moves_.insert(moves_.end(), round.begin(), round.end());
    }
}

void Program::reserve(std::size_t rounds, std::size_t moves) {
    first_.reserve(rounds);
    moves_.reserve(moves);
}

Schedule::Schedule(Collective collective, int ranks, int blocks, Symmetry symmetry,
                   std::vector<Program> programs, int root)
    : collective_(collective), ranks_(ranks), blocks_(blocks), root_(root), symmetry_(symmetry),
      programs_(std::move(programs)), shared_(programs_.size() * space_count, 0) {
    const int stored = symmetry.translates() ? 1 : ranks;
    if (ranks < 1 || blocks < 1 || programs_.size() != static_cast<std::size_t>(stored)) {
        fail("needs ranks and blocks of at least 1 and one program for each stored member");
    }
    if (root < 0 || root >= ranks) {
        fail("root is " + std::to_string(root) + ", must be in 0.." + std::to_string(ranks - 1));
    }
    for (int rank = 0; rank < stored; ++rank) {
        const Program& program = programs_[static_cast<std::size_t>(rank)];
        if (program.size() != programs_.front().size()) {
            fail("all programs must have the same number of rounds");
        }
        for (const Move& move : program.moves()) {
            check_move(*this, move);
            add(move, rank);
        }
        for (std::size_t round = 0; round < program.size(); ++round) {
            check_joins(program[round]);
        }
    }
}

Schedule::Schedule(Graph graph, int blocks, std::vector<Program> programs)
    : Schedule(Collective::alltoall, static_cast<int>(graph.size()), blocks, Symmetry::none,
               std::move(programs)) {
    graph_ = std::move(graph);
}

bool Schedule::has_input_block(int rank, int block) const {
    return !graph_.empty() || has_input(collective_, root_, rank, block, blocks_ == ranks_);
}

bool Schedule::has_output_block(int rank, int block) const {
    if (graph_.empty()) {
        return has_output(collective_, root_, rank, block, blocks_ == ranks_);
    }
    const auto& sources = graph_[static_cast<std::size_t>(rank)];
    const auto index = static_cast<std::size_t>(block);
    return index < sources.size() && sources[index].member != Source::nobody;
}

void Schedule::add(const Move& move, int actor) {
    const bool of_several = is_several(move.left.member) || is_several(move.to.member);
    ++moves_;
    const auto named = static_cast<std::size_t>(move.to.blocks.count);
    blocks_named_ += named;
    blocks_moved_ += named * static_cast<std::size_t>(of_several ? ranks_ : 1);
    for (const Place* place : {&move.to, &move.left, &move.right}) {
        scratch_vectors_ =
            std::max(scratch_vectors_, static_cast<int>(place->space) - static_cast<int>(Space::output));
    }
    keeps_blocks_apart_ = keeps_blocks_apart_ && move.left.blocks == move.to.blocks &&
                          (!move.has_right() || move.right.blocks == move.to.blocks);
    touch(move.to, actor);
    touch(move.left, actor);
    if (move.has_right()) {
        touch(move.right, actor);
    }
}

void Schedule::touch(const Place& place, int actor) {
    for_each_member(place.member, ranks_, [&](int owner) {
        if (owner != actor) {
            shared_[representative(owner) * space_count + static_cast<std::size_t>(place.space)] = 1;
        }
    });
}

Move renamed(Move move, const Translation& translation) {
    move.to = renamed(move.to, translation);
    move.left = renamed(move.left, translation);
    if (move.has_right()) {
        move.right = renamed(move.right, translation);
    }
    return move;
}

Program Schedule::program(int rank) const {
    Program program = programs_.at(representative(rank));
    const Translation rename = translation(rank);
    for (Move& move : program.moves()) {
        move = renamed(move, rename);
    }
    return program;
}

bool is_renamed(const Schedule& schedule, const Schedule& image, const Translation& rename) {
    if (schedule.collective() != image.collective() || schedule.ranks() != image.ranks() ||
        schedule.blocks() != image.blocks() || schedule.rounds() != image.rounds() ||
        schedule.symmetry().translates() || image.symmetry().translates()) {
        return false;
    }
    if (detail::traits_of(schedule.collective()).is_rooted() &&
        rename.member(schedule.root()) != image.root()) {
        return false;
    }
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        if (!is_renamed(schedule.programs()[static_cast<std::size_t>(rank)],
                        image.programs()[static_cast<std::size_t>(rename.member(rank))], rename)) {
            return false;
        }
    }
    return true;
}

Schedule expanded(const Schedule& schedule) {
    std::vector<Program> programs;
    programs.reserve(static_cast<std::size_t>(schedule.ranks()));
    for (int rank = 0; rank < schedule.ranks(); ++rank) {
        programs.push_back(schedule.program(rank));
    }
    return {schedule.collective(), schedule.ranks(),    schedule.blocks(),
            Symmetry::none,        std::move(programs), schedule.root()};
}

std::optional<Schedule> folded(const Schedule& schedule) {
    if (schedule.symmetry().translates()) {
        return std::nullopt;
    }
    const Program& first = schedule.programs().front();
    for (int rank = 1; rank < schedule.ranks(); ++rank) {
        const Translation rename(Symmetry::rotation, schedule.ranks(), schedule.blocks(), rank);
        if (!is_renamed(first, schedule.programs()[static_cast<std::size_t>(rank)], rename)) {
            return std::nullopt;
        }
    }
    return Schedule(schedule.collective(), schedule.ranks(), schedule.blocks(), Symmetry::rotation, {first},
                    schedule.root());
}

/// No schedule writes to the scratch of another member: synchronise and the verifier see to outputs only
/// there.
WrittenScratch::WrittenScratch(const Schedule& schedule, std::size_t representative, Space space)
    : schedule_(schedule) {
    std::vector<char> used(static_cast<std::size_t>(schedule.blocks()), 0);
    for (const Move& move : schedule.programs()[representative].moves()) {
        if (move.to.space == space) {
            for_each_block(move.to.blocks, schedule.blocks(), [&](int block) {
                if (std::exchange(used[static_cast<std::size_t>(block)], 1) == 0) {
                    blocks_.push_back(block);
                }
            });
        }
    }
}

Blocks WrittenScratch::range(int rank) const {
    const Translation rename = schedule_.translation(rank);
    std::vector<int> used(blocks_.size());
    std::ranges::transform(blocks_, used.begin(), [&](int block) { return rename.block(block); });
    if (!std::ranges::is_sorted(used)) {
        std::ranges::sort(used);
    }
    return shortest_cover(used, schedule_.blocks());
}

Blocks scratch_range(const Schedule& schedule, int rank, Space space) {
    return WrittenScratch(schedule, schedule.representative(rank), space).range(rank);
}

} // namespace tutti::schedule
