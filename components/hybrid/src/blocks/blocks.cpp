// Blocks from member to member: each copies those of its own process, and leaders send the others.

#include "hybrid/src/blocks/block_exchange.hpp"
#include "hybrid/src/cluster_call.hpp"
#include "hybrid/src/hierarchy_strategy.hpp"

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

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
        if (call().leads()) {
            call().speak([this] {
                call().begin_on_channel();
                exchange_.perform();
            });
        }
    }

    void fan_out() override {
        call().meet();
        exchange_.store();
    }

private:
    BlockExchange exchange_;
};

} // namespace

std::unique_ptr<HierarchyStrategy> make_blocks(ClusterCall& call) {
    return std::make_unique<Blocks>(call);
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
