#include "support.hpp"

using namespace tutti;
#include <tutti/extremes.hpp>

TEST_CASE("empty vectors without an address") {
    for (const int members : {1, 2, 3, 8}) {
        Team team(members, {.placement = "none"});
        CHECK_NOTHROW(team.run([](Member& me) {
            const std::span<double> nothing;
            me.allreduce(nothing, nothing, sum);
            me.allreduce(nothing, sum);
            me.allgather(nothing, nothing);
            me.reduce_scatter(nothing, nothing, sum);
            const std::vector<std::size_t> zeros(static_cast<std::size_t>(me.size()));
            me.reduce_scatter(nothing, nothing, Counts(zeros), sum);
        }));
    }
}

TEST_CASE("a barrier holds everybody back until the last has come") {
    Team team(4, {.placement = "none"});
    for (const std::string_view name : {"", "direct", "dissemination"}) {
        std::vector<int> written(4, 0);
        std::vector<int> sums(4, 0);
        team.run([&](Member& me) {
            for (int i = 1; i <= 50; ++i) {
                written[static_cast<std::size_t>(me.rank())] = i;
                me.barrier({.algorithm = name});
                int seen = 0;
                for (const int value : written) {
                    seen += value;
                }
                sums[static_cast<std::size_t>(me.rank())] += seen == 4 * i ? 1 : 0;
                me.barrier({.algorithm = name});
            }
        });
        CHECK(sums == std::vector<int>(4, 50));
    }
}

TEST_CASE("minloc, maxloc and operators that must keep rank order") {
    for (const std::size_t elements : {1U, 1000U}) {
        Team team(5, {.placement = "none"});
        std::vector<int> good(5, 0);
        team.run([&](Member& me) {
            const double value = me.rank() == 2 ? -1 : me.rank() == 1 || me.rank() == 4 ? 7 : 0;
            const std::vector<ValueAt<double>> mine(elements, {value, me.rank()});
            std::vector<ValueAt<double>> least(elements), greatest(elements);
            me.allreduce(mine, least, minloc);
            me.allreduce(mine, greatest, maxloc);
            std::vector<int> lowest(elements, me.rank() + 10), highest(lowest), digits(elements, me.rank());
            me.allreduce(lowest, non_commutative([](int a, int /*b*/) { return a; }));
            me.allreduce(highest, non_commutative([](int /*a*/, int b) { return b; }));
            // Appends digits: 0 1 2 3 4 in that order and no other.
            me.allreduce(digits, non_commutative([](int a, int b) {
                             int scale = 10;
                             while (scale <= b) {
                                 scale *= 10;
                             }
                             return a * scale + b;
                         }));
            good[static_cast<std::size_t>(me.rank())] =
                least.back() == ValueAt<double>{-1, 2} && greatest.back() == ValueAt<double>{7, 1} &&
                lowest.back() == 10 && highest.back() == 14 && digits.back() == 1234;
        });
        CHECK(good == std::vector<int>(5, 1));
    }
}
