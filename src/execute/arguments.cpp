#include "execute/arguments.hpp"

#include "execute/select.hpp"
#include "run/footprint.hpp"

#include <tutti/error.hpp>

#include <span>
#include <string>

namespace tutti::execute {

using detail::Call;
using detail::Kind;

namespace {

[[noreturn]] void refuse(const Call& call, const std::string& what) {
    throw ArgumentError(std::string(to_string(collective_of(call.kind))) + ": " + what);
}

std::string elements(const char* name, std::size_t count) {
    return std::string("`") + name + "` has " + std::to_string(count) + " elements";
}

/// Which vectors of a collective are divided by rank.
bool gathers(Kind kind) {
    return kind == Kind::allgather || kind == Kind::gather;
}

bool scatters(Kind kind) {
    return kind == Kind::reduce_scatter || kind == Kind::scatter;
}

/// The names that the public functions give to their vectors.
const char* input_name(const Call& call) {
    return call.in_place ? "inout" : gathers(call.kind) ? "block" : "in";
}

const char* output_name(const Call& call) {
    return call.in_place ? "inout" : scatters(call.kind) ? "block" : "out";
}

/// Checks one member's arguments of one call.
class Check {
public:
    Check(const Call& call, int rank, int members, std::size_t* offsets, std::size_t* sent_offsets)
        : call_(call), own_(static_cast<std::size_t>(rank)), members_(static_cast<std::size_t>(members)),
          is_root_(call.root == rank), offsets_(offsets), sent_offsets_(sent_offsets) {}

    Shape shape() {
        if (is_rooted(collective_of(call_.kind)) &&
            (call_.root < 0 || static_cast<std::size_t>(call_.root) >= members_)) {
            refuse(call_, "`root` is " + std::to_string(call_.root) + ", must be in 0.." +
                              std::to_string(members_ - 1));
        }
        set_sizes();
        check_pointers();
        if (has_input() && has_output()) {
            shape_.aliasing = aliasing_of(call_, shape_);
            check_aliasing();
        } else {
            shape_.aliasing = call_.in_place ? Aliasing::same : Aliasing::separate;
        }
        shape_.message_bytes = (gathers(call_.kind) ? shape_.block : shape_.total) * call_.element_bytes;
        return shape_;
    }

private:
    /// Whether this member's input, output is looked at.
    bool has_input() const {
        return call_.kind != Kind::barrier && (call_.kind != Kind::scatter || is_root_);
    }
    bool has_output() const {
        const bool only_root = call_.kind == Kind::reduce || call_.kind == Kind::gather;
        return call_.kind != Kind::barrier && (!only_root || is_root_);
    }

    void set_sizes() {
        switch (call_.kind) {
        case Kind::barrier:
            return;
        case Kind::broadcast:
        case Kind::reduce:
        case Kind::allreduce:
        case Kind::scan:
        case Kind::exscan:
        case Kind::shift:
            shape_.total = call_.input_count;
            return check_equal();
        case Kind::alltoall:
            if (call_.received != nullptr) {
                return set_exchanged();
            }
            shape_.total = call_.input_count;
            shape_.block = divided(input_name(call_), shape_.total);
            return check_equal();
        case Kind::reduce_scatter:
        case Kind::allgather:
        case Kind::gather:
        case Kind::scatter:
            return set_blocks();
        }
    }

    void check_equal() const {
        if (has_output() && call_.input_count != call_.output_count) {
            refuse(call_, elements("in", call_.input_count) + " and " + elements("out", call_.output_count) +
                              ": they must have the same number");
        }
    }

    /// The vector that is whole, and the one that is a block of it.
    void set_blocks() {
        const bool whole_is_input = scatters(call_.kind);
        const bool has_whole = whole_is_input ? has_input() : has_output();
        // In place there is only one vector: the whole one where there is one.
        const bool is_block = !call_.in_place || !has_whole;
        shape_.input_is_block = !whole_is_input && is_block;
        shape_.output_is_block = whole_is_input && is_block;
        const std::size_t whole = whole_is_input ? call_.input_count : call_.output_count;
        const std::size_t block = whole_is_input ? call_.output_count : call_.input_count;
        const char* const whole_name = whole_is_input ? input_name(call_) : output_name(call_);
        const char* const block_name = whole_is_input ? output_name(call_) : input_name(call_);
        if (call_.counts != nullptr) {
            set_irregular(has_whole, whole, whole_name, is_block, block, block_name);
            return;
        }
        if (call_.in_place && has_whole) {
            shape_.block = divided(whole_name, whole);
        } else {
            shape_.block = block;
            if (has_whole && whole != block * members_) {
                refuse(call_, elements(whole_name, whole) + " and " + elements(block_name, block) + " on " +
                                  std::to_string(members_) + " members: `" + whole_name + "` must have " +
                                  std::to_string(block * members_));
            }
        }
        shape_.total = shape_.block * members_;
        shape_.own_offset = shape_.block * own_;
    }

    /// The size of the equal blocks of a vector of `total` elements.
    std::size_t divided(const char* name, std::size_t total) const {
        if (total % members_ != 0) {
            refuse(call_, elements(name, total) + ", which do not make " + std::to_string(members_) +
                              " equal blocks: pass a multiple of " + std::to_string(members_) +
                              (call_.kind == Kind::reduce_scatter ? " or give counts" : ""));
        }
        return total / members_;
    }

    void set_irregular(bool has_whole, std::size_t whole, const char* whole_name, bool is_block,
                       std::size_t block, const char* block_name) {
        const auto counts = call_.counts->span();
        set_offsets("counts", counts, offsets_);
        if (has_whole) {
            check_sum("counts", offsets_, whole_name, whole);
        }
        if (is_block && block != counts[own_]) {
            refuse(call_, elements(block_name, block) + ", but " + entry("counts", counts[own_]));
        }
        shape_.total = offsets_[members_];
        shape_.own_offset = offsets_[own_];
    }

    /// An all-to-all in which every member has counts of its own, for both of its vectors.
    void set_exchanged() {
        const auto sent = call_.counts->span();
        const auto received = call_.received->span();
        set_offsets("send_counts", sent, sent_offsets_);
        set_offsets("recv_counts", received, offsets_);
        check_sum("send_counts", sent_offsets_, "in", call_.input_count);
        check_sum("recv_counts", offsets_, "out", call_.output_count);
        if (sent[own_] != received[own_]) {
            refuse(call_, entry("send_counts", sent[own_]) + " and " + entry("recv_counts", received[own_]) +
                              " of member " + std::to_string(own_) + " itself: they must be the same");
        }
        shape_.total = call_.output_count;
    }

    void set_offsets(const char* name, std::span<const std::size_t> counts, std::size_t* offsets) const {
        if (counts.size() != members_) {
            refuse(call_, std::string("`") + name + "` has " + std::to_string(counts.size()) +
                              " entries, must have one for each of the " + std::to_string(members_) +
                              " members");
        }
        offsets[0] = 0;
        for (std::size_t i = 0; i < members_; ++i) {
            if (__builtin_add_overflow(offsets[i], counts[i], &offsets[i + 1])) {
                refuse(call_, std::string("the sum of `") + name + "` overflows");
            }
        }
    }

    void check_sum(const char* name, const std::size_t* offsets, const char* vector,
                   std::size_t count) const {
        if (offsets[members_] != count) {
            refuse(call_, elements(vector, count) + ", but `" + name + "` add up to " +
                              std::to_string(offsets[members_]));
        }
    }

    /// A member's own entry in a list of counts.
    std::string entry(const char* name, std::size_t count) const {
        return std::string("`") + name + "[" + std::to_string(own_) + "]` is " + std::to_string(count);
    }

    void check_pointers() const {
        if (has_input() && call_.input_count != 0 && call_.input == nullptr) {
            refuse(call_, elements(input_name(call_), call_.input_count) + " but is a null pointer");
        }
        if (has_output() && call_.output_count != 0 && call_.output == nullptr) {
            refuse(call_, elements(output_name(call_), call_.output_count) + " but is a null pointer");
        }
    }

    void check_aliasing() const {
        if (call_.in_place) {
            return;
        }
        if (call_.shared_output && shape_.aliasing != Aliasing::separate) {
            refuse(call_, both() + "overlap: the vector that all members share must be separate from their "
                                   "own");
        }
        if (shape_.aliasing == Aliasing::same && is_rooted(collective_of(call_.kind))) {
            refuse(call_, both() +
                              "are the same memory, which the other members cannot know: let all of them "
                              "call it in place, with one vector");
        }
        if (shape_.aliasing != Aliasing::separate && call_.received != nullptr) {
            refuse(call_, both() + "overlap: with counts of one's own they must be separate vectors");
        }
        if (shape_.aliasing == Aliasing::invalid) {
            const bool divided = shape_.input_is_block || shape_.output_is_block;
            refuse(call_, both() + "overlap: pass separate vectors, or " +
                              (divided ? "exactly this member's part as the block" : "the same one"));
        }
    }

    std::string both() const {
        return std::string("`") + input_name(call_) + "` and `" + output_name(call_) + "` ";
    }

    const Call& call_;
    std::size_t own_;
    std::size_t members_;
    bool is_root_;
    std::size_t* offsets_;
    std::size_t* sent_offsets_;
    Shape shape_;
};

} // namespace

Aliasing aliasing_of(const Call& call, const Shape& shape) {
    const auto in = reinterpret_cast<std::uintptr_t>(call.input);
    const auto out = reinterpret_cast<std::uintptr_t>(call.output);
    if ((in == 0 && call.input_count != 0) || (out == 0 && call.output_count != 0)) {
        return Aliasing::invalid;
    }
    if (call.in_place) {
        return Aliasing::same;
    }
    const std::size_t input_bytes = call.input_count * call.element_bytes;
    const std::size_t output_bytes = call.output_count * call.element_bytes;
    if (!overlap(run::Range{in, input_bytes}, run::Range{out, output_bytes})) {
        return Aliasing::separate;
    }
    const std::uintptr_t own = shape.own_offset * call.element_bytes;
    const std::uintptr_t input_start = in - (shape.input_is_block ? own : 0);
    const std::uintptr_t output_start = out - (shape.output_is_block ? own : 0);
    return input_start == output_start ? Aliasing::same : Aliasing::invalid;
}

Shape checked_shape(const Call& call, int rank, int members, std::size_t* offsets,
                    std::size_t* sent_offsets) {
    return Check(call, rank, members, offsets, sent_offsets).shape();
}

} // namespace tutti::execute
