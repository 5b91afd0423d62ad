// Members put data for others into the staging buffer, and take results from it.

#include "choose/select.hpp"
#include "group/seat.hpp"
#include "hybrid/src/cluster_call.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::detail::Result;

namespace {

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
        if (!call().leads()) {
            return;
        }
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
        call().traits().is_prefix() ? take_prefix() : call().take_result();
    }

private:
    void set_slices();
    bool put_own();
    bool combine();
    void put_prefixes();
    void take_prefix();

    /// Elements that each member combines.
    std::vector<std::size_t> slices_;
    /// The members' own call.
    std::unique_ptr<tutti::engine::PreparedCall> held_;
    /// The parts of a result that only others need in one exchange.
    tutti::run::Memory discarded_;
};

/// The slices begin on cache lines.
void Leader::set_slices() {
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
bool Leader::put_own() {
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

void Leader::put_prefixes() {
    tutti::detail::Call local = call().call();
    local.collective = Collective::scan;
    local.in_place = false;
    local.output = call().staging().input + static_cast<std::size_t>(call().rank()) * call().total_bytes();
    local.output_count = call().shape().total;
    call().run_held(held_, local);
}

/// The members' vectors, combined in rank order, in the staging buffer.
bool Leader::combine() {
    const std::size_t total = call().shape().total;
    tutti::detail::Call local = call().call();
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
    // Named, because no member may go on before all have come, even if one slice is everything and the others
    // have nothing to wait for.
    local.algorithm = "direct";
    const Counts::View slices = Counts(slices_);
    local.counts = &slices;
    local.output =
        call().staging().input + call().bytes(std::accumulate(slices_.begin(), own, std::size_t{0}));
    local.output_count = *own;
    call().run_held(held_, local);
    return true;
}

/// Combines the result of all processes before with that of the members before here.
void Leader::take_prefix() {
    const bool exclusive = call().collective() == Collective::exscan;
    const bool has_before = call().cluster().process() > 0;
    const bool has_local = !exclusive || call().rank() > 0;
    const auto local = static_cast<std::size_t>(exclusive ? call().rank() - 1 : call().rank());
    const std::byte* const own = has_local ? call().staging().input + local * call().total_bytes() : nullptr;
    if (has_before && has_local) {
        call().kernels().reduce(call().state(), call().out(), call().staging().output, own,
                                call().shape().total);
    } else if (has_before || has_local) {
        copy_unless_there(call().out(), has_local ? own : call().staging().output, call().total_bytes());
    }
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_leader(ClusterCall& call) {
    return std::make_unique<Leader>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
