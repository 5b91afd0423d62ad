#pragma once

#include <string_view>

namespace tutti::algorithm::rows {

// The papers that rows name, see CITATION.cff.

inline constexpr std::string_view traeff_alg1 = "Träff 2024, Alg. 1, Theorem 1";
inline constexpr std::string_view traeff_alg2 = "Träff 2024, Alg. 2, Theorem 2";
inline constexpr std::string_view traeff_cor2 = "Träff 2024, Corollary 2";
inline constexpr std::string_view traeff_sec4 = "Träff 2024, section 4";
inline constexpr std::string_view traeff_prop3 = "Träff et al. 2023, Prop. 3; Träff 2024, Alg. 2";
inline constexpr std::string_view traeff_census = "Träff et al. 2023, Listing 2, Prop. 1";
inline constexpr std::string_view traeff_reduce = "Träff et al. 2023, Listings 3 and 4";
inline constexpr std::string_view traeff_gather = "Träff et al. 2023, section III-F";
inline constexpr std::string_view rt_butterfly = "Rabenseifner & Träff 2004, section 2";
inline constexpr std::string_view rt_overlapping = "Rabenseifner & Träff 2004, section 3.2";
inline constexpr std::string_view rt_nonoverlapping = "Rabenseifner & Träff 2004, section 3.3";
inline constexpr std::string_view rt_elimination = "Rabenseifner & Träff 2004, sections 1 and 3.1";
inline constexpr std::string_view rt_ring = "Rabenseifner & Träff 2004, sections 3.4 and 3.6";
inline constexpr std::string_view rt_radix =
    "Rabenseifner & Träff 2004, section 3.6, with exchanges for rings";
inline constexpr std::string_view grama_broadcast =
    "Grama et al. 2003, one-to-all broadcast and all-to-one reduction";
inline constexpr std::string_view grama_allgather = "Grama et al. 2003, all-to-all broadcast and reduction";
inline constexpr std::string_view grama_gather = "Grama et al. 2003, scatter and gather";
inline constexpr std::string_view grama_alltoall = "Grama et al. 2003, all-to-all personalized communication";
inline constexpr std::string_view grama_shift = "Grama et al. 2003, circular shift";
inline constexpr std::string_view grama_scan = "Grama et al. 2003, Alg. 4.9";
inline constexpr std::string_view grama_parts = "Grama et al. 2003, splitting messages into parts";
inline constexpr std::string_view shared_memory = "shared memory, one exchange";
inline constexpr std::string_view shared_memory_twice = "shared memory, two exchanges";

} // namespace tutti::algorithm::rows
