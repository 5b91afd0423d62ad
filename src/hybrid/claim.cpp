#include "hybrid/claim.hpp"

#include "algorithm/registry.hpp"
#include "execute/select.hpp"

namespace tutti::hybrid {

std::string_view to_string(Way way) {
    constexpr std::string_view names[] = {"leader", "leaders", "lane", "pipelined"};
    return names[static_cast<std::size_t>(way)];
}

std::string to_string(const Claim& claim) {
    const auto collective = execute::collective_of(claim.kind);
    std::string text(to_string(collective));
    if (claim.kind == detail::Kind::barrier) {
        return text + ", call " + std::to_string(claim.call);
    }
    text += " of " + std::to_string(claim.elements) + " ";
    text += claim.type == Type::other ? std::to_string(claim.element_bytes) + "-byte elements"
                                      : std::string(to_string(claim.type));
    if (reduces(collective)) {
        text += ", operator " + std::string(to_string(claim.op));
    }
    if (is_rooted(collective)) {
        text += ", root " + std::to_string(claim.root);
    }
    if (claim.counts != 0) {
        text += ", counts with digest " + std::to_string(claim.counts % 10000);
    }
    text += ", way " + std::string(to_string(claim.way));
    const bool own = claim.algorithm < algorithm::registry().size();
    if (claim.algorithm == serial_algorithm) {
        text += ", order serial";
    } else {
        text += ", algorithm " + std::string(own ? algorithm::registry()[claim.algorithm].name : "library");
    }
    return text + ", call " + std::to_string(claim.call);
}

} // namespace tutti::hybrid
