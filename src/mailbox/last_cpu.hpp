#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

namespace tutti::mailbox {

/// The CPU on which a thread last began to wait slowly; none at first. Relaxed: it is a hint.
class LastCpu {
public:
    /// Writes only if it changes, since others read it and its neighbours.
    void show(int cpu) noexcept {
        if (!is(cpu)) {
            cpu_.store(cpu, std::memory_order_relaxed);
        }
    }
    /// Negative if there is none.
    int get() const noexcept { return cpu_.load(std::memory_order_relaxed); }
    bool is(int cpu) const noexcept { return get() == cpu; }

private:
    static constexpr int none = -1;
    std::atomic<int> cpu_{none};
};

/// The places at which a thread and the threads that it may be waiting for show their CPUs. If it is empty,
/// nothing is shown or seen.
struct CpusInSight {
    LastCpu* own = nullptr;
    /// The thread's own may be among them.
    std::span<const LastCpu> peers = {};

    /// Shows that the thread is on that CPU. Returns whether one of the others was last seen there.
    bool meet(int cpu) const noexcept {
        if (own != nullptr) {
            own->show(cpu);
        }
        return cpu >= 0 &&
               std::ranges::any_of(peers, [&](const LastCpu& peer) { return &peer != own && peer.is(cpu); });
    }
};

/// The CPUs of some threads that wait for each other.
class LastCpus {
public:
    explicit LastCpus(int threads) : cpus_(static_cast<std::size_t>(threads)) {}

    /// For a thread that waits for any of the others.
    CpusInSight of(int thread) noexcept { return {&cpus_[static_cast<std::size_t>(thread)], cpus_}; }
    /// For one that waits for `peer`.
    CpusInSight of(int thread, int peer) noexcept {
        return {&cpus_[static_cast<std::size_t>(thread)], {&cpus_[static_cast<std::size_t>(peer)], 1}};
    }

    /// The CPUs of these threads on which waits now sleep soon because other processes want them, each
    /// once, in order.
    std::vector<int> wanted() const;

private:
    std::vector<LastCpu> cpus_;
};

} // namespace tutti::mailbox
