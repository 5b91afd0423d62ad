#include "algorithm/registry.hpp"
#include "cost/count.hpp"
#include "model/tables.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <sstream>
#include <string_view>
#include <vector>

namespace tutti::laboratory {

namespace {

using cost::Work;

/// Latency, volume and reduction terms and their sum, in units of alpha, as printed.
using Printed = std::array<std::string, 4>;

constexpr std::size_t protocol_count = 4;
constexpr std::array<std::string_view, protocol_count> protocol_names{
    "ring, latency-opt.", "elimination, lat-opt.", "ring, bandwidth-opt.", "elimination, bw-opt."};

struct RabenseifnerRow {
    int ranks = 0;
    std::string size;
    std::array<Printed, protocol_count> printed;
};

/// Ranks, size and the terms of each protocol. The row of 7 ranks prints 8 where only 6 adds up, and others
/// have digits that their formulas do not give: all as printed.
constexpr const char* table = R"(
3  S   2 0.2  0.02 2.22  3 0.3 0.02 3.32  4  0.13 0.01 4.14  4  0.20 0.01 4.21
3  M   2 2.0  0.20 4.20  3 3.0 0.20 6.20  4  1.33 0.07 5.40  4  2.00 0.10 6.10
3  L   2 20.  2.00 24.0  3 30. 2.00 35.0  4  13.3 0.67 18.0  4  20.0 1.00 25.0
5  S   3 0.4  0.04 3.44  4 0.4 0.03 4.43  7  0.18 0.01 7.17  6  0.25 0.01 6.26
5  M   3 4.0  0.40 7.40  4 4.0 0.30 8.30  7  1.60 0.08 8.68  6  2.50 0.13 8.63
5  L   3 40.  4.00 47.0  4 40. 3.00 47.0  7  16.0 0.80 23.8  6  25.0 1.25 32.3
7  S   3 0.6  0.06 3.66  4 0.4 0.03 4.43  9  0.17 0.01 9.18  8  0.25 0.01 6.26
7  M   3 6.0  0.60 9.60  4 4.0 0.30 8.30  9  1.71 0.09 10.8  8  2.50 0.13 8.63
7  L   3 60.  6.00 69.0  4 40. 3.00 47.0  9  17.1 0.86 27.0  8  25.0 1.25 32.3
13 S   4 1.2  0.12 5.32  5 0.5 0.04 5.54  16 0.19 0.01 16.2  8  0.28 0.01 8.29
13 M   4 12.  1.20 17.2  5 5.0 0.40 10.4  16 1.85 0.09 18.0  8  2.75 0.14 10.9
13 L   4 120. 12.0 136.  5 50. 4.00 59.0  16 18.5 0.92 35.4  8  27.5 1.38 36.9
15 S   4 1.4  0.14 5.54  5 0.5 0.04 5.54  18 0.19 0.01 18.2  8  0.28 0.01 8.29
15 M   4 14.  1.40 19.4  5 5.0 0.40 10.4  18 1.87 0.09 20.0  8  2.75 0.14 10.9
15 L   4 140. 14.0 158.  5 50. 4.00 59.0  18 18.7 0.93 37.6  8  27.5 1.38 36.9
23 S   5 2.2  0.22 7.42  6 0.6 0.05 6.65  27 0.19 0.01 27.2  10 0.29 0.01 10.3
23 M   5 22.  2.20 29.2  6 6.0 0.50 12.5  27 1.91 0.10 29.0  10 2.88 0.14 13.0
23 L   5 220. 22.0 247.  6 60. 5.00 71.0  27 19.1 0.96 47.1  10 28.8 1.44 40.2
23 XL  5 2200 220. 2425  6 600 50.0 656.  27 191. 9.60 228.  10 288. 14.4 312.
63 S   6 6.2  0.62 12.8  7 0.6 0.06 7.66  68 0.19 0.01 68.2  12 0.29 0.01 12.3
63 M   6 62.  6.20 74.2  7 6.0 0.60 13.6  68 1.97 0.10 70.1  12 2.94 0.15 15.1
63 L   6 620. 62.0 688.  7 60. 6.00 73.0  68 19.7 0.98 88.7  12 29.4 1.47 42.9
63 XL  6 6200 620. 6826  7 600 60.0 667.  68 197. 9.80 275.  12 294. 14.7 321.
)";

std::vector<RabenseifnerRow> rows() {
    std::istringstream words(table);
    std::vector<RabenseifnerRow> all;
    for (RabenseifnerRow row; words >> row.ranks >> row.size; all.push_back(row)) {
        for (Printed& printed : row.printed) {
            for (std::string& term : printed) {
                words >> term;
            }
        }
    }
    return all;
}

/// beta m and gamma m in units of alpha.
cost::Linear linear_of(std::string_view size) {
    const double beta = size == "S" ? 0.1 : size == "M" ? 1 : size == "L" ? 10 : 100;
    return {1, beta, beta / 10};
}

Work counted(Collective collective, std::string_view name, int ranks) {
    return cost::in_step(algorithm::find(collective, name)->make(ranks, 0));
}

Work formula(std::size_t protocol, int ranks) {
    constexpr std::array formulas{cost::ring_latency_optimal, cost::elimination_latency_optimal,
                                  cost::ring_bandwidth_optimal, cost::elimination_bandwidth_optimal};
    return formulas[protocol](ranks);
}

/// From the schedules named in the legend.
Work counted(std::size_t protocol, int ranks) {
    switch (protocol) {
    case 0: {
        // Its blocks are whole vectors, which are combined in rank order at the end.
        const Work allgather = counted(Collective::allgather, "bruck", ranks);
        return {allgather.rounds, allgather.volume * ranks, formula(0, ranks).reductions};
    }
    case 1:
        return counted(Collective::allreduce, "butterfly-overlapping", ranks);
    case 2:
        return counted(Collective::reduce_scatter, "ring", ranks) +
               counted(Collective::allgather, "bruck", ranks);
    default:
        return counted(Collective::allreduce, "butterfly-overlapping-halving", ranks);
    }
}

std::array<double, 4> terms(const Work& work, const cost::Linear& linear) {
    return {work.rounds * linear.alpha, work.volume * linear.beta, work.reductions * linear.gamma,
            cost::time(work, linear, 1)};
}

/// The unit of the last digit of a printed number.
double last_digit(std::string_view printed) {
    const std::size_t point = printed.find('.');
    return point == std::string_view::npos ? 1
                                           : std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
}

bool is_printed(double computed, const std::string& printed) {
    constexpr double slack = 1e-9;
    return std::abs(computed - std::stod(printed)) <= last_digit(printed) / 2 + slack;
}

/// Why a printed number is not the computed one.
std::string reason(const RabenseifnerRow& row, std::size_t protocol, std::size_t term) {
    const cost::Linear linear = linear_of(row.size);
    const Printed& printed = row.printed[protocol];
    const double from_schedule = terms(counted(protocol, row.ranks), linear)[term];
    const double from_formula = terms(formula(protocol, row.ranks), linear)[term];
    const double sum = terms(formula(protocol, row.ranks), linear)[3];
    if (std::abs(from_schedule - from_formula) > 1e-9) {
        return fmt::format("section 3.5 gives {:.4g}, the schedule differs", from_formula);
    }
    constexpr double less_than_one = 1 - 1e-6;
    if (std::abs(from_schedule - std::stod(printed[term])) < less_than_one * last_digit(printed[term])) {
        return fmt::format("rounded from {:.4g}", from_formula);
    }
    if (term == 3) {
        return "the sum of the terms that differ";
    }
    return fmt::format("section 3.5 gives {:.4g}{}", from_formula,
                       is_printed(sum, printed[3]) ? ", with which the printed sum adds up" : "");
}

std::string in_words(const std::array<double, 4>& numbers) {
    return fmt::format("{:.4g} + {:.4g} + {:.4g} = {:.4g}", numbers[0], numbers[1], numbers[2], numbers[3]);
}

std::string protocol_line(const RabenseifnerRow& row, std::size_t protocol) {
    constexpr std::array<std::string_view, 4> names{"rounds", "volume", "reductions", "sum"};
    const auto computed = terms(counted(protocol, row.ranks), linear_of(row.size));
    const Printed& printed = row.printed[protocol];
    std::string remark;
    for (std::size_t term = 0; term < names.size(); ++term) {
        if (!is_printed(computed[term], printed[term])) {
            remark += fmt::format("{}{}: {}", remark.empty() ? "  # " : "; ", names[term],
                                  reason(row, protocol, term));
        }
    }
    return fmt::format("{:>3} {:<3} {:<22} {:<32} {:<32}", row.ranks, row.size, protocol_names[protocol],
                       in_words(computed),
                       fmt::format("{} + {} + {} = {}", printed[0], printed[1], printed[2], printed[3])) +
           remark + "\n";
}

constexpr std::string_view legend =
    R"(Times in units of alpha: rounds + volume + reductions = sum, with all members in step: a round lasts as long as
the most that anybody receives and combines in it. # digests what the paper prints differently, and why.
S: beta m = 0.1, M: 1, L: 10, XL: 100; gamma m is a tenth of that. Counted from the registry's schedules:
  ring, latency-opt.     allgather bruck, its blocks being whole vectors; the p - 1 reductions at the end from the
                         paper's formula, no such schedule being registered
  elimination, lat-opt.  allreduce butterfly-overlapping
  ring, bandwidth-opt.   reduce_scatter ring, then allgather bruck; the registry's allreduce ring gathers on the ring,
                         too, and takes 2 (p - 1) rounds
  elimination, bw-opt.   allreduce butterfly-overlapping-halving
)";

} // namespace

std::string rabenseifner_traff_2004() {
    std::string text = fmt::format("Rabenseifner & Träff 2004, Table 1\n\n{:>3} {:<3} {:<22} {:<32} {:<32}\n",
                                   "p", "m", "protocol", "counted", "printed");
    for (const RabenseifnerRow& row : rows()) {
        for (std::size_t protocol = 0; protocol < protocol_count; ++protocol) {
            text += protocol_line(row, protocol);
        }
    }
    return text + "\n" + std::string(legend);
}

} // namespace tutti::laboratory
