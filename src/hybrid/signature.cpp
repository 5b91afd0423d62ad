#include "hybrid/signature.hpp"

#include "algorithm/registry.hpp"
#include "choose/select.hpp"

namespace tutti::hybrid {

std::string_view to_string(Way way) {
    return way == Way::leader ? "leader" : "pipelined";
}

std::string describe(const Signature& signature) {
    const auto collective = signature.collective;
    std::string text(to_string(collective));
    if (signature.collective == Collective::barrier) {
        return text;
    }
    text += " of " + std::to_string(signature.elements) + " ";
    text += signature.type == Type::other ? std::to_string(signature.element_bytes) + "-byte elements"
                                          : std::string(to_string(signature.type));
    if (detail::traits_of(collective).reduces()) {
        text += ", operator " + std::string(to_string(signature.op));
    }
    if (detail::traits_of(collective).is_rooted()) {
        text += ", root " + std::to_string(signature.root);
    }
    if (signature.counts != 0) {
        text += ", counts with digest " + std::to_string(signature.counts % 10000);
    }
    text += ", way " + std::string(to_string(signature.way));
    const bool own = signature.algorithm < algorithm::registry().size();
    if (signature.algorithm == chain_algorithm) {
        text += ", order serial";
    } else {
        text +=
            ", algorithm " + std::string(own ? algorithm::registry()[signature.algorithm].name : "library");
    }
    return text;
}

std::string to_string(const Signature& signature) {
    return describe(signature) + ", call " + std::to_string(signature.call);
}

} // namespace tutti::hybrid
