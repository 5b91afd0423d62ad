#pragma once

#include "call.hpp"
#include "schedule/schedule.hpp"
#include "support.hpp"

namespace tutti::test {

/// Calls that members make back to back, the memory for them, and what should be in it. Every call of every
/// member has vectors of its own, between guards.
class Program {
public:
    explicit Program(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

    /// Appends a call that all members make, or one for each that makes another.
    void add(const Call& call) { calls_.insert(calls_.end(), ranks_, &call); }
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
        return memory_.data() + input_at(operation, rank).first;
    }
    Element* output(std::size_t operation, int rank) {
        const std::size_t at = index(operation, rank);
        return memory_.data() + (calls_[at]->in_place() ? inputs_[at] : outputs_[at]).first;
    }

    /// The member's call has returned. Whether its vectors hold what they should; then its caller fills them
    /// with rubbish.
    bool take_back(std::size_t operation, int rank);
    /// The member's calls from that one on do not return: what is in their vectors is of no interest.
    void abandon(std::size_t operation, int rank);
    /// All are through. Whether nobody has touched anything of what callers had back, nor what is no vector.
    bool is_untouched() const { return memory_ == at_the_end_; }

    /// The fault of the vectors, after take_back(); else after is_untouched().
    std::string complaint(std::size_t operation, int rank) const;
    std::string late_complaint() const;
    std::string name() const;

private:
    struct Vector {
        std::size_t first = 0;
        std::size_t count = 0;
    };

    std::size_t index(std::size_t operation, int rank) const {
        return operation * ranks_ + static_cast<std::size_t>(rank);
    }
    const Vector& input_at(std::size_t operation, int rank) const { return inputs_[index(operation, rank)]; }
    Vector lay_out(std::size_t operation, int rank, schedule::Space space);
    void fill(std::size_t at);
    Element result(std::size_t operation, int rank, std::size_t element) const;

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
