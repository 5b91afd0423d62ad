// A sum whose bits do not depend on the number of threads, beside a plain one whose bits do.

#include <tutti/numbers.hpp>
#include <tutti/team.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

namespace {

struct Sums {
    double plain;
    double reproducible;
    double in_a_loop;
};

Sums sums_with(int members, const std::vector<double>& terms) {
    Sums found{};
    tutti::Team team(members);
    team.run([&](tutti::Member& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        const auto size = static_cast<std::size_t>(me.size());
        const std::size_t begin = terms.size() * rank / size;
        const std::size_t end = terms.size() * (rank + 1) / size;
        const std::span mine = std::span(terms).subspan(begin, end - begin);

        double plain = 0;
        for (const double term : mine) {
            plain += term;
        }
        plain = me.allreduce(plain, tutti::sum);

        // One call for a range of terms ...
        const double reproducible = tutti::reproducible_sum(me, mine);

        // ... or an accumulator instead of the double, if a loop computes the terms.
        tutti::Reproducible<double> accumulator;
        for (const double term : mine) {
            accumulator += term;
        }
        const double in_a_loop = me.allreduce(accumulator, tutti::sum).value();

        if (me.rank() == 0) {
            found = {plain, reproducible, in_a_loop};
        }
    });
    return found;
}

} // namespace

int main() {
    std::vector<double> terms(1'000'000);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto x = static_cast<double>(i);
        terms[i] = std::sin(x) * std::exp(std::cos(0.1 * x) * 20);
    }
    std::printf("threads  plain                    reproducible\n");
    const double expected = sums_with(1, terms).reproducible;
    bool same = true;
    for (const int members : {1, 2, 3, 4, 7}) {
        const Sums sums = sums_with(members, terms);
        std::printf("%7d  %-23a  %a\n", members, sums.plain, sums.reproducible);
        same = same && sums.reproducible == expected && sums.in_a_loop == expected;
    }
    return same ? 0 : 1;
}
