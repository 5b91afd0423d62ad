#include "group/group_state.hpp"

#include "choose/exploration.hpp"
#include "machine/files.hpp"
#include "option_values.hpp"
#include "record/timeline.hpp"
#include "report.hpp"

#include <tutti/detail/kernels.hpp>

#include <algorithm>
#include <new>

namespace tutti::library {

void Diagnosis::time_out(const Stall& stall, std::chrono::milliseconds timeout, const IsReady& is_ready) {
    const std::string text = delay(stall, timeout);
    if (!is_ready()) { // it may have come while that was found out
        throw TimeoutError(text, {.peer = rank_of(stall.peer)});
    }
}

void Diagnosis::report_wait(const Stall& stall, std::chrono::milliseconds waited) noexcept {
    try {
        report(Severity::warning, delay(stall, waited).c_str());
    } catch (const std::bad_alloc&) { // the wait goes on
    }
}

void Seats::make(detail::GroupState& group, int members) {
    seats_.reserve(static_cast<std::size_t>(members));
    for (int rank = 0; rank < members; ++rank) {
        seats_.push_back(std::make_unique<detail::Seat>(group, rank, members));
    }
}

std::int64_t Seats::take(int rank) {
    if (failure_.raised()) {
        throw_refused(rank);
    }
    const std::int64_t region = memory_.enter_region(rank);
    if (region == 0) {
        throw ArgumentError("join: rank " + std::to_string(rank) +
                            " is taken: a thread has joined with it and has not left");
    }
    if (region == 1) { // a member that waits for the first threads looks again
        join_timeout_.restart();
    }
    return region;
}

void Seats::throw_refused(int rank) const {
    try {
        failure_.throw_aborted();
    } catch (const Error& told) {
        std::optional<Aborted> refused;
        try {
            refused.emplace("join: rank " + std::to_string(rank) +
                                ": the group has failed and stays failed; make a new one: " + told.what(),
                            ErrorContext{.rank = rank, .peer = told.context().peer});
        } catch (const std::bad_alloc&) {
        }
        if (!refused) {
            throw;
        }
        throw Aborted(*refused);
    }
}

void Seats::require_joined(int member, int peer) {
    const auto has_joined = [this](int rank) { return memory_.status(rank).has_joined(); };
    if (!has_joined(member) || has_joined(peer) || !join_timeout_.has_passed()) {
        return;
    }
    std::vector<int> absent;
    for (int rank = 0; rank < size(); ++rank) {
        if (!has_joined(rank)) {
            absent.push_back(rank);
        }
    }
    if (absent.empty()) { // the last has just come
        return;
    }
    throw Error(library::text_of_ranks(absent, "member", "members") +
                    (absent.size() == 1 ? " has" : " have") + " not joined within " +
                    library::text_of(join_timeout_.timeout()) + ". " + library::advice_on_absence() +
                    "; GroupOptions::join_timeout sets how long members wait",
                {.peer = absent.front()});
}

} // namespace tutti::library

namespace tutti::v0_1::detail {

GroupState::GroupState(int members, library::GroupConfig config, library::MakeDiagnosis make_diagnosis)
    : config_(std::move(config)), bindings_(config_),
      roomy_wait_policy_(config_.cpus < members && !config_.bindings.empty()
                             ? library::wait_policy_of(config_.options.wait, members, members)
                             : config_.wait_policy),
      crowded_wait_policy_(config_.bindings.empty()
                               ? config_.wait_policy
                               : library::wait_policy_of(config_.options.wait, members, members - 1)),
      memory_(members, failure_.word()), schedules_(members, config_),
      trials_(std::make_unique<library::Trials>(config_.explores ? members : 0)),
      seats_(failure_, memory_,
             library::timeout_or(config_.options.join_timeout, "GroupOptions::join_timeout",
                                 std::chrono::minutes(10))),
      make_diagnosis_(std::move(make_diagnosis)), diagnosis_(make_diagnosis_(*this)) {
    kernel_isa(); // chooses the kernels of this process
    if (config_.trace != Trace::off) {
        recorder_ = std::make_unique<library::Recorder>(members, config_.trace);
    }
    seats_.make(*this, members);
    if (config_.trace != Trace::off) {
        // Last: from here on another thread may request the timeline, which reads the seats.
        traced_.emplace([this] { return timeline(); });
    }
}

GroupState::~GroupState() = default;

trace::Timeline GroupState::timeline() const {
    std::vector<int> threads;
    threads.reserve(static_cast<std::size_t>(size()));
    for (int rank = 0; rank < size(); ++rank) {
        threads.push_back(memory_.status(rank).thread.load(std::memory_order_relaxed)); // for people
    }
    return recorder_->timeline(threads);
}

std::string GroupState::trace(TraceFormat format) const {
    library::required("trace: `format`", format);
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

void GroupState::set_timeout(Timeout timeout) {
    const std::scoped_lock lock(deriving_);
    timeout_.store(library::timeout_of(timeout, "set_timeout: `timeout`"), std::memory_order_relaxed);
    for (const std::shared_ptr<GroupState>& group : derived_) {
        group->set_timeout(timeout);
    }
}

void GroupState::note_binding(int rank) noexcept {
    if (seat(rank).is_new_here()) {
        seat(rank).watch_binding();
        bindings_.read(rank);
    }
}

void GroupState::note_binding_again(int rank) noexcept {
    if (seat(rank).has_been_rebound()) {
        bindings_.read_with_process(rank);
    }
}

std::string GroupState::text_of_waits() const {
    const bool adapts = config_.options.wait == Wait::automatic;
    const std::vector<int> wanted = adapts ? memory_.last_cpus().wanted() : std::vector<int>{};
    return library::text_of_waits(config_, wait_policy(), size(), bindings_.cpus()) +
           (wanted.empty() ? ""
                           : "; now sleep after 5 us on CPUs that other processes want: " +
                                 machine::format_cpu_list(wanted));
}

void GroupState::leave_failed_call(int member) {
    if (!process_.is_here()) {
        return; // the others are not there
    }
    memory_.status(member).has_failed.store(true, std::memory_order_relaxed);
    library::leave_failed_call(memory_.boards(), memory_.board(member), [this](int inside) {
        if (!stuck_is_told_.test_and_set(std::memory_order_relaxed)) { // one is enough
            diagnosis_->report_stuck(inside);
        }
    });
}

void GroupState::keep_for_good(bool is_in_use) noexcept {
    static machine::ProcessMutex mutex;
    static GroupState* last_kept = nullptr; // a chain of all, in which leak checkers find them
    const std::lock_guard lock(mutex);
    is_in_use_ = is_in_use_ || is_in_use;
    if (itself_ == nullptr) {
        itself_ = weak_from_this().lock();
        next_kept_ = std::exchange(last_kept, this);
    }
}

void GroupState::recover() {
    if (is_in_use_) {
        return; // a thread still has outstanding operations of a member that has left, which look at this
    }
    // Members may have given up at different epochs: all go on from one that nobody has reached.
    std::uint64_t epoch = 0;
    for (const auto& seat : seats_.all()) {
        epoch = std::max(epoch, seat->epoch_to_resume_from());
    }
    for (const auto& seat : seats_.all()) {
        seat->resume(epoch);
        memory_.status(seat->rank()).has_failed.store(false, std::memory_order_relaxed);
    }
    if (recorder_ != nullptr) {
        recorder_->begin_anew();
    }
    {
        const std::scoped_lock lock(deriving_);
        derived_.clear(); // they have failed as well
    }
    memory_.drop_channels();
    failure_.clear();
    stuck_is_told_.clear(std::memory_order_relaxed);
    wait_is_reported_.clear(std::memory_order_relaxed);
}

void GroupState::take_seat(int rank) {
    require_own_process();
    seat(rank).enter_region(seats_.take(rank));
}

std::shared_ptr<GroupState> GroupState::of_mates(const std::vector<int>& mates,
                                                 const std::optional<library::Progression>& derived) {
    const auto members = static_cast<int>(mates.size());
    std::shared_ptr<GroupState> group = [&] {
        library::GroupConfig now = config_;
        now.bindings = bindings_.of_members();
        now.timeout = timeout();
        return std::make_shared<GroupState>(members, library::config_for_members(now, mates),
                                            make_diagnosis_);
    }();
    adopt(group, mates, derived);
    group->diagnosis_->list_for_roll_calls();
    return group;
}

void GroupState::adopt(const std::shared_ptr<GroupState>& group, const std::vector<int>& mates,
                       const std::optional<library::Progression>& derived) {
    group->family_.descend(weak_from_this(), family_, mates, derived);
    for (const auto& ancestor : group->family_.ancestors()) {
        ancestor->family_.add_descendant(group);
    }
    // A failure since then reaches the new group; one before that does so here.
    if (failure_.raised()) {
        failure_.throw_aborted();
    }
}

std::shared_ptr<GroupState> GroupState::derived(const library::Progression& ranks) {
    const std::scoped_lock lock(deriving_);
    const auto known = std::ranges::find_if(
        derived_, [&](const auto& group) { return group->family_.derived_ranks() == ranks; });
    if (known != derived_.end()) {
        return *known;
    }
    std::vector<int> mates;
    mates.reserve(static_cast<std::size_t>(ranks.count));
    for (int position = 0; position < ranks.count; ++position) {
        mates.push_back(ranks.rank(position));
    }
    return derived_.emplace_back(of_mates(mates, ranks));
}

std::shared_ptr<GroupState> GroupState::founded(const GroupState* group) {
    std::shared_ptr<GroupState> found;
    family_.for_each_descendant([&](const std::shared_ptr<GroupState>& descendant) {
        found = descendant.get() == group ? descendant : found;
    });
    // If its founder has given up, another group may have its address.
    if (found == nullptr || failure_.raised()) {
        failure_.throw_aborted();
    }
    return found;
}

void GroupState::release_all(int member, const std::exception_ptr& cause, int peer,
                             const char* whose) noexcept {
    failure_.raise(member, cause, whose, peer);
    memory_.notify_all();
}

void GroupState::fail(int member, const std::exception_ptr& cause) noexcept {
    report_failure(member, cause);
    fail_reported(member, cause);
}

/// A derived group fails with the group that it is derived from, which reports that.
void GroupState::report_failure(int member, const std::exception_ptr& cause) noexcept {
    if (failure_.raised()) {
        return;
    }
    if (const std::shared_ptr<GroupState> origin = family_.origin()) {
        origin->report_failure(family_.derived_ranks()->rank(member), cause);
    } else {
        failure_.report(member, cause);
    }
}

void GroupState::fail_reported(int member, const std::exception_ptr& cause) noexcept {
    fail(member, cause, library::peer_of(cause));
}

void GroupState::fail(int member, const std::exception_ptr& cause, int peer) noexcept {
    const bool has_failed_before = failure_.raised();
    release_all(member, cause, peer, "");
    if (!process_.is_here()) { // another thread may have held the lock of the family
        return;
    }
    family_.for_each_descendant([&](const std::shared_ptr<GroupState>& descendant) {
        descendant->release_all(member, cause, -1, " of a group that this one was made of");
    });
    // The origin was notified before, and may have begun anew since.
    if (const std::shared_ptr<GroupState> origin = has_failed_before ? nullptr : family_.origin()) {
        const library::Progression& ranks = *family_.derived_ranks();
        origin->fail(ranks.rank(member), cause, peer < 0 ? -1 : ranks.rank(peer));
    }
}

bool GroupState::has_left(int member, int other) const {
    if (has_left_for_good(other)) {
        return true;
    }
    if (const std::shared_ptr<GroupState> origin = family_.origin()) {
        const library::Progression& ranks = *family_.derived_ranks();
        return origin->has_left(ranks.rank(member), ranks.rank(other));
    }
    return memory_.has_left_region_of(member, other);
}

bool GroupState::has_left_for_good(int member) const {
    if (memory_.has_left_for_good(member)) {
        return true;
    }
    if (const auto& ranks = family_.derived_ranks()) {
        const std::shared_ptr<GroupState> origin = family_.origin();
        return origin != nullptr && origin->has_left_for_good(ranks->rank(member));
    }
    const std::shared_ptr<GroupState> first = family_.first();
    return first != nullptr && first->memory_.has_left_for_good(*family_.rank_in_first(member));
}

void GroupState::require_joined(int member, int peer) {
    seats_.require_joined(member, peer);
    if (const std::shared_ptr<GroupState> origin = family_.origin()) {
        const library::Progression& ranks = *family_.derived_ranks();
        try {
            origin->require_joined(ranks.rank(member), ranks.rank(peer));
        } catch (Error& error) {
            ErrorAccess::of(error).peer = peer; // among the ranks of this group
            throw;
        }
    }
}

} // namespace tutti::v0_1::detail
