#include "choose/bindings.hpp"

#include "choose/group_config.hpp"
#include "machine/pinning.hpp"

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <utility>

namespace tutti::engine {

namespace {

/// Files are opened, which is a point at which pthread_cancel() may end a thread; a wait must not be one.
class NotCancelled {
public:
    NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
    NotCancelled(const NotCancelled&) = delete;
    NotCancelled& operator=(const NotCancelled&) = delete;
    NotCancelled(NotCancelled&&) = delete;
    NotCancelled& operator=(NotCancelled&&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace

Bindings::Bindings(const GroupConfig& config)
    : of_members_(config.bindings), process_cpus_(config.process_cpus), cpus_(config.cpus) {}

void Bindings::read(int member) noexcept {
    const NotCancelled not_cancelled;
    try {
        const int process_cpus = machine::allowed_pus();
        std::vector<int> found = machine::cpus_of_this_thread();
        if (static_cast<int>(found.size()) >= process_cpus) {
            found.clear(); // any
        }
        const std::scoped_lock lock(mutex_);
        if (of_members_.empty()) {
            return;
        }
        std::vector<int>& known = of_members_[static_cast<std::size_t>(member)];
        if (known == found && process_cpus_ == process_cpus) {
            return;
        }
        known = std::move(found);
        process_cpus_ = process_cpus;
        cpus_.store(machine::pus_at_once(of_members_, process_cpus), std::memory_order_relaxed); // a hint
    } catch (const std::exception&) { // there is no memory, and the hint stays as it is
    }
}

std::vector<std::vector<int>> Bindings::of_members() const {
    const std::scoped_lock lock(mutex_);
    return of_members_;
}

} // namespace tutti::engine
