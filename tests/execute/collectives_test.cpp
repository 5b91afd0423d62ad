// Every algorithm, of all sizes and numbers of members, held against loops over the ranks, and the order in
// which operands are combined: the same bits, whatever is chosen.

#include "../associated.hpp"
#include "../kernel/reference.hpp"
#include "rows.hpp"

#include <tutti/tasks.hpp>

using detail::Association;

namespace {

std::vector<int> member_counts() {
    if (reduced) {
        return {1, 2, 3, 4, 5, 7, 8, 16};
    }
    return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 22, 27, 33, 64};
}

/// Sizes around the number of members and of cache lines, primes, and powers of two plus and minus one. What
/// has to do with the size alone is tried with few members: many take long to switch between.
std::set<std::size_t> sizes(int members) {
    const auto p = static_cast<std::size_t>(members);
    std::set<std::size_t> list{0, 1, p - 1, p, p + 1, 3 * p + 1, 33, 257, 1009};
    if (members <= 16) {
        list.insert({2 * p, 2, 4, 7, 31, 97, 255, 256, 1023, 1024, 1025, 4095, 4096, 4097, 16 * p * p});
    }
    return list;
}

std::vector<std::size_t> large_sizes(int members) {
    constexpr std::size_t mebi = std::size_t{1} << 20U;
    if (reduced) {
        return members == 3 ? std::vector<std::size_t>{65537, mebi / 4 + 1} : std::vector<std::size_t>{};
    }
    return members <= 8 ? std::vector<std::size_t>{65535, 65537, mebi + 1} : std::vector<std::size_t>{131071};
}

template <class T, class Op>
void examine(int members, const std::vector<Job>& jobs, const Op& op) {
    std::size_t most = 1;
    for (const Job& job : jobs) {
        most = std::max(most, job.shape.count *
                                  (job.shape.traits().is_divided() ? static_cast<std::size_t>(members) : 1));
    }
    CHECK(Exam(members, most, ordinary<T>, op).run(*blocking(members), jobs) == "");
}

using Vector = std::vector<double>;

/// Of very different sizes, so that any other order gives other bits in some element.
double uneven(std::size_t rank, std::size_t element) {
    const std::uint64_t random = test::mixed(rank, element);
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random)),
                      static_cast<int>(random % 12) - 63);
}

/// The reductions of all lengths by default, and by every algorithm that associates so.
std::string examined(int members, std::size_t elements, Association association) {
    const Order order = association == Association::left ? Order::serial : Order::canonical;
    std::vector<Job> jobs;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (!detail::traits_of(row.collective).reduces() || !takes(row, members)) {
            continue;
        }
        for (const bool in_place : {false, true}) {
            for (const std::size_t length :
                 {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{37}, elements}) {
                Job job = by_default(row.collective, members, length, in_place);
                job.association = association;
                job.order = order;
                if (row.name == "direct") {
                    jobs.push_back(job);
                }
                if (length == elements && has_brackets(row, association, members)) {
                    job.algorithm = row.name;
                    jobs.push_back(job);
                }
            }
        }
    }
    return Exam(members, elements, uneven, sum).run(*blocking(members), jobs);
}

/// Every second number a NaN of its own, and signed zeros, infinities and denormals among the others.
template <class T>
T strange(std::size_t rank, std::size_t index) {
    if constexpr (reference::Complex<T>) {
        using Real = typename T::value_type;
        return T(strange<Real>(rank, 2 * index), strange<Real>(rank, 2 * index + 1));
    } else {
        std::mt19937_64 random(test::mixed(rank, index));
        using Limits = std::numeric_limits<T>;
        const std::array<T, 7> others{
            T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(), T(1), T(-3)};
        return random() % 2 == 0 ? reference::random_nan<T>(random) : others[random() % others.size()];
    }
}

template <class T, class Op>
void examine_all_rows() {
    const std::function combine = [](const T& a, const T& b) { return reference::apply(Op::code, a, b); };
    for (int members = 2; members <= 9; ++members) {
        const auto jobs = jobs_of(members, std::vector<std::size_t>{1, 2, 3, 7, 33, 257, 1000},
                                  {.exact = false, .defaults = false, .rows = [](const auto& row) {
                                       return row.collective == Collective::allreduce;
                                   }});
        Exam exam(members, 1000, strange<T>, combine, DynamicOp(Op::code));
        CHECK(exam.run(*blocking(members), jobs) == "");
    }
}

} // namespace

TEST_CASE("every algorithm, every size: integers are exact") {
    for (const int members : member_counts()) {
        examine<std::int32_t>(members, jobs_of(members, sizes(members)), sum);
    }
}

TEST_CASE("every algorithm: short elements, several of which fit into a word") {
    for (const int members : {2, 3, 4, 5, 8, 9}) {
        const std::set<std::size_t> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 20, 24, 32, 64, 72};
        examine<std::uint8_t>(members, jobs_of(members, bytes), bxor);
    }
}

TEST_CASE("every algorithm: large vectors") {
    for (const int members : {1, 2, 3, 5, 8, 16}) {
        examine<std::uint32_t>(members, jobs_of(members, large_sizes(members)), sum);
    }
}

TEST_CASE("vectors that exceed the caches are stored past them") {
    const std::vector<std::size_t> elements{reduced ? 100'003 : (std::size_t{1} << 23U) + 5};
    const auto is_direct = [](const auto& row) {
        return row.name == "direct" && row.collective != Collective::barrier;
    };
    examine<std::uint16_t>(3, jobs_of(3, elements, {.defaults = false, .rows = is_direct}), bxor);
}

TEST_CASE("every algorithm is right in nonblocking and persistent calls, with 8 outstanding") {
    using Numbers = std::vector<std::size_t>;
    const Numbers sizes = reduced ? Numbers{1, 4097} : Numbers{1, 33, 4097};
    for (const int members : reduced ? std::vector{3, 8} : std::vector{1, 2, 3, 4, 5, 8, 9, 16}) {
        Exam exam(members, sizes.back(), ordinary<std::int32_t>, sum);
        const auto jobs = jobs_of(members, sizes, {.defaults = false});
        for (const Way& way : {nonblocking_way, persistent_way}) {
            CHECK(exam.run(*way.make({.members = members}), jobs, 8) == "");
        }
    }
}

TEST_CASE("a barrier holds everybody back until the last has come") {
    Team team(4, {.placement = Placement::none});
    for (const std::string_view name : {"", "direct", "dissemination"}) {
        std::vector<int> written(4, 0);
        CHECK(on_all(team, [&](Member& me) {
            bool right = true;
            for (int i = 1; i <= 50; ++i) {
                written[index_of(me)] = i;
                me.barrier({.algorithm = name});
                right = right && written == std::vector<int>(4, i);
                me.barrier({.algorithm = name});
            }
            return right;
        }));
    }
}

TEST_CASE("reductions have the bits of the butterfly's order, whichever algorithm, size or cut is chosen") {
    std::vector<int> all_members(reduced ? 8 : 64);
    std::iota(all_members.begin(), all_members.end(), 1);
    for (const int members : all_members) {
        CAPTURE(members);
        CHECK(examined(members, 1000, Association::tree) == "");
    }
    CHECK(examined(4, 100'000, Association::tree) == "");
}

TEST_CASE("reductions in order serial have the bits of a loop") {
    for (const int members : {1, 2, 3, 4, 5, 8, 9}) {
        CAPTURE(members);
        CHECK(examined(members, 1000, Association::left) == "");
    }
}

TEST_CASE("vectors that one thread combines have the same bits as those of members") {
    for (const std::size_t members : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 64U, 127U, 128U, 129U, 255U, 256U}) {
        CAPTURE(members);
        std::vector<Vector> vectors(members, Vector(100));
        Vector expected(100);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto element = [&](std::size_t rank) { return vectors[rank][i] = uneven(rank, i); };
            expected[i] = in_tree(members, element, std::plus<>());
        }
        all_buffers::allreduce(vectors, sum);
        CHECK(vectors.back() == expected);
    }
}

TEST_CASE("function objects of the standard library are the operators of the library") {
    run_members(2, [](Member& me) {
        // As the same call on both members: the kernels are the same.
        const auto both = [&](auto value, const auto& own, const auto& standard) {
            return me.rank() == 0 ? me.allreduce(value, own) : me.allreduce(value, standard);
        };
        CHECK(both(2.5, sum, std::plus<>()) == 5);
        CHECK(both(2.5, sum, std::plus<double>()) == 5);
        CHECK(both(3, prod, std::multiplies<>()) == 9);
        CHECK(both(std::int8_t{127}, sum, std::plus<>()) == -2);
        CHECK(both(me.rank() + 1, band, std::bit_and<>()) == 0);
        CHECK(both(me.rank() + 1, bor, std::bit_or<>()) == 3);
        CHECK(both(me.rank() + 1, bxor, std::bit_xor<>()) == 3);
        CHECK(both(me.rank() + 1, land, std::logical_and<>()) == 1);
        CHECK(both(me.rank(), lor, std::logical_or<>()) == 1);
        // Types that the operators of the library do not combine, or with other results.
        CHECK(me.allreduce(0.5, std::logical_and<>()) == 1);
        CHECK(me.allreduce(me.rank() == 1, std::logical_or<>()));
        const double infinity = std::numeric_limits<double>::infinity();
        const std::complex<double> far(infinity, std::numeric_limits<double>::quiet_NaN());
        CHECK(std::isinf(me.allreduce(far, std::multiplies<>()).real()));
    });
}

TEST_CASE_TEMPLATE("NaNs leave the same bits on every member", T, float, double, std::complex<float>,
                   std::complex<double>) {
    examine_all_rows<T, Sum>();
    examine_all_rows<T, Prod>();
    if constexpr (std::is_floating_point_v<T>) {
        examine_all_rows<T, Min>();
        examine_all_rows<T, Max>();
    }
}
