// Order serial across processes: each goes on from the result of all before it.

#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/leader_work.hpp"
#include "hybrid/src/schedule/algorithms.hpp"

#include <array>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

using tutti::detail::Association;

namespace {

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
        if (call().leads()) {
            call().compare_calls();
            call().speak([this] { carry_segments(); });
        }
    }

    void fan_out() override {
        call().meet();
        prefixes_ ? take_prefix() : call().take_result();
    }

private:
    int process() const { return call().cluster().process(); }
    int last_process() const { return call().cluster().processes() - 1; }
    std::size_t segment_bytes() const { return call().bytes(segment_.elements()); }

    void carry_segments();
    std::byte* reduce_on(const std::byte* before);
    std::byte* scan_on(const std::byte* before);
    void spread();
    void send_to_root(int root);
    void take_prefix();

    bool prefixes_;
    std::size_t segments_;
    /// The segment.
    Segment segment_;
    std::vector<const void*> ins_;
};

void Chain::carry_segments() {
    hybrid::MpiChannel& channel = call().transport().channel();
    call().begin_on_channel();
    const std::array<std::size_t, 2> one_block{0, call().shape().total};
    for (std::size_t segment = 0; segment < segments_; ++segment) {
        segment_.cut(one_block, segment, segments_);
        std::byte* const vector = prefixes_ ? call().staging().output : call().staging().input;
        std::byte* const before = vector + call().bytes(segment_.start());
        if (process() > 0 && segment_bytes() != 0) {
            channel.receive(std::array{hybrid::MpiChannel::Piece{before, segment_bytes()}}, process() - 1);
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

/// Combines the result of the processes before with the vectors of this one. Returns the place of the result.
std::byte* Chain::reduce_on(const std::byte* before) {
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

/// The same, with the inclusive prefix of each member in the staging buffer. Returns the place of the last
/// one.
std::byte* Chain::scan_on(const std::byte* before) {
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
void Chain::spread() {
    hybrid::ProcessCall result = call().process_call();
    result.input = result.output;
    if (call().collective() == Collective::reduce) {
        return send_to_root(result.root);
    }
    result.root = last_process();
    result.collective =
        call().collective() == Collective::reduce_scatter ? Collective::scatter : Collective::broadcast;
    tutti::detail::Call spreading = call().call();
    spreading.collective = result.collective;
    result.algorithm = hybrid::choose_algorithm(spreading, {},
                                                {.processes = call().cluster().processes(),
                                                 .bytes = call().total_bytes(),
                                                 .even = call().cluster().is_even()});
    call().perform(result);
}

void Chain::send_to_root(int root) {
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

void Chain::take_prefix() {
    const bool exclusive = call().collective() == Collective::exscan;
    const int last = exclusive ? call().rank() - 1 : call().rank();
    if (last >= 0) {
        copy_unless_there(call().out(),
                          call().staging().input + static_cast<std::size_t>(last) * call().total_bytes(),
                          call().total_bytes());
    } else if (process() > 0) {
        copy_unless_there(call().out(), call().staging().output, call().total_bytes());
    }
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_chain(ClusterCall& call) {
    return std::make_unique<Chain>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
