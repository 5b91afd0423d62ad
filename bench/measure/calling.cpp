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
    }
    return "tutti";
}

std::size_t most_in_flight(const std::vector<Calling>& callings) {
    return std::ranges::max(callings, {}, &Calling::in_flight).in_flight;
}

} // namespace tutti::bench
