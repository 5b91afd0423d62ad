#pragma once

#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tutti::test {

using Vector = std::vector<std::int64_t>;

inline std::int64_t value(int rank, std::size_t i) {
    return static_cast<std::int64_t>(rank + 1) * 7 + static_cast<std::int64_t>(i % 101) * (rank % 3 + 1);
}

inline Vector input(int rank, std::size_t count) {
    Vector values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = value(rank, i);
    }
    return values;
}

/// An affine map x -> a x + b on the integers modulo 2^32: applying one after the other does not commute.
struct Affine {
    std::uint32_t a;
    std::uint32_t b;
    friend bool operator==(const Affine&, const Affine&) = default;
};

inline constexpr auto compose = [](const Affine& f, const Affine& g) {
    return Affine{f.a * g.a, g.a * f.b + g.b};
};

inline std::vector<Affine> maps(int rank, std::size_t count) {
    std::vector<Affine> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = {static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(value(rank, i))};
    }
    return values;
}

/// x_first op ... op x_{end-1}, element by element.
template <class T, class Make, class Op>
std::vector<T> combined(int first, int end, std::size_t count, Make make, Op op) {
    std::vector<T> result = make(first, count);
    for (int rank = first + 1; rank < end; ++rank) {
        const std::vector<T> next = make(rank, count);
        for (std::size_t i = 0; i < count; ++i) {
            result[i] = op(result[i], next[i]);
        }
    }
    return result;
}

auto at(auto& vector, std::size_t index) {
    return vector.begin() + static_cast<std::ptrdiff_t>(index);
}

/// The collectives of one member, on vectors of `count` elements, or blocks where they are divided.
class Exam {
public:
    Exam(mpi::Member& me, std::size_t count, const mpi::Options& options)
        : me_(me), n_(count), size_(static_cast<std::size_t>(me.size())),
          rank_(static_cast<std::size_t>(me.rank())), options_(options) {}

    void reductions() {
        reduction(input, tutti::sum);
        reduction(input, tutti::max);
        reduction(maps, tutti::non_commutative(compose));
    }

    void prefixes() {
        prefix(input, tutti::sum);
        prefix(maps, tutti::non_commutative(compose));
    }

    void one_object() {
        const int last = me_.size() - 1;
        const long mine = me_.rank() + 1;
        const auto sum_to = [](long end) { return end * (end + 1) / 2; };
        CHECK(me_.allreduce(mine, tutti::sum, options_) == sum_to(last + 1));
        CHECK(me_.reduce(mine, tutti::sum, last, options_) == (me_.rank() == last ? sum_to(last + 1) : mine));
        CHECK(me_.broadcast(mine, last, options_) == last + 1);
        CHECK(me_.scan(mine, tutti::sum, options_) == sum_to(mine));
        CHECK(me_.exscan(mine, tutti::sum, options_) == (me_.rank() == 0 ? mine : sum_to(mine - 1)));
    }

    void allgather() {
        const Vector all = every();
        const Vector own = input(me_.rank(), n_);
        Vector out(n_ * size_, -1);
        me_.allgather(own, out, options_);
        CHECK(out == all);
        Vector inout(n_ * size_, -1);
        std::copy(own.begin(), own.end(), at(inout, rank_ * n_));
        me_.allgather(inout, options_);
        CHECK(inout == all);
    }

    void blocks() {
        allgather();
        const Vector all = every();
        for (const int root : {0, me_.size() - 1, me_.size() / 2}) {
            rooted_blocks(all, root);
        }
        exchange(false);
        exchange(true);
    }

    /// Collectives of irregular blocks, some of them empty.
    void irregular() {
        const auto [counts, offsets] = irregular_blocks();
        const Vector whole = input(5, offsets[size_]);
        const Vector own(at(whole, offsets[rank_]), at(whole, offsets[rank_ + 1]));
        const int root = me_.size() - 1;
        Vector out(whole.size(), -1);
        me_.gather(own, out, Counts(counts), root, options_);
        CHECK((me_.rank() != root || out == whole));
        Vector block(counts[rank_], -1);
        me_.scatter(whole, block, Counts(counts), root, options_);
        CHECK(block == own);
        irregular_everywhere();
    }

    /// Those of which every member wants something.
    void irregular_everywhere() {
        const auto [counts, offsets] = irregular_blocks();
        const std::size_t total = offsets[size_];
        const Vector whole = input(5, total);
        const Vector own(at(whole, offsets[rank_]), at(whole, offsets[rank_ + 1]));
        Vector out(total, -1);
        me_.allgather(own, out, Counts(counts), options_);
        CHECK(out == whole);
        Vector block(counts[rank_], -1);
        const Vector sums = combined<std::int64_t>(0, me_.size(), total, input, std::plus<>());
        const Vector wanted(at(sums, offsets[rank_]), at(sums, offsets[rank_ + 1]));
        me_.reduce_scatter(input(me_.rank(), total), block, Counts(counts), tutti::sum, options_);
        CHECK(block == wanted);
        Vector inout = input(me_.rank(), total);
        me_.reduce_scatter(inout, Counts(counts), tutti::sum, options_);
        CHECK(Vector(at(inout, offsets[rank_]), at(inout, offsets[rank_ + 1])) == wanted);
    }

    void broadcasts() {
        for (const int root : {0, me_.size() - 1, me_.size() / 2}) {
            Vector inout = input(me_.rank() == root ? root : 77, n_);
            me_.broadcast(inout, root, options_);
            CHECK(inout == input(root, n_));
        }
        me_.barrier();
    }

    template <class Make, class Op>
    void allreduce(Make make, const Op& op) {
        using T = typename decltype(make(0, 1))::value_type;
        const std::vector<T> all = combined<T>(0, me_.size(), n_, make, op);
        std::vector<T> out(n_);
        me_.allreduce(make(me_.rank(), n_), out, op, options_);
        CHECK(out == all);
        std::vector<T> inout = make(me_.rank(), n_);
        me_.allreduce(inout, op, options_);
        CHECK(inout == all);
    }

    template <class Make, class Op>
    void reduce(Make make, const Op& op) {
        using T = typename decltype(make(0, 1))::value_type;
        const std::vector<T> all = combined<T>(0, me_.size(), n_, make, op);
        for (const int root : {0, me_.size() - 1}) {
            const std::vector<T> in = make(me_.rank(), n_);
            std::vector<T> out(n_);
            me_.reduce(in, out, op, root, options_);
            CHECK(out == (me_.rank() == root ? all : std::vector<T>(n_)));
            std::vector<T> inout = in;
            me_.reduce(inout, op, root, options_);
            CHECK(inout == (me_.rank() == root ? all : in));
        }
    }

    template <class Make, class Op>
    void reduce_scatter(Make make, const Op& op) {
        using T = typename decltype(make(0, 1))::value_type;
        const std::vector<T> whole = combined<T>(0, me_.size(), n_ * size_, make, op);
        const auto first = static_cast<std::ptrdiff_t>(rank_ * n_);
        const std::vector<T> wanted(whole.begin() + first,
                                    whole.begin() + first + static_cast<std::ptrdiff_t>(n_));
        std::vector<T> block(n_);
        me_.reduce_scatter(make(me_.rank(), n_ * size_), block, op, options_);
        CHECK(block == wanted);
        std::vector<T> inout = make(me_.rank(), n_ * size_);
        me_.reduce_scatter(inout, op, options_);
        CHECK(std::equal(wanted.begin(), wanted.end(), inout.begin() + first));
    }

    template <class Make, class Op>
    void prefix(Make make, const Op& op) {
        using T = typename decltype(make(0, 1))::value_type;
        const std::vector<T> in = make(me_.rank(), n_);
        const std::vector<T> inclusive = combined<T>(0, me_.rank() + 1, n_, make, op);
        std::vector<T> out(n_);
        me_.scan(in, out, op, options_);
        CHECK(out == inclusive);
        std::vector<T> inout = in;
        me_.scan(inout, op, options_);
        CHECK(inout == inclusive);
        const std::vector<T> exclusive = me_.rank() == 0 ? in : combined<T>(0, me_.rank(), n_, make, op);
        out = in; // kept on member 0
        me_.exscan(in, out, op, options_);
        CHECK(out == exclusive);
        inout = in;
        me_.exscan(inout, op, options_);
        CHECK(inout == exclusive);
    }

private:
    /// Counts, and where the blocks start, and the end.
    std::pair<std::vector<std::size_t>, std::vector<std::size_t>> irregular_blocks() const {
        std::vector<std::size_t> counts(size_);
        std::vector<std::size_t> offsets(size_ + 1, 0);
        for (std::size_t i = 0; i < size_; ++i) {
            counts[i] = i % 3 == 1 ? 0 : n_ + i;
            offsets[i + 1] = offsets[i] + counts[i];
        }
        return {counts, offsets};
    }

    Vector every() const {
        Vector all;
        for (int rank = 0; rank < me_.size(); ++rank) {
            const Vector each = input(rank, n_);
            all.insert(all.end(), each.begin(), each.end());
        }
        return all;
    }

    template <class Make, class Op>
    void reduction(Make make, const Op& op) {
        allreduce(make, op);
        reduce(make, op);
        reduce_scatter(make, op);
    }

    void rooted_blocks(const Vector& all, int root) {
        const bool is_root = me_.rank() == root;
        const Vector own = input(me_.rank(), n_);
        Vector out(is_root ? n_ * size_ : 0, -1);
        me_.gather(own, out, root, options_);
        CHECK((!is_root || out == all));
        Vector inout = own;
        if (is_root) {
            inout.assign(n_ * size_, -1);
            std::copy(own.begin(), own.end(), at(inout, rank_ * n_));
        }
        me_.gather(inout, root, options_);
        CHECK(inout == (is_root ? all : own));
        Vector block(n_, -1);
        me_.scatter(is_root ? all : Vector(), block, root, options_);
        CHECK(block == own);
        inout = is_root ? all : Vector(n_, -1);
        me_.scatter(inout, root, options_);
        CHECK(inout == (is_root ? all : own));
    }

    void exchange(bool in_place) {
        Vector in(n_ * size_);
        Vector wanted(n_ * size_);
        for (std::size_t other = 0; other < size_; ++other) {
            for (std::size_t i = 0; i < n_; ++i) {
                in[other * n_ + i] = value(me_.rank(), i) * 100 + static_cast<std::int64_t>(other);
                wanted[other * n_ + i] = value(static_cast<int>(other), i) * 100 + me_.rank();
            }
        }
        Vector out(n_ * size_, -1);
        mpi::Options options = options_;
        if (options.algorithm != "library") {
            options.algorithm = {};
        }
        if (in_place) {
            me_.alltoall(in, options);
        } else {
            me_.alltoall(in, out, options);
        }
        CHECK((in_place ? in : out) == wanted);
    }

    mpi::Member& me_;
    std::size_t n_;
    std::size_t size_;
    std::size_t rank_;
    mpi::Options options_;
};

} // namespace tutti::test
