// "Which barriers may go?" of docs/collectives.md: for whom a member waits, and whose data it may read and
// overwrite after a call. In each call one member is held back until the others have had time to leave
// without it.

#include "../execute/rows.hpp"

namespace {

using Number = std::uint64_t;
using Text = std::string_view;

constexpr std::size_t most_members = 17;
constexpr std::array<std::size_t, 2> sizes{1, 32768}; // 8 bytes and 256 KiB

/// A row of the page. One without calls is for those of the row above it.
struct Row {
    Text calls;
    Text member;
    Text waits_for;
    Text readable;
};
constexpr Row rows[] = {
    {"`barrier`, `allreduce`, `reduce_scatter`, `allgather`, `alltoall`", "each", "all members", "yes"},
    {"`broadcast`, `scatter`", "root", "nobody", "no"},
    {"", "others", "the root", "only the root's"},
    {"`reduce`, `gather`", "root", "all members", "yes"},
    {"", "others", "nobody", "no"},
    {"`scan`, `exscan`", "rank 0", "nobody", "no"},
    {"", "rank r", "ranks below r", "only theirs"},
    {"", "last rank", "all members", "yes"},
    {"`shift`", "each", "the rank `distance` before it", "only its"},
    {"`neighbor_alltoall`", "each", "its sources", "only theirs"}};

/// A call, with the root, the distance, or the number of sources: the ranks just before the member.
struct Called {
    std::string name;
    int members;
    int number;

    int before(int rank, int distance) const { return ((rank - distance) % members + members) % members; }
    bool is_source(int other, int rank) const { return other != rank && before(rank, other) <= number; }
    bool waits(int rank, int other) const {
        const std::map<Text, bool> whom{{"all members", true},
                                        {"nobody", false},
                                        {"the root", other == number},
                                        {"ranks below r", other < rank},
                                        {"the rank `distance` before it", other == before(rank, number)},
                                        {"its sources", is_source(other, rank)}};
        const Text in_order = rank == members - 1 ? "last rank" : rank == 0 ? "rank 0" : "rank r";
        std::vector<bool> found;
        Text calls;
        for (const Row& row : rows) {
            calls = row.calls.empty() ? calls : row.calls;
            if ((row.member == "each" || row.member == in_order ||
                 row.member == (rank == number ? "root" : "others")) &&
                calls.find('`' + name + '`') != Text::npos) {
                found.push_back(whom.at(row.waits_for));
            }
        }
        return found.size() == 1 ? found[0]
                                 : throw std::logic_error(name + " has other than one row for a member");
    }
    /// The exchange among neighbours "waits for neighbours only".
    bool can_leave(int rank, int other) const {
        return name == "neighbor_alltoall" && rank != other && !is_source(other, rank) &&
               !is_source(rank, other);
    }
};

/// Cell [rank][other] is read and written by the other one before the call, and by the first one after it.
/// All else is relaxed, so that the thread sanitizer sees no order but that of the call.
struct Turn {
    std::atomic<int> entered{0};
    std::array<std::atomic<bool>, most_members> left{};
    std::array<std::array<int, most_members>, most_members> cells{};
};

/// Whether it becomes true.
bool comes(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
    }
    return condition();
}

/// The number of broken promises. Each member is held back in one call of each way: 0 to 2 as in
/// in_every_way(), 3 with tests.
template <class Make>
int broken(Team& team, const Called& called, const std::vector<std::size_t>& ways, const Make& make) {
    const auto p = static_cast<std::size_t>(called.members);
    std::array<std::array<bool, most_members>, most_members> waits{};
    for (std::size_t i = 0; i < p * p; ++i) {
        waits[i / p][i % p] = called.waits(static_cast<int>(i / p), static_cast<int>(i % p));
    }
    std::vector<Turn> turns(ways.size() * p);
    std::atomic<int> all_wrong{0};
    team.run([&](Member& me) {
        int wrong = 0;
        const std::size_t own = index_of(me);
        const auto call = [&](auto& way) { return make(me, way); };
        const auto with_wait = in_every_way(me, call);
        for (std::size_t i = 0; i < turns.size(); ++i) {
            Turn& turn = turns[i];
            if (i % 2 == 0) {
                me.barrier(); // in the other turns, members may be some calls apart
            }
            if (own == i % p) {
                const auto entered = [&] { return turn.entered.load(std::memory_order_relaxed); };
                wrong += comes([&] { return entered() == me.size() - 1; }) ? 0 : 1;
                std::this_thread::sleep_for(1ms);
            }
            for (std::size_t other = 0; other < p; ++other) {
                const auto has_left = [&] { return turn.left[other].load(std::memory_order_relaxed); };
                const bool is_held = own == i % p;
                const bool can_leave = called.can_leave(static_cast<int>(other), me.rank());
                wrong += is_held && waits[other][own] && has_left() ? 1 : 0;
                wrong += is_held && can_leave && !comes(has_left) ? 1 : 0;
                turn.cells[other][own] += 1;
            }
            turn.entered.fetch_add(1, std::memory_order_relaxed);
            if (const std::size_t way = ways[i / p]; way < with_wait.size()) {
                with_wait[way]();
            } else {
                for (Request request = call(me.start); !request.test();) {
                    std::this_thread::yield();
                }
            }
            turn.left[own].store(true, std::memory_order_relaxed);
            for (std::size_t other = 0; other < p; ++other) {
                wrong += waits[own][other] && std::exchange(turn.cells[own][other], 2) != 1 ? 1 : 0;
            }
        }
        all_wrong += wrong;
    });
    return all_wrong;
}

/// Among four there are two levels. An odd number of members never sleeps: else a member would be woken by
/// the one that was held back, and the thread sanitizer would see an order that is not the call's.
TeamOptions options(int members) {
    return {.placement = Placement::none,
            .group = {.wait = members % 2 == 0 ? Wait::automatic : Wait::yield,
                      .timeout = 60s,
                      .levels = std::vector(members == 4 ? 2 : 0, 2)}};
}

/// Tries calls in one way each, in turn, or in all ways.
void try_jobs(int members, std::vector<Job> jobs, bool in_every_way) {
    Team team(members, options(members));
    Reference<Number> reference(members, ordinary<Number>, std::plus<Number>());
    reference.keep(2 * sizes.back());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Job& job = jobs[i];
        job.shape.count = std::max<std::size_t>(1, job.shape.count); // nothing is promised for empty blocks
        CAPTURE(members);
        CAPTURE(job.describe());
        std::vector<Vectors<Number>> vectors;
        for (std::size_t rank = 0; rank < reference.members(); ++rank) {
            vectors.push_back(reference.vectors(rank, job.shape));
        }
        const std::vector<std::size_t> ways =
            in_every_way ? std::vector<std::size_t>{0, 1, 2, 3} : std::vector{i % 4};
        CHECK(broken(team, {std::string(job.shape.traits().name), members, job.shape.root}, ways,
                     [&](Member& me, auto& way) {
                         Vectors<Number>& own = vectors[index_of(me)];
                         return make_call(way, job.shape, own, std::span<const Number>(own.in),
                                          std::span(own.out), sum, Options{.algorithm = job.algorithm});
                     }) == 0);
    }
}

} // namespace

TEST_CASE("which barriers may go: the page has these rows") {
    std::ifstream file(TUTTI_DOCS "/collectives.md");
    const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::string table = "always waits for | shared data may be read after it |\n|---|---|---|---|\n";
    for (const Row& row : rows) {
        for (const Text cell : {row.calls, row.member, row.waits_for, row.readable}) {
            table += "| " + std::string(cell) + (cell.empty() ? "" : " ");
        }
        table += "|\n";
    }
    CHECK_MESSAGE(mentions(page, table + "\n"), table);
}

TEST_CASE("which barriers may go: each member waits for those of the page, whatever is called") {
    for (const int members : {2, 3, 4, 5, 17}) {
        std::vector<int> roots{0, 1, 2, 3, 4};
        roots.resize(std::min(roots.size(), static_cast<std::size_t>(members)));
        std::vector<Job> jobs;
        for (const std::size_t size : sizes) {
            for (Shape shape : regular_shapes(size, roots, {1, -1, 2 * members + 2})) {
                shape.count /= shape.traits().blocks(static_cast<std::size_t>(members));
                jobs.push_back({shape});
            }
            const Lengths lengths = [=](std::size_t from, std::size_t to) {
                return size / 17 + 1 + (from + 2 * to) % 3;
            };
            for (const auto seed : {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(7)}) {
                for (const Shape& shape : irregular_shapes(lengths, roots, seed)) {
                    jobs.push_back({shape});
                }
            }
        }
        std::erase_if(jobs, [&](const Job&) { return members > 3 && !is_sampled(); });
        try_jobs(members, jobs, !reduced && members <= 3);
        if (members <= 5) {
            try_jobs(members, jobs_of(members, sizes, {.defaults = false}), false);
        }
    }
}

TEST_CASE("which barriers may go: each member waits for all before it leaves with a shared result") {
    for (const int members : {2, 3, 5}) {
        Team team(members, options(members));
        for (const std::size_t size : sizes) {
            const std::vector<Number> in(size);
            std::vector<Number> one(size);
            std::vector<Number> all(size * static_cast<std::size_t>(members));
            const auto sums = [&](Member&, auto& way) { return way.allreduce(in, shared(one), sum); };
            const auto blocks = [&](Member&, auto& way) { return way.allgather(in, shared(all)); };
            CHECK(broken(team, {"allreduce", members, 0}, {0, 1, 2, 3}, sums) == 0);
            CHECK(broken(team, {"allgather", members, 0}, {0, 1, 2, 3}, blocks) == 0);
        }
    }
}

TEST_CASE("which barriers may go: each member waits for its sources, and for neighbours only") {
    using Pair = std::array<int, 2>;
    for (const auto& [members, sources] : {Pair{2, 1}, {3, 1}, {4, 1}, {4, 2}, {5, 1}, {5, 3}, {17, 2}}) {
        const Called called{"neighbor_alltoall", members, sources};
        Team team(members, options(members));
        std::vector<std::optional<Neighbors>> neighbors(static_cast<std::size_t>(members));
        team.run([&](Member& me) {
            std::vector<int> from;
            std::vector<int> to;
            for (int distance = 1; distance <= called.number; ++distance) {
                from.push_back(called.before(me.rank(), distance));
                to.push_back(called.before(me.rank(), -distance));
            }
            neighbors[index_of(me)] = me.neighbors(from, to);
        });
        for (const std::size_t size : sizes) {
            const std::vector<Number> in(size * static_cast<std::size_t>(sources));
            std::vector<std::vector<Number>> out(static_cast<std::size_t>(members), in);
            CHECK(broken(team, called, {0, 1, 2, 3}, [&](Member& me, auto& way) {
                      return way.neighbor_alltoall(*neighbors[index_of(me)], in, out[index_of(me)]);
                  }) == 0);
        }
    }
}
