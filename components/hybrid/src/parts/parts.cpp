#include "hybrid/src/parts/parts.hpp"

#include "hybrid/src/cluster_state.hpp"
#include "hybrid/src/parts/part_layout.hpp"

#include <algorithm>
#include <span>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

namespace {

/// Whether the part has ended, as far as this process can see. All actions of its members came before, though
/// a count of uses orders nothing: is_deserted() does.
bool has_ended(const Parts::State& part) {
    return part == nullptr || (part.use_count() == 1 && part->group().memory().is_deserted() &&
                               !part->failure().raised() && part->parts().have_ended());
}

} // namespace

void Parts::make(ClusterState& whole, const std::vector<PartLayout>& parts) {
    hybrid::MpiChannel& channel = whole.transport().channel();
    std::vector<State> made;
    made.reserve(parts.size());
    for (const PartLayout& part : parts) {
        const bool is_here = std::ranges::count(part.processes, whole.process()) != 0;
        made.push_back(is_here ? std::make_shared<ClusterState>(whole, part) : nullptr);
    }
    // The calls that make communicators cannot be interrupted: from here on no process gives up.
    hybrid::meet(channel);
    close_ended(channel);
    {
        const std::scoped_lock lock(mutex_);
        parts_.insert(parts_.end(), made.begin(), made.end());
    }
    if (whole.failure().raised()) { // before the parts could learn of it
        whole.failure().throw_aborted();
    }
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (made[index] != nullptr) {
            made[index]->connect(whole, parts[index]);
        }
    }
}

bool Parts::have_ended() const {
    return std::ranges::all_of(parts_, has_ended);
}

void Parts::close_ended(hybrid::MpiChannel& channel) {
    if (parts_.empty()) {
        return;
    }
    const std::span<int> ended = channel.flags(parts_.size());
    std::ranges::transform(parts_, ended.begin(), [](const State& part) { return has_ended(part) ? 1 : 0; });
    hybrid::agree(channel, ended);
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        if (ended[index] != 0 && parts_[index] != nullptr) {
            parts_[index]->close();
        }
    }
    const std::scoped_lock lock(mutex_);
    const State* const first = parts_.data();
    std::erase_if(parts_,
                  [&](const State& part) { return ended[static_cast<std::size_t>(&part - first)] != 0; });
}

void Parts::fail(int member, const std::exception_ptr& cause) noexcept {
    const std::scoped_lock lock(mutex_);
    for (const State& part : parts_) {
        if (part != nullptr) {
            part->fail_with_whole(member, cause);
        }
    }
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
