#include "choose/bindings.hpp"

#include "choose/group_config.hpp"
#include "machine/pinning.hpp"
#include "no_cancellation.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>

namespace tutti::engine {

Bindings::Bindings(const GroupConfig& config)
    : of_members_(config.bindings), cpus_of_process_(config.cpus_of_process), cpus_(config.cpus) {}

void Bindings::read(int member) noexcept {
    update(member, false);
}

void Bindings::read_with_process(int member) noexcept {
    const NoCancellation opens_files; // and a wait must not be a point of cancellation
    update(member, true);
}

void Bindings::update(int member, bool with_process) noexcept {
    if (of_members_.empty()) { // and stays so
        return;
    }
    try {
        std::vector<int> process = with_process ? machine::process_cpus() : std::vector<int>{};
        std::vector<int> found = machine::cpus_of_this_thread();
        const std::scoped_lock lock(mutex_);
        if (!with_process) { // a thread that has bound itself may have CPUs that no other has
            std::ranges::set_union(cpus_of_process_, found, std::back_inserter(process));
        }
        if (found.size() >= process.size()) {
            found.clear(); // any
        }
        std::vector<int>& known = of_members_[static_cast<std::size_t>(member)];
        if (known == found && cpus_of_process_ == process) {
            return;
        }
        known = std::move(found);
        cpus_of_process_ = std::move(process);
        const int at_once = machine::pus_at_once(of_members_, machine::allowed_pus(cpus_of_process_));
        cpus_.store(at_once, std::memory_order_relaxed); // a hint
    } catch (const std::exception&) {
        // There is no memory, and the hint stays as it is.
    }
}

std::vector<std::vector<int>> Bindings::of_members() const {
    const std::scoped_lock lock(mutex_);
    return of_members_;
}

} // namespace tutti::engine
