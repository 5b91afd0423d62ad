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
    return Team(members, TeamOptions{.placement = Placement::none, .group = {.trace = trace}});
}

/// The last member comes some time after the others have come for the `round`-th time, from 0 on.
inline void come_late(const Member& me, std::atomic<int>& coming, int round) {
    const int others = me.size() - 1;
    if (me.rank() != others) {
        ++coming;
        return;
    }
    while (coming < (round + 1) * others) {
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(5ms);
}

} // namespace tutti::test
