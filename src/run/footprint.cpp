#include "run/footprint.hpp"

namespace tutti::run {

using detail::Call;
using detail::Part;

Footprint::Footprint(const Call& call, std::size_t total, std::size_t block, const std::size_t* offsets)
    : reads_(detail::traits_of(call.collective).input), writes_(detail::traits_of(call.collective).output),
      root_(call.root), element_bytes_(call.element_bytes), total_(total), block_(block), offsets_(offsets) {
    if (call.in_place && reads_.others == Part::none) {
        writes_.root = Part::none; // it has sent the block that it would receive
    }
}

Range Footprint::range(detail::Parts parts, int member, std::uintptr_t whole) const {
    const auto index = static_cast<std::size_t>(member);
    switch (parts.of(member == root_)) {
    case Part::none:
        return {};
    case Part::whole:
        return {whole, total_ * element_bytes_};
    case Part::block:
        break;
    }
    const std::size_t first = offsets_ != nullptr ? offsets_[index] : index * block_;
    const std::size_t elements = offsets_ != nullptr ? offsets_[index + 1] - first : block_;
    return {whole + first * element_bytes_, elements * element_bytes_};
}

} // namespace tutti::run
