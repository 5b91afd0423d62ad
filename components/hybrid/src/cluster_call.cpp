#include "hybrid/src/cluster_call.hpp"

#include "run/word_exchange.hpp"

#include <tutti/error.hpp>
#include <tutti/mpi.hpp>

namespace tutti::v0_1::detail {

using detail::OneVector;
using detail::Part;
using detail::Result;

void copy_unless_there(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (to != from) {
        run::copy_bytes(to, from, bytes);
    }
}

namespace {

void reduce(const void* state, void* out, const void* left, const void* right, std::size_t count) {
    const auto& own = *static_cast<const ProgramOperator*>(state);
    const detail::Seat::OperatorRuns running(*own.seat, true);
    own.kernels->reduce(own.state, out, left, right, count);
}

void reduce_many(const void* state, void* const* outs, int outs_count, const void* const* ins, int ins_count,
                 std::size_t count, detail::Association association, detail::StoreHints stores) {
    const auto& own = *static_cast<const ProgramOperator*>(state);
    const detail::Seat::OperatorRuns running(*own.seat, true);
    own.kernels->reduce_many(own.state, outs, outs_count, ins, ins_count, count, association, stores);
}

constexpr detail::Kernels marked{&reduce, &reduce_many, nullptr, nullptr};

std::uint64_t digest_of(const run::PrivateLayout& blocks, std::uint64_t call) {
    std::uint64_t value = call;
    for (const auto* const places : {&blocks.sent, &blocks.received}) {
        value = mixed(value, places->size());
        for (const plan::BlockPlace& place : *places) {
            value = mixed(mixed(value, place.start), place.count);
        }
    }
    return value;
}

} // namespace

// The decisions when a call is prepared.

void ClusterCall::prepare(const Call& call) {
    strategy_ = nullptr;
    known_.forget(); // it serves no call before it is complete
    offsets_.resize(static_cast<std::size_t>(cluster_.size()) + 1);
    blocks_ = {};
    copies_input_ = false;
    sends_blocks_ = detail::sends_blocks(call);
    known_.remember(
        call, sends_blocks_ ? set_blocks(call)
                            : library::checked_shape(call, global_rank(), cluster_.size(), offsets_.data()));
    if (shape().aliasing == library::Aliasing::front) {
        throw ArgumentError(
            "reduce_scatter: `in` and `block` overlap: among processes pass separate vectors, or "
            "exactly this member's part as the block");
    }
    if (call.one_pass_operator) {
        throw ArgumentError(
            std::string(to_string(call.collective)) +
            ": operators that accumulate, such as tutti::mean, are for the members of a group, because "
            "each process would finish its part: use tutti::sum and scale the result");
    }
    if (call.needs_one_pass() && cluster_.processes() > 1) {
        throw ArgumentError(
            std::string(to_string(call.collective)) +
            ": the operator must combine all operands in one pass, and members of several processes have no "
            "memory that all can read: reduce elements of a wider type, such as float, and convert the "
            "result");
    }
    call_ = call;
    const std::uint32_t algorithm = sends_blocks() ? hybrid::blocks_algorithm : choose_algorithm(call);
    set_call_signature(call, algorithm);
    kernels_ = !traits().reduces() ? nullptr : call.kernels != nullptr ? &marked : &call.loops();
    set_offsets();
    set_process_call(algorithm);
    // The order of calls inside the process; a chain combines from the left by itself.
    call_.order = call.order == Order::by_process ? Order::serial : Order::canonical;
    call_.algorithm = {};
    call_.counts = call_.received = nullptr;
    call_.where = {};
    call_.shared_output = false;
    known_.complete();
}

std::uint32_t ClusterCall::choose_algorithm(const Call& call) const {
    Call among_processes = call;
    among_processes.shared_output = false; // a process has one vector in any case
    if (call.collective == Collective::scan) {
        among_processes.collective = Collective::exscan; // a process combines its members' prefixes with that
    }
    return hybrid::choose_algorithm(
        among_processes, call.algorithm,
        {.processes = cluster_.processes(), .bytes = total_bytes(), .even = cluster_.is_even()});
}

/// Sets the places of the member's blocks. Returns the shape of the call.
library::Shape ClusterCall::set_blocks(const Call& call) {
    if (!call.algorithm.empty()) {
        library::refuse(call, "among processes, there is nothing to choose for blocks that members send to "
                              "each other: leave `options.algorithm` empty");
    }
    library::Shape shape;
    if (call.collective == Collective::shift) {
        shape = library::checked_shape(call, global_rank(), cluster_.size(), nullptr);
        blocks_.sent = blocks_.received = {{0, shape.total}};
    } else {
        shape = library::checked_layout(call, global_rank(), cluster_.size(), blocks_);
    }
    edges_.set(call, cluster_);
    const bool exchanges_all =
        call.collective == Collective::shift || call.collective == Collective::alltoall;
    copies_input_ =
        exchanges_all && neighborhood_of(call) == nullptr && shape.aliasing != library::Aliasing::separate;
    return shape;
}

void ClusterCall::set_call_signature(const Call& call, std::uint32_t algorithm) {
    call_signature_ = library::signature_of(call, shape());
    call_signature_.in_place = false; // each member's own affair
    call_signature_.function = 0;     // which lies elsewhere in other processes
    call_signature_.in_passes = algorithm == hybrid::chain_algorithm || algorithm == hybrid::blocks_algorithm;
    if (!call_signature_.in_passes) {
        call_signature_.row = algorithm;
    }
    digest_ = call_signature_.digests(0).digest;
    layout_digest_ = digest_of(blocks_, digest_);
}

void ClusterCall::set_offsets() {
    if (sends_blocks()) {
        return; // each process has those of its members
    }
    const auto members = static_cast<std::size_t>(cluster_.size());
    for (std::size_t rank = 0; call_.counts == nullptr && rank <= members; ++rank) {
        offsets_[rank] = rank * shape().block;
    }
    process_offsets_.clear();
    if (!traits().is_divided()) {
        process_offsets_.assign({0, shape().total});
        return;
    }
    for (int process = 0; process <= cluster_.processes(); ++process) {
        const auto first = static_cast<std::size_t>(cluster_.first_rank(process));
        // The data from this process to that one: a block from each member here to each member there.
        const std::size_t from_all = static_cast<std::size_t>(cluster_.members()) * shape().block;
        process_offsets_.push_back(traits().result == Result::of_pair ? first * from_all : offsets_[first]);
    }
}

void ClusterCall::set_process_call(std::uint32_t algorithm) {
    const bool rooted = traits().is_rooted();
    const bool pairs = traits().result == Result::of_pair;
    process_call_ = {.collective =
                         call_.collective == Collective::scan ? Collective::exscan : call_.collective,
                     .algorithm = algorithm,
                     .total = shape().total * (pairs ? static_cast<std::size_t>(members()) : 1),
                     .member_bytes = total_bytes(),
                     .offsets = traits().is_divided() ? process_offsets_.data() : nullptr,
                     .root = rooted ? cluster_.process_of(call_.root) : 0,
                     .element_bytes = call_.element_bytes,
                     .element_align = call_.element_align,
                     .kernels = kernels_};
}

// How a call is made.

void ClusterCall::begin(const void* input, void* output, const void* state, Timeout timeout) {
    bind(input, output, state, timeout);
    member_.begin(call_signature_, digest_);
}

void ClusterCall::begin_started(std::uint64_t number, const void* input, void* output, const void* state,
                                Timeout timeout) {
    started_ = number;
    bind(input, output, state, timeout);
    cluster_.board(rank()).calls[1].show(number, call_signature_, digest_);
}

void ClusterCall::bind(const void* input, void* output, const void* state, Timeout timeout) {
    call_.input = input;
    call_.output = output;
    call_.state = state;
    operator_ = {&cluster_.group().seat(rank()), call_.kernels, state};
    call_.timeout = timeout;
}

void ClusterCall::copy_input() {
    if (copies_input_) {
        std::byte* const copy = input_copy_.at_least(bytes(call_.input_count), call_.element_align);
        copy_unless_there(copy, static_cast<const std::byte*>(call_.input), bytes(call_.input_count));
        call_.input = copy;
    }
}

// How strategies use the call.

std::size_t ClusterCall::own_block_elements() const {
    const auto own = static_cast<std::size_t>(global_rank());
    return offsets_[own + 1] - offsets_[own];
}

bool ClusterCall::is_for(int member) const {
    const bool is_root = first_member() + member == call_.root;
    return !shares_result() && traits().output.of(is_root) != Part::none &&
           !(is_root && traits().in_place == OneVector::always);
}

bool ClusterCall::can_be_cut() const {
    return collective() == Collective::broadcast || collective() == Collective::reduce ||
           collective() == Collective::allreduce || collective() == Collective::reduce_scatter ||
           collective() == Collective::allgather;
}

bool ClusterCall::may_land_at_once() {
    const bool is_allreduce = collective() == Collective::allreduce;
    const bool has_result = is_allreduce || (collective() == Collective::reduce && is_root());
    return shares_result() ||
           (is_alone() && has_result && (is_separate() || (is_allreduce && works_in_place())));
}

void ClusterCall::show() {
    ShownVectors& shown = shown_by(rank());
    shown.input = in();
    shown.output = out();
    shown.input_start = shape().input_is_block ? shape().own_offset : 0;
    shown.output_start = shape().output_is_block ? shape().own_offset : 0;
    shown.blocks = &blocks_;
    shown.layout_digest = layout_digest_;
    if (started_ == 0) {
        return;
    }
    shown.digest = digest_;
    shown.call_signature = &call_signature_;
    shown.number.publish(started_); // release: pairs with the look of a member that works for all
}

void ClusterCall::make_room(std::size_t input_bytes, std::size_t output_bytes) {
    if (member_.wants_room(input_bytes, output_bytes, call_.element_align)) {
        meet();          // the last call's results have been taken
        compare_calls(); // or another call of a member would match these exchanges
        member_.enlarge();
        meet();
    }
}

void ClusterCall::take_result() {
    const std::size_t own_bytes = bytes(shape().own_offset);
    if (traits().scatters()) {
        copy_unless_there(out() + (shape().output_is_block ? 0 : own_bytes), staging().output + own_bytes,
                          bytes(own_block_elements()));
    } else if (is_for(rank())) {
        const bool is_input = traits().result == Result::of_root && root_is_here();
        copy_unless_there(out(), is_input ? staging().input : staging().output, total_bytes());
    }
}

void ClusterCall::pack_pairs(int member) const {
    const auto here = static_cast<std::size_t>(members());
    const auto own = static_cast<std::size_t>(member);
    const std::size_t block = shape().block;
    for (int process = 0; process < cluster_.processes(); ++process) {
        const auto first = static_cast<std::size_t>(cluster_.first_rank(process));
        const auto there = static_cast<std::size_t>(cluster_.members_of(process));
        copy_unless_there(staging().input + bytes((here * first + own * there) * block),
                          shown_by(member).input + bytes(first * block), bytes(there * block));
    }
}

void ClusterCall::unpack_pairs(int member) const {
    const auto here = static_cast<std::size_t>(members());
    const auto own = static_cast<std::size_t>(member);
    const std::size_t block_bytes = bytes(shape().block);
    for (std::size_t sender = 0; sender < static_cast<std::size_t>(cluster_.size()); ++sender) {
        copy_unless_there(shown_by(member).output + sender * block_bytes,
                          staging().output + (sender * here + own) * block_bytes, block_bytes);
    }
}

void ClusterCall::compare_calls() const {
    for (int other = 0; other < cluster_.members(); ++other) {
        if (started_ != 0 && shown_by(other).digest != digest_) {
            throw MismatchError("the members have started different operations: " +
                                    library::text_of_signatures(
                                        library::Sequence::nonblocking, global_rank(), first_member() + other,
                                        started_, call_signature_, *shown_by(other).call_signature),
                                {.peer = first_member() + other});
        }
        if (started_ == 0 && cluster_.board(other).calls[0].digest() != digest_) {
            cluster_.group().diagnosis().throw_different({.member = rank(), .peer = other});
        }
        if (shares_result() && shown_by(other).output != out()) {
            throw MismatchError(library::text_of_vectors(run::Fault::shared_output, global_rank(),
                                                         first_member() + other, call_signature_.describe()),
                                {.peer = first_member() + other});
        }
    }
}

hybrid::ProcessCall& ClusterCall::process_call() {
    process_call_.input = outgoing();
    process_call_.output = landing();
    process_call_.state = &operator_;
    return process_call_;
}

void ProcessMember::run_held(std::unique_ptr<library::PreparedCall>& held, detail::Call call) {
    detail::Seat& seat = cluster_.group().seat(rank_);
    if (call.timeout) {
        call.timeout = local_timeout(call.timeout.value_or({}));
    }
    if (held == nullptr) {
        held = seat.hold(call);
    }
    seat.run_held(*held, call);
}

void ProcessMember::meet(Timeout timeout) {
    if (!is_alone()) {
        run_held(meeting_, {.collective = Collective::barrier, .type = Type::u8, .timeout = timeout});
    }
}

bool ProcessMember::wants_room(std::size_t input_bytes, std::size_t output_bytes, std::size_t alignment) {
    const bool is_larger =
        input_bytes > input_room_ || output_bytes > output_room_ || alignment > room_align_;
    input_room_ = std::max(input_bytes, input_room_);
    output_room_ = std::max(output_bytes, output_room_);
    room_align_ = std::max(alignment, room_align_);
    return is_larger;
}

void ProcessMember::enlarge() {
    if (leads()) {
        cluster_.enlarge(input_room_, output_room_, room_align_);
    }
}

} // namespace tutti::v0_1::detail
