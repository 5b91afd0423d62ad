#pragma once

#include <tutti/detail/call.hpp>

#include <cstdint>
#include <string>

namespace tutti::hybrid {

/// How the vectors of a process travel.
enum class Way : std::uint8_t { leader, pipelined };

std::string_view to_string(Way way);

/// What a member believes it is doing: what all members of all processes must agree on. Plain data without
/// padding, that others may be told.
struct Signature {
    std::uint64_t call = 0;     ///< how many calls of the cluster there were before
    std::uint64_t elements = 0; ///< of the whole vector
    std::uint64_t counts = 0;   ///< a digest of irregular counts, 0 for equal blocks
    std::uint32_t element_bytes = 0;
    std::int32_t root = 0;
    std::uint32_t algorithm = 0; ///< the row in the registry; see library_algorithm and chain_algorithm
    Collective collective = Collective::barrier;
    Type type = Type::other;
    Operator op = Operator::callable;
    Way way = Way::leader;

    friend bool operator==(const Signature&, const Signature&) = default;
};
static_assert(sizeof(Signature) == 40);

/// The MPI library's own collective, in Signature::algorithm.
inline constexpr std::uint32_t library_algorithm = UINT32_MAX;

/// No algorithm of the registry: a chain of processes, which combine from the left.
inline constexpr std::uint32_t chain_algorithm = UINT32_MAX - 1;

/// "allreduce of 8 f64, sum".
std::string describe(const Signature& signature);
/// The same with the number of the call.
std::string to_string(const Signature& signature);

} // namespace tutti::hybrid
