#include "group/group_state.hpp"

#include "group/mailbox_pages.hpp"
#include "machine/pinning.hpp"
#include "trace/json_lines.hpp"
#include "trace/perfetto.hpp"
#include "wait/failed_call.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/kernels.hpp>
#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace tutti::detail {

namespace {

/// Chooses the kernels of this process, which the environment may forbid, before members count on them.
void require_kernels() {
    try {
        kernel_isa();
    } catch (const std::invalid_argument& error) {
        throw Error(error.what());
    }
}

} // namespace

GroupState::GroupState(int members, execute::GroupConfig config, execute::MakeDiagnosis make_diagnosis)
    : config_(std::move(config)), is_crowded_(config_.cpus < members),
      crowded_wait_policy_(config_.bindings.empty()
                               ? config_.wait_policy
                               : execute::wait_policy_of(config_.options.wait, members, members - 1)),
      pages_(execute::group_bytes(members)),
      mailbox_(execute::mailbox_in(pages_.data(), members, mailbox::most_sets, failure_.word())),
      statuses_(execute::objects_in<execute::MemberStatus>(
          pages_.data() + execute::mailbox_bytes(members, mailbox::most_sets))),
      schedules_(members, config_), join_deadline_(config_.options.join_deadline),
      make_diagnosis_(make_diagnosis), diagnosis_(make_diagnosis(*this)) {
    require_kernels();
    if (config_.trace != Trace::off) {
        recorder_ = std::make_unique<execute::Recorder>(members, config_.trace);
    }
    seats_.reserve(static_cast<std::size_t>(members));
    for (int rank = 0; rank < members; ++rank) {
        seats_.push_back(std::make_unique<Seat>(*this, rank, members));
    }
    if (config_.trace != Trace::off) {
        // Last: from here on another thread may ask for the timeline, which reads the seats.
        traced_.emplace([this] { return timeline(); });
    }
}

GroupState::~GroupState() = default;

trace::Timeline GroupState::timeline() const {
    std::vector<int> threads;
    for (const auto& seat : seats_) {
        threads.push_back(status(seat->rank()).thread.load(std::memory_order_relaxed)); // for people
    }
    return recorder_->timeline(threads);
}

std::string GroupState::trace(TraceFormat format) const {
    if (config_.trace < Trace::operations) {
        throw Error("trace: the group records no operations: set GroupOptions::trace to Trace::operations or "
                    "Trace::steps, or TUTTI_TRACE to a file");
    }
    const std::array made{timeline()};
    return format == TraceFormat::perfetto ? trace::perfetto(made) : trace::json_lines(made);
}

Statistics GroupState::statistics() const {
    if (recorder_ == nullptr) {
        throw Error("statistics: the group records nothing: set GroupOptions::trace to Trace::statistics or "
                    "more");
    }
    return recorder_->statistics();
}

void GroupState::note_binding(int rank) noexcept {
    if (!seat(rank).is_new_here()) {
        return;
    }
    try {
        const std::scoped_lock lock(bindings_mutex_);
        std::vector<int>& binding = config_.bindings[static_cast<std::size_t>(rank)];
        std::vector<int> found = machine::cpus_of_this_thread();
        if (static_cast<int>(found.size()) >= config_.process_cpus) {
            found.clear(); // any
        }
        if (found == binding) {
            return;
        }
        binding = std::move(found);
        const int cpus = machine::pus_at_once(config_.bindings, config_.process_cpus);
        is_crowded_.store(cpus < size(), std::memory_order_relaxed); // a hint
    } catch (const std::bad_alloc&) {                                // so that the hint is missing
    }
}

void GroupState::leave_failed_call(int member) {
    status(member).has_failed.store(true, std::memory_order_relaxed);
    execute::leave_failed_call(boards(), board(member), [this](int inside) {
        if (!stuck_is_told_.test_and_set(std::memory_order_relaxed)) { // one is enough
            diagnosis_->report_stuck(inside);
        }
    });
}

void GroupState::recover() {
    if (itself_ != nullptr) {
        return; // a thread still has outstanding operations of a member that has left, which look at this
    }
    // Members may have given up at different epochs: all go on from one that nobody has reached.
    std::uint64_t epoch = 0;
    for (const auto& seat : seats_) {
        epoch = std::max(epoch, seat->epoch_to_resume_from());
    }
    for (const auto& seat : seats_) {
        seat->resume(epoch);
        status(seat->rank()).has_failed.store(false, std::memory_order_relaxed);
    }
    if (recorder_ != nullptr) {
        recorder_->begin_anew();
    }
    {
        const auto channels = hold_channels();
        channels_shown_.store(nullptr, std::memory_order_relaxed); // nobody is in a call
        channels_ = nullptr;
    }
    failure_.clear();
    stuck_is_told_.clear(std::memory_order_relaxed);
}

execute::Channels& GroupState::channels() {
    const auto lock = hold_channels();
    if (channels_ == nullptr) {
        channels_ = std::make_unique<execute::Channels>(size(), failure_.word());
        channels_shown_.store(channels_.get(),
                              std::memory_order_release); // release: pairs with channels_if_any()
    }
    return *channels_;
}

} // namespace tutti::detail
