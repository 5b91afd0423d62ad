#include "schedule/schedule.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::schedule {

namespace {

[[noreturn]] void fail(const std::string& what) {
    throw std::invalid_argument("schedule: " + what);
}

void check_place(const Schedule& schedule, const Place& place, bool may_be_every) {
    const bool member_exists = place.member >= 0 && place.member < schedule.ranks();
    if (!member_exists && !(may_be_every && place.member == every)) {
        fail("member " + std::to_string(place.member) + " is not one of " + std::to_string(schedule.ranks()) +
             " ranks");
    }
    if (place.blocks.first < 0 || place.blocks.first >= schedule.blocks() || place.blocks.count < 1 ||
        place.blocks.count > schedule.blocks()) {
        fail("blocks " + std::to_string(place.blocks.first) + "+" + std::to_string(place.blocks.count) +
             " are not among " + std::to_string(schedule.blocks()));
    }
}

void check_move(const Schedule& schedule, const Move& move) {
    check_place(schedule, move.to, true);
    check_place(schedule, move.left, move.reduces);
    if (move.left.blocks != move.to.blocks) {
        fail("the places of a move must name the same blocks");
    }
    if (move.reduces && move.left.member != every) {
        check_place(schedule, move.right, false);
        if (move.right.blocks != move.to.blocks) {
            fail("the places of a move must name the same blocks");
        }
        if (move.to.member == every) {
            fail("only a copy or a reduction over every member can be stored to every member");
        }
    }
}

} // namespace

std::string_view to_string(Collective collective) {
    switch (collective) {
    case Collective::barrier:
        return "barrier";
    case Collective::allreduce:
        return "allreduce";
    case Collective::reduce_scatter:
        return "reduce_scatter";
    case Collective::allgather:
        return "allgather";
    case Collective::gather:
        return "gather";
    case Collective::scatter:
        return "scatter";
    }
    return "unknown";
}

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

Schedule::Schedule(Collective collective, int ranks, int blocks, Symmetry symmetry,
                   std::vector<Program> programs, int root)
    : collective_(collective), ranks_(ranks), blocks_(blocks), root_(root), symmetry_(symmetry),
      programs_(std::move(programs)) {
    const int stored = symmetry == Symmetry::rotation ? 1 : ranks;
    if (ranks < 1 || blocks < 1 || programs_.size() != static_cast<std::size_t>(stored)) {
        fail("needs ranks and blocks of at least 1 and one program for each stored member");
    }
    if (root < 0 || root >= ranks) {
        fail("root is " + std::to_string(root) + ", must be in 0.." + std::to_string(ranks - 1));
    }
    for (const Program& program : programs_) {
        if (program.size() != programs_.front().size()) {
            fail("all programs must have the same number of rounds");
        }
        for (const Round& round : program) {
            for (const Move& move : round) {
                check_move(*this, move);
            }
        }
    }
}

std::size_t Schedule::representative(int rank) const {
    return symmetry_ == Symmetry::rotation ? 0 : static_cast<std::size_t>(rank);
}

Rotation Schedule::rotation(int rank) const {
    return {ranks_, blocks_, symmetry_ == Symmetry::rotation ? rank : 0};
}

Place renamed(const Place& place, const Rotation& rotation) {
    const int member = place.member == every ? every : rotation.member(place.member);
    return {member, place.space, rotation.range(place.blocks)};
}

Program Schedule::program(int rank) const {
    Program program = programs_.at(representative(rank));
    const Rotation rename = rotation(rank);
    for (Round& round : program) {
        for (Move& move : round) {
            move.to = renamed(move.to, rename);
            move.left = renamed(move.left, rename);
            if (move.reduces && move.left.member != every) {
                move.right = renamed(move.right, rename);
            }
        }
    }
    return program;
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

bool has_input(Collective collective, int root, int rank, int block, bool blocks_are_ranks) {
    switch (collective) {
    case Collective::allgather:
    case Collective::gather:
        return !blocks_are_ranks || block == rank;
    case Collective::scatter:
        return rank == root;
    default:
        return true;
    }
}

bool has_output(Collective collective, int root, int rank, int block, bool blocks_are_ranks) {
    switch (collective) {
    case Collective::reduce_scatter:
    case Collective::scatter:
        return !blocks_are_ranks || block == rank;
    case Collective::gather:
        return rank == root;
    default:
        return true;
    }
}

} // namespace tutti::schedule
