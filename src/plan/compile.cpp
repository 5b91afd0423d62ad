#include "plan/plan.hpp"
#include "schedule/scratch.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tutti::plan {

using schedule::Blocks;
using schedule::Carried;
using schedule::count_of;
using schedule::every;
using schedule::for_each_member;
using schedule::Form;
using schedule::is_several;
using schedule::Move;
using schedule::Place;
using schedule::Round;
using schedule::Schedule;
using schedule::Space;
using schedule::Synchronised;
using schedule::Wait;

namespace {

bool is_scratch(Space space) {
    return space >= Space::scratch0;
}

class Compiler {
public:
    Compiler(const Synchronised& source, int rank)
        : source_(source), schedule_(source.schedule), rank_(rank),
          slots_(slots_per_operation(schedule_.ranks())),
          opened_(static_cast<std::size_t>(schedule_.ranks()), 0) {
        plan_.ranks = schedule_.ranks();
        plan_.rank = rank;
        plan_.blocks = schedule_.blocks();
        plan_.form = source.form;
        plan_.points = static_cast<std::uint32_t>(schedule_.rounds()) + 1;
        plan_.scratch_vectors = static_cast<std::uint32_t>(schedule_.scratch_vectors());
        if (plan_.scratch_vectors > 1 && schedule_.blocks() > 1) {
            throw std::invalid_argument("compile: more than one scratch vector of more than one block");
        }
        plan_.scratch = range_of(rank);
        opened_[static_cast<std::size_t>(rank)] = 1;
        find_awaited();
    }

    Plan run() {
        const auto program = schedule_.program(rank_);
        const auto waits = source_.waits_of(rank_);
        publish(0);
        for (int round = 0; round <= schedule_.rounds(); ++round) {
            std::vector<Wait> due;
            std::ranges::copy_if(waits, std::back_inserter(due),
                                 [&](const Wait& wait) { return wait.before_round == round; });
            if (round == schedule_.rounds()) {
                await(due);
                break;
            }
            if (!carried() || is_barrier()) {
                await(due);
            }
            if (!is_barrier()) {
                add_round(program[static_cast<std::size_t>(round)], due);
            }
            publish(round + 1);
        }
        if (plan_.operands.size() > std::numeric_limits<std::uint16_t>::max()) {
            throw schedule::TooLarge("compile: more than 65535 operands in lists");
        }
        plan_.carries = std::ranges::find(plan_.steps, Code::carry, &Step::code) != plan_.steps.end();
        plan_.exchanges_once = exchanges_once();
        return std::move(plan_);
    }

private:
    bool carried() const { return source_.form == Form::carried; }

    /// A barrier moves nothing: its tokens are the points themselves.
    bool is_barrier() const { return schedule_.collective() == Collective::barrier; }

    Blocks range_of(int member) const { return schedule::scratch_range(schedule_, member, Space::scratch0); }

    /// The points of this member that anyone waits for.
    void find_awaited() {
        awaited_.assign(static_cast<std::size_t>(schedule_.rounds()) + 1, 0);
        awaited_[0] = carried() ? 0 : 1;
        for (const auto& waits : source_.waits) {
            for (const Wait& wait : waits) {
                if (schedule_.symmetry().translates() || wait.member == rank_) {
                    awaited_[static_cast<std::size_t>(wait.point)] = 1;
                }
            }
        }
    }

    void add_round(Round round, const std::vector<Wait>& due) {
        for (std::size_t first = 0; first < round.size();) {
            const Round pass = round.subspan(first, pass_at(round, first));
            const Round copies =
                round.subspan(first + pass.size(), copies_of_result(round, first + pass.size(), pass));
            check_blocks(pass.front());
            if (pass.size() > 1 || !copies.empty() || has_others_on_left(pass.front())) {
                add_listed(pass, copies, due);
            } else if (carried()) {
                add_carried(pass.front(), due);
            } else {
                add_pulled(pass.front());
            }
            first += pass.size() + copies.size();
        }
    }

    /// How many moves from this one on copy to others what the pass has left, or, where that is a copy, the
    /// same as that: it may store to all of them.
    std::size_t copies_of_result(Round round, std::size_t first, Round pass) const {
        const Place& result = pass.front().to;
        const Place& copied = pass.front().reduces ? result : pass.front().left;
        if (carried() || is_several(pass.front().left.member) || result.member != rank_ ||
            copied.blocks != result.blocks) {
            return 0;
        }
        const auto is_copy = [&](const Move& move) {
            return !move.reduces && move.left == copied && !is_several(move.to.member) &&
                   move.to.member != rank_ && move.to.blocks == copied.blocks;
        };
        std::size_t count = 0;
        while (first + count < round.size() && is_copy(round[first + count])) {
            ++count;
        }
        return count;
    }

    /// A step has one number for the blocks of both operands, and finds in a message what it stores.
    void check_blocks(const Move& move) const {
        if (move.has_right() && move.left.blocks != move.right.blocks) {
            throw std::invalid_argument("compile: the operands of a move are blocks of different numbers");
        }
    }

    bool exchanges_once() const {
        if (plan_.steps.size() != 2 || plan_.steps[0].point != plan_.steps[1].point) {
            return false;
        }
        const Step& send = plan_.steps[0];
        const Step& take = plan_.steps[1];
        if (send.code == Code::publish) {
            return take.code == (plan_.ranks == 2 ? Code::await : Code::await_every);
        }
        return send.code == Code::carry && send.count == plan_.blocks &&
               take.code == Code::reduce_every_received && take.count == plan_.blocks;
    }

    Step& add(Code code) {
        plan_.steps.emplace_back();
        plan_.steps.back().code = code;
        return plan_.steps.back();
    }

    Step& add_at(Code code, int point) {
        Step& step = add(code);
        step.point = static_cast<std::uint16_t>(point);
        step.slot = slot_of(point, slots_);
        return step;
    }

    void publish(int point) {
        if (awaited_[static_cast<std::size_t>(point)] == 0) {
            return;
        }
        if (!carried()) {
            add_at(point == 0 ? Code::enter : Code::publish, point);
            return;
        }
        if (point >= slots_) {
            throw std::invalid_argument(
                "compile: a carried schedule has more points than a member has slots");
        }
        const auto& list = source_.carried.at(schedule_.representative(rank_));
        const auto found = std::ranges::find(list, point, &Carried::point);
        if (found == list.end() || is_barrier()) {
            add_at(Code::publish, point);
            return;
        }
        Step& step = add_at(Code::carry, point);
        step.left = Vector(found->space, false, false);
        const bool whole = found->blocks.count == schedule_.blocks();
        const Blocks blocks = whole ? found->blocks : schedule_.translation(rank_).range(found->blocks);
        set_blocks(step, blocks, blocks.first);
    }

    void await(const std::vector<Wait>& due) {
        if (!due.empty() && same_for_all(due, due.front().point)) {
            add_at(Code::await_every, due.front().point);
            return;
        }
        for (const Wait& wait : due) {
            add_at(Code::await, wait.point).peer = static_cast<std::uint16_t>(wait.member);
        }
    }

    bool same_for_all(const std::vector<Wait>& waits, int point) const {
        return std::ranges::count(waits, point, &Wait::point) == schedule_.ranks() - 1 &&
               schedule_.ranks() > 2;
    }

    void open(int member) {
        if (is_several(member)) {
            if (member != every) {
                return for_each_member(member, schedule_.ranks(), [this](int peer) { open(peer); });
            }
            if (std::ranges::count(opened_, 0) == schedule_.ranks() - 1 && schedule_.ranks() > 2) {
                add_at(Code::open_every, 0);
                std::ranges::fill(opened_, 1);
                return;
            }
            for (int peer = 0; peer < schedule_.ranks(); ++peer) {
                open(peer);
            }
            return;
        }
        char& opened = opened_[static_cast<std::size_t>(member)];
        if (opened == 0) {
            add_at(Code::open, 0).peer = static_cast<std::uint16_t>(member);
            opened = 1;
        }
    }

    /// A step of two operands has what it receives on the right, and names one other member.
    bool has_others_on_left(const Move& move) const {
        const bool is_others = move.has_right() && move.left.member != rank_;
        return is_others &&
               (carried() || (move.right.member != rank_ && move.right.member != move.left.member));
    }

    /// Cuts the pass, with the copies of its result, where one of its places wraps around.
    void add_listed(Round pass, Round copies, const std::vector<Wait>& due) {
        const Place& to = pass.front().to;
        std::vector<Place> operands;
        for_each_operand(pass, [&](const Place& operand) {
            if (operand.blocks != to.blocks) {
                throw std::invalid_argument("compile: many operands are blocks of other numbers");
            }
            operands.push_back(operand);
            if (!carried()) {
                open(operand.member);
            }
        });
        if (to.member != rank_) {
            throw std::invalid_argument("compile: many operands are combined for another member");
        }
        for (const Move& copy : copies) {
            open(copy.to.member);
        }
        for (int done = 0; done < to.blocks.count;) {
            const auto rest = [&](Place place) {
                place.blocks = {schedule::wrap(to.blocks.first + done, schedule_.blocks()),
                                to.blocks.count - done};
                return place;
            };
            int count = in_one_piece(rest(to));
            for (const Place& operand : operands) {
                count = std::min(count, in_one_piece(rest(operand)));
            }
            for (const Move& copy : copies) {
                count = std::min(count, in_one_piece(rest(copy.to)));
            }
            Step& step = add(carried()        ? Code::reduce_listed_received
                             : copies.empty() ? Code::reduce_listed
                                              : Code::reduce_listed_to_listed);
            step.to = vector_of(rest(to));
            step.peer = static_cast<std::uint16_t>(operands.size());
            step.point = static_cast<std::uint16_t>(copies.size());
            set_blocks(step, {rest(to).blocks.first, count}, static_cast<int>(plan_.operands.size()));
            for (const Place& operand : operands) {
                plan_.operands.push_back(listed(rest(operand), due));
            }
            for (const Move& copy : copies) {
                plan_.operands.push_back(listed(rest(copy.to), due));
            }
            done += count;
        }
    }

    Operand listed(const Place& place, const std::vector<Wait>& due) const {
        Operand operand;
        operand.peer = static_cast<std::uint16_t>(place.member);
        operand.vector = vector_of(place);
        if (carried() && place.member != rank_) {
            const int point = point_of(place.member, due);
            operand.point = static_cast<std::uint16_t>(point);
            operand.slot = slot_of(point, slots_);
            operand.whole = whole(point, place.member) ? 1 : 0;
        }
        return operand;
    }

    Vector vector_of(const Place& place) const {
        const bool lapped = is_scratch(place.space) && place.blocks.first < range_of(place.member).first;
        return {place.space, place.member != rank_, lapped};
    }

    /// How many blocks of `place` lie in one piece: up to where its vector wraps around, or to where the
    /// scratch vector starts.
    int in_one_piece(const Place& place) const {
        int end = schedule_.blocks();
        if (is_scratch(place.space)) {
            const int start = range_of(place.member).first;
            end = place.blocks.first < start ? start : end;
        }
        return std::min(place.blocks.count, end - place.blocks.first);
    }

    /// Calls `emit` for each part of `move` that lies in one piece in all its places.
    template <class Emit>
    void for_each_part(Move move, Emit emit) const {
        Place* const places[] = {&move.to, &move.left, &move.right};
        for (int left = move.to.blocks.count; left > 0;) {
            int count = left;
            for (Place* place : places) {
                place->blocks.count = left;
                count = std::min(count, in_one_piece(*place));
            }
            for (Place* place : places) {
                place->blocks.count = count;
            }
            emit(move);
            left -= count;
            for (Place* place : places) {
                place->blocks.first = (place->blocks.first + count) % schedule_.blocks();
            }
        }
    }

    static void set_blocks(Step& step, Blocks blocks, int from) {
        step.first = static_cast<std::uint16_t>(blocks.first);
        step.from = static_cast<std::uint16_t>(from);
        step.count = static_cast<std::uint16_t>(blocks.count);
    }

    static Move without_unused(const Move& move) {
        Move used = move;
        if (!move.has_right()) {
            used.right = move.left;
        }
        return used;
    }

    void add_pulled(const Move& move) {
        const Move used = without_unused(move);
        for (const Place* place : {&used.to, &used.left, &used.right}) {
            open(place->member);
        }
        if (is_several(used.to.member) || is_several(used.left.member)) {
            return add_several(move);
        }
        if (moves_nothing(move, source_.form)) {
            return;
        }
        for_each_part(used, [&](const Move& part) {
            Step& step = add(move.reduces ? Code::reduce : Code::copy);
            step.to = vector_of(part.to);
            step.left = vector_of(part.left);
            step.right = vector_of(part.right);
            step.peer = static_cast<std::uint16_t>(peer_of(part));
            set_blocks(step, part.to.blocks, part.left.blocks.first);
        });
    }

    bool is_of_first(const Move& move) const {
        return is_several(move.left.member) && move.left.member != every;
    }

    void add_several(const Move& move) {
        const bool to_every = move.to.member == every;
        Step& step = add(is_of_first(move)                            ? Code::reduce_first
                         : move.prefix == schedule::Prefix::inclusive ? Code::scan_every
                         : move.prefix == schedule::Prefix::exclusive ? Code::exscan_every
                         : !move.reduces                              ? Code::copy_to_every
                         : to_every                                   ? Code::reduce_every_to_every
                                                                      : Code::reduce_every);
        step.to = Vector(move.to.space, move.to.member != rank_, false);
        step.left = Vector(move.left.space, move.left.member != rank_, false);
        const int single = move.reduces ? rank_ : move.left.member;
        step.peer =
            static_cast<std::uint16_t>(is_of_first(move) ? count_of(move.left.member, schedule_.ranks())
                                       : to_every        ? single
                                                         : move.to.member);
        set_blocks(step, move.to.blocks, move.left.blocks.first);
    }

    int peer_of(const Move& move) const {
        int peer = rank_;
        for (const Place* place : {&move.to, &move.left, &move.right}) {
            if (place->member == rank_) {
                continue;
            }
            if (peer != rank_ && peer != place->member) {
                throw std::invalid_argument("compile: a move names two other members");
            }
            peer = place->member;
        }
        return peer;
    }

    void add_carried(const Move& move, const std::vector<Wait>& due) {
        if (is_several(move.left.member)) {
            Step& step = add_at(is_of_first(move) ? Code::reduce_first_received : Code::reduce_every_received,
                                due.empty() ? 0 : due.front().point);
            step.peer = static_cast<std::uint16_t>(count_of(move.left.member, schedule_.ranks()));
            step.to = vector_of(move.to);
            step.left = Vector(move.left.space, false, false);
            set_blocks(step, move.to.blocks, move.to.blocks.first);
            const int any_other = rank_ == 0 ? 1 % schedule_.ranks() : 0;
            step.whole = whole(step.point, any_other) ? 1 : 0;
            return;
        }
        const Move used = without_unused(move);
        const int peer = peer_of(used);
        if (peer != rank_) {
            receive(peer, due);
        }
        Step& step = peer == rank_ ? add(move.reduces ? Code::reduce : Code::copy)
                                   : add(move.reduces ? Code::reduce_received : Code::copy_received);
        step.to = vector_of(used.to);
        step.left = vector_of(used.left);
        step.right = vector_of(used.right);
        step.peer = static_cast<std::uint16_t>(peer);
        set_blocks(step, used.to.blocks, used.left.blocks.first);
        if (peer != rank_) {
            step.whole = whole(point_of(peer, due), peer) ? 1 : 0;
        }
    }

    /// Takes what the peer carries, unless the last receive has just done that.
    void receive(int peer, const std::vector<Wait>& due) {
        const int point = point_of(peer, due);
        const auto last = std::find_if(plan_.steps.rbegin(), plan_.steps.rend(),
                                       [](const Step& step) { return step.code == Code::receive; });
        if (last != plan_.steps.rend() && last->peer == peer && last->point == point) {
            return;
        }
        add_at(Code::receive, point).peer = static_cast<std::uint16_t>(peer);
    }

    static int point_of(int peer, const std::vector<Wait>& due) {
        const auto found = std::ranges::find(due, peer, &Wait::member);
        if (found == due.end()) {
            throw std::invalid_argument("compile: a carried read without a wait for it");
        }
        return found->point;
    }

    bool whole(int point, int owner) const {
        const auto& list = source_.carried.at(schedule_.representative(owner));
        const auto found = std::ranges::find(list, point, &Carried::point);
        return found != list.end() && found->blocks.count == schedule_.blocks();
    }

    const Synchronised& source_;
    const Schedule& schedule_;
    int rank_;
    int slots_;
    std::vector<char> opened_;
    std::vector<char> awaited_;
    Plan plan_;
};

} // namespace

int slots_per_operation(int ranks) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))) + 2;
}

Plan compile(const Synchronised& synchronised, int rank) {
    constexpr int most = std::numeric_limits<std::uint16_t>::max();
    if (synchronised.schedule.ranks() > most || synchronised.schedule.blocks() > most) {
        throw schedule::TooLarge("compile: at most 65535 ranks and blocks");
    }
    return Compiler(synchronised, rank).run();
}

} // namespace tutti::plan
