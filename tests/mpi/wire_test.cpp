// What goes over the wire, through MPI's profiling interface; and the schedules among processes by name.

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "support.hpp"
#include "wire_count.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <string>

namespace tutti::test {

std::atomic<int> sends{0};
std::atomic<int> sends_until_failure{-1};
std::atomic<bool> sends_last{false};
std::atomic<int> freed_active{0};
std::atomic<Fate> fate_of_allreduce{Fate::none};

namespace {
std::mutex texts_mutex;
std::vector<const char*> texts;
} // namespace

std::vector<const char*> told_texts() {
    const std::scoped_lock lock(texts_mutex);
    return texts;
}

} // namespace tutti::test

extern "C" int MPI_Request_free(MPI_Request* request) {
    int done = 0;
    PMPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
    tutti::test::freed_active += done == 0 ? 1 : 0;
    return PMPI_Request_free(request);
}

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
    ++tutti::test::sends;
    if (tutti::test::sends_until_failure >= 0 && tutti::test::sends_until_failure-- == 0) {
        return MPI_ERR_OTHER;
    }
    if (type == MPI_CHAR) {
        const std::scoped_lock lock(tutti::test::texts_mutex);
        tutti::test::texts.push_back(static_cast<const char*>(buffer));
    }
    return tutti::test::sends_last ? PMPI_Issend(buffer, count, type, to, tag, communicator, request)
                                   : PMPI_Isend(buffer, count, type, to, tag, communicator, request);
}

extern "C" int MPI_Iallreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm communicator, MPI_Request* request) {
    using tutti::test::Fate;
    const Fate fate = tutti::test::fate_of_allreduce.exchange(Fate::none);
    if (fate == Fate::none) {
        return PMPI_Iallreduce(in, out, count, type, op, communicator, request);
    }
    int resumed = fate == Fate::fails ? 1 : 0;
    while (resumed == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        MPI_Iprobe(0, tutti::test::resume_tag, MPI_COMM_WORLD, &resumed, MPI_STATUS_IGNORE);
    }
    return MPI_ERR_OTHER;
}

namespace tutti::test {

namespace {

/// The most messages that a process sends in one call. The first call is not counted: it makes the plans.
int messages(MPI_Comm part, int members, const std::function<void(mpi::Member&)>& call) {
    int sent = 0;
    on_members(part, members, [&](mpi::Member& me) {
        call(me);
        me.barrier();
        me.local().barrier();
        if (me.local().rank() == 0) {
            sends = 0;
        }
        me.local().barrier();
        call(me);
        me.local().barrier();
        if (me.local().rank() == 0) {
            sent = sends;
        }
    });
    int most = 0;
    MPI_Allreduce(&sent, &most, 1, MPI_INT, MPI_MAX, part);
    return most;
}

int log2_ceil(int processes) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(processes - 1)));
}

/// Of a reduce_scatter that combines in the order of the processes: one more to bring blocks to their places.
int in_order(int q) {
    return q == 1 ? q : q + 1;
}

auto allreduce(std::size_t elements, const mpi::Options& options = {}) {
    return [=](mpi::Member& me) {
        std::vector<double> vector(elements, 1);
        me.allreduce(vector, tutti::sum, options);
    };
}

auto reduce_scatter(std::size_t elements, const mpi::Options& options = {}) {
    return [=](mpi::Member& me) {
        const auto size = static_cast<std::size_t>(me.size());
        std::vector<double> block(elements / size);
        me.reduce_scatter(std::vector<double>(elements, 1), block, tutti::sum, options);
    };
}

auto allgather(std::size_t elements, const mpi::Options& options = {}) {
    return [=](mpi::Member& me) {
        std::vector<double> all(elements);
        me.allgather(std::vector<double>(elements / static_cast<std::size_t>(me.size())), all, options);
    };
}

auto scan(std::size_t elements, const mpi::Options& options) {
    return [=](mpi::Member& me) {
        std::vector<double> vector(elements, 1);
        me.scan(vector, tutti::sum, options);
    };
}

constexpr std::size_t segment_elements = 65536;

} // namespace

TEST_CASE("messages of an allreduce, the most of any leader, are those that docs/hybrid.md gives") {
    for (const int processes : {2, 3, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int q = log2_ceil(processes);
            const bool power = std::has_single_bit(static_cast<unsigned>(processes));
            CAPTURE(processes);
            CHECK(messages(part, members_here(), [](mpi::Member& me) { me.barrier(); }) == q);
            CHECK(messages(part, members_here(), allreduce(1)) == q);
            CHECK(messages(part, members_here(), allreduce(512)) == 2 * q); // each in two
            CHECK(messages(part, members_here(), allreduce(8192)) == q);
            CHECK(messages(part, members_here(), allreduce(4 * 8192)) == (power ? 2 * q : 3));
            const mpi::Options halves{.algorithm = power ? "butterfly-halving" : "circulant"};
            CHECK(messages(part, members_here(), allreduce(8192, halves)) == 2 * q);
            CHECK(messages(part, members_here(), allreduce(1, {.algorithm = "library"})) == q);
            CHECK(messages(part, members_here(), allreduce(1, {.order = Order::serial})) == q);
        });
    }
}

TEST_CASE("messages of segments: those of a leader, for each segment") {
    const mpi::Options pipelined{.way = "pipelined"};
    for (const int processes : {2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int q = log2_ceil(processes);
            const int members = members_here();
            CHECK(messages(part, members, allreduce(4 * segment_elements, pipelined)) == 4 * 2 * q);
            CHECK(messages(part, members, scan(4 * segment_elements, {.order = Order::serial})) == 4);
            CHECK(messages(part, members, reduce_scatter(4 * segment_elements, pipelined)) ==
                  4 * in_order(q));
            CHECK(messages(part, members, allgather(4 * segment_elements, pipelined)) == 4 * q);
        });
    }
}

namespace {

using Vector = std::vector<std::int64_t>;

/// One call of a collective by an algorithm, on vectors for which the result is known.
bool is_right(mpi::Member& me, Collective collective, const mpi::Options& options) {
    constexpr std::size_t n = 301;
    const auto size = static_cast<std::size_t>(me.size());
    const auto rank = static_cast<std::size_t>(me.rank());
    const std::int64_t all = static_cast<std::int64_t>(size * (size + 1) / 2);
    const std::int64_t mine = me.rank() + 1;
    const int root = me.size() - 1;
    const auto filled = [](std::size_t count, std::int64_t value) { return Vector(count, value); };
    Vector ranks;
    for (std::size_t other = 0; other < size; ++other) {
        ranks.insert(ranks.end(), n, static_cast<std::int64_t>(other) + 1);
    }
    Vector out(n, -1);
    switch (collective) {
    case Collective::barrier:
        me.barrier(options);
        return true;
    case Collective::broadcast:
        out = filled(n, me.rank() == root ? 5 : 0);
        me.broadcast(out, root, options);
        return out == filled(n, 5);
    case Collective::reduce:
        me.reduce(filled(n, mine), out, tutti::sum, root, options);
        return out == filled(n, me.rank() == root ? all : -1);
    case Collective::allreduce:
        me.allreduce(filled(n, mine), out, tutti::sum, options);
        return out == filled(n, all);
    case Collective::reduce_scatter:
        me.reduce_scatter(filled(n * size, mine), out, tutti::sum, options);
        return out == filled(n, all);
    case Collective::allgather:
        out.resize(n * size);
        me.allgather(filled(n, mine), out, options);
        return out == ranks;
    case Collective::gather:
        out.resize(n * size);
        me.gather(filled(n, mine), out, root, options);
        return me.rank() != root || out == ranks;
    case Collective::scatter:
        me.scatter(ranks, out, root, options);
        return out == filled(n, mine);
    case Collective::alltoall:
        out.resize(n * size);
        me.alltoall(filled(n * size, mine), out, options);
        return out == ranks;
    case Collective::scan:
        me.scan(filled(n, 1), out, tutti::sum, options);
        return out == filled(n, mine);
    case Collective::exscan:
        me.exscan(filled(n, 1), out, tutti::sum, options);
        return out == filled(n, rank == 0 ? -1 : mine - 1);
    case Collective::shift:
        break;
    }
    return false;
}

/// Whether an algorithm serves so many processes that share no memory.
bool serves(const algorithm::Algorithm& row, int processes) {
    return row.collective != Collective::shift && row.reach == algorithm::Reach::peers &&
           takes(row, processes);
}

} // namespace

TEST_CASE("every algorithm of the registry, among up to 4 processes") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            on_members(part, members_here(), [&](mpi::Member& me) {
                for (const algorithm::Algorithm& row : algorithm::registry()) {
                    if (serves(row, processes)) {
                        INFO(to_string(row.collective), " ", row.name);
                        CHECK(is_right(me, row.collective, {.algorithm = row.name}));
                    }
                }
            });
        });
    }
}

TEST_CASE("bits are equal on all members, whatever carries them") {
    on_processes(3, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            for (const std::size_t elements : {1U, 100U, 20000U}) {
                for (const char* const algorithm :
                     {"", "library", "circulant", "ring", "butterfly-elimination-2-1"}) {
                    std::vector<double> vector(elements);
                    for (std::size_t i = 0; i < elements; ++i) {
                        vector[i] = 1.0 / (static_cast<double>(i % 97) + me.rank() + 1) *
                                    (me.rank() % 2 == 0 ? 1 : -1e8);
                    }
                    me.allreduce(vector, tutti::sum, {.algorithm = algorithm});
                    std::vector<std::uint64_t> bits(elements);
                    for (std::size_t i = 0; i < elements; ++i) {
                        bits[i] = std::bit_cast<std::uint64_t>(vector[i]);
                    }
                    std::vector<std::uint64_t> of_first = bits;
                    me.broadcast(of_first, 0);
                    CHECK(bits == of_first);
                }
                std::vector<double> zeros(elements, me.rank() % 2 == 0 ? 0.0 : -0.0);
                me.allreduce(zeros, tutti::min, {.algorithm = "library"});
                CHECK(!std::signbit(zeros.front())); // the first rank's, on every member
            }
        });
    });
}

} // namespace tutti::test
