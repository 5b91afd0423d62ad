#include "choose/exploration.hpp"

#include "choose/group_config.hpp"
#include "choose/learnt.hpp"
#include "mailbox/slot.hpp"
#include "tuning/save.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::engine {

std::size_t TrialAreas::free_area(const CallPosition& now) const {
    const auto is_free = [&](std::uint64_t read_until) {
        return read_until == 0 || (read_until != in_use && now.sync_epoch >= read_until);
    };
    return static_cast<std::size_t>(std::ranges::find_if(read_until_, is_free) - read_until_.begin());
}

std::size_t TrialAreas::show(std::span<const std::uint64_t> ns, const CallPosition& now) {
    const std::size_t area = free_area(now);
    if (area == none) {
        return none;
    }
    read_until_[area] = in_use;
    for (std::size_t candidate = 0; candidate < ns.size(); ++candidate) {
        times_[static_cast<std::size_t>(rank_)].ns[area][candidate].put(ns[candidate]);
    }
    return area;
}

std::vector<std::uint64_t> TrialAreas::take(std::size_t area, std::size_t candidates, bool least,
                                            const CallPosition& now) {
    std::vector<std::uint64_t> of_all(candidates, least ? std::numeric_limits<std::uint64_t>::max() : 0);
    for (const TrialTimes& member : times_) {
        for (std::size_t candidate = 0; candidate < candidates; ++candidate) {
            const std::uint64_t ns = member.ns[area][candidate].get();
            of_all[candidate] = least ? std::min(of_all[candidate], ns) : std::max(of_all[candidate], ns);
        }
    }
    read_until_[area] = now.epoch;
    ++taken_;
    return of_all;
}

Exploration::Exploration(std::vector<Selection> candidates, bool synchronises)
    : candidates_(std::move(candidates)), synchronises_(synchronises) {
    try_all();
}

const Selection& Exploration::begin(TrialAreas& areas, const CallPosition& now) {
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

void Exploration::look(TrialAreas& areas, const CallPosition& now) {
    if (phase_ == Phase::settled) {
        only_choice_ ? try_choice() : try_all();
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

void Exploration::decide_if_possible(TrialAreas& areas, const CallPosition& now) {
    if (phase_ == Phase::shown && now.sync_epoch >= shown_at_) {
        decide(areas, now);
    }
}

void Exploration::end(std::chrono::nanoseconds took, TrialAreas& areas, const CallPosition& next) {
    // 0 means that nothing has been measured.
    const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1));
    std::uint64_t& best = best_ns_[only_choice_ ? 0 : used_];
    if (trial_ % rounds != 0) {
        best = best == 0 ? ns : std::min(best, ns);
    }
    ++tried_calls_;
    const int trials = rounds * (only_choice_ ? 1 : static_cast<int>(candidates_.size()));
    if (++trial_ == trials) {
        phase_ = Phase::full;
        use(choice_);
        looked_at_ = next.epoch;
        calls_left_ = 2; // the next call may be one that all enter
        show(areas, next);
    }
}

void Exploration::try_all() {
    phase_ = Phase::trying;
    only_choice_ = false;
    trial_ = 0;
    calls_left_ = 0;
}

void Exploration::try_choice() {
    try_all();
    only_choice_ = true;
    best_ns_ = {};
}

void Exploration::show(TrialAreas& areas, const CallPosition& now) {
    const std::size_t count = only_choice_ ? 1 : candidates_.size();
    area_ = areas.show(std::span(best_ns_).first(count), now);
    if (area_ != TrialAreas::none) {
        phase_ = Phase::shown;
        shown_at_ = now.epoch;
    }
}

void Exploration::decide(TrialAreas& areas, const CallPosition& now) {
    // Less would let noise decide between candidates that are the same, or the clock between short calls.
    constexpr double least_gain = 1.03;
    constexpr double least_gain_ns = 30;
    constexpr double most_growth = 1.3;
    constexpr std::uint32_t longest_interval = 1U << 16U;
    const std::vector<std::uint64_t> ns =
        areas.take(area_, only_choice_ ? 1 : candidates_.size(), synchronises_, now);
    if (only_choice_ && double(ns.front()) > most_growth * double(ns_[choice_])) {
        best_ns_ = {};
        try_all();
        return;
    }
    if (!only_choice_) {
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
    only_choice_ = ++decisions_ > 1;
    phase_ = Phase::settled;
    use(choice_);
    calls_left_ = interval_;
    interval_ = std::min(interval_ * 4, longest_interval);
}

void Exploration::use(std::size_t candidate) {
    if (candidate != used_) {
        used_ = candidate;
        ++selection_;
    }
}

Learnt Exploration::learnt() const {
    constexpr double ns_in_us = 1e3;
    Learnt learnt{.kind = {},
                  .point = {},
                  .candidates = {},
                  .tried_calls = tried_calls_,
                  .lost_us = double(lost_ns_) / ns_in_us};
    for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
        learnt.candidates.push_back({candidates_[candidate], double(ns_[candidate]) / ns_in_us});
    }
    std::rotate(learnt.candidates.begin(), learnt.candidates.begin() + static_cast<std::ptrdiff_t>(choice_),
                learnt.candidates.begin() + static_cast<std::ptrdiff_t>(choice_) + 1);
    return learnt;
}

std::optional<CallKind> explored_kind(const detail::Call& call, const CallSize& size) {
    if (size.total_bytes < tuning::least_tried_bytes || call.counts != nullptr || exchanges(call) ||
        !call.algorithm.empty()) {
        return std::nullopt;
    }
    return CallKind{call.collective,
                    operands_of(call),
                    static_cast<int>(std::bit_width(size.total_bytes)),
                    size.in_place,
                    call.order == Order::serial,
                    call.commutative,
                    call.shared_output,
                    size.message_bytes <= mailbox::staging_bytes};
}

Explorations::Explorations(const GroupConfig& config, Trials& trials, int rank)
    : config_(config), trials_(trials), rank_(rank), areas_(trials.times, rank) {}

Exploration* Explorations::of(const detail::Call& call, const CallSize& size) {
    const std::optional<CallKind> kind = explored_kind(call, size);
    if (!kind) {
        return nullptr;
    }
    auto found = of_kinds_.find(*kind);
    if (found == of_kinds_.end()) {
        std::vector<Selection> all =
            candidates(call, size, config_.choices, config_.predictor.get(), TrialTimes::most_candidates);
        const bool synchronises = detail::traits_of(call.collective).needs_all;
        found =
            of_kinds_.emplace(*kind, Explored{Exploration(std::move(all), synchronises), size.total_bytes})
                .first;
    }
    Exploration& exploration = found->second.exploration;
    return exploration.candidates().size() > 1 ? &exploration : nullptr;
}

const Selection* Explorations::chosen(const detail::Call& call, const CallSize& size) const {
    const std::optional<CallKind> kind = explored_kind(call, size);
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
        learnt.point = {kind.collective,   kind.operands,  static_cast<int>(trials_.times.size()),
                        config_.l3_groups, explored.bytes, kind.in_place};
        if (learnt.has_entry()) {
            tuning::learn(learnt.entry());
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

} // namespace tutti::engine
