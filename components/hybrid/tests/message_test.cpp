// The messages over the channel, through MPI's profiling interface; and the schedules among processes by
// name.

#include "algorithm/registry.hpp"
#include "choose/select.hpp"
#include "exam.hpp"
#include "hybrid/src/leader_work.hpp"
#include "message_count.hpp"
#include "support.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace tutti::test {

std::atomic<int> sends{0};
std::atomic<int> sends_until_failure{-1};
std::atomic<bool> sends_last{false};
std::atomic<int> freed_active{0};

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

/// The rounds of a reduce_scatter that combines in the order of the processes: one more to bring blocks to
/// their places.
int in_order(int q) {
    return q == 1 ? q : q + 1;
}

auto allreduce(std::size_t elements, const Options& options = {}) {
    return [=](mpi::Member& me) {
        std::vector<double> vector(elements, 1);
        me.allreduce(vector, tutti::sum, options);
    };
}

auto reduce_scatter(std::size_t elements, const Options& options = {}) {
    return [=](mpi::Member& me) {
        const auto size = static_cast<std::size_t>(me.size());
        std::vector<double> block(elements / size);
        me.reduce_scatter(std::vector<double>(elements, 1), block, tutti::sum, options);
    };
}

auto allgather(std::size_t elements, const Options& options = {}) {
    return [=](mpi::Member& me) {
        std::vector<double> all(elements);
        me.allgather(std::vector<double>(elements / static_cast<std::size_t>(me.size())), all, options);
    };
}

auto scan(std::size_t elements, const Options& options) {
    return [=](mpi::Member& me) {
        std::vector<double> vector(elements, 1);
        me.scan(vector, tutti::sum, options);
    };
}

constexpr std::size_t segment_elements = mpi::detail::segment_bytes / sizeof(double);

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
            const Options halves{.algorithm = power ? "butterfly-halving" : "circulant"};
            CHECK(messages(part, members_here(), allreduce(8192, halves)) == 2 * q);
            CHECK(messages(part, members_here(), allreduce(1, {.order = Order::serial})) == q);
        });
    }
}

TEST_CASE("messages of segments: those of a leader, for each segment") {
    for (const int processes : {2, 4}) {
        on_processes(processes, [&](MPI_Comm part) {
            const int q = log2_ceil(processes);
            constexpr int members = 1; // with which leaders work alone on any machine
            CHECK(messages(part, members, allreduce(4 * segment_elements)) == 4 * 2 * q);
            CHECK(messages(part, members, scan(4 * segment_elements, {.order = Order::serial})) == 4);
            CHECK(messages(part, members, reduce_scatter(4 * segment_elements)) == 4 * in_order(q));
            CHECK(messages(part, members, allgather(4 * segment_elements)) == 4 * q);
        });
    }
}

namespace {

/// Whether an algorithm serves so many processes that share no memory.
bool serves(const algorithm::Algorithm& row, int processes) {
    return row.collective != Collective::shift && row.reach == algorithm::Reach::peers &&
           takes(row, processes);
}

} // namespace

TEST_CASE("every algorithm of the registry, among up to 4 processes") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_members_of(processes, [&](mpi::Member& me) {
            const Reference<std::int64_t> reference(me.size(), value, std::plus<>());
            const std::vector<Shape> shapes = regular_shapes(301, {me.size() - 1}, {});
            for (const algorithm::Algorithm& row : algorithm::registry()) {
                for (const Shape& shape : shapes) {
                    INFO(shape.describe(), ", ", row.name);
                    CHECK((shape.collective != row.collective || !serves(row, processes) ||
                           is_right(me, shape, reference, {.algorithm = row.name}, tutti::sum)));
                }
            }
        });
    }
}

TEST_CASE("bits are equal on all members, whatever carries them") {
    on_members_of(3, [](mpi::Member& me) {
        for (const std::size_t elements : {1U, 100U, 20000U}) {
            for (const char* const algorithm : {"", "circulant", "ring", "butterfly-elimination-2-1"}) {
                std::vector<double> vector(elements);
                for (std::size_t i = 0; i < elements; ++i) {
                    vector[i] =
                        1.0 / (static_cast<double>(i % 97) + me.rank() + 1) * (me.rank() % 2 == 0 ? 1 : -1e8);
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
            me.allreduce(zeros, tutti::min);
            CHECK(!std::signbit(zeros.front())); // the first rank's, on every member
        }
    });
}

} // namespace tutti::test
