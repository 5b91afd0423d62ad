// A leader that does everything for its process: it combines from the vectors of all, carries, and stores to
// them, segment by segment.

#include "choose/store_policy.hpp"
#include "hybrid/src/call_segment.hpp"
#include "hybrid/src/hierarchy_strategy.hpp"
#include "hybrid/src/strategies.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

class Solo final : public HierarchyStrategy {
public:
    explicit Solo(ClusterCall& made) : HierarchyStrategy(made), segment_(made) {
        const bool in_one = call().algorithm() == hybrid::library_algorithm;
        // Parts of an allgather do not lie one after the other in a vector that the members share.
        const bool in_place = call().shares_result() && call().collective() == Collective::allgather;
        segments_ = in_one || in_place ? 1 : hybrid::segments_of(call().total_bytes());
        // In the caches through them, the others' vectors like its own: past them an allreduce of 64 KiB to
        // 1 MiB takes 1.3 to 1.6 times as long. Whatever the call, one stores to all as in an allreduce.
        const std::size_t touched = 2 * static_cast<std::size_t>(call().members()) * call().total_bytes();
        streams_ = (call().collective() == Collective::broadcast || call().is_separate()) &&
                   tutti::engine::StorePolicy::here().streams_to_own(Collective::allreduce, touched,
                                                                     call().members());
    }

    void fan_in() override {
        call().show();
        call().make_room(call().total_bytes(), call().total_bytes());
        call().meet();
    }

    void exchange() override {
        if (call().leads()) {
            call().compare_calls();
            call().speak([this] {
                set_vectors();
                carry_segments();
            });
        }
    }

    void fan_out() override { call().meet(); }

private:
    void set_vectors();
    void carry_segments();
    void hand_out(const std::byte* from);

    CallSegment segment_;
    std::size_t segments_ = 1;
    /// From the vector of the only member, and to it, or to the one that the members share.
    bool sends_directly_ = false;
    bool receives_directly_ = false;
    bool combines_in_place_ = false;
    bool streams_ = false;
    std::vector<void*> outs_;
};

/// Decides which of the staging buffers the callers' vectors replace.
void Solo::set_vectors() {
    const bool is_allreduce = call().collective() == Collective::allreduce;
    sends_directly_ = call().is_alone() && (is_allreduce || call().collective() == Collective::reduce);
    receives_directly_ = call().may_land_at_once();
    combines_in_place_ = call().shares_result() && is_allreduce && call().works_in_place();
}

void Solo::carry_segments() {
    // What is broadcast goes from the root's vector, or into the leader's, and from there to the others.
    const bool broadcasts = call().collective() == Collective::broadcast;
    std::byte* const vector = broadcasts ? segment_.root_vector(call().out()) : nullptr;
    for (std::size_t segment = 0; segment < segments_; ++segment) {
        segment_.cut(segment, segments_);
        const std::size_t start = segment_.start_bytes();
        std::byte* const input = broadcasts           ? vector + start
                                 : sends_directly_    ? const_cast<std::byte*>(call().in()) + start
                                 : combines_in_place_ ? call().out() + start
                                                      : call().staging().input;
        std::byte* const output = broadcasts           ? input
                                  : receives_directly_ ? call().out() + start
                                                       : call().staging().output;
        if (!sends_directly_) {
            segment_.put(input, 0, 1);
        }
        call().perform(segment_.process_call(input, output));
        hand_out(output);
    }
}

/// Stores the part, from where it lies, where the members want it.
void Solo::hand_out(const std::byte* from) {
    if (call().collective() == Collective::reduce_scatter) {
        for (int member = 0; member < call().members(); ++member) {
            segment_.store(member, from);
        }
        return;
    }
    segment_.for_each_range([&](std::size_t at, std::size_t place, std::size_t elements) {
        outs_.clear();
        const std::byte* const source = from + call().bytes(at);
        for (int member = 0; member < call().members(); ++member) {
            std::byte* const to = call().vectors_of(member).output + call().bytes(place);
            if (call().is_for(member) && to != source) {
                outs_.push_back(to);
            }
        }
        if (!outs_.empty()) {
            tutti::detail::copy_many(outs_.data(), static_cast<int>(outs_.size()), source,
                                     call().bytes(elements), {.stream = streams_});
        }
    });
}

} // namespace

std::unique_ptr<HierarchyStrategy> make_solo(ClusterCall& call) {
    return std::make_unique<Solo>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
