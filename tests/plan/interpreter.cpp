#include "interpreter.hpp"

#include "interpreter_state.hpp"
#include "plan/plan.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace tutti::test {

using plan::Code;
using plan::Plan;
using plan::Step;
using schedule::Collective;
using schedule::Space;

namespace {

class Interpreter {
public:
    Interpreter(const schedule::Synchronised& synchronised, const Run& run)
        : run_(run), collective_(synchronised.schedule.collective()), ranks_(synchronised.schedule.ranks()),
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

    void run() {
        std::vector<int> unfinished(members_.size());
        for (int rank = 0; rank < ranks_; ++rank) {
            unfinished[static_cast<std::size_t>(rank)] = rank;
        }
        while (!unfinished.empty()) {
            std::ranges::shuffle(unfinished, random_);
            const bool progress =
                std::ranges::count_if(unfinished, [&](int rank) { return advance(rank); }) != 0;
            if (!progress) {
                throw std::runtime_error("deadlock");
            }
            std::erase_if(unfinished, [&](int rank) { return member_of(rank).operation == operations; });
        }
    }

private:
    Member& member_of(int rank) { return members_[static_cast<std::size_t>(rank)]; }

    std::size_t offset(int block) const { return run_.partition.offset(static_cast<std::size_t>(block)); }

    bool own_block_only(Space space) const {
        return (collective_ == Collective::allgather && space == Space::input) ||
               (collective_ == Collective::reduce_scatter && space == Space::output);
    }

    /// Input and output as the caller prepares them, scratch memory exactly as large as the plan says.
    void enter(int rank) {
        Member& member = member_of(rank);
        const std::size_t total = run_.partition.total;
        for (const Space space : {Space::input, Space::output}) {
            Memory& memory = member.vectors[static_cast<std::size_t>(space)];
            const bool part = own_block_only(space) && !run_.in_place;
            memory.first = part ? offset(rank) : 0;
            memory.elements.assign((part ? offset(rank + 1) : total) - memory.first, poison);
        }
        Memory& input = member.vectors[static_cast<std::size_t>(Space::input)];
        for (std::size_t i = 0; i < input.elements.size(); ++i) {
            const std::size_t element = input.first + i;
            const bool contributes = collective_ != Collective::allgather ||
                                     (element >= offset(rank) && element < offset(rank + 1));
            input.elements[i] = contributes ? leaf(rank, member.operation, element) : poison;
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

    /// The elements that a step's blocks have in a vector, or an error when they do not exist.
    std::span<std::string> elements(int rank, plan::Vector vector, const Step& step) {
        Member& member = member_of(rank);
        const auto space = run_.in_place && vector.space() == static_cast<std::size_t>(Space::output)
                               ? static_cast<std::size_t>(Space::input)
                               : vector.space();
        Memory& memory = member.vectors.at(space);
        const std::size_t start = offset(step.first) + (vector.lapped() ? run_.partition.total : 0);
        const std::size_t count = offset(step.first + step.count) - offset(step.first);
        if (count == 0) {
            return {};
        }
        if (start < memory.first || start - memory.first + count > memory.elements.size()) {
            throw std::runtime_error("an access beyond vector " + std::to_string(space) + " of member " +
                                     std::to_string(rank));
        }
        return std::span(memory.elements).subspan(start - memory.first, count);
    }

    std::span<std::string> operand(int rank, plan::Vector vector, const Step& step) {
        return elements(vector.remote() ? step.peer : rank, vector, step);
    }

    Slot& slot(int rank, int operation, int index) {
        return member_of(rank).slots[static_cast<std::size_t>(operation % 2)].at(
            static_cast<std::size_t>(index));
    }

    bool there(int rank, int peer, const Step& step) {
        const int operation = member_of(rank).operation;
        const Slot& theirs = slot(peer, operation, step.slot);
        return theirs.operation > operation || (theirs.operation == operation && theirs.point >= step.point);
    }

    bool all_there(int rank, const Step& step) {
        for (int peer = 0; peer < ranks_; ++peer) {
            if (peer != rank && !there(rank, peer, step)) {
                return false;
            }
        }
        return true;
    }

    bool ready(int rank, const Step& step) {
        switch (step.code) {
        case Code::open:
        case Code::await:
        case Code::receive:
            return there(rank, step.peer, step);
        case Code::open_every:
        case Code::await_every:
        case Code::reduce_every_received:
            return all_there(rank, step);
        default:
            return true;
        }
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
        carry_out(rank, step);
        return true;
    }

    void publish(int rank, const Step& step, bool carries) {
        const int operation = member_of(rank).operation;
        Slot& own = slot(rank, operation, step.slot);
        own = {operation, step.point, carries, {}};
        if (carries) {
            const auto source = elements(rank, step.left, step);
            own.payload.assign(source.begin(), source.end());
            member_of(rank).carried = own.payload;
        }
    }

    std::vector<std::string> payload(int rank, int peer, const Step& step) {
        const Slot& theirs = slot(peer, member_of(rank).operation, step.slot);
        if (theirs.operation != member_of(rank).operation || theirs.point != step.point || !theirs.carries) {
            throw std::runtime_error("what member " + std::to_string(peer) + " carried is gone");
        }
        return theirs.payload;
    }

    /// The part of a payload that a step's blocks have in it.
    std::span<const std::string> part(const std::vector<std::string>& payload, const Step& step) const {
        const std::size_t count = offset(step.first + step.count) - offset(step.first);
        const std::size_t start = step.whole != 0 ? offset(step.first) : 0;
        if (start + count > payload.size() || (step.whole == 0 && count != payload.size())) {
            throw std::runtime_error("a payload of another size");
        }
        return std::span(payload).subspan(start, count);
    }

    void carry_out(int rank, const Step& step) {
        Member& member = member_of(rank);
        switch (step.code) {
        case Code::enter:
        case Code::publish:
            return publish(rank, step, false);
        case Code::carry:
            return publish(rank, step, true);
        case Code::receive:
            member.received = payload(rank, step.peer, step);
            return;
        case Code::copy:
            return store(elements(rank, step.to, step), operand(rank, step.left, step));
        case Code::copy_received:
            return store(elements(rank, step.to, step), part(member.received, step));
        case Code::copy_to_every:
            for (int peer = 0; peer < ranks_; ++peer) {
                store(elements(peer, step.to, step), elements(rank, step.left, step));
            }
            return;
        case Code::reduce:
            return combine(elements(rank, step.to, step), operand(rank, step.left, step),
                           operand(rank, step.right, step));
        case Code::reduce_received:
            return combine(elements(rank, step.to, step), operand(rank, step.left, step),
                           part(member.received, step));
        case Code::reduce_every:
        case Code::reduce_every_to_every:
        case Code::reduce_every_received:
            return reduce_every(rank, step);
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

    std::vector<std::string> operand_of_every(int rank, int peer, const Step& step) {
        std::span<const std::string> found;
        std::vector<std::string> carried;
        if (step.code == Code::reduce_every_received && ranks_ > 1) {
            carried = peer == rank ? member_of(rank).carried : payload(rank, peer, step);
            found = part(carried, step);
        } else {
            found = elements(peer, step.left, step);
        }
        return {found.begin(), found.end()};
    }

    void reduce_every(int rank, const Step& step) {
        std::vector<std::string> sum = operand_of_every(rank, 0, step);
        for (int peer = 1; peer < ranks_; ++peer) {
            combine(sum, sum, operand_of_every(rank, peer, step));
        }
        for (int peer = 0; peer < ranks_; ++peer) {
            if (peer == rank || step.code == Code::reduce_every_to_every) {
                store(elements(peer, step.to, step), sum);
            }
        }
    }

    void leave(int rank) {
        Member& member = member_of(rank);
        for (const Member& other : members_) {
            const bool entered = other.operation > member.operation ||
                                 (other.operation == member.operation && (other.next > 0 || ranks_ == 1));
            if (!entered) {
                throw std::runtime_error("member " + std::to_string(rank) + " returns before member " +
                                         std::to_string(other.plan.rank) + " has entered");
            }
        }
        if (collective_ != Collective::barrier) {
            check(rank);
        }
        if (++member.operation < operations) {
            enter(rank);
        }
    }

    void check(int rank) {
        const Member& member = member_of(rank);
        const Memory& output =
            member.vectors[static_cast<std::size_t>(run_.in_place ? Space::input : Space::output)];
        for (std::size_t i = 0; i < output.elements.size(); ++i) {
            const std::size_t element = output.first + i;
            const bool own = element >= offset(rank) && element < offset(rank + 1);
            if (collective_ == Collective::reduce_scatter && !own) {
                expect(rank, output.elements[i] == leaf(rank, member.operation, element), output.elements[i]);
            } else {
                check_result(rank, element, output.elements[i]);
            }
        }
        if (!run_.in_place) {
            const Memory& input = member.vectors[static_cast<std::size_t>(Space::input)];
            for (std::size_t i = 0; i < input.elements.size(); ++i) {
                expect(rank, input.elements[i] == leaf(rank, member.operation, input.first + i),
                       input.elements[i]);
            }
        }
    }

    int owner_of(std::size_t element) const {
        int block = 0;
        while (offset(block + 1) <= element) {
            ++block;
        }
        return block;
    }

    void check_result(int rank, std::size_t element, const std::string& found) {
        const int operation = member_of(rank).operation;
        if (collective_ == Collective::allgather) {
            return expect(rank, found == leaf(owner_of(element), operation, element), found);
        }
        std::string wanted = leaf(0, operation, element);
        std::vector<std::string> wanted_leaves{wanted};
        for (int peer = 1; peer < ranks_; ++peer) {
            wanted_leaves.push_back(leaf(peer, operation, element));
            wanted = combined(wanted, wanted_leaves.back());
        }
        if (run_.canonical) {
            return expect(rank, found == wanted, found);
        }
        std::ranges::sort(wanted_leaves);
        expect(rank, leaves(found) == wanted_leaves, found);
        if (run_.same_everywhere && collective_ == Collective::allreduce) {
            auto& agreed = agreed_[static_cast<std::size_t>(operation)];
            agreed.resize(run_.partition.total);
            agreed[element] = agreed[element].empty() ? found : agreed[element];
            expect(rank, found == agreed[element], found);
        }
    }

    void expect(int rank, bool good, const std::string& found) {
        if (!good) {
            throw std::runtime_error("member " + std::to_string(rank) + " in operation " +
                                     std::to_string(member_of(rank).operation) + " has " + found);
        }
    }

    const Run& run_;
    Collective collective_;
    int ranks_;
    std::mt19937 random_;
    std::vector<Member> members_;
    std::array<std::vector<std::string>, operations> agreed_;
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
