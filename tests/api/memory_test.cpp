#include "support.hpp"

// The places of members' vectors: decisions that must not depend on one member's addresses, and memory that
// several must not share.

using namespace tutti;
using namespace tutti::test;

namespace {

/// Too long for the mailbox, so that members look into each other's vectors.
constexpr std::size_t large = 10'000;

Thrown thrown_by_run(int members, const std::function<void(Member&)>& part) {
    Team team(members, {.placement = "none"});
    return test::thrown_by([&] { team.run(part); });
}

template <class T>
bool is_all(std::span<const T> values, T value) {
    return std::ranges::all_of(values, [&](T each) { return each == value; });
}

/// A member's part of a vector whose blocks have these counts.
template <class T>
std::span<T> own_part(std::vector<T>& vector, const std::vector<std::size_t>& counts, int rank) {
    const auto own = counts.begin() + rank;
    const auto first = std::accumulate(counts.begin(), own, std::size_t{0});
    return std::span(vector).subspan(first, *own);
}

} // namespace

TEST_CASE("a member whose block is empty makes the same call as the others") {
    for (const std::size_t unit : {std::size_t{1}, std::size_t{1000}}) {
        const std::vector<std::size_t> counts{4 * unit, 0, 5 * unit};
        std::vector<int> wrong(3, 0);
        const Thrown thrown = thrown_by_run(3, [&](Member& me) {
            std::vector<int> vector(9 * unit, 1);
            const std::span<int> own = own_part(vector, counts, me.rank());
            me.reduce_scatter(vector, own, Counts(counts), sum);
            wrong[static_cast<std::size_t>(me.rank())] += is_all<int>(own, 3) ? 0 : 1;
            me.allgather(own, vector, Counts(counts));
            wrong[static_cast<std::size_t>(me.rank())] += is_all<int>(vector, 3) ? 0 : 1;
        });
        CHECK(thrown.text.empty());
        CHECK(wrong == std::vector<int>(3, 0));
    }
}

TEST_CASE("the input and the output of some members only may be one vector") {
    for (const std::size_t elements : {std::size_t{1}, std::size_t{500}, large}) {
        for (const std::string_view algorithm : {"", "circulant", "ring", "mesh"}) {
            CAPTURE(elements);
            CAPTURE(algorithm);
            const Thrown thrown = thrown_by_run(3, [&](Member& me) {
                std::vector<double> in(elements, 1.0 + me.rank());
                std::vector<double> out(elements);
                std::vector<double>& target = me.rank() == 1 ? in : out;
                me.allreduce(in, target, sum, {.algorithm = algorithm});
                const bool right = is_all<double>(target, 6.0);
                me.barrier();
                if (!right) {
                    throw std::logic_error("wrong sum");
                }
            });
            CHECK(thrown.text.empty());
        }
    }
}

TEST_CASE("scans, shifts and transpositions likewise") {
    const Thrown thrown = thrown_by_run(3, [&](Member& me) {
        std::vector<int> out(3 * large);
        const auto run = [&](auto call, int expected) {
            std::vector<int> in(3 * large, 1 + me.rank());
            std::vector<int>& target = me.rank() == 2 ? in : out;
            call(in, target);
            if (target.front() != expected || target.back() != expected) {
                throw std::logic_error("wrong result");
            }
        };
        run([&](auto& in, auto& to) { me.scan(in, to, sum); },
            std::vector{1, 3, 6}[static_cast<std::size_t>(me.rank())]);
        run([&](auto& in, auto& to) { me.shift(in, to, 1); },
            std::vector{3, 1, 2}[static_cast<std::size_t>(me.rank())]);
        std::vector<int> in(3 * large);
        std::vector<int>& target = me.rank() == 0 ? in : out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = 10 * me.rank() + static_cast<int>(i / large);
        }
        me.alltoall(in, target);
        for (std::size_t i = 0; i < target.size(); ++i) {
            if (target[i] != 10 * static_cast<int>(i / large) + me.rank()) {
                throw std::logic_error("wrong transposition");
            }
        }
    });
    CHECK(thrown.text.empty());
}

TEST_CASE("members that give the same vector for their results are told") {
    std::vector<int> one(4 * large);
    const std::function<void(Member&, std::vector<int>&)> calls[] = {
        [&](Member& me, std::vector<int>& in) { me.allreduce(in, one, sum); },
        [&](Member& me, std::vector<int>& in) { me.reduce_scatter(in, std::span(one).first(large), sum); },
        [&](Member& me, std::vector<int>& in) { me.allgather(std::span(in).first(large), one); },
        [&](Member& me, std::vector<int>& in) { me.scan(in, one, sum); },
        [&](Member& me, std::vector<int>& in) { me.exscan(in, one, sum); },
        [&](Member& me, std::vector<int>& in) { me.alltoall(in, one); },
        [&](Member& me, std::vector<int>& in) { me.shift(in, one, 1); },
        [&](Member& me, std::vector<int>& in) { me.scatter(in, std::span(one).first(large), 1); },
        [&](Member& me, std::vector<int>&) { me.broadcast(one, 2); },
        [&](Member& me, std::vector<int>& in) {
            const std::vector<std::size_t> counts(4, large);
            me.alltoall(in, Counts(counts), one, Counts(counts));
        },
        [&](Member& me, std::vector<int>& in) { me.allreduce(in, one, sum, {.algorithm = "ring"}); },
    };
    for (const auto& call : calls) {
        const Thrown thrown = thrown_by_run(4, [&](Member& me) {
            std::vector<int> in(4 * large, 1);
            call(me, in);
        });
        CAPTURE(&call - calls);
        CHECK(thrown.kind == Thrown::Kind::mismatch);
        const bool is_broadcast = mentions(thrown.text, "broadcast");
        CHECK(mentions(thrown.text, is_broadcast ? "memory" : "a vector of its own"));
    }
}

TEST_CASE("a result that overlaps what another member gives is told") {
    std::vector<int> all(4 * large);
    const auto part = [&](std::size_t index) { return std::span(all).subspan(index * large, large); };
    const Thrown scanned = thrown_by_run(2, [&](Member& me) {
        // Member 0 writes where member 1 reads.
        me.scan(part(me.rank() == 0 ? 0 : 1), part(me.rank() == 0 ? 1 : 2), sum);
    });
    CHECK(scanned.kind == Thrown::Kind::mismatch);
    CHECK(mentions(scanned.text, "writes to memory that the other reads"));
    const Thrown gathered = thrown_by_run(3, [&](Member& me) {
        std::vector<int> own(large);
        // The members' inputs lie in the root's result, though not at their places in it.
        me.rank() == 0 ? me.gather(own, std::span(all).first(3 * large), 0)
                       : me.gather(part(static_cast<std::size_t>(3 - me.rank())), std::span<int>(), 0);
    });
    CHECK(gathered.kind == Thrown::Kind::mismatch);
    CHECK(mentions(gathered.text, "writes to memory that the other reads"));
}

TEST_CASE("members may read the same vector, and work on parts of one") {
    std::vector<int> in(4 * large, 1);
    std::vector<int> out(4 * large);
    const Thrown thrown = thrown_by_run(4, [&](Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        std::vector<int> own(4 * large);
        me.allreduce(in, own, sum);
        me.scatter(in, std::span(out).subspan(rank * large, large), 2);
        me.reduce_scatter(in, std::span(out).subspan(rank * large, large), sum);
        me.gather(std::span(in).first(large), own, 1);
        me.broadcast(std::span(out).subspan(rank * large, large), 3);
    });
    CHECK(thrown.text.empty());
    CHECK(is_all<int>(out, 4));
}

TEST_CASE("a member that gets more than it gives reads no more than it gives") {
    std::vector<int> next_to_each_other{7, 0}; // what member 1 gives, and where member 0 gets it
    const Thrown thrown = thrown_by_run(2, [&](Member& me) {
        const bool is_first = me.rank() == 0;
        const std::vector<std::size_t> sent =
            is_first ? std::vector{std::size_t{0}, large} : std::vector{std::size_t{1}, std::size_t{0}};
        const std::vector<std::size_t> received =
            is_first ? std::vector{std::size_t{0}, std::size_t{1}} : std::vector{large, std::size_t{0}};
        std::vector<int> own(large, 1);
        const auto in = is_first ? std::span(own) : std::span(next_to_each_other).first(1);
        const auto out = is_first ? std::span(next_to_each_other).last(1) : std::span(own);
        me.alltoall(in, Counts(sent), out, Counts(received));
    });
    CHECK(thrown.text.empty());
    CHECK(next_to_each_other == std::vector{7, 7});
}

TEST_CASE("an operator that calls its own member is told, small or large") {
    for (const std::size_t elements : {std::size_t{1}, std::size_t{100}, large}) {
        const Thrown thrown = thrown_by_run(2, [&](Member& me) {
            std::vector<int> values(elements, 1);
            int inner = 1;
            me.allreduce(values, [&](int a, int b) {
                std::vector<int> one(1, inner);
                me.allreduce(one, sum);
                return a + b;
            });
        });
        CHECK(thrown.kind == Thrown::Kind::error);
        CHECK(mentions(thrown.text, "called by an operator"));
    }
}
