// Table 1 of Rabenseifner & Träff 2004 as `tutti model` prints it, held against the formulas of its
// section 3.5, which are written down here once more.
#include "bench/tests/command.hpp"

namespace {

/// Rounds, volume, reductions and their sum.
using Terms = std::array<double, 4>;
constexpr std::array<const char*, 4> term_names{"rounds", "volume", "reductions", "sum"};

/// One line of the table as the command prints it.
struct Line {
    int ranks;
    std::string size;
    std::string protocol;
    std::array<std::string, 4> counted;
    std::array<std::string, 4> printed;
    bool marked;
};

std::string trimmed(const std::string& text) {
    const std::size_t last = text.find_last_not_of(' ');
    return last == std::string::npos ? "" : text.substr(0, last + 1);
}

/// "2 + 0.2 + 0.02 = 2.22"
std::array<std::string, 4> terms_of(const std::string& text) {
    std::istringstream stream(text);
    std::array<std::string, 4> terms;
    std::string sign;
    stream >> terms[0] >> sign >> terms[1] >> sign >> terms[2] >> sign >> terms[3];
    return terms;
}

/// The lines that start with a number of ranks, by their columns.
std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        const int ranks = std::atoi(line.substr(0, 3).c_str());
        if (ranks > 0) {
            lines.push_back({ranks, trimmed(line.substr(4, 3)), trimmed(line.substr(8, 22)),
                             terms_of(line.substr(31, 32)), terms_of(line.substr(64, 32)),
                             line.find('#') != std::string::npos});
        }
    }
    return lines;
}

double number(const std::string& text) {
    return std::strtod(text.c_str(), nullptr);
}

/// Section 3.5, with beta m = 0.1, 1, 10, 100 and gamma m a tenth of that, in units of alpha.
Terms formula(const Line& line) {
    const auto unsigned_ranks = static_cast<unsigned>(line.ranks);
    const double p = line.ranks;
    const double q = std::bit_width(unsigned_ranks - 1);
    const double power = std::bit_floor(unsigned_ranks);
    const double beta = line.size == "S" ? 0.1 : line.size == "M" ? 1 : line.size == "L" ? 10 : 100;
    const double gamma = beta / 10;
    Terms terms{};
    if (line.protocol == "ring, latency-opt.") {
        terms = {q, beta * (p - 1), gamma * (p - 1)};
    } else if (line.protocol == "elimination, lat-opt.") {
        terms = {q + 1, beta * (q + 1), gamma * q};
    } else if (line.protocol == "ring, bandwidth-opt.") {
        terms = {q + p - 1, beta * 2 * (1 - 1 / p), gamma * (1 - 1 / p)};
    } else if (line.protocol == "elimination, bw-opt.") {
        terms = {2 * q, beta * 2 * (1.5 - 1 / power), gamma * (1.5 - 1 / power)};
    }
    terms[3] = terms[0] + terms[1] + terms[2];
    return terms;
}

/// Whether the paper's number is `exact` as far as it is printed.
bool is_printed(double exact, const std::string& printed) {
    const std::size_t point = printed.find('.');
    const auto digits = point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
    return std::abs(exact - number(printed)) <= std::pow(10.0, -digits) / 2 + 1e-9;
}

/// Ranks, size, protocol and term.
using Figure = std::tuple<int, std::string, std::string, std::string>;

/// The figures of the paper that differ from its formulas; all else agrees.
std::set<Figure> known_differences() {
    const std::string ring = "ring, bandwidth-opt.";
    const std::string whole = "elimination, lat-opt.";
    const std::string halving = "elimination, bw-opt.";
    std::set<Figure> known{
        // Other digits in a sum that adds up with those of the formula.
        {5, "S", ring, "volume"},
        {23, "XL", ring, "reductions"},
        {63, "XL", ring, "reductions"},
        // Cut off instead of rounded, or the sum of numbers that were rounded up.
        {13, "S", ring, "volume"},
        {13, "M", ring, "sum"},
        {63, "S", ring, "volume"},
        {63, "L", halving, "sum"},
        {63, "XL", halving, "sum"},
    };
    // 8 rounds in sums that add up with 6.
    for (const char* size : {"S", "M", "L"}) {
        known.insert({7, size, halving, "rounds"});
    }
    // A volume of 6 m where ceil(log2 63) + 1 = 7.
    for (const char* size : {"S", "M", "L", "XL"}) {
        known.insert({63, size, whole, "volume"});
        known.insert({63, size, whole, "sum"});
    }
    return known;
}

} // namespace

TEST_CASE("Rabenseifner & Träff 2004, Table 1: every figure is counted as printed, or a known difference") {
    const auto outcome = tutti::test::expect(0, "model --table rabenseifner-traff-2004");
    const std::vector<Line> lines = lines_of(outcome.text);
    REQUIRE(lines.size() == 23 * 4);
    std::set<Figure> differences;
    std::set<std::tuple<int, std::string, std::string>> cells;
    for (const Line& line : lines) {
        INFO(line.ranks, " ", line.size, " ", line.protocol);
        cells.insert({line.ranks, line.size, line.protocol});
        const Terms exact = formula(line);
        bool all_printed = true;
        for (std::size_t term = 0; term < exact.size(); ++term) {
            INFO(term_names[term]);
            // Four digits of what the schedules count.
            CHECK(std::abs(number(line.counted[term]) - exact[term]) <= 0.00051 * exact[term]);
            if (!is_printed(exact[term], line.printed[term])) {
                differences.insert({line.ranks, line.size, line.protocol, term_names[term]});
                all_printed = false;
            }
        }
        CHECK(line.marked == !all_printed);
    }
    CHECK(cells.size() == lines.size());
    CHECK(differences == known_differences());
}
