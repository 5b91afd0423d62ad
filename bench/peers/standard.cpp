// The means of the compiler: std::barrier, one pass over the data, std::barrier.

#include "cache_line.hpp"
#include "peers/peer.hpp"

#include <barrier>

namespace tutti::bench {

namespace {

/// On lines of its own: the barrier's words would else lie where the heap has room, and cost up to 1.25 times
/// as much beside what other threads read and write.
class alignas(paired_lines_bytes) StandardBarrier : public Peer {
public:
    explicit StandardBarrier(int members) : barrier_(members) {}

    Calls calls(const Problem& problem, int rank, const Vectors& vectors) override {
        if (problem.collective == Collective::barrier) {
            return repeated([this] { barrier_.arrive_and_wait(); });
        }
        const Calls pass = plain_loops(problem, rank, vectors);
        if (!pass) {
            return {};
        }
        return repeated([this, pass] {
            barrier_.arrive_and_wait();
            pass(1);
            barrier_.arrive_and_wait();
        });
    }

private:
    std::barrier<> barrier_;
};

class StandardModule : public PeerModule {
public:
    std::unique_ptr<Peer> peer(const std::string& /*name*/, int members) override {
        return std::make_unique<StandardBarrier>(members);
    }
};

} // namespace

} // namespace tutti::bench

extern "C" tutti::bench::PeerModule* tutti_peer_module() {
    static tutti::bench::StandardModule module;
    return &module;
}
