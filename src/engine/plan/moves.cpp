#include "plan/moves.hpp"

#include <stdexcept>

namespace tutti::plan {

using schedule::Blocks;
using schedule::Carried;
using schedule::count_of;
using schedule::every;
using schedule::is_several;
using schedule::Move;
using schedule::Place;
using schedule::Round;
using schedule::Space;
using schedule::Wait;

namespace {

bool is_scratch(Space space) {
    return space >= Space::scratch0;
}

/// A step has one number for the blocks of both operands, and finds in a message the blocks that it stores.
void check_blocks(const Move& move) {
    if (move.has_right() && move.left.blocks != move.right.blocks) {
        throw std::invalid_argument("compile: the operands of a move are blocks of different numbers");
    }
}

void set_blocks(Step& step, Blocks blocks) {
    step.first = static_cast<std::uint16_t>(blocks.first);
    step.count = static_cast<std::uint16_t>(blocks.count);
}

Move without_unused(const Move& move) {
    Move used = move;
    if (!move.has_right()) {
        used.right = move.left;
    }
    return used;
}

/// Whether the move combines the vectors of the first members only.
bool is_of_first(const Move& move) {
    return is_several(move.left.member) && move.left.member != every;
}

int point_of(int peer, const std::vector<Wait>& due) {
    const auto found = std::ranges::find(due, peer, &Wait::member);
    if (found == due.end()) {
        throw std::invalid_argument("compile: a carried read without a wait for it");
    }
    return found->point;
}

Code code_of_several(const Move& move) {
    const bool to_every = move.to.member == every;
    return is_of_first(move)                            ? Code::reduce_first
           : move.prefix == schedule::Prefix::inclusive ? Code::scan_every
           : move.prefix == schedule::Prefix::exclusive ? Code::exscan_every
           : !move.reduces                              ? Code::copy_to_every
           : to_every                                   ? Code::reduce_every_to_every
                                                        : Code::reduce_every;
}

} // namespace

MoveWriter::MoveWriter(const schedule::Synchronised& source, Plan& plan)
    : source_(source), schedule_(source.schedule), plan_(plan),
      opened_(static_cast<std::size_t>(plan.ranks), 0) {
    opened_[static_cast<std::size_t>(plan.rank)] = 1;
}

void MoveWriter::add_round(Round round, const std::vector<Wait>& due) {
    for (std::size_t first = 0; first < round.size();) {
        const Round pass = round.subspan(first, pass_at(round, first));
        const Round copies =
            round.subspan(first + pass.size(), copies_of_result(round, first + pass.size(), pass));
        check_blocks(pass.front());
        if (pass.size() > 1 || !copies.empty() || has_others_on_left(pass.front())) {
            add_listed(pass, copies, due);
        } else if (is_carried()) {
            add_carried(pass.front(), due);
        } else {
            add_pulled(pass.front());
        }
        first += pass.size() + copies.size();
    }
}

Blocks MoveWriter::range_of(int member) const {
    return schedule::scratch_range(schedule_, member, Space::scratch0);
}

/// How many moves from this one on copy to others what the pass has left, or, if that is a copy, the same as
/// that: it may store to all of them.
std::size_t MoveWriter::copies_of_result(Round round, std::size_t first, Round pass) const {
    const Place& result = pass.front().to;
    const Place& copied = pass.front().reduces ? result : pass.front().left;
    if (is_carried() || is_several(pass.front().left.member) || result.member != plan_.rank ||
        copied.blocks != result.blocks) {
        return 0;
    }
    const auto is_copy = [&](const Move& move) {
        return !move.reduces && move.left == copied && !is_several(move.to.member) &&
               move.to.member != plan_.rank && move.to.blocks == copied.blocks;
    };
    std::size_t count = 0;
    while (first + count < round.size() && is_copy(round[first + count])) {
        ++count;
    }
    return count;
}

void MoveWriter::open(int member) {
    if (is_several(member)) {
        if (member != every) {
            return schedule::for_each_member(member, plan_.ranks, [this](int peer) { open(peer); });
        }
        if (std::ranges::count(opened_, 0) == plan_.ranks - 1 && plan_.ranks > 2) {
            add_step(plan_, Code::open_every);
            std::ranges::fill(opened_, 1);
            return;
        }
        for (int peer = 0; peer < plan_.ranks; ++peer) {
            open(peer);
        }
        return;
    }
    char& opened = opened_[static_cast<std::size_t>(member)];
    if (opened == 0) {
        add_step(plan_, Code::open).set_peer(member);
        opened = 1;
    }
}

/// A step of two operands has the received one on the right, and names one other member.
bool MoveWriter::has_others_on_left(const Move& move) const {
    const bool is_others = move.has_right() && move.left.member != plan_.rank;
    return is_others &&
           (is_carried() || (move.right.member != plan_.rank && move.right.member != move.left.member));
}

/// Cuts the pass, with the copies of its result, where one of its places wraps around.
void MoveWriter::add_listed(Round pass, Round copies, const std::vector<Wait>& due) {
    const Place& to = pass.front().to;
    std::vector<Place> places;
    for_each_operand(pass, [&](const Place& operand) {
        if (operand.blocks != to.blocks) {
            throw std::invalid_argument("compile: many operands are blocks of other numbers");
        }
        places.push_back(operand);
        if (!is_carried()) {
            open(operand.member);
        }
    });
    if (to.member != plan_.rank) {
        throw std::invalid_argument("compile: many operands are combined for another member");
    }
    const std::size_t operands = places.size();
    for (const Move& copy : copies) {
        open(copy.to.member);
        places.push_back(copy.to);
    }
    places.push_back(to);
    for (int done = 0; done < to.blocks.count;) {
        const int count = in_one_piece(places, done);
        Step& step = add_step(plan_, is_carried()     ? Code::reduce_listed_received
                                     : copies.empty() ? Code::reduce_listed
                                                      : Code::reduce_listed_to_listed);
        const Place own = rest_of(to, done);
        step.to = vector_of(own);
        step.set_operands(operands);
        if (!copies.empty()) {
            step.set_targets(copies.size());
        }
        step.set_list(plan_.operands.size());
        set_blocks(step, {own.blocks.first, count});
        for (std::size_t place = 0; place + 1 < places.size(); ++place) {
            plan_.operands.push_back(listed(rest_of(places[place], done), due));
        }
        done += count;
    }
}

Operand MoveWriter::listed(const Place& place, const std::vector<Wait>& due) const {
    Operand operand;
    operand.peer = static_cast<std::uint16_t>(place.member);
    operand.vector = vector_of(place);
    if (!is_carried()) {
        operand.set_number(place.member);
    } else if (place.member != plan_.rank) {
        const int point = point_of(place.member, due);
        operand.set_point(point);
        operand.slot = slot_of(point, slots_per_operation(plan_.ranks));
        operand.whole = is_whole(point, place.member) ? 1 : 0;
    }
    return operand;
}

/// The blocks of the place from number `done` on: all places of a move have as many.
Place MoveWriter::rest_of(Place place, int done) const {
    place.blocks = {schedule::wrap(place.blocks.first + done, plan_.blocks), place.blocks.count - done};
    return place;
}

Vector MoveWriter::vector_of(const Place& place) const {
    const bool lapped = is_scratch(place.space) && place.blocks.first < range_of(place.member).first;
    return {place.space, place.member != plan_.rank, lapped};
}

/// How many blocks of `place` lie in one piece: up to where its vector wraps around, or to where the
/// scratch vector starts.
int MoveWriter::in_one_piece(const Place& place) const {
    int end = plan_.blocks;
    if (is_scratch(place.space)) {
        const int start = range_of(place.member).first;
        end = place.blocks.first < start ? start : end;
    }
    return std::min(place.blocks.count, end - place.blocks.first);
}

/// How many blocks from number `done` on lie in one piece in all the places.
int MoveWriter::in_one_piece(std::span<const Place> places, int done) const {
    int count = places.front().blocks.count - done;
    for (const Place& place : places) {
        count = std::min(count, in_one_piece(rest_of(place, done)));
    }
    return count;
}

/// Cuts the move where one of its places wraps around.
void MoveWriter::add_pulled(const Move& move) {
    const Move used = without_unused(move);
    const Place places[] = {used.to, used.left, used.right};
    for (const Place& place : places) {
        open(place.member);
    }
    if (is_several(used.to.member) || is_several(used.left.member)) {
        return add_several(move);
    }
    if (moves_nothing(move, source_.protocol)) {
        return;
    }
    for (int done = 0; done < used.to.blocks.count;) {
        const int count = in_one_piece(places, done);
        Step& step = add_step(plan_, move.reduces ? Code::reduce : Code::copy);
        const Place to = rest_of(used.to, done);
        const Place left = rest_of(used.left, done);
        step.to = vector_of(to);
        step.left = vector_of(left);
        step.right = vector_of(rest_of(used.right, done));
        step.set_peer(peer_of(used));
        step.set_from(left.blocks.first);
        set_blocks(step, {to.blocks.first, count});
        done += count;
    }
}

void MoveWriter::add_several(const Move& move) {
    Step& step = add_step(plan_, code_of_several(move));
    step.to = Vector(move.to.space, move.to.member != plan_.rank, false);
    step.left = Vector(move.left.space, move.left.member != plan_.rank, false);
    if (is_of_first(move)) {
        step.set_operands(static_cast<std::size_t>(count_of(move.left.member, plan_.ranks)));
    } else {
        step.set_peer(move.to.member != every ? move.to.member
                      : move.reduces          ? plan_.rank
                                              : move.left.member);
    }
    step.set_from(move.left.blocks.first);
    set_blocks(step, move.to.blocks);
}

int MoveWriter::peer_of(const Move& move) const {
    int peer = plan_.rank;
    for (const Place* place : {&move.to, &move.left, &move.right}) {
        if (place->member == plan_.rank) {
            continue;
        }
        if (peer != plan_.rank && peer != place->member) {
            throw std::invalid_argument("compile: a move names two other members");
        }
        peer = place->member;
    }
    return peer;
}

void MoveWriter::add_carried(const Move& move, const std::vector<Wait>& due) {
    if (is_several(move.left.member)) {
        return add_several_received(move, due.empty() ? 0 : due.front().point);
    }
    const Move used = without_unused(move);
    const int peer = peer_of(used);
    const bool is_received = peer != plan_.rank;
    if (is_received) {
        receive(peer, point_of(peer, due));
    }
    Step& step = is_received ? add_step(plan_, move.reduces ? Code::reduce_received : Code::copy_received)
                             : add_step(plan_, move.reduces ? Code::reduce : Code::copy);
    step.to = vector_of(used.to);
    step.left = vector_of(used.left);
    step.right = vector_of(used.right);
    step.set_peer(peer);
    step.set_from(used.left.blocks.first);
    set_blocks(step, used.to.blocks);
    if (is_received) {
        step.whole = is_whole(point_of(peer, due), peer) ? 1 : 0;
    }
}

void MoveWriter::add_several_received(const Move& move, int point) {
    Step& step = add_step_at(
        plan_, is_of_first(move) ? Code::reduce_first_received : Code::reduce_every_received, point);
    step.set_operands(static_cast<std::size_t>(count_of(move.left.member, plan_.ranks)));
    step.to = vector_of(move.to);
    step.left = Vector(move.left.space, false, false);
    step.set_from(move.to.blocks.first);
    set_blocks(step, move.to.blocks);
    const int any_other = plan_.rank == 0 ? 1 % plan_.ranks : 0;
    step.whole = is_whole(point, any_other) ? 1 : 0;
}

/// Takes the peer's message, unless the last receive has just done that.
void MoveWriter::receive(int peer, int point) {
    const auto last = std::find_if(plan_.steps.rbegin(), plan_.steps.rend(),
                                   [](const Step& step) { return step.code == Code::receive; });
    if (last == plan_.steps.rend() || last->peer() != peer || last->point() != point) {
        add_step_at(plan_, Code::receive, point).set_peer(peer);
    }
}

bool MoveWriter::is_whole(int point, int owner) const {
    const auto& list = source_.eager.at(schedule_.representative(owner));
    const auto found = std::ranges::find(list, point, &Carried::point);
    return found != list.end() && found->blocks.count == plan_.blocks;
}

} // namespace tutti::plan
