// oneTBB: member 0 has the passes of all members carried out by an arena of threads that are pinned like the
// members. The other members are not involved: this is a fork and a join, with no call by anybody else.

#include "peers/peer.hpp"

#include <sched.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>

namespace tutti::bench {

namespace {

/// Pins the arena's threads as they come.
class Pinning : public tbb::task_scheduler_observer {
public:
    Pinning(tbb::task_arena& arena, std::vector<int> cpus)
        : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)) {
        observe(true);
    }
    ~Pinning() override { observe(false); }

    void on_scheduler_entry(bool is_worker) override {
        const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
        if (!is_worker || slot >= cpus_.size() || cpus_[slot] < 0) {
            return;
        }
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(static_cast<std::size_t>(cpus_[slot]), &set);
        sched_setaffinity(0, sizeof(set), &set); // left unpinned if the system fails
    }

private:
    std::vector<int> cpus_;
};

class Tbb : public Peer {
public:
    /// More threads than CPUs would only cost; the passes of several members then fall to one of them.
    Tbb(int members, const std::vector<int>& cpus)
        : arena_(std::min(members, tbb::info::default_concurrency())), pinning_(arena_, cpus) {}

    bool leader_alone() const override { return true; }

    Calls calls(const Problem& problem, int /*rank*/, const Vectors& vectors) override {
        std::vector<Calls> passes;
        for (int member = 0; member < problem.members; ++member) {
            passes.push_back(plain_loops(problem, member, vectors));
            if (!passes.back()) {
                return {};
            }
        }
        return [this, passes](std::size_t calls) {
            arena_.execute([&] {
                for (std::size_t call = 0; call < calls; ++call) {
                    tbb::parallel_for(
                        std::size_t{0}, passes.size(), [&](std::size_t member) { passes[member](1); },
                        tbb::static_partitioner());
                }
            });
        };
    }

private:
    tbb::task_arena arena_;
    Pinning pinning_;
};

class TbbModule : public PeerModule {
public:
    std::unique_ptr<Peer> peer(const std::string& /*name*/, int members,
                               const std::vector<int>& cpus) override {
        return std::make_unique<Tbb>(members, cpus);
    }
};

} // namespace

} // namespace tutti::bench

extern "C" tutti::bench::PeerModule* tutti_peer_module() {
    static tutti::bench::TbbModule module;
    return &module;
}
