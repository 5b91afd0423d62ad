#include "flat_mpi/mpi_calls.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tutti::bench {

namespace {

template <class Key, class Name, std::size_t count>
Name name_in(const std::array<std::pair<Key, Name>, count>& names, Key key) {
    const auto found = std::ranges::find(names, key, &std::pair<Key, Name>::first);
    if (found == names.end()) {
        throw std::invalid_argument(std::string(to_string(key)) + " has no name in MPI");
    }
    return found->second;
}

} // namespace

MPI_Datatype mpi_type(Type type) {
    const std::array<std::pair<Type, MPI_Datatype>, 12> names{{{Type::i8, MPI_INT8_T},
                                                               {Type::u8, MPI_UINT8_T},
                                                               {Type::i16, MPI_INT16_T},
                                                               {Type::u16, MPI_UINT16_T},
                                                               {Type::i32, MPI_INT32_T},
                                                               {Type::u32, MPI_UINT32_T},
                                                               {Type::i64, MPI_INT64_T},
                                                               {Type::u64, MPI_UINT64_T},
                                                               {Type::f32, MPI_FLOAT},
                                                               {Type::f64, MPI_DOUBLE},
                                                               {Type::complex64, MPI_C_FLOAT_COMPLEX},
                                                               {Type::complex128, MPI_C_DOUBLE_COMPLEX}}};
    return name_in(names, type);
}

MPI_Op mpi_operator(Operator op) {
    const std::array<std::pair<Operator, MPI_Op>, 10> names{{{Operator::sum, MPI_SUM},
                                                             {Operator::prod, MPI_PROD},
                                                             {Operator::min, MPI_MIN},
                                                             {Operator::max, MPI_MAX},
                                                             {Operator::land, MPI_LAND},
                                                             {Operator::lor, MPI_LOR},
                                                             {Operator::lxor, MPI_LXOR},
                                                             {Operator::band, MPI_BAND},
                                                             {Operator::bor, MPI_BOR},
                                                             {Operator::bxor, MPI_BXOR}}};
    return name_in(names, op);
}

} // namespace tutti::bench
