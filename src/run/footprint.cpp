#include "run/footprint.hpp"

namespace tutti::run {

using detail::Call;

Footprint::Footprint(const Call& call, std::size_t total, std::size_t block, const std::size_t* offsets)
    : reads_(reads(call)), writes_(writes(call)), root_(call.root), element_bytes_(call.element_bytes),
      total_(total), block_(block), offsets_(offsets) {}

Footprint::Parts Footprint::reads(const Call& call) {
    switch (call.collective) {
    case Collective::barrier:
        return {};
    case Collective::broadcast:
    case Collective::scatter:
        return {Part::whole, Part::nothing};
    case Collective::allgather:
    case Collective::gather:
        return {Part::block, Part::block};
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::alltoall:
    case Collective::scan:
    case Collective::exscan:
    case Collective::shift:
        break;
    }
    return {Part::whole, Part::whole};
}

Footprint::Parts Footprint::writes(const Call& call) {
    switch (call.collective) {
    case Collective::barrier:
        return {};
    case Collective::broadcast:
        return {Part::nothing, Part::whole};
    case Collective::reduce:
    case Collective::gather:
        return {Part::whole, Part::nothing};
    case Collective::reduce_scatter:
        return {Part::block, Part::block};
    case Collective::scatter:
        return {call.in_place ? Part::nothing : Part::block, Part::block};
    case Collective::allreduce:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::scan:
    case Collective::exscan:
    case Collective::shift:
        break;
    }
    return {Part::whole, Part::whole};
}

Range Footprint::range(Parts parts, int member, std::uintptr_t whole) const {
    const auto index = static_cast<std::size_t>(member);
    switch (member == root_ ? parts.root : parts.others) {
    case Part::nothing:
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
