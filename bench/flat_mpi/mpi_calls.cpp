#include "flat_mpi/mpi_calls.hpp"

#include <stdexcept>

namespace tutti::bench {

MPI_Datatype mpi_type(Type type) {
    switch (type) {
    case Type::i8:
        return MPI_INT8_T;
    case Type::u8:
        return MPI_UINT8_T;
    case Type::i16:
        return MPI_INT16_T;
    case Type::u16:
        return MPI_UINT16_T;
    case Type::i32:
        return MPI_INT32_T;
    case Type::u32:
        return MPI_UINT32_T;
    case Type::i64:
        return MPI_INT64_T;
    case Type::u64:
        return MPI_UINT64_T;
    case Type::f32:
        return MPI_FLOAT;
    case Type::f64:
        return MPI_DOUBLE;
    case Type::complex64:
        return MPI_C_FLOAT_COMPLEX;
    case Type::complex128:
        return MPI_C_DOUBLE_COMPLEX;
    case Type::f16: // MPI has no names for these
    case Type::bf16:
    case Type::other:
        break;
    }
    throw std::invalid_argument("this element type has no name in MPI");
}

MPI_Op mpi_operator(Operator op) {
    switch (op) {
    case Operator::sum:
        return MPI_SUM;
    case Operator::prod:
        return MPI_PROD;
    case Operator::min:
    case Operator::minimum:
        return MPI_MIN;
    case Operator::max:
    case Operator::maximum:
        return MPI_MAX;
    case Operator::land:
        return MPI_LAND;
    case Operator::lor:
        return MPI_LOR;
    case Operator::lxor:
        return MPI_LXOR;
    case Operator::band:
        return MPI_BAND;
    case Operator::bor:
        return MPI_BOR;
    case Operator::bxor:
        return MPI_BXOR;
    case Operator::callable:
        break;
    }
    throw std::invalid_argument("this operator has no name in MPI");
}

} // namespace tutti::bench
