#include "interpreter.hpp"

#include "../associated.hpp"
#include "caller.hpp"
#include "plan/plan.hpp"

namespace tutti::test {

using plan::Code;
using plan::Step;
using schedule::Space;

namespace {

class Interpreter {
public:
    Interpreter(const schedule::Synchronised& synchronised, const Run& run)
        : run_(run), caller_(synchronised.schedule, run.partition, run.in_place, run.order),
          collective_(synchronised.schedule.collective()), ranks_(synchronised.schedule.ranks()),
          random_(run.seed), members_(static_cast<std::size_t>(ranks_)) {
        for (int rank = 0; rank < ranks_; ++rank) {
            Member& member = member_of(rank);
            member.plan = plan::compile(synchronised, rank);
            for (auto& slots : member.slots) {
                slots.resize(static_cast<std::size_t>(plan::slots_per_operation(ranks_)));
            }
            enter(rank);
        }
    }

    /// Always the member of highest priority that can go on, priorities drawn anew now and then: so members
    /// get far ahead of each other.
    void run() {
        std::vector<int> unfinished(members_.size());
        std::iota(unfinished.begin(), unfinished.end(), 0);
        std::ranges::shuffle(unfinished, random_);
        while (!unfinished.empty()) {
            if (random_() % 16 == 0) {
                std::ranges::shuffle(unfinished, random_);
            }
            const auto next = std::ranges::find_if(unfinished, [&](int rank) { return advance(rank); });
            if (next == unfinished.end()) {
                throw std::runtime_error("deadlock");
            }
            if (member_of(*next).operation == operations) {
                unfinished.erase(next);
            }
        }
    }

private:
    Member& member_of(int rank) { return members_[static_cast<std::size_t>(rank)]; }
    const Member& member_of(int rank) const { return members_[static_cast<std::size_t>(rank)]; }

    std::size_t offset(int block) const { return run_.partition.offset(static_cast<std::size_t>(block)); }

    /// Input and output as the caller prepares them, scratch memory exactly as large as the plan says.
    void enter(int rank) {
        Member& member = member_of(rank);
        for (const Space space : {Space::input, Space::output}) {
            const bool exists = space == Space::input || !run_.in_place;
            member.vectors[static_cast<std::size_t>(space)] =
                exists ? caller_.before(rank, space, member.operation) : Memory{};
        }
        set_scratch(member);
        member.next = 0;
    }

    void set_scratch(Member& member) const {
        for (std::size_t space = 2; space < member.vectors.size(); ++space) {
            member.vectors[space] = {};
        }
        for (std::size_t i = 0; i < member.plan.scratch_vectors; ++i) {
            Memory& memory = member.vectors.at(2 + i);
            std::size_t elements = run_.partition.total;
            if (member.plan.blocks > 1) {
                elements = 0;
                for (int block = 0; block < member.plan.scratch.count; ++block) {
                    const int index = (member.plan.scratch.first + block) % member.plan.blocks;
                    elements += offset(index + 1) - offset(index);
                }
                memory.first = offset(member.plan.scratch.first);
            }
            memory.elements.assign(elements, poison);
        }
    }

    std::size_t elements_of(const Step& step) const {
        return offset(step.first + step.count) - offset(step.first);
    }

    /// The elements of a vector that a step's blocks have from block `first` on, or an error when they do not
    /// exist.
    std::span<std::string> elements(int rank, plan::Vector vector, int first, const Step& step) {
        Member& member = member_of(rank);
        const auto space = run_.in_place && vector.space() == static_cast<std::size_t>(Space::output)
                               ? static_cast<std::size_t>(Space::input)
                               : vector.space();
        Memory& memory = member.vectors.at(space);
        const std::size_t start = offset(first) + (vector.lapped() ? run_.partition.total : 0);
        const std::size_t count = elements_of(step);
        if (count != offset(first + step.count) - offset(first)) {
            throw std::runtime_error("a step from blocks of one size to blocks of another");
        }
        if (count == 0) {
            return {};
        }
        if (start < memory.first || start - memory.first + count > memory.elements.size()) {
            throw std::runtime_error("an access beyond vector " + std::to_string(space) + " of member " +
                                     std::to_string(rank));
        }
        return std::span(memory.elements).subspan(start - memory.first, count);
    }

    std::span<std::string> target(int rank, const Step& step) {
        return elements(step.to.remote() ? step.peer() : rank, step.to, step.first, step);
    }

    std::span<std::string> operand(int rank, plan::Vector vector, const Step& step) {
        return elements(vector.remote() ? step.peer() : rank, vector, step.from(), step);
    }

    Slot& slot(int rank, int operation, int index) {
        return member_of(rank).slots[static_cast<std::size_t>(operation % 2)].at(
            static_cast<std::size_t>(index));
    }

    bool there(int rank, int peer, const Step& step) {
        const int operation = member_of(rank).operation;
        const Slot& theirs = slot(peer, operation, step.slot);
        const bool opens = step.code == Code::open || step.code == Code::open_every;
        const int point = opens ? 0 : step.point();
        return theirs.operation > operation || (theirs.operation == operation && theirs.point >= point);
    }

    /// The same for the first members.
    bool all_there(int rank, int members, const Step& step) {
        for (int peer = 0; peer < members; ++peer) {
            if (peer != rank && !there(rank, peer, step)) {
                return false;
            }
        }
        return true;
    }

    bool all_listed_there(int rank, const Step& step) {
        return std::ranges::all_of(
            operands_of(member_of(rank).plan, step), [&](const plan::Operand& operand) {
                return operand.peer == rank || there(rank, operand.peer, received_from(step, operand));
            });
    }

    /// Messages of the operation before the last may still be read where nobody waits for everybody: before
    /// one is written over, everybody must have come to the last operation.
    bool settled(int rank) const {
        const int before = member_of(rank).operation - 1;
        return detail::traits_of(collective_).needs_all ||
               std::ranges::all_of(members_,
                                   [&](const Member& member) { return member.operation >= before; });
    }

    bool ready(int rank, const Step& step) {
        switch (step.code) {
        case Code::carry:
            return settled(rank);
        case Code::open:
        case Code::await:
        case Code::receive:
            return there(rank, step.peer(), step);
        case Code::open_every:
        case Code::await_every:
        case Code::reduce_every_received:
            return all_there(rank, ranks_, step);
        case Code::reduce_first_received:
            return all_there(rank, step.operands(), step);
        case Code::reduce_listed_received:
            return all_listed_there(rank, step);
        default:
            return true;
        }
    }

    bool has_entered(const Member& other, int operation) const {
        return other.operation > operation ||
               (other.operation == operation && (other.next > 0 || other.plan.steps.empty()));
    }

    /// One step, or the return to the caller. False when the member has to wait.
    bool advance(int rank) {
        Member& member = member_of(rank);
        if (member.next == member.plan.steps.size()) {
            leave(rank);
            return true;
        }
        const Step& step = member.plan.steps[member.next];
        if (!ready(rank, step)) {
            return false;
        }
        ++member.next;
        execute(rank, step);
        return true;
    }

    void publish(int rank, const Step& step, bool carries) {
        const int operation = member_of(rank).operation;
        Slot& own = slot(rank, operation, step.slot);
        own = {operation, step.point(), carries, {}};
        if (carries) {
            const auto source = elements(rank, step.left, step.from(), step);
            own.payload.assign(source.begin(), source.end());
        }
    }

    std::vector<std::string> payload(int rank, int peer, const Step& step) {
        const Slot& theirs = slot(peer, member_of(rank).operation, step.slot);
        if (theirs.operation != member_of(rank).operation || theirs.point != step.point() ||
            !theirs.carries) {
            throw std::runtime_error("what member " + std::to_string(peer) + " carried is gone");
        }
        return theirs.payload;
    }

    /// The part of a payload that a step's blocks have in it.
    std::span<const std::string> part(const std::vector<std::string>& payload, const Step& step) const {
        const std::size_t count = elements_of(step);
        const std::size_t start = step.whole != 0 ? offset(step.from()) : 0;
        if (start + count > payload.size() || (step.whole == 0 && count != payload.size())) {
            throw std::runtime_error("a payload of another size");
        }
        return std::span(payload).subspan(start, count);
    }

    void execute(int rank, const Step& step) {
        Member& member = member_of(rank);
        switch (step.code) {
        case Code::enter:
        case Code::publish:
            return publish(rank, step, false);
        case Code::carry:
            return publish(rank, step, true);
        case Code::receive:
            member.received = payload(rank, step.peer(), step);
            return;
        case Code::copy:
            return store(target(rank, step), operand(rank, step.left, step));
        case Code::copy_received:
            return store(target(rank, step), part(member.received, step));
        case Code::copy_to_every:
            for (int peer = 0; peer < ranks_; ++peer) {
                store(elements(peer, step.to, step.first, step), operand(rank, step.left, step));
            }
            return;
        case Code::reduce:
            return combine(target(rank, step), operand(rank, step.left, step),
                           operand(rank, step.right, step));
        case Code::reduce_received:
            return combine(target(rank, step), operand(rank, step.left, step), part(member.received, step));
        case Code::reduce_every:
        case Code::reduce_every_to_every:
        case Code::reduce_every_received:
            return reduce_several(rank, ranks_, step);
        case Code::reduce_first:
        case Code::reduce_first_received:
        case Code::reduce_listed:
        case Code::reduce_listed_to_listed:
        case Code::reduce_listed_received:
            return reduce_several(rank, step.operands(), step);
        case Code::scan_every:
        case Code::exscan_every:
            return scan_every(rank, step);
        case Code::match:
        case Code::match_every:
        case Code::exchange:
            throw std::runtime_error("a step for counts of one's own, which the interpreter does not know");
        case Code::open:
        case Code::open_every:
        case Code::await:
        case Code::await_every:
            return;
        }
    }

    static void store(std::span<std::string> to, std::span<const std::string> from) {
        if (to.data() != from.data()) {
            std::ranges::copy(from, to.begin());
        }
    }

    static void combine(std::span<std::string> to, std::span<const std::string> left,
                        std::span<const std::string> right) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = combined(left[i], right[i]);
        }
    }

    std::vector<std::string> listed(int rank, const plan::Operand& listed, const Step& step) {
        if (step.code == Code::reduce_listed_received && listed.peer != rank) {
            const Step one = received_from(step, listed);
            const std::vector<std::string> eager = payload(rank, listed.peer, one);
            const std::span<const std::string> found = part(eager, one);
            return {found.begin(), found.end()};
        }
        const std::span<const std::string> found =
            elements(listed.vector.remote() ? listed.peer : rank, listed.vector, step.first, step);
        return {found.begin(), found.end()};
    }

    std::vector<std::string> operand_of_every(int rank, int peer, const Step& step) {
        if (step.code == Code::reduce_listed || step.code == Code::reduce_listed_to_listed ||
            step.code == Code::reduce_listed_received) {
            return listed(rank, operands_of(member_of(rank).plan, step)[static_cast<std::size_t>(peer)],
                          step);
        }
        std::span<const std::string> found;
        std::vector<std::string> eager;
        const bool is_carried =
            step.code == Code::reduce_every_received || step.code == Code::reduce_first_received;
        if (is_carried && peer != rank) {
            eager = payload(rank, peer, step);
            found = part(eager, step);
        } else {
            found = elements(peer, step.left, step.from(), step);
        }
        return {found.begin(), found.end()};
    }

    /// In the order of the tree, which is what calls ask for unless they say something else.
    std::vector<std::string> sum_of(int rank, int members, const Step& step) {
        return test::in_tree(
            static_cast<std::size_t>(members),
            [&](std::size_t peer) { return operand_of_every(rank, static_cast<int>(peer), step); },
            [](std::vector<std::string> left, const std::vector<std::string>& right) {
                combine(left, left, right);
                return left;
            });
    }

    std::span<const plan::Operand> listed_targets(int rank, const Step& step) {
        return step.code == Code::reduce_listed_to_listed ? targets_of(member_of(rank).plan, step)
                                                          : std::span<const plan::Operand>();
    }

    void reduce_several(int rank, int members, const Step& step) {
        std::vector<std::string> sum = sum_of(rank, members, step);
        if (step.code != Code::reduce_every_to_every) {
            for (const plan::Operand& to : listed_targets(rank, step)) {
                store(elements(to.peer, to.vector, step.first, step), sum);
            }
            return store(target(rank, step), sum);
        }
        for (int peer = 0; peer < ranks_; ++peer) {
            store(elements(peer, step.to, step.first, step), sum);
        }
    }

    /// The memory may be the operands' own.
    void scan_every(int rank, const Step& step) {
        std::vector<std::vector<std::string>> prefixes;
        for (int members = 1; members <= ranks_; ++members) {
            prefixes.push_back(sum_of(rank, members, step));
        }
        const int first = step.code == Code::exscan_every ? 1 : 0;
        for (int peer = first; peer < ranks_; ++peer) {
            store(elements(peer, step.to, step.first, step),
                  prefixes[static_cast<std::size_t>(peer - first)]);
        }
    }

    void leave(int rank) {
        Member& member = member_of(rank);
        for (const Member& other : members_) {
            if (caller_.everybody_enters_first() && !has_entered(other, member.operation)) {
                throw std::runtime_error("member " + std::to_string(rank) + " returns before member " +
                                         std::to_string(other.plan.rank) + " has entered");
            }
        }
        for (const Space space : {Space::input, Space::output}) {
            const std::string problem =
                caller_.check(rank, space, member.operation, member.vectors[static_cast<std::size_t>(space)]);
            if (!problem.empty()) {
                throw std::runtime_error(problem);
            }
        }
        if (++member.operation < operations) {
            enter(rank);
        }
    }

    const Run& run_;
    Caller caller_;
    Collective collective_;
    int ranks_;
    std::mt19937 random_;
    std::vector<Member> members_;
};

} // namespace

std::string interpret(const schedule::Synchronised& synchronised, const Run& run) {
    try {
        Interpreter(synchronised, run).run();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

} // namespace tutti::test
