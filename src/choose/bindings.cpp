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
    update(member, false);
}

void Bindings::read_with_process(int member) noexcept {
    const NotCancelled not_cancelled;
    update(member, true);
}

void Bindings::update(int member, bool with_process) noexcept {
    if (of_members_.empty()) { // and stays so
        return;
    }
    try {
        const int process_cpus = with_process ? machine::allowed_pus() : 0;
        std::vector<int> found = machine::cpus_of_this_thread();
        const std::scoped_lock lock(mutex_);
        const int before = process_cpus_;
        if (with_process) {
            process_cpus_ = process_cpus;
        }
        if (static_cast<int>(found.size()) >= process_cpus_) {
            found.clear(); // any
        }
        std::vector<int>& known = of_members_[static_cast<std::size_t>(member)];
        if (known == found && process_cpus_ == before) {
            return;
        }
        known = std::move(found);
        cpus_.store(machine::pus_at_once(of_members_, process_cpus_), std::memory_order_relaxed); // a hint
    } catch (const std::exception&) { // there is no memory, and the hint stays as it is
    }
}

std::vector<std::vector<int>> Bindings::of_members() const {
    const std::scoped_lock lock(mutex_);
    return of_members_;
}

} // namespace tutti::engine
