#pragma once

#include "measure/harness.hpp"
#include "measure/problem.hpp"

#include <tutti/collective.hpp>
#include <tutti/operators.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace tutti::bench {

/// MPI's name for an element type. Throws std::invalid_argument for Type::other.
MPI_Datatype mpi_type(Type type);

/// MPI's name for an operator. Throws std::invalid_argument for Operator::callable.
MPI_Op mpi_operator(Operator op);

/// The arguments of a blocking collective of MPI. `in` is MPI_IN_PLACE, or `out` of a scatter, as in MPI.
struct MpiCall {
    const void* in;
    void* out;
    /// Elements of the whole buffer, and of one block.
    int elements;
    int block;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm communicator;
    int rank;
    int members;
};

/// MPI has no shift among its collectives.
inline int shift(const MpiCall& c) {
    const int to = (c.rank + Problem::distance) % c.members;
    const int from = (c.rank + c.members - Problem::distance % c.members) % c.members;
    return c.in == MPI_IN_PLACE ? MPI_Sendrecv_replace(c.out, c.elements, c.type, to, 0, from, 0,
                                                       c.communicator, MPI_STATUS_IGNORE)
                                : MPI_Sendrecv(c.in, c.elements, c.type, to, 0, c.out, c.elements, c.type,
                                               from, 0, c.communicator, MPI_STATUS_IGNORE);
}

/// The calls, in the order of the collectives, of which the last ones may be missing.
inline constexpr std::array mpi_calls{
    +[](const MpiCall& c) { return MPI_Barrier(c.communicator); },
    +[](const MpiCall& c) { return MPI_Bcast(c.out, c.elements, c.type, Problem::root, c.communicator); },
    +[](const MpiCall& c) {
        return MPI_Reduce(c.in, c.out, c.elements, c.type, c.op, Problem::root, c.communicator);
    },
    +[](const MpiCall& c) { return MPI_Allreduce(c.in, c.out, c.elements, c.type, c.op, c.communicator); },
    +[](const MpiCall& c) {
        return MPI_Reduce_scatter_block(c.in, c.out, c.block, c.type, c.op, c.communicator);
    },
    +[](const MpiCall& c) {
        return MPI_Allgather(c.in, c.block, c.type, c.out, c.block, c.type, c.communicator);
    },
    +[](const MpiCall& c) {
        return MPI_Gather(c.in, c.block, c.type, c.out, c.block, c.type, Problem::root, c.communicator);
    },
    +[](const MpiCall& c) {
        return MPI_Scatter(c.in, c.block, c.type, c.out, c.block, c.type, Problem::root, c.communicator);
    },
    +[](const MpiCall& c) {
        return MPI_Alltoall(c.in, c.block, c.type, c.out, c.block, c.type, c.communicator);
    },
    +[](const MpiCall& c) { return MPI_Scan(c.in, c.out, c.elements, c.type, c.op, c.communicator); },
    +[](const MpiCall& c) { return MPI_Exscan(c.in, c.out, c.elements, c.type, c.op, c.communicator); },
    +[](const MpiCall& c) { return shift(c); }};
static_assert(mpi_calls.size() <= detail::collective_count);

inline void make_mpi_call(Collective collective, const MpiCall& call) {
    const auto number = static_cast<std::size_t>(collective);
    if (number >= mpi_calls.size()) {
        throw std::invalid_argument("this collective is not measured with MPI");
    }
    mpi_calls[number](call);
}

/// The harness's memory, in a window that all processes of a node map. `process` is the rank in the
/// communicator.
class HarnessWindow {
public:
    HarnessWindow(MPI_Comm communicator, int process, int members, bool crowded, std::size_t stamps) {
        const auto bytes = static_cast<MPI_Aint>(HarnessMemory::bytes(members, stamps));
        void* own = nullptr;
        MPI_Win_allocate_shared(process == 0 ? bytes : 0, 1, MPI_INFO_NULL, communicator, &own, &window_);
        MPI_Aint size = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &size, &unit, &memory_);
        if (process == 0) {
            HarnessMemory::create(memory_, members, crowded);
        }
        MPI_Barrier(communicator);
    }
    ~HarnessWindow() { MPI_Win_free(&window_); }
    HarnessWindow(const HarnessWindow&) = delete;
    HarnessWindow& operator=(const HarnessWindow&) = delete;

    void* memory() const { return memory_; }

private:
    MPI_Win window_ = MPI_WIN_NULL;
    void* memory_ = nullptr;
};

} // namespace tutti::bench
