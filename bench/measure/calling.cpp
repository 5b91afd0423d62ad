#include "measure/calling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::bench {

std::string name_of(const Calling& calling) {
    if (calling.way == Calling::Way::blocking) {
        return "tutti";
    }
    return calling.in_flight > 1
               ? fmt::format("tutti_{}_in_flight", calling.in_flight)
               : fmt::format("tutti_{}", ways_of_calling[static_cast<std::size_t>(calling.way)]);
}

bool has_way(const std::vector<Calling>& callings, Calling::Way way) {
    return std::ranges::find(callings, way, &Calling::way) != callings.end();
}

std::size_t most_in_flight(const std::vector<Calling>& callings) {
    return std::ranges::max(callings, {}, &Calling::in_flight).in_flight;
}

} // namespace tutti::bench
