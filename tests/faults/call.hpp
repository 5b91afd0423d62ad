#pragma once

#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tutti::faults {

/// One collective call with everything that a member can get wrong.
struct Call {
    Collective collective = Collective::barrier;
    /// Of a block where the vector is divided by rank, else of the vector.
    std::size_t elements = 1;
    bool of_floats = false;
    bool with_max = false;
    /// The operator throws on members that say so in `throws`.
    bool may_throw = false;
    bool throws = false;
    /// 0: equal blocks; else irregular ones, of which the first is larger by so much and the last smaller.
    std::size_t skew = 0;
    int root = 0;
    std::string_view algorithm = {};
    Order order = Order::any;
    bool in_place = false;
    /// The result goes into one vector for all; null: into vectors of one's own.
    std::vector<float>* shared_floats = nullptr;
    std::vector<int>* shared_ints = nullptr;
    /// Every member gives this vector for its own result.
    std::vector<int>* same_ints = nullptr;
};

/// An operator that throws, where it is asked to.
struct MayThrow {
    bool throws = false;

    template <class T>
    T operator()(const T& a, const T& b) const {
        if (throws) {
            throw std::runtime_error("the operator gave up");
        }
        return a < b ? a : b;
    }
};

inline bool reduces(Collective collective) {
    using enum Collective;
    return collective == reduce || collective == allreduce || collective == reduce_scatter ||
           collective == scan || collective == exscan;
}

inline bool divides(Collective collective) {
    using enum Collective;
    return collective == reduce_scatter || collective == allgather || collective == gather ||
           collective == scatter || collective == alltoall;
}

/// Makes the call with vectors of one's own, unless it says otherwise.
template <class T>
class Maker {
public:
    Maker(Member& me, const Call& call, std::vector<T>* shared, std::vector<T>* same)
        : me_(me), call_(call), options_{.algorithm = call.algorithm, .order = call.order}, shared_(shared),
          size_(static_cast<std::size_t>(me.size())), counts_(size_, call.elements) {
        counts_.front() += call.skew;
        counts_.back() -= std::min(call.skew, counts_.back());
        std::size_t whole = call.elements;
        if (divides(call.collective)) {
            whole = 0;
            for (const std::size_t count : counts_) {
                whole += count;
            }
        }
        whole_.assign(whole, T{1});
        block_.assign(counts_[static_cast<std::size_t>(me.rank())], T{1});
        result_.assign(whole, T{});
        out_ = same != nullptr ? std::span(*same).first(whole) : std::span(result_);
    }

    void make() {
        if (call_.may_throw) {
            return with_operator(MayThrow{call_.throws});
        }
        call_.with_max ? with_operator(max) : with_operator(sum);
    }

private:
    template <class Op>
    void with_operator(const Op& op) {
        using enum Collective;
        switch (call_.collective) {
        case barrier:
            return me_.barrier(options_);
        case broadcast:
            return me_.broadcast(out_, call_.root, options_);
        case reduce:
            return call_.in_place ? me_.reduce(whole_, op, call_.root, options_)
                                  : me_.reduce(whole_, out_, op, call_.root, options_);
        case allreduce:
            return call_.in_place       ? me_.allreduce(whole_, op, options_)
                   : shared_ != nullptr ? me_.allreduce(whole_, shared(shared_part()), op, options_)
                                        : me_.allreduce(whole_, out_, op, options_);
        case reduce_scatter:
            return scattered(op);
        case scan:
            return call_.in_place ? me_.scan(whole_, op, options_) : me_.scan(whole_, out_, op, options_);
        case exscan:
            return call_.in_place ? me_.exscan(whole_, op, options_) : me_.exscan(whole_, out_, op, options_);
        case allgather:
        case gather:
        case scatter:
        case alltoall:
        case shift:
            return moved();
        }
    }

    template <class Op>
    void scattered(const Op& op) {
        const auto block = out_.first(block_.size());
        if (call_.skew != 0) {
            return me_.reduce_scatter(whole_, block, Counts(counts_), op, options_);
        }
        call_.in_place ? me_.reduce_scatter(whole_, op, options_)
                       : me_.reduce_scatter(whole_, block, op, options_);
    }

    void moved() {
        using enum Collective;
        const bool irregular = call_.skew != 0;
        const Counts counts(counts_);
        const bool whole_here = me_.rank() == call_.root;
        switch (call_.collective) {
        case allgather:
            if (shared_ != nullptr) {
                return me_.allgather(block_, shared(shared_part()), options_);
            }
            return irregular        ? me_.allgather(block_, out_, counts, options_)
                   : call_.in_place ? me_.allgather(whole_, options_)
                                    : me_.allgather(block_, out_, options_);
        case gather:
            return irregular        ? me_.gather(block_, out_, counts, call_.root, options_)
                   : call_.in_place ? me_.gather(whole_here ? whole_ : block_, call_.root, options_)
                                    : me_.gather(block_, out_, call_.root, options_);
        case scatter:
            return irregular ? me_.scatter(whole_, out_.first(block_.size()), counts, call_.root, options_)
                   : call_.in_place ? me_.scatter(whole_here ? whole_ : block_, call_.root, options_)
                                    : me_.scatter(whole_, out_.first(block_.size()), call_.root, options_);
        case alltoall:
            return irregular        ? exchanged()
                   : call_.in_place ? me_.alltoall(whole_, options_)
                                    : me_.alltoall(whole_, out_, options_);
        default:
            return call_.in_place ? me_.shift(whole_, call_.root, options_)
                                  : me_.shift(whole_, out_, call_.root, options_);
        }
    }

    /// Everybody sends blocks of these counts, and therefore gets blocks of its own one.
    void exchanged() {
        const std::size_t own = counts_[static_cast<std::size_t>(me_.rank())];
        const std::vector<std::size_t> received(size_, own);
        result_.assign(own * size_, T{});
        me_.alltoall(whole_, Counts(counts_), result_, Counts(received), options_);
    }

    std::span<T> shared_part() { return std::span(*shared_).first(whole_.size()); }

    Member& me_;
    const Call& call_;
    Options options_;
    std::vector<T>* shared_;
    std::size_t size_;
    std::vector<std::size_t> counts_;
    std::vector<T> whole_;
    std::vector<T> block_;
    std::vector<T> result_;
    std::span<T> out_;
};

inline void make(Member& me, const Call& call) {
    if (call.of_floats) {
        Maker<float>(me, call, call.shared_floats, nullptr).make();
    } else {
        Maker<int>(me, call, call.shared_ints, call.same_ints).make();
    }
}

} // namespace tutti::faults
