#include "run/footprint.hpp"

namespace tutti::run {

using detail::Call;
using detail::Kind;

Footprint::Footprint(const Call& call, std::size_t total, std::size_t block, const std::size_t* offsets)
    : reads_(reads(call)), writes_(writes(call)), root_(call.root), element_bytes_(call.element_bytes),
      total_(total), block_(block), offsets_(offsets) {}

Footprint::Parts Footprint::reads(const Call& call) {
    switch (call.kind) {
    case Kind::barrier:
        return {};
    case Kind::broadcast:
    case Kind::scatter:
        return {Part::whole, Part::nothing};
    case Kind::allgather:
    case Kind::gather:
        return {Part::block, Part::block};
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::reduce_scatter:
    case Kind::alltoall:
    case Kind::scan:
    case Kind::exscan:
    case Kind::shift:
        break;
    }
    return {Part::whole, Part::whole};
}

Footprint::Parts Footprint::writes(const Call& call) {
    switch (call.kind) {
    case Kind::barrier:
        return {};
    case Kind::broadcast:
        return {Part::nothing, Part::whole};
    case Kind::reduce:
    case Kind::gather:
        return {Part::whole, Part::nothing};
    case Kind::reduce_scatter:
        return {Part::block, Part::block};
    case Kind::scatter:
        return {call.in_place ? Part::nothing : Part::block, Part::block};
    case Kind::allreduce:
    case Kind::allgather:
    case Kind::alltoall:
    case Kind::scan:
    case Kind::exscan:
    case Kind::shift:
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
