// The only member of its process: from its own vectors, and to them where nothing is read there meanwhile.

#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/hierarchy_strategy.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

class Alone final : public HierarchyStrategy {
public:
    explicit Alone(ClusterCall& made) : HierarchyStrategy(made) {
        const Collective collective = call().collective();
        const bool moves = collective == Collective::broadcast || collective == Collective::allgather;
        receives_directly_ = moves || call().may_land_at_once();
        // What is sent is only read, and as if whole: a block need not have anything before it.
        const tutti::engine::Shape& shape = call().shape();
        bytes_before_ = shape.input_is_block ? call().bytes(shape.own_offset) : 0;
    }

    void fan_in() override {
        if (!receives_directly_) {
            call().make_room(0, call().total_bytes());
        }
    }

    void exchange() override {
        call().speak([this] {
            hybrid::ProcessCall& whole = call().process_call();
            whole.input = reinterpret_cast<std::byte*>( // NOLINT(performance-no-int-to-ptr)
                reinterpret_cast<std::uintptr_t>(call().in()) - bytes_before_);
            if (receives_directly_) {
                whole.output = call().out();
            }
            call().perform(whole);
        });
    }

    void fan_out() override {
        if (!receives_directly_) {
            call().take_result();
        }
    }

private:
    bool receives_directly_ = false;
    std::size_t bytes_before_ = 0;
};

} // namespace

std::unique_ptr<HierarchyStrategy> make_alone(ClusterCall& call) {
    return std::make_unique<Alone>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
