// Every collective against what a loop over the global ranks gives.

#include "support.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>

namespace tutti::test {

namespace {

using Vector = std::vector<std::int64_t>;

std::int64_t value(int rank, std::size_t i) {
    return static_cast<std::int64_t>(rank + 1) * 7 + static_cast<std::int64_t>(i % 101) * (rank % 3 + 1);
}

Vector input(int rank, std::size_t count) {
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

constexpr auto compose = [](const Affine& f, const Affine& g) { return Affine{f.a * g.a, g.a * f.b + g.b}; };

std::vector<Affine> maps(int rank, std::size_t count) {
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

    void blocks() {
        const Vector all = every();
        const Vector own = input(me_.rank(), n_);
        Vector out(n_ * size_, -1);
        me_.allgather(own, out, options_);
        CHECK(out == all);
        Vector inout(n_ * size_, -1);
        std::copy(own.begin(), own.end(), at(inout, rank_ * n_));
        me_.allgather(inout, options_);
        CHECK(inout == all);
        for (const int root : {0, me_.size() - 1, me_.size() / 2}) {
            rooted_blocks(all, root);
        }
        exchange(false);
        exchange(true);
    }

    void irregular() {
        std::vector<std::size_t> counts(size_);
        std::vector<std::size_t> offsets(size_ + 1, 0);
        for (std::size_t i = 0; i < size_; ++i) {
            counts[i] = i % 3 == 1 ? 0 : n_ + i;
            offsets[i + 1] = offsets[i] + counts[i];
        }
        const std::size_t total = offsets[size_];
        const Vector whole = input(5, total);
        const auto block_of = [&](std::size_t i) {
            return Vector(whole.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                          whole.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
        };
        const Vector own = block_of(rank_);
        Vector out(total, -1);
        me_.allgather(own, out, Counts(counts), options_);
        CHECK(out == whole);
        const int root = me_.size() - 1;
        out.assign(total, -1);
        me_.gather(own, out, Counts(counts), root, options_);
        CHECK((me_.rank() != root || out == whole));
        Vector block(counts[rank_], -1);
        me_.scatter(whole, block, Counts(counts), root, options_);
        CHECK(block == own);
        const Vector sums = combined<std::int64_t>(0, me_.size(), total, input, std::plus<>());
        const Vector wanted(sums.begin() + static_cast<std::ptrdiff_t>(offsets[rank_]),
                            sums.begin() + static_cast<std::ptrdiff_t>(offsets[rank_ + 1]));
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

private:
    static Vector::iterator at(Vector& vector, std::size_t index) {
        return vector.begin() + static_cast<std::ptrdiff_t>(index);
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
        using T = typename decltype(make(0, 1))::value_type;
        allreduce(make, op);
        reduce(make, op);
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

void examine(mpi::Member& me, std::size_t count, const mpi::Options& options) {
    Exam exam(me, count, options);
    exam.broadcasts();
    exam.reductions();
    exam.prefixes();
    exam.blocks();
    exam.irregular();
}

int most_members() {
    return thread_level() == MPI_THREAD_SINGLE ? 1 : 4;
}

void sliced(mpi::Member& me, std::size_t count, const mpi::Options& options) {
    Exam exam(me, count, options);
    exam.broadcasts();
    exam.allreduce(input, tutti::sum);
    exam.reduce(maps, tutti::non_commutative(compose));
    exam.allreduce(maps, tutti::non_commutative(compose));
}

} // namespace

TEST_CASE("all collectives, up to 4 processes of up to 4 members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (int members = 1; members <= most_members(); ++members) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, members, [](mpi::Member& me) {
                    for (const std::size_t count : {0U, 1U, 5U, 300U}) {
                        examine(me, count, {});
                    }
                });
            }
        });
    }
}

TEST_CASE("processes with different numbers of members") {
    if (most_members() == 1) {
        return;
    }
    for (const std::array<int, 4>& members : {std::array{1, 3, 2, 4}, std::array{4, 1, 1, 2}}) {
        for (int processes = 2; processes <= 4; ++processes) {
            on_processes(processes, [&](MPI_Comm part) {
                on_members(part, members[static_cast<std::size_t>(process_of_world())], [](mpi::Member& me) {
                    for (const std::size_t count : {1U, 7U, 1000U}) {
                        examine(me, count, {});
                    }
                });
            });
        }
    }
}

TEST_CASE("the MPI library's own collectives") {
    for (int processes = 1; processes <= 3; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, std::min(2, most_members()), [](mpi::Member& me) {
                for (const std::size_t count : {1U, 1000U}) {
                    examine(me, count, {.algorithm = "library"});
                }
            });
        });
    }
}

TEST_CASE("long vectors") {
    for (int processes = 2; processes <= 3; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, std::min(2, most_members()), [](mpi::Member& me) {
                Exam exam(me, 70001, {});
                exam.broadcasts();
                exam.reductions();
                exam.blocks();
            });
        });
    }
}

TEST_CASE("the ways over the wire") {
    const bool multiple = thread_level() == MPI_THREAD_MULTIPLE;
    const std::vector<mpi::Options> ways =
        multiple ? std::vector<mpi::Options>{{.way = "leader"},  {.way = "pipelined"},
                                             {.way = "leaders"}, {.way = "leaders", .leaders = 1},
                                             {.way = "lane"},    {.way = "lane", .algorithm = "library"}}
                 : std::vector<mpi::Options>{{.way = "leader"}, {.way = "pipelined"}};
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            for (const int members : {1, 2}) {
                const int here = std::min(members + process_of_world() % 2, most_members());
                on_members(part, here, [&](mpi::Member& me) {
                    for (const mpi::Options& options : ways) {
                        for (const std::size_t count : {0U, 1U, 3U, 1000U, 40001U}) {
                            sliced(me, count, options);
                        }
                    }
                });
            }
        });
    }
}

TEST_CASE("a way that the thread level or the collective does not allow is refused by name") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, most_members() == 1 ? 1 : 2, [](mpi::Member& me) {
            std::vector<double> vector(4, 1);
            if (thread_level() < MPI_THREAD_MULTIPLE) {
                for (const char* const way : {"lane", "leaders"}) {
                    CHECK_THROWS_WITH_AS(me.allreduce(vector, tutti::sum, {.way = way}),
                                         doctest::Contains("needs MPI_THREAD_MULTIPLE"), ArgumentError);
                }
            }
            CHECK_THROWS_WITH_AS(me.scan(vector, tutti::sum, {.way = "pipelined"}),
                                 doctest::Contains("\"leader\" would work"), ArgumentError);
            CHECK_THROWS_WITH_AS(me.barrier({.way = "flying"}),
                                 doctest::Contains("there is no way \"flying\""), ArgumentError);
            CHECK_THROWS_WITH_AS(me.barrier({.algorithm = "direct"}), doctest::Contains("dissemination"),
                                 ArgumentError);
            me.allreduce(vector, tutti::sum); // nothing has been sent by those
            CHECK(vector == std::vector<double>(4, me.size()));
        });
    });
}

TEST_CASE("processes of a node divide its CPUs, and a team takes its share") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        const mpi::Share share = mpi::divide_cpus(part);
        CHECK(share.cpus >= 1);
        CHECK(share.note.find("on this node") != std::string::npos);
        Team team({.members = 2, .placement = share.placement});
        mpi::Cluster cluster(team, part);
        cluster.run([](mpi::Member& me) {
            int x = 1;
            me.allreduce(x, tutti::sum);
            CHECK(x == me.size());
        });
    });
}

} // namespace tutti::test
