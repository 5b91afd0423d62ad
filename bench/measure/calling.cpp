#include "measure/calling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::bench {

std::string name_of(const Calling& calling) {
    switch (calling.way) {
    case Calling::Way::blocking:
        break;
    case Calling::Way::started:
        return calling.in_flight > 1 ? fmt::format("tutti_{}_in_flight", calling.in_flight) : "tutti_started";
    case Calling::Way::persistent:
        return "tutti_persistent";
    case Calling::Way::arriving:
        return "tutti_arriving";
    case Calling::Way::one_caller:
        return "tutti_one_caller";
    }
    return "tutti";
}

bool has_way(const std::vector<Calling>& callings, Calling::Way way) {
    return std::ranges::find(callings, way, &Calling::way) != callings.end();
}

std::size_t most_in_flight(const std::vector<Calling>& callings) {
    return std::ranges::max(callings, {}, &Calling::in_flight).in_flight;
}

} // namespace tutti::bench
