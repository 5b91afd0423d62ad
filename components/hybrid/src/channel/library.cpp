#include "hybrid/src/channel/library.hpp"

#include "choose/select.hpp"
#include "group/seat.hpp"
#include "hybrid/src/channel/mpi_names.hpp"
#include "immovable.hpp"

#include <tutti/error.hpp>

#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace tutti::hybrid {

namespace {

/// Whether the library's own operator gives the same bits whichever operand comes first, so that processes
/// that combine in different directions agree. The least of -0 and +0 is either; products of complex numbers
/// may be contracted.
bool library_serves(const ProcessCall& call) {
    if (call.type == Type::other || detail::is_half(call.type) || call.op == Operator::callable) {
        return false;
    }
    const bool is_float = call.type >= Type::f32;
    if (!is_float && call.op == Operator::sum && call.element_bytes < 4) {
        return false; // those of Open MPI 4.1 saturate in loops with AVX
    }
    const bool is_complex = call.type >= Type::complex64;
    return !is_float || call.op == Operator::sum || (call.op == Operator::prod && !is_complex);
}

/// The data for an MPI_Op made of kernels: an attribute of the call's datatype, since MPI passes operators
/// nothing else.
struct Combining {
    const ProcessCall* call;
    std::exception_ptr thrown;
    /// Copies of operands that MPI has put where elements of their alignment may not lie.
    run::Memory left;
    run::Memory right;
};

/// The operand where its elements may lie: itself, or a copy.
void* aligned(void* operand, const ProcessCall& call, std::size_t bytes, run::Memory& copy) {
    if (reinterpret_cast<std::uintptr_t>(operand) % call.element_align == 0) {
        return operand;
    }
    return std::memcpy(copy.at_least(bytes, call.element_align), operand, bytes);
}

int combining_key() {
    static const int key = [] {
        int created = MPI_KEYVAL_INVALID;
        check(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &created, nullptr),
              "MPI_Type_create_keyval");
        return created;
    }();
    return key;
}

/// An MPI_User_function: inout = in op inout. Exceptions do not pass through MPI.
void combine(void* in, void* inout, int* count, MPI_Datatype* type) {
    void* value = nullptr;
    int found = 0;
    MPI_Type_get_attr(*type, combining_key(), static_cast<void*>(&value), &found);
    auto& combining = *static_cast<Combining*>(value);
    if (combining.thrown != nullptr) {
        return;
    }
    try {
        const ProcessCall& call = *combining.call;
        const auto elements = static_cast<std::size_t>(*count);
        const std::size_t bytes = elements * call.element_bytes;
        const void* const left = aligned(in, call, bytes, combining.left);
        void* const right = aligned(inout, call, bytes, combining.right);
        call.kernels->reduce(call.state, right, left, right, elements);
        if (right != inout) {
            std::memcpy(inout, right, bytes);
        }
    } catch (...) {
        combining.thrown = std::current_exception();
    }
}

/// The MPI datatype and operator of a call: the library's, or made for the purpose and freed.
class MpiTypeAndOp : Immovable {
public:
    explicit MpiTypeAndOp(const ProcessCall& call)
        : combining_{.call = &call, .thrown = nullptr, .left = {}, .right = {}} {
        if (detail::traits_of(call.collective).reduces() && library_serves(call)) {
            type_ = mpi_type(call.type);
            op_ = mpi_operator(call.op);
            return;
        }
        check(MPI_Type_contiguous(static_cast<int>(call.element_bytes), MPI_BYTE, &made_type_),
              "MPI_Type_contiguous");
        check(MPI_Type_set_attr(made_type_, combining_key(), &combining_), "MPI_Type_set_attr");
        check(MPI_Type_commit(&made_type_), "MPI_Type_commit");
        type_ = made_type_;
        if (detail::traits_of(call.collective).reduces()) {
            check(MPI_Op_create(&combine, 0, &made_op_), "MPI_Op_create");
            op_ = made_op_;
        }
    }
    ~MpiTypeAndOp() {
        if (made_op_ != MPI_OP_NULL) {
            MPI_Op_free(&made_op_);
        }
        if (made_type_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&made_type_);
        }
    }

    MPI_Datatype type() const { return type_; }
    MPI_Op op() const { return op_; }

    void rethrow() const {
        if (combining_.thrown != nullptr) {
            std::rethrow_exception(combining_.thrown);
        }
    }

    /// From here on MPI may call the operator, but the caller's is gone.
    void give_up(std::exception_ptr cause) { combining_.thrown = std::move(cause); }

private:
    Combining combining_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op op_ = MPI_OP_NULL;
    MPI_Datatype made_type_ = MPI_DATATYPE_NULL;
    MPI_Op made_op_ = MPI_OP_NULL;
};

/// The counts and displacements of the blocks of all processes, as MPI's v-collectives take them.
struct MpiLayout {
    std::vector<int> counts;
    std::vector<int> displacements;

    MpiLayout(const ProcessCall& call, int processes) {
        for (std::size_t i = 0; call.offsets != nullptr && i < static_cast<std::size_t>(processes); ++i) {
            counts.push_back(static_cast<int>(call.offsets[i + 1] - call.offsets[i]));
            displacements.push_back(static_cast<int>(call.offsets[i]));
        }
    }
};

/// One collective of the library, with all that MPI may use until it has ended.
class LibraryCall : public Keepable {
public:
    LibraryCall(const ProcessCall& call, int processes)
        : call_(call), type_and_op_(call_), layout_(call_, processes),
          name_("the MPI library's " + std::string(to_string(call.collective))) {}

    void run(MpiChannel& channel) {
        try {
            MPI_Request& request = channel.next_collective(name_.c_str());
            channel.started(start(channel, request), name_.c_str());
            channel.wait();
        } catch (...) {
            type_and_op_.give_up(std::current_exception());
            throw;
        }
        type_and_op_.rethrow();
    }

private:
    int start(const MpiChannel& channel, MPI_Request& request) const;

    ProcessCall call_;
    MpiTypeAndOp type_and_op_;
    MpiLayout layout_;
    std::string name_;
};

int LibraryCall::start(const MpiChannel& channel, MPI_Request& request) const {
    MPI_Comm comm = channel.communicator();
    MPI_Datatype type = type_and_op_.type();
    MPI_Op op = type_and_op_.op();
    const bool divided = call_.offsets != nullptr;
    const int count = static_cast<int>(call_.total);
    const int root = call_.root;
    const int* const counts = layout_.counts.data();
    const int* const displacements = layout_.displacements.data();
    const auto own = static_cast<std::size_t>(channel.rank());
    const std::size_t own_bytes = divided ? call_.offsets[own] * call_.element_bytes : 0;
    const int own_count = divided ? counts[own] : 0;
    std::byte* const in = call_.input;
    std::byte* const out = call_.output;
    switch (call_.collective) {
    case Collective::barrier:
        return MPI_Ibarrier(comm, &request);
    case Collective::broadcast:
        if (channel.rank() == root && count != 0 && out != in) {
            std::memcpy(out, in, call_.total * call_.element_bytes);
        }
        return MPI_Ibcast(out, count, type, root, comm, &request);
    case Collective::reduce:
        return MPI_Ireduce(in, out, count, type, op, root, comm, &request);
    case Collective::allreduce:
        return MPI_Iallreduce(in, out, count, type, op, comm, &request);
    case Collective::reduce_scatter:
        return MPI_Ireduce_scatter(in, out + own_bytes, counts, type, op, comm, &request);
    case Collective::allgather:
        return MPI_Iallgatherv(in + own_bytes, own_count, type, out, counts, displacements, type, comm,
                               &request);
    case Collective::gather:
        return MPI_Igatherv(in + own_bytes, own_count, type, out, counts, displacements, type, root, comm,
                            &request);
    case Collective::scatter:
        return MPI_Iscatterv(in, counts, displacements, type, out + own_bytes, own_count, type, root, comm,
                             &request);
    case Collective::alltoall:
        return MPI_Ialltoallv(in, counts, displacements, type, out, counts, displacements, type, comm,
                              &request);
    case Collective::scan:
        return MPI_Iscan(in, out, count, type, op, comm, &request);
    case Collective::exscan:
        return MPI_Iexscan(in, out, count, type, op, comm, &request);
    default:
        return MPI_ERR_ARG;
    }
}

} // namespace

void run_library(MpiChannel& channel, const ProcessCall& call) {
    if (call.total > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw ArgumentError("algorithm \"library\": MPI counts elements in an int, and these are " +
                            std::to_string(call.total) + "; leave the algorithm to the library");
    }
    const auto library_call = std::make_shared<LibraryCall>(call, channel.size());
    try {
        library_call->run(channel);
    } catch (...) {
        if (channel.is_stuck()) {
            keep(library_call);
        }
        throw;
    }
}

} // namespace tutti::hybrid
