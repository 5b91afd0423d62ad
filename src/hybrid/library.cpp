#include "hybrid/library.hpp"

#include "hybrid/mpi_names.hpp"

#include <tutti/error.hpp>

#include <cstring>
#include <exception>
#include <limits>

namespace tutti::hybrid {

using detail::Kind;

namespace {

/// Whether the library's own operator gives the same bits whichever operand comes first, so that processes
/// that combine in different directions agree. The least of -0 and +0 is either; products of complex numbers
/// may be contracted.
bool library_serves(const Carriage& carriage) {
    if (carriage.type == Type::other || carriage.op == Operator::callable) {
        return false;
    }
    const bool is_float = carriage.type >= Type::f32;
    const bool is_complex = carriage.type >= Type::c32;
    return !is_float || carriage.op == Operator::sum || (carriage.op == Operator::prod && !is_complex);
}

/// What an MPI_Op made of kernels needs to know: it hangs on the datatype of the call, since MPI hands
/// operators nothing else.
struct Combining {
    const Carriage* carriage;
    std::exception_ptr thrown;
};

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
        const Carriage& carriage = *combining.carriage;
        carriage.kernels->reduce(carriage.state, inout, in, inout, static_cast<std::size_t>(*count));
    } catch (...) {
        combining.thrown = std::current_exception();
    }
}

/// The MPI datatype and operator of a carriage: the library's, or made for the purpose and freed.
class Operand {
public:
    explicit Operand(const Carriage& carriage) : combining_{&carriage, nullptr} {
        if (reduces(carriage.kind) && library_serves(carriage)) {
            type_ = mpi_type(carriage.type);
            op_ = mpi_operator(carriage.op);
            return;
        }
        check(MPI_Type_contiguous(static_cast<int>(carriage.element_bytes), MPI_BYTE, &made_type_),
              "MPI_Type_contiguous");
        check(MPI_Type_set_attr(made_type_, combining_key(), &combining_), "MPI_Type_set_attr");
        check(MPI_Type_commit(&made_type_), "MPI_Type_commit");
        type_ = made_type_;
        if (reduces(carriage.kind)) {
            check(MPI_Op_create(&combine, 0, &made_op_), "MPI_Op_create");
            op_ = made_op_;
        }
    }
    ~Operand() {
        if (made_op_ != MPI_OP_NULL) {
            MPI_Op_free(&made_op_);
        }
        if (made_type_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&made_type_);
        }
    }
    Operand(const Operand&) = delete;
    Operand& operator=(const Operand&) = delete;
    Operand(Operand&&) = delete;
    Operand& operator=(Operand&&) = delete;

    MPI_Datatype type() const { return type_; }
    MPI_Op op() const { return op_; }

    void rethrow() const {
        if (combining_.thrown != nullptr) {
            std::rethrow_exception(combining_.thrown);
        }
    }

private:
    static bool reduces(Kind kind) {
        return kind == Kind::reduce || kind == Kind::allreduce || kind == Kind::reduce_scatter ||
               kind == Kind::scan || kind == Kind::exscan;
    }

    Combining combining_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    MPI_Op op_ = MPI_OP_NULL;
    MPI_Datatype made_type_ = MPI_DATATYPE_NULL;
    MPI_Op made_op_ = MPI_OP_NULL;
};

/// The blocks of the processes as MPI's v-collectives want them.
struct Blocks {
    std::vector<int> counts;
    std::vector<int> places;

    Blocks(const Carriage& carriage, int processes) {
        for (std::size_t i = 0; carriage.offsets != nullptr && i < static_cast<std::size_t>(processes); ++i) {
            counts.push_back(static_cast<int>(carriage.offsets[i + 1] - carriage.offsets[i]));
            places.push_back(static_cast<int>(carriage.offsets[i]));
        }
    }
};

int call_library(Wire& wire, const Carriage& carriage, const Operand& operand) {
    MPI_Comm comm = wire.communicator();
    MPI_Datatype type = operand.type();
    const int count = static_cast<int>(carriage.total);
    const Blocks blocks(carriage, wire.size());
    const int* const counts = blocks.counts.data();
    const int* const places = blocks.places.data();
    const auto own = static_cast<std::size_t>(wire.rank());
    const std::size_t own_bytes =
        carriage.offsets != nullptr ? carriage.offsets[own] * carriage.element_bytes : 0;
    const int own_count = carriage.offsets != nullptr ? counts[own] : 0;
    std::byte* const in = carriage.input;
    std::byte* const out = carriage.output;
    switch (carriage.kind) {
    case Kind::barrier:
        return MPI_Barrier(comm);
    case Kind::broadcast:
        if (wire.rank() == carriage.root && count != 0) {
            std::memcpy(out, in, carriage.total * carriage.element_bytes);
        }
        return MPI_Bcast(out, count, type, carriage.root, comm);
    case Kind::reduce:
        return MPI_Reduce(in, out, count, type, operand.op(), carriage.root, comm);
    case Kind::allreduce:
        return MPI_Allreduce(in, out, count, type, operand.op(), comm);
    case Kind::reduce_scatter:
        return MPI_Reduce_scatter(in, out + own_bytes, counts, type, operand.op(), comm);
    case Kind::allgather:
        return MPI_Allgatherv(in + own_bytes, own_count, type, out, counts, places, type, comm);
    case Kind::gather:
        return MPI_Gatherv(in + own_bytes, own_count, type, out, counts, places, type, carriage.root, comm);
    case Kind::scatter:
        return MPI_Scatterv(in, counts, places, type, out + own_bytes, own_count, type, carriage.root, comm);
    case Kind::alltoall:
        return MPI_Alltoallv(in, counts, places, type, out, counts, places, type, comm);
    case Kind::scan:
        return MPI_Scan(in, out, count, type, operand.op(), comm);
    case Kind::exscan:
        return MPI_Exscan(in, out, count, type, operand.op(), comm);
    case Kind::shift:
        break;
    }
    return MPI_ERR_ARG;
}

} // namespace

void run_library(Wire& wire, const Carriage& carriage) {
    if (carriage.total > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw ArgumentError("algorithm \"library\": MPI counts elements in an int, and these are " +
                            std::to_string(carriage.total) + "; leave the algorithm to the library");
    }
    const Operand operand(carriage);
    check(call_library(wire, carriage, operand), "the MPI library's collective");
    operand.rethrow();
}

} // namespace tutti::hybrid
