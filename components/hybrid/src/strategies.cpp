// How the data of a call gets from the members to other processes.

#include "hybrid/src/cluster_call.hpp"

#include <numeric>
#include <utility>

namespace tutti::v0_1::detail {

using detail::Association;
using detail::Result;

namespace {

/// Takes this member's prefix from that of the processes before and those of the members here, of which the
/// member's `includes_all` of the processes before, or does not.
void take_prefix(const ClusterCall& call, bool includes_all) {
    const int last = call.collective() == Collective::exscan ? call.rank() - 1 : call.rank();
    const bool has_local = last >= 0;
    const bool has_before = call.cluster().process() > 0;
    const std::byte* const local =
        has_local ? call.staging().input + static_cast<std::size_t>(last) * call.total_bytes() : nullptr;
    if (has_before && has_local && !includes_all) {
        call.kernels().reduce(call.state(), call.out(), call.staging().output, local, call.shape().total);
    } else if (has_before || has_local) {
        copy_unless_there(call.out(), has_local ? local : call.staging().output, call.total_bytes());
    }
}

class Leader final : public HierarchyStrategy {
public:
    explicit Leader(ClusterCall& made) : HierarchyStrategy(made) { set_slices(); }

    void fan_in() override {
        const auto members = static_cast<std::size_t>(call().members());
        const bool prefix = call().traits().is_prefix();
        const bool pairs = call().traits().result == Result::of_pair;
        call().show();
        call().make_room(call().total_bytes() * (prefix || pairs ? members : 1),
                         call().total_bytes() * (pairs ? members : 1));
        if (put_own()) {
            call().meet();
        }
    }

    void exchange() override {
        call().compare_calls();
        call().speak([this] {
            hybrid::ProcessCall& whole = call().process_call();
            if (whole.collective == Collective::exscan) { // of the result of all members here
                whole.input += static_cast<std::size_t>(call().members() - 1) * call().total_bytes();
            }
            call().perform(whole);
        });
    }

    void fan_out() override {
        call().meet();
        if (call().traits().result == Result::of_pair) {
            return call().unpack_pairs(call().rank());
        }
        call().traits().is_prefix() ? take_prefix(call(), false) : call().take_result();
    }

private:
    /// The slices begin on cache lines.
    void set_slices() {
        const auto members = static_cast<std::size_t>(call().members());
        const std::size_t total = call().shape().total;
        constexpr std::size_t line_elements = 64;
        const std::size_t each =
            ((total + members - 1) / members + line_elements - 1) / line_elements * line_elements;
        slices_.clear();
        for (std::size_t member = 0; member < members; ++member) {
            const std::size_t first = std::min(member * each, total);
            slices_.push_back(std::min(first + each, total) - first);
        }
    }

    /// Returns whether the others may not have put theirs yet.
    bool put_own() {
        const std::size_t own_bytes = call().bytes(call().shape().own_offset);
        switch (call().traits().result) {
        case Result::of_all:
            return combine();
        case Result::of_root:
            if (call().is_root()) {
                copy_unless_there(call().outgoing(), call().in(), call().total_bytes());
            }
            return true;
        case Result::of_owner:
            copy_unless_there(call().staging().input + own_bytes,
                              call().in() + (call().shape().input_is_block ? 0 : own_bytes),
                              call().bytes(call().own_block_elements()));
            return true;
        case Result::of_pair:
            call().pack_pairs(call().rank());
            return true;
        case Result::of_up_to_here:
        case Result::of_before:
            put_prefixes();
            return true;
        default:
            return true;
        }
    }

    /// The members' vectors, combined in rank order, in the staging buffer.
    bool combine() {
        const std::size_t total = call().shape().total;
        detail::Call local = call().call();
        local.in_place = false;
        local.root = 0;
        local.input_count = total;
        if (call().total_bytes() <= one_exchange_bytes) {
            local.collective = Collective::allreduce;
            local.output = call().leads() ? call().staging().input
                                          : discarded_.at_least(one_exchange_bytes, call().element_align());
            local.output_count = total;
            call().run_held(held_, local);
            return false;
        }
        const auto own = slices_.begin() + call().rank();
        local.collective = Collective::reduce_scatter;
        // Named, because no member may go on before all have come, even if one slice is everything and the
        // others have nothing to wait for.
        local.algorithm = "direct";
        const Counts::View slices = Counts(std::span(slices_));
        local.counts = &slices;
        local.output =
            call().staging().input + call().bytes(std::accumulate(slices_.begin(), own, std::size_t{0}));
        local.output_count = *own;
        call().run_held(held_, local);
        return true;
    }

    void put_prefixes() {
        detail::Call local = call().call();
        local.collective = Collective::scan;
        local.in_place = false;
        local.output =
            call().staging().input + static_cast<std::size_t>(call().rank()) * call().total_bytes();
        local.output_count = call().shape().total;
        call().run_held(held_, local);
    }

    /// Elements that each member combines.
    std::vector<std::size_t> slices_;
    /// The members' own call.
    std::unique_ptr<library::PreparedCall> held_;
    /// The parts of a result that only others need in one exchange.
    run::Memory discarded_;
};

/// The leader combines the vectors of its process, from the left, with the result of the process before, and
/// passes that on, segment by segment: a chain of processes at work on one segment each.
class Chain final : public HierarchyStrategy {
public:
    explicit Chain(ClusterCall& made)
        : HierarchyStrategy(made),
          prefixes_(made.collective() == Collective::scan || made.collective() == Collective::exscan),
          segments_(segments_of(made.total_bytes())) {}

    void fan_in() override {
        const auto members = static_cast<std::size_t>(call().members());
        call().show();
        call().make_room(call().total_bytes() * (prefixes_ ? members : 1), call().total_bytes());
        call().meet();
    }

    void exchange() override {
        call().compare_calls();
        call().speak([this] { carry_segments(); });
    }

    void fan_out() override {
        call().meet();
        prefixes_ ? take_prefix(call(), true) : call().take_result();
    }

private:
    int process() const { return call().cluster().process(); }
    int last_process() const { return call().cluster().processes() - 1; }
    std::size_t segment_bytes() const { return call().bytes(segment_.elements()); }

    void carry_segments() {
        hybrid::MpiChannel& channel = call().transport().channel();
        call().begin_on_channel();
        const std::array<std::size_t, 2> one_block{0, call().shape().total};
        for (std::size_t segment = 0; segment < segments_; ++segment) {
            segment_.cut(one_block, segment, segments_);
            std::byte* const vector = prefixes_ ? call().staging().output : call().staging().input;
            std::byte* const before = vector + call().bytes(segment_.start());
            if (process() > 0 && segment_bytes() != 0) {
                channel.receive(std::array{hybrid::MpiChannel::Piece{before, segment_bytes()}},
                                process() - 1);
                channel.wait();
            }
            std::byte* const after = prefixes_ ? scan_on(before) : reduce_on(before);
            if (process() < last_process() && segment_bytes() != 0) {
                channel.send(std::array{hybrid::MpiChannel::Piece{after, segment_bytes()}}, process() + 1);
                channel.wait();
            }
        }
        if (!prefixes_ && last_process() > 0) {
            spread();
        }
    }

    /// Combines the result of the processes before with the vectors of this one. Returns the place of the
    /// result.
    std::byte* reduce_on(const std::byte* before) {
        ins_.clear();
        if (process() > 0) {
            ins_.push_back(before);
        }
        for (int member = 0; member < call().members(); ++member) {
            ins_.push_back(call().shown_by(member).input + call().bytes(segment_.start()));
        }
        std::byte* const after = call().landing() + call().bytes(segment_.start());
        void* result = after;
        call().kernels().reduce_many(call().state(), &result, 1, ins_.data(), static_cast<int>(ins_.size()),
                                     segment_.elements(), Association::left, {});
        return after;
    }

    /// The same, with the inclusive prefix of each member in the staging buffer. Returns the place of the
    /// last one.
    std::byte* scan_on(const std::byte* before) {
        const std::byte* last = process() > 0 ? before : nullptr;
        std::byte* after = nullptr;
        for (int member = 0; member < call().members(); ++member) {
            const std::size_t start = call().bytes(segment_.start());
            const std::byte* const own = call().shown_by(member).input + start;
            after = call().staging().input + static_cast<std::size_t>(member) * call().total_bytes() + start;
            if (last == nullptr) {
                copy_unless_there(after, own, segment_bytes());
            } else {
                call().kernels().reduce(call().state(), after, last, own, segment_.elements());
            }
            last = after;
        }
        return after;
    }

    /// From the last process, which has the result, to all that want it.
    void spread() {
        hybrid::ProcessCall result = call().process_call();
        result.input = result.output;
        if (call().collective() == Collective::reduce) {
            return send_to_root(result.root);
        }
        result.root = last_process();
        result.collective =
            call().collective() == Collective::reduce_scatter ? Collective::scatter : Collective::broadcast;
        detail::Call spreading = call().call();
        spreading.collective = result.collective;
        result.algorithm = hybrid::choose_algorithm(spreading, {},
                                                    {.processes = call().cluster().processes(),
                                                     .bytes = call().total_bytes(),
                                                     .even = call().cluster().is_even()});
        call().perform(result);
    }

    void send_to_root(int root) {
        if (root == last_process() || call().shape().total == 0) {
            return;
        }
        hybrid::MpiChannel& channel = call().transport().channel();
        const std::array message{hybrid::MpiChannel::Piece{call().staging().output, call().total_bytes()}};
        if (process() == last_process()) {
            channel.send(message, root);
        } else if (process() == root) {
            channel.receive(message, last_process());
        }
        channel.wait();
    }

    bool prefixes_;
    std::size_t segments_;
    /// The segment.
    Segment segment_;
    std::vector<const void*> ins_;
};

/// Members copy the blocks of their process, and the leader exchanges the others.
class Blocks final : public HierarchyStrategy {
public:
    explicit Blocks(ClusterCall& made)
        : HierarchyStrategy(made), exchange_(made, made.rank(), made.rank() + 1) {}

    void fan_in() override {
        call().show();
        call().meet();
        call().compare_calls();
        exchange_.lay_out();
        call().make_room(exchange_.outgoing_bytes(), exchange_.landing_bytes());
        exchange_.put();
        call().meet();
    }

    void exchange() override {
        call().speak([this] {
            call().begin_on_channel();
            exchange_.perform();
        });
    }

    void fan_out() override {
        call().meet();
        exchange_.store();
    }

private:
    BlockExchange exchange_;
};

class WorkingLeader final : public HierarchyStrategy {
public:
    explicit WorkingLeader(ClusterCall& made) : HierarchyStrategy(made), work_(made) {}

    void fan_in() override {
        call().show();
        if (call().leads() && !std::exchange(has_begun_, true)) {
            work_.begin();
        }
        call().make_room(work_.input_room(), work_.output_room());
        call().meet();
    }

    void exchange() override {
        call().compare_calls();
        call().speak([this] {
            for (std::size_t segment = 0; segment < work_.segments(); ++segment) {
                call().perform(work_.put(segment));
                work_.store();
            }
        });
    }

    void fan_out() override { call().meet(); }

private:
    LeaderWork work_;
    /// begin() decides alike for all calls for which this strategy is kept.
    bool has_begun_ = false;
};

/// Up to so many bytes one thread should combine in less time than two more exchanges take: an estimate,
/// since there was no machine with a CPU for every member to measure it on.
constexpr std::size_t short_bytes = std::size_t{16} << 10U;

/// Whether one member of a process does everything: alone in its process, with vectors too short to be worth
/// two more exchanges, and if the members share CPUs anyway.
bool leader_works(const ClusterCall& call) {
    const std::size_t bytes = call.total_bytes();
    if (call.is_alone()) {
        return true;
    }
    if (!call.can_be_cut() || bytes <= one_exchange_bytes) {
        return false;
    }
    return bytes > segment_bytes ? call.cluster().all_go_solo() // which then exchange segments
                                 : call.cluster().is_crowded() || bytes <= short_bytes;
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_strategy(ClusterCall& call) {
    if (call.sends_blocks()) {
        return std::make_unique<Blocks>(call);
    }
    if (call.algorithm() == hybrid::chain_algorithm) {
        return std::make_unique<Chain>(call);
    }
    if (leader_works(call)) {
        return std::make_unique<WorkingLeader>(call);
    }
    return std::make_unique<Leader>(call);
}

} // namespace tutti::v0_1::detail
