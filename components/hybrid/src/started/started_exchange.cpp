#include "hybrid/src/started/started_exchange.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::detail::Result;

// Vectors of other members are neither sent nor received into: a member that fails gives them back while MPI
// may still use them. The leader's own are, where it is alone.

void StartedExchange::begin() {
    if (call_.sends_blocks()) {
        put_blocks();
        call_.speak([this] {
            call_.begin_on_channel();
            blocks_.begin();
        });
        return;
    }
    const hybrid::ProcessCall whole = put();
    call_.speak([&] {
        call_.begin_on_channel();
        call_.transport().begin(whole);
    });
}

void StartedExchange::put_blocks() {
    blocks_.lay_out();
    call_.cluster().started().make_room(blocks_.outgoing_bytes(), blocks_.landing_bytes(), 0,
                                        call_.element_align());
    blocks_.put();
}

/// Returns the call to be made among the processes.
hybrid::ProcessCall StartedExchange::put() {
    const bool pairs = call_.traits().result == Result::of_pair;
    const std::size_t room = call_.total_bytes() * (pairs ? static_cast<std::size_t>(call_.members()) : 1);
    call_.cluster().started().make_room(room, room, call_.traits().is_prefix() ? room : 0,
                                        call_.element_align());
    hybrid::ProcessCall whole = call_.process_call();
    whole.input = call_.staging().input;
    whole.output = call_.staging().output;
    segment_.cut(0, 1);
    if (call_.is_alone() && call_.traits().input.of(call_.is_root()) == tutti::detail::Part::whole &&
        !pairs) {
        whole.input = const_cast<std::byte*>(call_.in());
    } else {
        put_together(whole.input);
    }
    has_landed_ = call_.is_alone() && call_.may_land_at_once();
    if (has_landed_) {
        whole.output = call_.out();
    }
    return whole;
}

void StartedExchange::put_together(std::byte* to) {
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
            copy_unless_there(to, call_.vectors_of(call_.root() - call_.first_member()).input,
                              call_.total_bytes());
        }
        return;
    default:
        segment_.put(to, 0, 1);
    }
}

void StartedExchange::store() {
    if (call_.sends_blocks()) {
        return blocks_.store();
    }
    if (has_landed_) {
        return;
    }
    if (call_.traits().is_prefix()) {
        return store_prefixes();
    }
    const bool is_sent = call_.collective() == Collective::broadcast && call_.root_is_here();
    const std::byte* const from = is_sent ? call_.outgoing() : call_.staging().output;
    if (call_.shares_result()) {
        return copy_unless_there(call_.out(), from, call_.total_bytes());
    }
    for (int member = 0; member < call_.members(); ++member) {
        if (call_.traits().result == Result::of_pair) {
            call_.unpack_pairs(member);
        } else if (call_.traits().result != Result::nothing) {
            segment_.store(member, from);
        }
    }
}

/// From the last member on: nobody's result then takes the place of an input that is still needed.
void StartedExchange::store_prefixes() {
    const bool has_before = call_.cluster().process() > 0;
    const std::byte* const before = call_.staging().output;
    std::byte* const scratch = call_.cluster().started().scratch();
    for (int member = call_.members(); member-- > 0;) {
        std::byte* const out = call_.vectors_of(member).output;
        const int operands = call_.collective() == Collective::exscan ? member : member + 1;
        if (operands == 0) {
            copy_unless_there(out, has_before ? before : out, call_.total_bytes());
            continue;
        }
        combine_up_to(operands, has_before ? scratch : out);
        if (has_before) {
            call_.kernels().reduce(call_.state(), out, before, scratch, call_.shape().total);
        }
    }
}

void StartedExchange::combine_up_to(int members, void* result) {
    ins_.clear();
    for (int member = 0; member < members; ++member) {
        ins_.push_back(call_.vectors_of(member).input);
    }
    call_.kernels().reduce_many(call_.state(), &result, 1, ins_.data(), members, call_.shape().total,
                                call_.association(), {});
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
