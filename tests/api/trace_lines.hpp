#pragma once

#include "support.hpp"

namespace tutti::test {

/// A line of a trace.
struct Line {
    std::string kind;
    std::string name;
    int rank;
    int peer;
    std::int64_t begin;
    std::int64_t end;
    std::uint64_t bytes;
    std::uint64_t number;
};

inline std::string value(const std::string& line, const std::string& key) {
    const std::size_t at = line.find("\"" + key + "\":");
    REQUIRE(at != std::string::npos);
    const std::size_t start = at + key.size() + 3;
    return line[start] == '"' ? line.substr(start + 1, line.find('"', start + 1) - start - 1)
                              : line.substr(start, line.find_first_of(",}", start) - start);
}

inline std::vector<Line> lines_of(const std::string& trace) {
    std::vector<Line> lines;
    std::istringstream stream(trace);
    for (std::string line; std::getline(stream, line);) {
        const std::string peer = value(line, "peer");
        lines.push_back({.kind = value(line, "kind"),
                         .name = value(line, "name"),
                         .rank = std::stoi(value(line, "rank")),
                         .peer = peer == "null" ? -1 : std::stoi(peer),
                         .begin = std::stoll(value(line, "begin_ns")),
                         .end = std::stoll(value(line, "end_ns")),
                         .bytes = std::stoull(value(line, "bytes")),
                         .number = std::stoull(value(line, "number"))});
    }
    return lines;
}

/// Those of one member and kind.
inline std::vector<Line> lines_of(const Team& team, int rank, std::string_view kind) {
    std::vector<Line> lines = lines_of(team.trace());
    std::erase_if(lines, [&](const Line& line) { return line.rank != rank || line.kind != kind; });
    return lines;
}

inline Team team_of(int members, Trace trace) {
    return Team(members, TeamOptions{.placement = "none", .group = {.trace = trace}});
}

/// Lets go all members but the last, and that one some time after they have said that they come.
class LateStart {
public:
    explicit LateStart(int members) : members_(members) {}
    void come(int rank, std::chrono::microseconds late) {
        const int round = ++rounds_[static_cast<std::size_t>(rank)];
        if (rank != members_ - 1) {
            coming_.fetch_add(1);
            return;
        }
        while (coming_.load() < round * (members_ - 1)) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(late);
    }

private:
    int members_;
    std::array<int, 16> rounds_{};
    std::atomic<int> coming_{0};
};

} // namespace tutti::test
