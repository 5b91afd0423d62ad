#include "api/placement.hpp"

#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "plan/plan.hpp"

#include <tutti/error.hpp>
#include <tutti/placement.hpp>

#include <unistd.h>

#include <new>
#include <stdexcept>

namespace tutti {

namespace detail {

std::vector<int> cpus_for(const std::string& who, const std::string& what, int number,
                          const std::string& placement) {
    using plan::most_members;
    if (number < 0 || number > most_members) {
        throw ArgumentError(who + ": " + what + " is " + std::to_string(number) + ", must be in 1.." +
                            std::to_string(most_members) + ", or 0 for one on each allowed CPU");
    }
    const machine::Machine machine = machine::here();
    const int all = number != 0 ? number : static_cast<int>(machine.pus.size());
    try {
        return machine::place(machine, all, machine::parse_placement(placement));
    } catch (const std::invalid_argument& error) {
        throw ArgumentError(who + ": " + error.what());
    }
}

} // namespace detail

std::vector<int> cpus_of_placement(const std::string& placement, int threads) {
    return detail::cpus_for("cpus_of_placement", "threads", threads, placement);
}

PinnedThread::PinnedThread(int cpu) : cpu_(cpu), thread_(gettid()), before_(machine::cpus_of_this_thread()) {
    machine::pin_this_thread(cpu);
}

PinnedThread::~PinnedThread() {
    try {
        machine::unpin_thread(thread_, cpu_, before_);
    } catch (const std::bad_alloc&) { // it stays pinned
    }
}

} // namespace tutti
