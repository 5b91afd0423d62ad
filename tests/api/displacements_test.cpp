// Blocks that lie anywhere in a vector, and counts that only the root knows.

#include "elements.hpp"
#include "support.hpp"
#include "ways.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>

using namespace tutti;
using test::element;
using test::Odd;

namespace {

using List = std::vector<std::size_t>;

template <class T>
std::vector<T> block(std::size_t sender, std::size_t receiver, std::size_t count) {
    std::vector<T> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back(element<T>(sender, receiver, i));
    }
    return made;
}

/// Blocks of these lengths in any order, with gaps; those of no elements have any displacement.
struct Layout {
    List displacements;
    std::size_t elements = 0;

    template <class Engine>
    Layout(const List& counts, Engine& engine) : displacements(counts.size()) {
        List order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::shuffle(order, engine);
        for (const std::size_t index : order) {
            elements += engine() % 3;
            displacements[index] = counts[index] != 0 ? elements : engine();
            elements += counts[index];
        }
        elements += engine() % 3;
    }

    /// A vector that holds in gaps what nobody may touch.
    template <class T>
    std::vector<T> blank() const {
        return std::vector<T>(elements, element<T>(7, 7, 12345));
    }
    template <class T>
    void put(std::vector<T>& vector, std::size_t index, const std::vector<T>& elements_of_block) const {
        if (!elements_of_block.empty()) {
            std::ranges::copy(elements_of_block,
                              vector.begin() + static_cast<std::ptrdiff_t>(displacements[index]));
        }
    }
};

List random_counts(std::size_t members, std::size_t most, std::mt19937& engine) {
    List counts(members);
    for (std::size_t& count : counts) {
        count = engine() % 3 == 0 ? 0 : engine() % (most + 1);
    }
    return counts;
}

/// What one member of a trial knows: everybody's counts, and a way to choose a layout that is its own.
struct Trial {
    List counts;
    int root;
    std::uint32_t seed;

    template <class Me>
    std::mt19937 engine(const Me& me) const {
        return std::mt19937(seed + static_cast<std::uint32_t>(me.rank()));
    }
};

template <class Me>
std::size_t rank_of(const Me& me) {
    return static_cast<std::size_t>(me.rank());
}

template <class T, class Me>
std::vector<T> own_block(const Me& me, const Trial& trial) {
    return block<T>(rank_of(me), 0, trial.counts[rank_of(me)]);
}

template <class T>
std::vector<T> all_blocks(const Trial& trial, const Layout& layout) {
    std::vector<T> whole = layout.blank<T>();
    for (std::size_t rank = 0; rank < trial.counts.size(); ++rank) {
        layout.put(whole, rank, block<T>(rank, 0, trial.counts[rank]));
    }
    return whole;
}

/// The number of wrong results of one member.
template <class T, class Me>
int allgathers(Me& me, const Trial& trial) {
    std::mt19937 engine = trial.engine(me);
    const Layout layout(trial.counts, engine);
    const Counts counts(trial.counts, layout.displacements);
    const auto mine = own_block<T>(me, trial);
    const auto expected = all_blocks<T>(trial, layout);
    std::vector<T> out = layout.blank<T>();
    me.allgather(mine, out, counts);
    int wrong = out == expected ? 0 : 1;
    std::vector<T> inout = layout.blank<T>();
    layout.put(inout, rank_of(me), mine);
    me.allgather(inout, counts);
    wrong += inout == expected ? 0 : 1;
    // The block may be that part of the result.
    std::vector<T> part = layout.blank<T>();
    layout.put(part, rank_of(me), mine);
    const std::size_t start = mine.empty() ? 0 : layout.displacements[rank_of(me)];
    const Options flat{.algorithm = test::has_algorithms<Me> ? "flat" : ""};
    me.allgather(std::span(part).subspan(start, mine.size()), part, counts, flat);
    wrong += part == expected ? 0 : 1;
    return wrong;
}

template <class T, class Me>
int gathers(Me& me, const Trial& trial) {
    std::mt19937 engine = trial.engine(me);
    const Layout layout(trial.counts, engine);
    const bool is_root = me.rank() == trial.root;
    const auto mine = own_block<T>(me, trial);
    const auto expected = is_root ? all_blocks<T>(trial, layout) : std::vector<T>();
    const Counts counts(trial.counts, layout.displacements);
    std::vector<T> out = is_root ? layout.blank<T>() : std::vector<T>();
    me.gather(mine, out, counts, trial.root);
    int wrong = out == expected ? 0 : 1;
    const auto in_place = [&] {
        std::vector<T> inout = is_root ? layout.blank<T>() : mine;
        if (is_root) {
            layout.put(inout, rank_of(me), mine);
        }
        return inout;
    };
    const auto result = is_root ? expected : mine;
    std::vector<T> inout = in_place();
    me.gather(inout, counts, trial.root);
    wrong += inout == result ? 0 : 1;
    const CountsAtRoot at_root = is_root ? CountsAtRoot(trial.counts, layout.displacements) : CountsAtRoot();
    out = is_root ? layout.blank<T>() : std::vector<T>();
    me.gather(mine, out, at_root, trial.root);
    wrong += out == expected ? 0 : 1;
    // Each as it likes.
    inout = in_place();
    out = is_root ? layout.blank<T>() : std::vector<T>();
    const bool uses_one = engine() % 2 == 0;
    uses_one ? me.gather(inout, at_root, trial.root) : me.gather(mine, out, at_root, trial.root);
    wrong += (uses_one ? inout == result : out == expected) ? 0 : 1;
    return wrong;
}

template <class T, class Me>
int scatters(Me& me, const Trial& trial) {
    std::mt19937 engine = trial.engine(me);
    const Layout layout(trial.counts, engine);
    const bool is_root = me.rank() == trial.root;
    const auto expected = own_block<T>(me, trial);
    const auto in = is_root ? all_blocks<T>(trial, layout) : std::vector<T>();
    const Counts counts(trial.counts, layout.displacements);
    std::vector<T> out(expected.size());
    me.scatter(in, out, counts, trial.root);
    int wrong = out == expected ? 0 : 1;
    std::vector<T> inout = is_root ? in : std::vector<T>(expected.size());
    me.scatter(inout, counts, trial.root);
    wrong += inout == (is_root ? in : expected) ? 0 : 1;
    const CountsAtRoot at_root = is_root ? CountsAtRoot(trial.counts, layout.displacements) : CountsAtRoot();
    out.assign(out.size(), element<T>(9, 9, 9));
    me.scatter(in, out, at_root, trial.root);
    wrong += out == expected ? 0 : 1;
    inout = is_root ? in : std::vector<T>(expected.size());
    out.assign(out.size(), element<T>(9, 9, 9));
    const bool uses_one = engine() % 2 == 0;
    uses_one ? me.scatter(inout, at_root, trial.root) : me.scatter(in, out, at_root, trial.root);
    wrong += (uses_one ? inout == (is_root ? in : expected) : out == expected) ? 0 : 1;
    return wrong;
}

/// counts[i] + counts[j] elements go from i to j, or none where that is odd.
std::size_t exchanged(const Trial& trial, std::size_t i, std::size_t j) {
    const std::size_t both = trial.counts[i] + trial.counts[j];
    return both % 2 == 0 ? both / 2 : 0;
}

template <class T, class Me>
int exchanges(Me& me, const Trial& trial) {
    std::mt19937 engine = trial.engine(me);
    const std::size_t own = rank_of(me);
    List counts;
    for (std::size_t peer = 0; peer < trial.counts.size(); ++peer) {
        counts.push_back(exchanged(trial, own, peer));
    }
    const Layout sent(counts, engine);
    const Layout received(counts, engine);
    const auto filled = [&](const Layout& layout, bool from_me) {
        std::vector<T> vector = layout.blank<T>();
        for (std::size_t peer = 0; peer < counts.size(); ++peer) {
            layout.put(vector, peer,
                       from_me ? block<T>(own, peer, counts[peer]) : block<T>(peer, own, counts[peer]));
        }
        return vector;
    };
    const auto in = filled(sent, true);
    int wrong = 0;
    for (const std::string_view algorithm : {"", "direct", "pairwise"}) {
        const Options options{.algorithm = test::has_algorithms<Me> ? algorithm : ""};
        std::vector<T> out = received.blank<T>();
        me.alltoall(in, Counts(counts, sent.displacements), out, Counts(counts, received.displacements),
                    options);
        wrong += out == filled(received, false) ? 0 : 1;
        std::vector<T> inout = in;
        me.alltoall(inout, Counts(counts, sent.displacements), options);
        wrong += inout == filled(sent, false) ? 0 : 1;
    }
    return wrong;
}

/// What is irregular without displacements, in place.
template <class T, class Me>
int packed_in_place(Me& me, const Trial& trial) {
    const std::size_t own = rank_of(me);
    const bool is_root = me.rank() == trial.root;
    List starts(trial.counts.size());
    std::exclusive_scan(trial.counts.begin(), trial.counts.end(), starts.begin(), std::size_t{0});
    std::vector<T> all;
    std::vector<T> only_mine;
    std::vector<T> to_all;
    std::vector<T> from_all;
    List counts;
    for (std::size_t rank = 0; rank < trial.counts.size(); ++rank) {
        const auto part = block<T>(rank, 0, trial.counts[rank]);
        all.insert(all.end(), part.begin(), part.end());
        only_mine.insert(only_mine.end(), part.size(), element<T>(8, 8, 8));
        counts.push_back(exchanged(trial, own, rank));
        const auto to = block<T>(own, rank, counts.back());
        const auto from = block<T>(rank, own, counts.back());
        to_all.insert(to_all.end(), to.begin(), to.end());
        from_all.insert(from_all.end(), from.begin(), from.end());
    }
    const auto mine = own_block<T>(me, trial);
    std::ranges::copy(mine, only_mine.begin() + static_cast<std::ptrdiff_t>(starts[own]));
    std::vector<T> inout = only_mine;
    me.allgather(inout, Counts(trial.counts));
    int wrong = inout == all ? 0 : 1;
    inout = is_root ? only_mine : mine;
    me.gather(inout, Counts(trial.counts), trial.root);
    wrong += inout == (is_root ? all : mine) ? 0 : 1;
    inout = is_root ? all : std::vector<T>(mine.size());
    me.scatter(inout, Counts(trial.counts), trial.root);
    wrong += inout == (is_root ? all : mine) ? 0 : 1;
    me.alltoall(to_all, Counts(counts));
    wrong += to_all == from_all ? 0 : 1;
    // Without displacements the counts may be at the root as well.
    inout = is_root ? only_mine : mine;
    me.gather(inout, is_root ? CountsAtRoot(trial.counts) : counts_at_root, trial.root);
    wrong += inout == (is_root ? all : mine) ? 0 : 1;
    std::vector<T> out(mine.size());
    const auto in = is_root ? all : std::vector<T>();
    me.scatter(in, out, is_root ? CountsAtRoot(trial.counts) : counts_at_root, trial.root);
    wrong += out == mine ? 0 : 1;
    return wrong;
}

template <class Part>
void check(Part part) {
    std::mt19937 engine(5);
    for (const std::size_t members : test::reduced ? List{1, 2, 3, 5} : List{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        std::vector<Trial> trials;
        for (const std::size_t most : List{0, 1, 9, 9, 9, 300, 5000}) {
            trials.push_back({random_counts(members, most, engine), static_cast<int>(engine() % members),
                              static_cast<std::uint32_t>(engine())});
            trials.push_back(trials.back()); // a call that is repeated
        }
        trials.push_back(trials.back());
        trials.back().seed += 100; // with other displacements
        Team team({.members = static_cast<int>(members), .placement = "none"});
        Rendezvous meeting(static_cast<int>(members));
        std::vector<int> wrong(members);
        team.run([&](Member& me) {
            test::in_every_way(me, meeting, [&](auto& caller) {
                for (const Trial& trial : trials) {
                    wrong[rank_of(me)] += part(caller, trial);
                    std::vector<int> one{1}; // what comes in between uses the same slots
                    caller.allreduce(one, sum);
                    wrong[rank_of(me)] += one[0] == static_cast<int>(members) ? 0 : 1;
                }
            });
        });
        INFO(members, " members");
        CHECK(wrong == std::vector<int>(members));
    }
}

} // namespace

TEST_CASE("an allgather leaves blocks where each member wants them") {
    check([](auto& me, const Trial& trial) {
        return allgathers<double>(me, trial) + allgathers<Odd>(me, trial);
    });
}

TEST_CASE("a gather leaves blocks where the root wants them, who alone may know their lengths") {
    check([](auto& me, const Trial& trial) { return gathers<double>(me, trial) + gathers<Odd>(me, trial); });
}

TEST_CASE("a scatter takes blocks from where the root has them, who alone may know their lengths") {
    check(
        [](auto& me, const Trial& trial) { return scatters<double>(me, trial) + scatters<Odd>(me, trial); });
}

TEST_CASE("an all-to-all takes blocks from anywhere and leaves them anywhere") {
    check([](auto& me, const Trial& trial) {
        return exchanges<double>(me, trial) + exchanges<Odd>(me, trial);
    });
}

TEST_CASE("irregular blocks in place") {
    check([](auto& me, const Trial& trial) {
        return packed_in_place<double>(me, trial) + packed_in_place<Odd>(me, trial);
    });
}

TEST_CASE("blocks that are read may overlap") {
    Team team({.members = 3, .placement = "none"});
    std::vector<int> wrong(3);
    team.run([&](Member& me) {
        const List counts{2, 3, 1};
        const List everywhere{1, 0, 1};
        const std::vector<int> in{10, 11, 12};
        std::vector<int> out(counts[rank_of(me)]);
        me.scatter(in, out, Counts(counts, everywhere), 1);
        const std::vector<int> expected[] = {{11, 12}, {10, 11, 12}, {11}};
        wrong[rank_of(me)] += out == expected[rank_of(me)] ? 0 : 1;
        const List ones(3, 1);
        const List same(3, 2);
        const List backwards{2, 1, 0};
        std::vector<int> received(3);
        const std::vector<int> mine{0, 0, me.rank()};
        me.alltoall(mine, Counts(ones, same), received, Counts(ones, backwards));
        wrong[rank_of(me)] += received == std::vector<int>{2, 1, 0} ? 0 : 1;
    });
    CHECK(wrong == std::vector<int>(3));
}
