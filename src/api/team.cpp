#include "api/placement.hpp"
#include "api/team_threads.hpp"
#include "machine/placement.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <mutex>
#include <utility>

namespace tutti {

namespace {

/// Where teams go whose threads cannot be waited for. What those use must last as long as they do.
void keep(std::unique_ptr<detail::TeamThreads> threads) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::unique_ptr<detail::TeamThreads>>; // never destroyed
    const std::scoped_lock lock(mutex);
    kept.push_back(std::move(threads));
}

} // namespace

Team::Team(const TeamOptions& options)
    : threads_(std::make_unique<detail::TeamThreads>(
          detail::cpus_for("Team", "members", options.members, options.placement), options)) {
    threads_->start_missing();
}

Team::~Team() {
    if (!threads_->can_end()) {
        keep(std::move(threads_));
    }
}

int Team::size() const {
    return threads_->size();
}

std::vector<std::string> Team::pinning() const {
    std::vector<std::string> lines;
    for (const machine::PinResult& pin : threads_->pins()) {
        const std::string member = "member " + std::to_string(lines.size()) + ": ";
        const bool is_caller = threads_->caller_is_member() && lines.empty();
        lines.push_back(member + (pin.pinned                          ? "CPU " + std::to_string(pin.os_index)
                                  : is_caller                         ? "the caller's thread, not pinned"
                                  : pin.os_index == machine::unpinned ? "not pinned"
                                                                      : "not pinned: " + pin.reason));
    }
    return lines;
}

std::string Team::tuning() const {
    return threads_->tuning();
}

const detail::GroupState& Team::state() const {
    return threads_->state();
}

void Team::run(const std::function<void(Member&)>& function) {
    threads_->run(function);
}

Executor Team::executor() {
    return [threads = threads_.get()](std::size_t count, const std::function<void(std::size_t)>& task) {
        if (task == nullptr) {
            throw ArgumentError("Team::executor: task is empty; pass one that takes an index");
        }
        threads->run([&](const Member& me) {
            const auto members = static_cast<std::size_t>(me.size());
            const auto rank = static_cast<std::size_t>(me.rank());
            for (std::size_t index = count * rank / members; index < count * (rank + 1) / members; ++index) {
                task(index);
            }
        });
    };
}

} // namespace tutti
