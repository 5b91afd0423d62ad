#pragma once

#include "measure/point.hpp"
#include "mpirun/child_process.hpp"
#include "tests/test.hpp"

namespace tutti::test {

/// What a program printed, and how it ended.
struct Outcome {
    int exit_code = -1;
    std::string text;

    bool says(const std::string& part) const { return mentions(text, part); }
};

/// Runs a program; the text is all that it prints.
inline Outcome run(const std::vector<std::string>& words) {
    Outcome outcome;
    constexpr int silence_seconds = 120;
    const bench::ChildResult result = bench::run_child(
        words, silence_seconds, [&](const std::string& line) { outcome.text += line + "\n"; });
    outcome.exit_code = result.exit_code;
    return outcome;
}

/// Runs the command with the words of a line, which spaces separate.
inline Outcome tutti_command(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> words{TUTTI_COMMAND};
    words.insert(words.end(), std::istream_iterator<std::string>(text), {});
    return run(words);
}

/// Runs a line of the shell, in which "$0" is the command.
inline Outcome shell(const std::string& line) {
    return run({"sh", "-c", line, TUTTI_COMMAND});
}

/// Runs the command; it ends with the exit code and prints each part.
template <class... Parts>
Outcome expect(int exit_code, const std::string& line, const Parts&... parts) {
    const Outcome outcome = tutti_command(line);
    CAPTURE(line);
    CAPTURE(outcome.text);
    CHECK(outcome.exit_code == exit_code);
    for (const std::string& part : std::initializer_list<std::string>{parts...}) {
        CHECK_MESSAGE(outcome.says(part), part);
    }
    return outcome;
}

inline std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

/// A directory that disappears at the end of the test.
class Place {
public:
    std::string operator/(const std::string& name) const { return directory_.path() / name; }

private:
    bench::TemporaryDirectory directory_;
};

/// A point of Tutti: an allreduce between two members, with these samples.
inline bench::Point point_with(std::size_t bytes, std::vector<double> samples_us) {
    bench::Point point;
    point.provider = "tutti";
    point.problem = bench::make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, bytes, false);
    point.time_us = bench::summarise(samples_us);
    point.samples_us = std::move(samples_us);
    return point;
}

/// The same with 64 samples that do not differ.
inline bench::Point steady_point(std::size_t bytes, double median_us) {
    return point_with(bytes, std::vector<double>(64, median_us));
}

/// The same with 41 samples around the median, at most `spread` of it away.
inline bench::Point spread_point(std::size_t bytes, double median_us, double spread = 0.02) {
    std::vector<double> samples_us;
    for (int i = -20; i <= 20; ++i) {
        samples_us.push_back(median_us * (1 + spread * i / 20));
    }
    return point_with(bytes, std::move(samples_us));
}

} // namespace tutti::test
