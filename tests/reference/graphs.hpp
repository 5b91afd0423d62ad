#pragma once

#include "../std.hpp"

#include <tutti/neighbors.hpp>

namespace tutti::test {

/// An element of a size that is no power of two.
struct Odd {
    std::array<std::uint8_t, 3> bytes;
    friend bool operator==(const Odd&, const Odd&) = default;
};

/// Element `index` of what `sender` has for `receiver`.
template <class T>
T element(std::size_t sender, std::size_t receiver, std::size_t index) {
    const std::size_t value = (sender * 31 + receiver) * 1009 + index;
    if constexpr (std::is_same_v<T, Odd>) {
        return {{static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8U),
                 static_cast<std::uint8_t>(value >> 16U)}};
    } else {
        return static_cast<T>(value);
    }
}

using List = std::vector<std::size_t>;

/// The neighbours that each member names.
struct Named {
    std::vector<int> sources;
    std::vector<int> destinations;
};

inline std::vector<Named> random_graph(int members, std::mt19937& engine) {
    std::vector<Named> named(static_cast<std::size_t>(members));
    for (int from = 0; from < members; ++from) {
        for (int to = 0; to < members; ++to) {
            for (auto edges = engine() % 3; edges > 0; --edges) {
                named[static_cast<std::size_t>(from)].destinations.push_back(to);
                named[static_cast<std::size_t>(to)].sources.push_back(from);
            }
        }
    }
    for (Named& each : named) {
        if (engine() % 2 == 0) {
            each.sources.push_back(Neighbors::none);
            each.destinations.push_back(Neighbors::none);
        }
        std::ranges::shuffle(each.sources, engine);
        std::ranges::shuffle(each.destinations, engine);
    }
    return named;
}

/// The number of the block of its sender that is block `received` of a member.
inline std::size_t sent_as(const std::vector<Named>& graph, int member, std::size_t received) {
    const std::vector<int>& sources = graph[static_cast<std::size_t>(member)].sources;
    const int sender = sources[received];
    auto before =
        std::count(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(received), sender);
    const std::vector<int>& destinations = graph[static_cast<std::size_t>(sender)].destinations;
    std::size_t block = 0;
    while (destinations[block] != member || before-- != 0) {
        ++block;
    }
    return block;
}

/// The length of a member's block, if the shortest one with elements has `unit`.
inline std::size_t length_of(int sender, std::size_t block, std::size_t unit) {
    return (static_cast<std::size_t>(sender) * 7 + block * 5) % 11 * unit;
}

/// A member's buffers, with blocks in reverse order and gaps between them, and what it must receive.
template <class T>
struct Exchange {
    List send_counts, send_places, recv_counts, recv_places;
    std::vector<T> in, out, expected;

    Exchange(const std::vector<Named>& graph, int rank, std::size_t unit = 1) {
        const Named& own = graph[static_cast<std::size_t>(rank)];
        for (std::size_t block = 0; block < own.destinations.size(); ++block) {
            send_counts.push_back(length_of(rank, block, unit));
        }
        for (std::size_t block = 0; block < own.sources.size(); ++block) {
            const int from = own.sources[block];
            recv_counts.push_back(from < 0 ? 3 : length_of(from, sent_as(graph, rank, block), unit));
        }
        in.resize(place(send_counts, send_places));
        out.resize(place(recv_counts, recv_places), element<T>(97, 89, 3));
        expected = out;
        for (std::size_t block = 0; block < send_counts.size(); ++block) {
            for (std::size_t i = 0; i < send_counts[block]; ++i) {
                in[send_places[block] + i] = element<T>(static_cast<std::size_t>(rank), block, i);
            }
        }
        for (std::size_t block = 0; block < recv_counts.size(); ++block) {
            const int from = own.sources[block];
            for (std::size_t i = 0; from >= 0 && i < recv_counts[block]; ++i) {
                expected[recv_places[block] + i] =
                    element<T>(static_cast<std::size_t>(from), sent_as(graph, rank, block), i);
            }
        }
    }

private:
    static std::size_t place(const List& counts, List& places) {
        std::size_t end = 1;
        places.resize(counts.size());
        for (std::size_t block = counts.size(); block-- > 0;) {
            places[block] = end;
            end += counts[block] + 2;
        }
        return end;
    }
};

} // namespace tutti::test
