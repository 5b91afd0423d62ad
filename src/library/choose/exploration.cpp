#include "choose/exploration.hpp"

#include "choose/group_config.hpp"
#include "choose/tuning_file.hpp"

#include <bit>
#include <cstdio>
#include <numeric>
#include <utility>

namespace tutti::library {

std::size_t TrialAreas::free_area(const MemberPosition& now) const {
    const auto is_free = [&](std::uint64_t read_until) {
        return read_until == 0 || (read_until != in_use && now.sync_epoch >= read_until);
    };
    return static_cast<std::size_t>(std::ranges::find_if(read_until_, is_free) - read_until_.begin());
}

std::size_t TrialAreas::show(std::span<const std::uint64_t> ns, const MemberPosition& now) {
    const std::size_t area = free_area(now);
    if (area == none) {
        return none;
    }
    read_until_[area] = in_use;
    for (std::size_t call = 0; call < ns.size(); ++call) {
        times_[static_cast<std::size_t>(rank_)].ns[area][call].put(ns[call]);
    }
    return area;
}

std::vector<std::uint64_t> TrialAreas::take(std::size_t area, std::size_t calls, bool least,
                                            const MemberPosition& now) {
    std::vector<std::uint64_t> of_all(calls, least ? std::numeric_limits<std::uint64_t>::max() : 0);
    for (const TrialTimes& member : times_) {
        for (std::size_t call = 0; call < calls; ++call) {
            const std::uint64_t ns = member.ns[area][call].get();
            of_all[call] = least ? std::min(of_all[call], ns) : std::max(of_all[call], ns);
        }
    }
    read_until_[area] = now.epoch;
    ++taken_;
    return of_all;
}

Exploration::Exploration(std::vector<Selection> candidates, bool synchronises, std::size_t at_first)
    : candidates_(std::move(candidates)), synchronises_(synchronises) {
    try_first(at_first);
    if (tried_ == 1) {
        settle(interval_before_all);
    }
}

const Selection& Exploration::begin(TrialAreas& areas, const MemberPosition& now) {
    epoch_to_meet_ = 0;
    if (calls_left_ > 1) {
        --calls_left_;
    } else {
        look(areas, now);
    }
    const auto tried = static_cast<std::size_t>(trial_ / rounds);
    use(phase_ == Phase::trying && !only_choice_ ? tried : choice_);
    return candidates_[used_];
}

void Exploration::look(TrialAreas& areas, const MemberPosition& now) {
    if (phase_ == Phase::settled) {
        try_first(candidates_.size());
        only_choice_ = interval_ != interval_before_all;
    }
    if (phase_ == Phase::full) {
        show(areas, now);
    }
    decide_if_possible(areas, now);
    if (phase_ == Phase::full || phase_ == Phase::shown) {
        // Perhaps no call of the program has members wait for each other.
        epoch_to_meet_ = synchronises_ || shown_at_ == now.epoch ? 0 : looked_at_;
        looked_at_ = now.epoch;
        calls_left_ = 1;
    }
}

void Exploration::decide_if_possible(TrialAreas& areas, const MemberPosition& now) {
    if (phase_ == Phase::shown && now.sync_epoch >= shown_at_) {
        decide(areas, now);
    }
}

void Exploration::end(std::chrono::nanoseconds took, TrialAreas& areas, const MemberPosition& next) {
    if (const int round = trial_ % rounds; round != 0) {
        const std::size_t candidate = only_choice_ ? 0 : used_;
        calls_ns_[candidate * TrialTimes::counted_calls + static_cast<std::size_t>(round) - 1] =
            static_cast<std::uint64_t>(took.count());
    }
    ++tried_calls_;
    if (++trial_ == rounds * static_cast<int>(in_trial())) {
        phase_ = Phase::full;
        use(choice_);
        looked_at_ = next.epoch;
        calls_left_ = 2; // the next call may be one that all enter
        show(areas, next);
    }
}

void Exploration::try_first(std::size_t candidates) {
    phase_ = Phase::trying;
    only_choice_ = false;
    tried_ = std::min(candidates, candidates_.size());
    trial_ = 0;
    calls_left_ = 0;
}

void Exploration::show(TrialAreas& areas, const MemberPosition& now) {
    area_ = areas.show(std::span(calls_ns_).first(in_trial() * TrialTimes::counted_calls), now);
    if (area_ != TrialAreas::none) {
        phase_ = Phase::shown;
        shown_at_ = now.epoch;
    }
}

/// The choice so far takes as long as its shortest call. All calls of another candidate count alike, because
/// one of them may have found the buffers as calls in between have left them: lines that members have read
/// stay in their caches, and only the next call that writes there pays for that.
std::vector<std::uint64_t> Exploration::times_of_candidates(std::span<const std::uint64_t> calls) const {
    std::vector<std::uint64_t> ns;
    for (std::size_t candidate = 0; candidate < in_trial(); ++candidate) {
        const auto own = calls.subspan(candidate * TrialTimes::counted_calls, TrialTimes::counted_calls);
        const std::uint64_t call_ns =
            only_choice_ || candidate == choice_
                ? *std::ranges::min_element(own)
                : std::accumulate(own.begin(), own.end(), std::uint64_t{0}) / own.size();
        const Selection& called = candidates_[only_choice_ ? choice_ : candidate];
        ns.push_back(call_ns + static_cast<std::uint64_t>(called.rewrite_ns));
    }
    return ns;
}

void Exploration::decide(TrialAreas& areas, const MemberPosition& now) {
    // Less would let noise decide between candidates that are the same, or the clock between short calls.
    constexpr double least_gain = 1.03;
    constexpr double least_gain_ns = 30;
    // In another state of the machine, faster or slower, other candidates gain more.
    constexpr double other_state = 1.3;
    const std::vector<std::uint64_t> ns =
        times_of_candidates(areas.take(area_, in_trial() * TrialTimes::counted_calls, synchronises_, now));
    if (only_choice_) {
        const auto [less, more] = std::minmax({double(ns.front()), double(ns_[choice_])});
        if (more > other_state * less) {
            return try_first(ns_.size());
        }
    } else {
        for (std::size_t candidate = 0; candidate < ns.size(); ++candidate) {
            if (double(ns[candidate]) * least_gain + least_gain_ns < double(ns[choice_])) {
                choice_ = candidate;
            }
        }
        ns_ = ns;
        for (const std::uint64_t each : ns) {
            lost_ns_ += rounds * (std::max(each, ns[choice_]) - ns[choice_]);
        }
    }
    settle(interval_ == 0 ? first_interval : std::min(interval_ * growth_of_intervals, longest_interval));
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
    for (std::size_t candidate = 0; candidate < ns_.size(); ++candidate) {
        const Selection& each = candidates_[candidate];
        measured.push_back({each.row, double(ns_[candidate]) / ns_in_us, each.stores, each.reason});
    }
    std::swap(measured.front(), measured[choice_]);
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

/// Moves those that were much slower than others in like calls to the end. Returns how many are before these.
std::size_t without_slow(std::vector<Selection>& candidates, std::span<const tuning::Measured> known) {
    constexpr double much = 1.5;
    const auto is_fine = [&](const Selection& each) {
        const auto found = std::ranges::find_if(known, [&](const tuning::Measured& other) {
            return each.row == other.row && each.stores == other.stores;
        });
        return found == known.end() || found->us <= much * known.front().us;
    };
    const auto slow = std::stable_partition(candidates.begin(), candidates.end(), is_fine);
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
    : config_(config), trials_(trials), rank_(rank), areas_(trials.times, rank) {}

Exploration* Explorations::of(const detail::Call& call, const Selection::Input& size) {
    const std::optional<Learnt::Kind> kind = explored_kind(call, size);
    if (!kind) {
        return nullptr;
    }
    auto found = of_kinds_.find(*kind);
    if (found == of_kinds_.end()) {
        std::vector<Selection> all = candidates(call, size, config_.choices, TrialTimes::most_candidates);
        const bool synchronises = detail::traits_of(call.collective).needs_all;
        const std::size_t most = tried_at_first(all, size.total_bytes);
        const std::size_t at_first = std::min(most, without_slow(all, known_of(*kind, call, size)));
        Exploration exploration(std::move(all), synchronises, at_first);
        found = of_kinds_.emplace(*kind, Explored{std::move(exploration), size.total_bytes}).first;
    }
    Exploration& exploration = found->second.exploration;
    return exploration.candidates().size() > 1 ? &exploration : nullptr;
}

std::vector<tuning::Measured> Explorations::known_of(const Learnt::Kind& kind, const detail::Call& call,
                                                     const Selection::Input& size) const {
    for (const int step : {-1, 1}) {
        Learnt::Kind other = kind;
        other.power += step;
        const auto found = of_kinds_.find(other);
        if (found != of_kinds_.end() && found->second.exploration.chosen() != nullptr) {
            return found->second.exploration.learnt().entry.measured;
        }
    }
    const tuning::Entry* const entry = entry_for(call, size, config_.choices);
    const bool is_like = entry != nullptr && entry->point.members == size.members &&
                         static_cast<int>(std::bit_width(entry->point.bytes)) == kind.power;
    return is_like ? entry->measured : std::vector<tuning::Measured>();
}

const Selection* Explorations::chosen(const detail::Call& call, const Selection::Input& size) const {
    const std::optional<Learnt::Kind> kind = explored_kind(call, size);
    const auto found = kind ? of_kinds_.find(*kind) : of_kinds_.end();
    return found != of_kinds_.end() ? found->second.exploration.chosen() : nullptr;
}

const Selection& Explorations::begin(Exploration& exploration) {
    if (exploration.needs_area() && areas_.free_area(position_) == TrialAreas::none) {
        // Kinds that the program has ceased to call keep areas.
        for (auto& [kind, other] : of_kinds_) {
            other.exploration.decide_if_possible(areas_, position_);
        }
    }
    const Selection& selection = exploration.begin(areas_, position_);
    if (rank_ == 0 && reported_ != areas_.taken()) {
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
    reported_ = areas_.taken();
}

void Explorations::clear() {
    of_kinds_.clear();
    areas_ = TrialAreas(trials_.times, rank_);
    reported_ = 0;
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
