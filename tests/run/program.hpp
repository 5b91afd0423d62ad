#pragma once

#include "call.hpp"
#include "support.hpp"

namespace tutti::test {

/// Calls that members make back to back, the memory for them, and what should be in it. Every call of every
/// member has vectors of its own, between guards.
class Program {
public:
    explicit Program(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
    /// The same call of all members, several times.
    static Program repeated(const Call& call, std::size_t times) {
        Program program(call.ranks());
        program.add(call, times);
        program.finish();
        return program;
    }

    /// Appends a call that all members make, or one for each that makes another.
    void add(const Call& call, std::size_t times = 1) { calls_.insert(calls_.end(), ranks_ * times, &call); }
    void add(const std::vector<const Call*>& calls) {
        calls_.insert(calls_.end(), calls.begin(), calls.end());
    }
    /// Lays out the memory; then nothing more is added.
    void finish();

    int ranks() const { return static_cast<int>(ranks_); }
    std::size_t operations() const { return calls_.size() / ranks_; }
    const Call& call(std::size_t operation, int rank) const { return *calls_[index(operation, rank)]; }

    /// The memory as it is before the first call. Allocates nothing.
    void reset() { memory_ = before_; }
    const Element* input(std::size_t operation, int rank) const {
        return memory_.data() +
               (call(operation, rank).in_place() ? outputs_ : inputs_)[index(operation, rank)].first;
    }
    Element* output(std::size_t operation, int rank) {
        return memory_.data() + outputs_[index(operation, rank)].first;
    }

    /// The member's call has returned. Whether its vectors hold what they should; then its caller fills them
    /// with rubbish.
    bool take_back(std::size_t operation, int rank);
    /// The member's calls from that one on do not return: what is in their vectors is of no interest.
    void abandon(std::size_t operation, int rank);
    /// All are through. Whether nobody has touched anything of what callers had back, nor what is no vector.
    bool is_untouched() const { return memory_ == at_the_end_; }

    /// The fault of the vectors, after take_back().
    std::string complaint(std::size_t operation, int rank) const;
    std::string name() const;

private:
    struct Vector {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    std::size_t index(std::size_t operation, int rank) const {
        return operation * ranks_ + static_cast<std::size_t>(rank);
    }
    Vector lay_out(const std::vector<Element>& before, const std::vector<Element>& after);
    void fill(std::size_t at);

    std::size_t ranks_;
    /// The call and the vectors of each operation and member.
    std::vector<const Call*> calls_;
    std::vector<Vector> inputs_;
    std::vector<Vector> outputs_;

    std::vector<Element> memory_;
    std::vector<Element> before_;
    std::vector<Element> after_;
    std::vector<Element> at_the_end_;
    std::vector<Element> found_;
};

} // namespace tutti::test
