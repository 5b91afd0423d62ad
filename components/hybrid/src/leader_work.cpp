#include "hybrid/src/cluster_call.hpp"

namespace tutti::v0_1::detail {

using detail::Result;

void Segment::cut(std::span<const std::size_t> blocks, std::size_t index, std::size_t count) {
    start_ = 0;
    offsets_.assign(1, 0);
    places_.clear();
    for (std::size_t block = 0; block + 1 < blocks.size(); ++block) {
        const std::size_t length = blocks[block + 1] - blocks[block];
        const std::size_t before = length * index / count;
        start_ += before;
        places_.push_back(blocks[block] + before);
        offsets_.push_back(offsets_.back() + length * (index + 1) / count - before);
    }
}

void LeaderWork::begin() {
    const bool alone = call_.is_alone();
    const bool gathers_all = call_.collective() == Collective::allgather;
    // Segments show on the channel, so all processes must agree on them. Those of an allgather do not lie one
    // after the other in a vector that the members share.
    const bool is_cut = !call_.is_outstanding() && call_.can_be_cut() && call_.cluster().all_go_solo() &&
                        !(gathers_all && call_.shares_result());
    segments_ = is_cut ? segments_of(call_.total_bytes()) : 1;
    segment_.cut(call_.process_offsets(), 0, segments_);
    const bool is_whole = segments_ == 1 || !call_.traits().is_divided();
    sends_directly_ = alone && is_whole;
    // No vector of another member is sent from, or received into, in an operation that is outstanding: a
    // member that fails gives it back while MPI may still use it.
    receives_directly_ =
        (alone || !call_.is_outstanding()) && (call_.may_land_at_once() || (sends_directly_ && gathers_all));
    combines_in_place_ = !call_.is_outstanding() && call_.shares_result() && call_.works_in_place();
    // In the caches through them, the others' vectors like its own: past them an allreduce of 64 KiB to
    // 1 MiB takes 1.3 to 1.6 times as long. Whatever the call, one stores to all as in an allreduce.
    const std::size_t touched = 2 * static_cast<std::size_t>(call_.members()) * call_.total_bytes();
    streams_ = (call_.collective() == Collective::broadcast || call_.is_separate()) &&
               library::StorePolicy::here().streams_to_own(Collective::allreduce, touched, call_.members());
}

std::size_t LeaderWork::room() const {
    const bool pairs = call_.traits().result == Result::of_pair;
    return call_.total_bytes() * (pairs ? static_cast<std::size_t>(call_.members()) : 1);
}

std::size_t LeaderWork::input_room() const {
    return call_.is_alone() && sends_directly_ ? 0 : room();
}

std::size_t LeaderWork::output_room() const {
    const bool broadcasts = call_.collective() == Collective::broadcast;
    return call_.is_alone() && (receives_directly_ || broadcasts) ? 0 : room();
}

hybrid::ProcessCall LeaderWork::put(std::size_t segment) {
    if (segments_ > 1) {
        segment_.cut(call_.process_offsets(), segment, segments_);
    }
    if (call_.collective() == Collective::broadcast) {
        return put_broadcast();
    }
    const std::size_t start = call_.bytes(segment_.start());
    std::byte* input = combines_in_place_ ? call_.out() + start : call_.staging().input;
    if (sends_directly_) {
        // What is sent is only read, and as if whole: a block need not have anything before it.
        const std::size_t before = call_.bytes(call_.shown_by(0).input_start);
        input = reinterpret_cast<std::byte*>( // NOLINT(performance-no-int-to-ptr)
            reinterpret_cast<std::uintptr_t>(call_.in()) + start - before);
    } else {
        put_together(input);
    }
    std::byte* const output = receives_directly_ ? call_.out() + start : call_.staging().output;
    result_ = output;
    return process_call(input, output);
}

/// What is broadcast goes from the root's vector, or into the leader's, and from there to the others.
hybrid::ProcessCall LeaderWork::put_broadcast() {
    const std::size_t start = call_.bytes(segment_.start());
    std::byte* vector =
        call_.root_is_here() ? call_.shown_by(call_.root() - call_.first_member()).output : call_.out();
    result_ = vector + start;
    if (call_.is_outstanding() && !call_.is_alone()) {
        vector = call_.staging().input;
        if (call_.root_is_here()) {
            copy_unless_there(vector, result_, call_.total_bytes());
        } else {
            result_ = vector;
        }
    }
    return process_call(vector + start, vector + start);
}

/// The segment as a vector of its own.
hybrid::ProcessCall LeaderWork::process_call(std::byte* input, std::byte* output) const {
    hybrid::ProcessCall part = call_.process_call();
    part.input = input;
    part.output = output;
    if (segments_ > 1) {
        part.total = segment_.elements();
        part.member_bytes = call_.bytes(segment_.elements());
        part.offsets = part.offsets != nullptr ? segment_.offsets().data() : nullptr;
    }
    return part;
}

/// This process's blocks, as elements of the segment.
std::pair<std::size_t, std::size_t> LeaderWork::own_range() const {
    const auto own = call_.traits().is_divided() ? static_cast<std::size_t>(call_.cluster().process()) : 0;
    return {segment_.offsets()[own], segment_.offsets()[own + 1]};
}

/// What this process sends of the segment, to where that starts.
void LeaderWork::put_together(std::byte* to) {
    switch (call_.traits().result) {
    case Result::nothing:
        return;
    case Result::of_pair:
        for (int member = 0; member < call_.members(); ++member) {
            call_.pack_pairs(member);
        }
        return;
    case Result::of_root:
        if (call_.root_is_here()) {
            copy_unless_there(to, call_.shown_by(call_.root() - call_.first_member()).input,
                              call_.total_bytes());
        }
        return;
    default:
        break;
    }
    const bool gathers = call_.traits().gathers();
    const auto [first, last] = gathers ? own_range() : std::pair{std::size_t{0}, segment_.elements()};
    segment_.for_each_range(first, last, [&](std::size_t at, std::size_t place, std::size_t elements) {
        std::byte* const target = to + call_.bytes(at);
        gathers ? gather(target, place, elements) : combine(target, place, elements, call_.members());
    });
}

/// The elements from `first` on of so many members, combined in rank order.
void LeaderWork::combine(std::byte* to, std::size_t first, std::size_t elements, int members) {
    ins_.clear();
    for (int member = 0; member < members; ++member) {
        ins_.push_back(call_.shown_by(member).input + call_.bytes(first));
    }
    void* result = to;
    call_.kernels().reduce_many(call_.state(), &result, 1, ins_.data(), members, elements,
                                call_.association(), {});
}

/// The elements from `first` on of the vector that the members' blocks make.
void LeaderWork::gather(std::byte* to, std::size_t first, std::size_t elements) const {
    for (int member = 0; member < call_.members(); ++member) {
        const ShownVectors& vectors = call_.shown_by(member);
        const auto rank = static_cast<std::size_t>(call_.first_member() + member);
        const std::size_t begin = std::max(first, call_.offsets()[rank]);
        const std::size_t end = std::min(first + elements, call_.offsets()[rank + 1]);
        if (begin < end) {
            copy_unless_there(to + call_.bytes(begin - first),
                              vectors.input + call_.bytes(begin - vectors.input_start),
                              call_.bytes(end - begin));
        }
    }
}

void LeaderWork::store() {
    if (call_.traits().is_prefix()) {
        return store_prefixes();
    }
    if (call_.is_alone() && receives_directly_) {
        return;
    }
    if (call_.shares_result()) {
        return copy_unless_there(call_.out() + call_.bytes(segment_.start()), result_,
                                 call_.bytes(segment_.elements()));
    }
    if (!call_.traits().scatters() && call_.traits().result != Result::of_pair) {
        return store_to_all();
    }
    for (int member = 0; member < call_.members(); ++member) {
        call_.traits().scatters() ? store_block(member) : call_.unpack_pairs(member);
    }
}

void LeaderWork::store_to_all() {
    segment_.for_each_range(0, segment_.elements(),
                            [&](std::size_t at, std::size_t place, std::size_t elements) {
                                outs_.clear();
                                const std::byte* const source = result_ + call_.bytes(at);
                                for (int member = 0; member < call_.members(); ++member) {
                                    std::byte* const to = call_.shown_by(member).output + call_.bytes(place);
                                    if (call_.is_for(member) && to != source) {
                                        outs_.push_back(to);
                                    }
                                }
                                if (!outs_.empty()) {
                                    detail::copy_many(outs_.data(), static_cast<int>(outs_.size()), source,
                                                      call_.bytes(elements), {.stream = streams_});
                                }
                            });
}

void LeaderWork::store_block(int member) const {
    if (!call_.is_for(member)) {
        return;
    }
    const ShownVectors& vectors = call_.shown_by(member);
    const auto rank = static_cast<std::size_t>(call_.first_member() + member);
    const auto [own_begin, own_end] = own_range();
    segment_.for_each_range(own_begin, own_end, [&](std::size_t at, std::size_t place, std::size_t elements) {
        const std::size_t first = std::max(place, call_.offsets()[rank]);
        const std::size_t last = std::min(place + elements, call_.offsets()[rank + 1]);
        if (first < last) {
            copy_unless_there(vectors.output + call_.bytes(first - vectors.output_start),
                              result_ + call_.bytes(at + (first - place)), call_.bytes(last - first));
        }
    });
}

/// From the last member on: nobody's result then takes the place of an input that is still needed. What has
/// been sent leaves its buffer for the members' part.
void LeaderWork::store_prefixes() {
    const bool has_before = call_.cluster().process() > 0;
    const std::size_t total = call_.shape().total;
    for (int member = call_.members(); member-- > 0;) {
        std::byte* const out = call_.shown_by(member).output;
        const int operands = call_.collective() == Collective::exscan ? member : member + 1;
        if (operands == 0) {
            copy_unless_there(out, has_before ? result_ : out, call_.total_bytes());
        } else if (!has_before) {
            combine(out, 0, total, operands);
        } else if (operands == 1) {
            call_.kernels().reduce(call_.state(), out, result_, call_.shown_by(0).input, total);
        } else {
            combine(call_.staging().input, 0, total, operands);
            call_.kernels().reduce(call_.state(), out, result_, call_.staging().input, total);
        }
    }
}

} // namespace tutti::v0_1::detail
