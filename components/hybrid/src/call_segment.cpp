#include "hybrid/src/call_segment.hpp"

#include <algorithm>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

/// The first element of share `index` of `shares`, of `size` elements.
std::size_t share_start(std::size_t size, std::size_t index, std::size_t shares) {
    return size * index / shares;
}

} // namespace

/// This process's blocks, as elements of the part.
std::pair<std::size_t, std::size_t> CallSegment::own_range() const {
    const auto own = call_.traits().is_divided() ? static_cast<std::size_t>(call_.cluster().process()) : 0;
    return {segment_.offsets()[own], segment_.offsets()[own + 1]};
}

void CallSegment::put(std::byte* to, std::size_t index, std::size_t shares) {
    if (call_.collective() == Collective::broadcast) {
        return;
    }
    const bool gathers = call_.traits().gathers();
    const auto [first, last] = gathers ? own_range() : std::pair{std::size_t{0}, segment_.elements()};
    const std::size_t begin = first + share_start(last - first, index, shares);
    const std::size_t end = first + share_start(last - first, index + 1, shares);
    segment_.for_each_range(begin, end, [&](std::size_t at, std::size_t place, std::size_t elements) {
        std::byte* const target = to + call_.bytes(at);
        gathers ? gather(target, place, elements) : combine(target, place, elements);
    });
}

/// The members' elements from `first` on, combined in rank order.
void CallSegment::combine(std::byte* to, std::size_t first, std::size_t elements) {
    ins_.clear();
    for (int member = 0; member < call_.members(); ++member) {
        ins_.push_back(call_.vectors_of(member).input + call_.bytes(first));
    }
    void* result = to;
    call_.kernels().reduce_many(call_.state(), &result, 1, ins_.data(), call_.members(), elements,
                                call_.association(), {});
}

/// The elements from `first` on of the vector that the members' blocks make.
void CallSegment::gather(std::byte* to, std::size_t first, std::size_t elements) const {
    for (int member = 0; member < call_.members(); ++member) {
        const ShownVectors& vectors = call_.vectors_of(member);
        const auto rank = static_cast<std::size_t>(call_.first_member() + member);
        const std::size_t begin = std::max(first, call_.offsets()[rank]);
        const std::size_t end = std::min(first + elements, call_.offsets()[rank + 1]);
        if (begin < end) {
            void* target = to + call_.bytes(begin - first);
            tutti::detail::copy_many(&target, 1, vectors.input + call_.bytes(begin - vectors.input_start),
                                     call_.bytes(end - begin), {});
        }
    }
}

std::byte* CallSegment::root_vector(std::byte* other) const {
    const bool is_here = call_.collective() == Collective::broadcast && call_.root_is_here();
    return is_here ? call_.vectors_of(call_.root() - call_.first_member()).output : other;
}

hybrid::ProcessCall CallSegment::process_call(std::byte* input, std::byte* output) const {
    hybrid::ProcessCall part = call_.process_call();
    part.input = input;
    part.output = output;
    part.total = segment_.elements();
    part.member_bytes = call_.bytes(segment_.elements());
    part.offsets = part.offsets != nullptr ? segment_.offsets().data() : nullptr;
    return part;
}

void CallSegment::store(int member, const std::byte* from) const {
    if (!call_.is_for(member)) {
        return;
    }
    const ShownVectors& vectors = call_.vectors_of(member);
    const bool scatters = call_.traits().scatters();
    const auto rank = static_cast<std::size_t>(call_.first_member() + member);
    const auto [own_begin, own_end] = own_range();
    const std::size_t begin = scatters ? own_begin : 0;
    const std::size_t end = scatters ? own_end : segment_.elements();
    segment_.for_each_range(begin, end, [&](std::size_t at, std::size_t place, std::size_t elements) {
        const std::size_t first = scatters ? std::max(place, call_.offsets()[rank]) : place;
        const std::size_t last =
            scatters ? std::min(place + elements, call_.offsets()[rank + 1]) : place + elements;
        if (first < last) {
            void* target = vectors.output + call_.bytes(first - vectors.output_start);
            tutti::detail::copy_many(&target, 1, from + call_.bytes(at + (first - place)),
                                     call_.bytes(last - first), {});
        }
    });
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
