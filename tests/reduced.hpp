#pragma once

namespace tutti::test {

#if defined(TUTTI_REDUCED_TESTS)
/// Sanitizers make everything slower: less of the same.
inline constexpr bool reduced = true;
#else
inline constexpr bool reduced = false;
#endif

} // namespace tutti::test
