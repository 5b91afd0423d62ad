#include "choose/exploration.hpp"

#include "choose/group_config.hpp"
#include "choose/tuning_file.hpp"

#include <bit>
#include <cstdio>
#include <utility>

namespace tutti::library {

TrialTimes& TrialTimes::of_kind(std::size_t kind, bool makes) {
    TrialTimes* times = this;
    for (; kind > 0 && (makes || times->next != nullptr); --kind, times = times->next.get()) {
        if (times->next == nullptr) {
            times->next = std::make_unique<TrialTimes>();
        }
    }
    return *times;
}

Exploration::Exploration(std::vector<Selection> candidates, std::span<TrialTimes> times, int rank,
                         std::size_t kind, bool synchronises, std::size_t at_first)
    : candidates_(std::move(candidates)), times_(times),
      own_times_(&times[static_cast<std::size_t>(rank)].of_kind(kind, true)), kind_(kind),
      synchronises_(synchronises), most_(at_first) {
    settle(at_first == 1 ? interval_before_all : 1);
}

const Selection& Exploration::begin(const MemberPosition& now) {
    epoch_to_meet_ = 0;
    if (calls_left_ > 1) {
        --calls_left_;
    } else {
        look(now);
    }
    use(phase_ == Phase::trying ? tried_[calls_ / calls_of_each()] : choice_);
    return candidates_[used_];
}

void Exploration::look(const MemberPosition& now) {
    if (phase_ == Phase::preparing) {
        phase_ = Phase::trying;
    } else if (phase_ == Phase::settled && is_chosen_ && interval_ != interval_before_all) {
        start(Trial::check);
    } else if (phase_ == Phase::settled) {
        most_ = interval_ == interval_before_all ? candidates_.size() : most_;
        start(Trial::glance);
        phase_ = Phase::preparing;
    } else if (phase_ == Phase::shown && now.sync_epoch >= shown_at_) {
        decide();
    } else if (phase_ == Phase::shown) {
        // Perhaps no call of the program has members wait for each other.
        epoch_to_meet_ = synchronises_ ? 0 : shown_at_;
    }
}

void Exploration::end(std::chrono::nanoseconds took, const MemberPosition& next) {
    const std::size_t uncounted = calls_of_each() - counted_calls();
    if (const std::size_t round = calls_ % calls_of_each(); round >= uncounted) {
        own_times_->ns[trials_ % 2][calls_ / calls_of_each() * counted_calls() + round - uncounted].put(
            static_cast<std::uint64_t>(took.count()));
    }
    ++tried_calls_;
    if (++calls_ == calls_of_each() * tried_.size()) {
        phase_ = Phase::shown;
        use(choice_);
        shown_at_ = next.epoch;
        calls_left_ = 2; // the next call may be one that all enter
    }
}

void Exploration::start(Trial trial) {
    phase_ = Phase::trying;
    trial_ = trial;
    tried_.clear();
    for (std::size_t candidate = 0; candidate < std::min(most_, candidates_.size()); ++candidate) {
        if (is_of_trial(candidate)) {
            tried_.push_back(candidate);
        }
    }
    calls_ = 0;
    calls_left_ = 0;
}

bool Exploration::is_of_trial(std::size_t candidate) const {
    // A first call finds cold caches.
    constexpr double much_slower = 3;
    constexpr double much_slower_ns = 2000;
    // The first string moves of a thread touch memory of their own.
    const auto suits_glance = [&](const Selection& each) {
        return (each.row == candidates_[candidate].row ? 2 : 0) -
               (each.stores == tuning::Stores::string_moves ? 1 : 0);
    };
    const auto first = static_cast<std::size_t>(std::ranges::max_element(candidates_, {}, suits_glance) -
                                                candidates_.begin());
    if (trial_ == Trial::comparison) {
        const std::uint64_t ns = ns_[ns_[candidate] == 0 ? first : candidate];
        return double(ns) <= much_slower * double(ns_[choice_]) + much_slower_ns;
    }
    return candidate == choice_ || (trial_ == Trial::glance && candidate == first);
}

/// A call takes as long as it takes the member that has come last and so waits for nobody. If members can
/// leave early, it takes as long as the slowest one. But the slowest one may have waited for the plan of
/// another, so a glance shows that a candidate is slow only if it is for every member.
///
/// The choice so far takes as long as its shortest call. All calls of another candidate count alike, because
/// one of them may have found the buffers as calls in between have left them: lines that members have read
/// stay in their caches, and only the next call that writes there pays for that. Never 0.
std::uint64_t Exploration::time_of(std::size_t which) const {
    const bool is_choice = tried_[which] == choice_;
    const bool least_counts = synchronises_ || (trial_ == Trial::glance && !is_choice);
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t sum = 0;
    for (std::size_t call = which * counted_calls(); call < (which + 1) * counted_calls(); ++call) {
        const auto ns = [&](TrialTimes& first) { return first.of_kind(kind_).ns[trials_ % 2][call].get(); };
        const auto [fastest, slowest] = std::ranges::minmax_element(times_, {}, ns);
        const std::uint64_t call_ns = ns(least_counts ? *fastest : *slowest);
        shortest = std::min(shortest, call_ns);
        sum += call_ns;
    }
    return std::max(is_choice ? shortest : sum / counted_calls(), std::uint64_t{1}) +
           static_cast<std::uint64_t>(candidates_[tried_[which]].rewrite_ns);
}

void Exploration::decide() {
    // Less would let noise decide between candidates that are the same, or the clock between short calls.
    constexpr double least_gain = 1.03;
    constexpr double least_gain_ns = 30;
    // In another state of the machine, faster or slower, other candidates gain more.
    constexpr double other_state = 1.3;
    std::vector<std::uint64_t> ns;
    for (std::size_t which = 0; which < tried_.size(); ++which) {
        ns.push_back(time_of(which));
    }
    ++trials_;
    if (trial_ == Trial::check) {
        const auto [less, more] = std::minmax({double(ns.front()), double(ns_[choice_])});
        return more > other_state * less ? start(Trial::glance) : settle(next_interval());
    }
    if (trial_ == Trial::glance) {
        ns_ = {};
    }
    for (std::size_t which = 0; which < tried_.size(); ++which) {
        ns_[tried_[which]] = ns[which];
    }
    for (const std::size_t candidate : tried_) {
        if (trial_ == Trial::comparison &&
            double(ns_[candidate]) * least_gain + least_gain_ns < double(ns_[choice_])) {
            choice_ = candidate;
        }
    }
    for (const std::uint64_t each : ns) {
        lost_ns_ += calls_of_each() * (std::max(each, ns_[choice_]) - ns_[choice_]);
    }
    if (trial_ == Trial::glance) {
        start(Trial::comparison);
        if (tried_.size() > 1) {
            return;
        }
    }
    is_chosen_ = true;
    settle(next_interval());
}

std::uint32_t Exploration::next_interval() const {
    return std::clamp(interval_ * growth_of_intervals, first_interval, longest_interval);
}

void Exploration::settle(std::uint32_t interval) {
    phase_ = Phase::settled;
    use(choice_);
    interval_ = interval;
    calls_left_ = interval;
}

void Exploration::use(std::size_t candidate) {
    if (candidate != used_) {
        used_ = candidate;
        ++selection_;
    }
}

Learnt Exploration::learnt() const {
    constexpr double ns_in_us = 1e3;
    Learnt learnt{
        .kind = {}, .entry = {}, .tried_calls = tried_calls_, .lost_us = double(lost_ns_) / ns_in_us};
    std::vector<tuning::Measured>& measured = learnt.entry.measured;
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        const Selection& each = candidates_[candidate];
        if (ns_[candidate] != 0) {
            measured.insert(candidate == choice_ ? measured.begin() : measured.end(),
                            {each.row, double(ns_[candidate]) / ns_in_us, each.stores, each.reason});
        }
    }
    std::ranges::stable_sort(measured.begin() + 1, measured.end(), {}, &tuning::Measured::us);
    return learnt;
}

std::optional<Learnt::Kind> explored_kind(const detail::Call& call, const Selection::Input& size) {
    if (size.total_bytes < tuning::least_tried_bytes || call.counts != nullptr || exchanges(call) ||
        !call.algorithm.empty()) {
        return std::nullopt;
    }
    return Learnt::Kind{call.collective,
                        operands_of(call),
                        static_cast<int>(std::bit_width(size.total_bytes)),
                        size.in_place,
                        call.order != Order::canonical,
                        call.needs_one_pass(),
                        lifts_single_operands(call, size.members),
                        call.shared_output,
                        size.message_bytes <= mailbox::staging_bytes};
}

namespace {

/// How many of the candidates are tried at first. A plan for another one takes longer than many short calls.
std::size_t tried_at_first(std::span<const Selection> candidates, std::size_t total_bytes) {
    const Reason first = candidates.front().reason;
    const auto doublings = static_cast<std::size_t>(std::bit_width(total_bytes / tuning::least_tried_bytes));
    const std::size_t of_built_in = doublings - (doublings > 3 ? 1 : 0);
    return first != Reason::measured && first != Reason::levels ? of_built_in : of_built_in + 1;
}

/// Moves those that were much slower than others in like calls to the end. Returns the number of the others.
std::size_t without_slow(std::vector<Selection>& candidates, std::span<const tuning::Measured> known) {
    constexpr double much = 1.5;
    constexpr double unknown = std::numeric_limits<double>::max();
    const auto us_of = [&](const Selection& each) {
        const auto found = std::ranges::find_if(known, [&](const tuning::Measured& other) {
            return each.row == other.row && each.stores == other.stores;
        });
        return found != known.end() ? found->us : unknown;
    };
    const double least_us = us_of(std::ranges::min(candidates, {}, us_of));
    const auto slow = std::stable_partition(candidates.begin(), candidates.end(), [&](const Selection& each) {
        return us_of(each) == unknown || us_of(each) <= much * least_us;
    });
    return static_cast<std::size_t>(slow - candidates.begin());
}

/// Four digits: more would be noise.
std::string text_of_us(double us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g us", us);
    return text.data();
}

} // namespace

Explorations::Explorations(const GroupConfig& config, Trials& trials, int rank)
    : config_(config), trials_(trials), rank_(rank) {}

Exploration* Explorations::of(const detail::Call& call, const Selection::Input& size) {
    const std::optional<Learnt::Kind> kind = explored_kind(call, size);
    if (!kind) {
        return nullptr;
    }
    auto found = of_kinds_.find(*kind);
    if (found == of_kinds_.end()) {
        std::vector<Selection> all = candidates(call, size, config_.choices, TrialTimes::most_candidates);
        const bool synchronises = detail::traits_of(call.collective).needs_all;
        const std::size_t not_slow = without_slow(all, known_of(*kind));
        // At least one other, because the choice may be slow as well.
        const std::size_t at_first =
            std::min(tried_at_first(all, size.total_bytes), std::max<std::size_t>(not_slow, 2));
        Exploration exploration(std::move(all), trials_.times, rank_, of_kinds_.size(), synchronises,
                                at_first);
        found = of_kinds_.emplace(*kind, Explored{std::move(exploration), size.total_bytes}).first;
    }
    Exploration& exploration = found->second.exploration;
    return exploration.candidates().size() > 1 ? &exploration : nullptr;
}

std::vector<tuning::Measured> Explorations::known_of(const Learnt::Kind& kind) const {
    for (const int step : {-1, 1}) {
        Learnt::Kind other = kind;
        other.power += step;
        const auto found = of_kinds_.find(other);
        if (found != of_kinds_.end() && found->second.exploration.chosen() != nullptr) {
            return found->second.exploration.learnt().entry.measured;
        }
    }
    return {};
}

const Selection* Explorations::chosen(const detail::Call& call, const Selection::Input& size) const {
    const std::optional<Learnt::Kind> kind = explored_kind(call, size);
    const auto found = kind ? of_kinds_.find(*kind) : of_kinds_.end();
    return found != of_kinds_.end() ? found->second.exploration.chosen() : nullptr;
}

const Selection& Explorations::begin(Exploration& exploration) {
    const std::uint32_t trials = exploration.trials();
    const Selection& selection = exploration.begin(position_);
    decisions_ += exploration.trials() - trials;
    if (rank_ == 0 && exploration.trials() != trials) {
        report_decisions();
    }
    return selection;
}

void Explorations::report_decisions() {
    for (const auto& [kind, explored] : of_kinds_) {
        if (explored.exploration.chosen() == nullptr) {
            continue;
        }
        Learnt learnt = explored.exploration.learnt();
        learnt.kind = kind;
        learnt.entry.point = {kind.collective,   kind.operands,  static_cast<int>(trials_.times.size()),
                              config_.l3_groups, explored.bytes, kind.in_place};
        if (learnt.has_entry()) {
            tuning::learn(learnt.entry);
        }
        trials_.learnt.put(std::move(learnt));
    }
}

void Explorations::clear() {
    of_kinds_.clear();
    ++decisions_;
    met_epoch_ = 0;
    trials_.learnt.clear();
}

std::string Learnt::text() const {
    const tuning::Point& point = entry.point;
    std::string text = std::string(to_string(point.collective)) + " " +
                       std::string(to_string(point.operands)) + " of " + std::to_string(point.bytes) +
                       " bytes" + (kind.in_place ? " in place" : "") + (kind.serial ? " from the left" : "") +
                       (kind.in_one_pass ? ", in one pass" : "") + ": ";
    for (const tuning::Measured& each : entry.measured) {
        text += tuning::name_of(algorithm::registry()[each.row], each.stores) + " (" +
                std::string(source_name(each.reason)) + ") " + text_of_us(each.us) + "; ";
    }
    return text + "tried in " + std::to_string(tried_calls) + " calls, which lost " + text_of_us(lost_us);
}

void LearntByGroup::put(Learnt learnt) {
    const std::scoped_lock lock(mutex_);
    of_kinds_.insert_or_assign(learnt.kind, std::move(learnt));
}

void LearntByGroup::clear() {
    const std::scoped_lock lock(mutex_);
    of_kinds_.clear();
}

std::vector<Learnt> LearntByGroup::all() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Learnt> all;
    all.reserve(of_kinds_.size());
    for (const auto& [kind, learnt] : of_kinds_) {
        all.push_back(learnt);
    }
    return all;
}

} // namespace tutti::library
