#include "measure/harness.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <random>

namespace tutti::bench {

namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

} // namespace

std::size_t HarnessMemory::bytes(int members, std::size_t stamps) {
    return whole_pages(sizeof(Head)) +
           static_cast<std::size_t>(members) * whole_pages(stamps * sizeof(Stamp));
}

void HarnessMemory::create(void* memory, int members, bool crowded) {
    new (memory) Head{.gate = Gate(members, crowded)};
}

HarnessMemory::HarnessMemory(void* memory, int members, std::size_t stamps)
    : head_(static_cast<Head*>(memory)),
      first_stamps_(static_cast<std::byte*>(memory) + whole_pages(sizeof(Head))), members_(members),
      stamps_(stamps) {}

Stamp& HarnessMemory::stamp(int member, std::size_t index) const {
    std::byte* const own =
        first_stamps_ + static_cast<std::size_t>(member) * whole_pages(stamps_ * sizeof(Stamp));
    return reinterpret_cast<Stamp*>(own)[index];
}

std::uint64_t Harness::agree(std::uint64_t value) {
    meet();
    if (leads()) {
        shared_.word().store(value, std::memory_order_relaxed);
    }
    meet();
    return shared_.word().load(std::memory_order_relaxed);
}

std::uint64_t Harness::total(std::uint64_t value) {
    meet();
    if (leads()) {
        shared_.counter().store(0, std::memory_order_relaxed);
    }
    meet();
    shared_.counter().fetch_add(value, std::memory_order_relaxed);
    meet();
    return shared_.counter().load(std::memory_order_relaxed);
}

void Harness::repeat(std::span<const Timed> timed, std::size_t repetition) {
    // Each call affects the next one: members that share a CPU go on in the order in which they left, and
    // lines lie in this cache or that. So the order changes, and as in programs, which repeat their calls,
    // each call finds the state that its own kind leaves: a scan of 128 KiB takes two members 10.4 us after a
    // call of its own and 3.6 us after others'.
    std::mt19937 same_for_all(static_cast<std::mt19937::result_type>(repetition));
    std::vector<std::size_t> order(timed.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, same_for_all);
    for (const std::size_t index : order) {
        const std::size_t stamp = repetition * timed.size() + index;
        // Nobody prepares the next run while somebody is still in this one: not all that is timed
        // synchronises.
        meet();
        const auto prepare = [&] {
            if (timed[index].prepare) {
                timed[index].prepare(stamp);
            }
        };
        if (timed.size() > 1) {
            // Members that choose by the time of their calls must find them like those that are timed.
            prepare();
            run_once(timed[index]);
        }
        prepare();
        shared_.stamp(rank_, stamp) = stamp_of(timed[index], stamp);
    }
}

void Harness::run_once(const Timed& timed) {
    if (leads() || !timed.leader_alone) {
        timed.run(1);
    }
    meet();
}

Stamp Harness::stamp_of(const Timed& timed, std::size_t stamp_index) {
    // A word that agree() never leaves: its values are small.
    const std::uint64_t done = ~static_cast<std::uint64_t>(stamp_index);
    const std::int64_t entry_ns = shared_.gate().start();
    if (timed.leader_alone && !leads()) {
        for (std::uint64_t word = shared_.word().load(); word != done; word = shared_.word().load()) {
            shared_.word().wait(word);
        }
        return {.entry_ns = std::numeric_limits<std::int64_t>::max(),
                .exit_ns = std::numeric_limits<std::int64_t>::min()};
    }
    timed.run(timed.calls);
    const std::int64_t exit_ns = now_ns();
    if (timed.leader_alone) {
        shared_.word().store(done);
        shared_.word().notify_all();
    }
    return {.entry_ns = entry_ns, .exit_ns = exit_ns};
}

double Harness::length_us(std::size_t stamp_index) const {
    std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    for (int member = 0; member < members(); ++member) {
        const Stamp& stamp = shared_.stamp(member, stamp_index);
        first_ns = std::min(first_ns, stamp.entry_ns);
        last_ns = std::max(last_ns, stamp.exit_ns);
    }
    return static_cast<double>(last_ns - first_ns) / 1000;
}

std::vector<std::vector<double>> Harness::measure(std::span<const Timed> timed, const Limits& limits) {
    const std::size_t most = std::min(limits.most, shared_.stamps() / timed.size());
    const std::int64_t deadline_ns = now_ns() + static_cast<std::int64_t>(limits.seconds * 1e9);
    std::size_t done = 0;
    const auto goes_on = [&] {
        return done == 0 ||
               (done < most && !limits.is_over() && (done < limits.least || now_ns() < deadline_ns));
    };
    while (agree(goes_on() ? 1 : 0) != 0) {
        repeat(timed, done++);
    }
    std::vector<std::vector<double>> lengths_us(timed.size());
    if (leads()) {
        for (std::size_t stamp = 0; stamp < done * timed.size(); ++stamp) {
            const std::size_t index = stamp % timed.size();
            lengths_us[index].push_back(length_us(stamp) / static_cast<double>(timed[index].calls));
        }
    }
    meet(); // the stamps may be overwritten from here on
    return lengths_us;
}

} // namespace tutti::bench
