#pragma once

#include <cstdint>
#include <string>

namespace tutti::test {

#if defined(TUTTI_REDUCED_TESTS)
inline constexpr long usual_interleavings = 1'000;
#else
inline constexpr long usual_interleavings = 10'000;
#endif

/// The interleavings to run, from the command line.
struct Options {
    long interleavings = usual_interleavings; ///< of each row
    std::uint64_t seed = 1;                   ///< of the first program
    std::string row;                          ///< as in "allreduce direct"; empty: every row
    int ranks = 0;                            ///< 0: all from 1 to 5
};

const Options& options();

} // namespace tutti::test
