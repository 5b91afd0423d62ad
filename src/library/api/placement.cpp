#include "api/placement.hpp"

#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "machine/process.hpp"
#include "plan/plan.hpp"

#include <tutti/error.hpp>
#include <tutti/placement.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace tutti::v0_1 {

namespace detail {

namespace {

/// Those that live, with the process that has made each: a child of fork() has none of the threads.
struct Holders {
    struct Holder {
        std::uint64_t process;
        const HeldCpus* held;
    };
    machine::ProcessMutex mutex;
    std::vector<Holder> all;

    /// The CPUs of all except one.
    std::vector<int> cpus_without(const HeldCpus* one) const {
        std::vector<int> cpus;
        for (const Holder& holder : all) {
            if (holder.held != one && holder.process == machine::this_process()) {
                cpus.insert(cpus.end(), holder.held->by_member().begin(), holder.held->by_member().end());
            }
        }
        return cpus;
    }
};

Holders& holders() {
    static Holders& holders = *new Holders; // never destroyed: static teams end later
    return holders;
}

/// The number of threads if a program gives none: the length of a list of CPUs, or else as many threads as
/// can run at the same time.
int default_number(const machine::PlacementRequest& request, const machine::Machine& machine) {
    return request.os_indices.empty() ? machine::allowed_pus(std::vector<int>(machine.pus.size()))
                                      : static_cast<int>(request.os_indices.size());
}

/// The CPUs of so many threads beside those that are held; 0: the default number. Calls use(cpus) before
/// anybody else is placed.
template <class Use>
void place(const std::string& who, int threads, const std::string& placement, Use use) {
    try {
        const machine::PlacementRequest request = machine::parse_placement(placement);
        const machine::Machine machine =
            request.kinds.empty() ? machine::here() : machine::of_kinds(machine::detect(), request.kinds);
        const int all = threads != 0 ? threads : default_number(request, machine);
        const std::scoped_lock lock(holders().mutex);
        use(machine::place_beside(machine, all, request, holders().cpus_without(nullptr)));
    } catch (const std::invalid_argument& error) {
        throw ArgumentError(who + ": " + error.what());
    }
}

} // namespace

void require_number(const std::string& who, const std::string& what, int number,
                    const std::string& otherwise) {
    if (number < 1 || number > plan::most_members) {
        throw ArgumentError(who + ": " + what + " is " + std::to_string(number) + ", must be in 1.." +
                            std::to_string(plan::most_members) + otherwise);
    }
}

HeldCpus::HeldCpus(const std::string& who, int members, const std::string& placement) {
    place(who, members, placement, [this](std::vector<int> cpus) {
        holders().all.push_back({machine::this_process(), this});
        cpus_ = std::move(cpus);
    });
}

HeldCpus::~HeldCpus() {
    const std::scoped_lock lock(holders().mutex);
    std::erase_if(holders().all, [this](const Holders::Holder& holder) { return holder.held == this; });
}

bool HeldCpus::is_shared(int cpu) const {
    const std::scoped_lock lock(holders().mutex);
    const std::vector<int> others = holders().cpus_without(this);
    return std::ranges::find(others, cpu) != others.end();
}

} // namespace detail

Placement Placement::cpus(const std::vector<int>& cpus) {
    return parse(cpus.empty() ? "" : machine::to_string({.os_indices = cpus})); // not "compact"
}

std::vector<int> cpus_of_placement(const Placement& placement, int threads) {
    if (threads != 0) {
        detail::require_number("cpus_of_placement", "threads", threads,
                               ", or 0 for the default number of a team");
    }
    std::vector<int> found;
    detail::place("cpus_of_placement", threads, placement.text(),
                  [&](std::vector<int> cpus) { found = std::move(cpus); });
    return found;
}

PinnedThread::PinnedThread(int cpu) : cpu_(cpu), thread_(gettid()), before_(machine::cpus_of_this_thread()) {
    is_pinned_ = machine::pin_this_thread(cpu).pinned;
}

PinnedThread::~PinnedThread() {
    try {
        machine::unpin_thread(thread_, cpu_, before_);
    } catch (const std::bad_alloc&) { // it stays pinned
    }
}

} // namespace tutti::v0_1
