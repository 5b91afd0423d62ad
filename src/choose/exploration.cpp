#include "choose/exploration.hpp"

#include "choose/group_config.hpp"
#include "mailbox/slot.hpp"

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
    return of_all;
}

Exploration::Exploration(std::vector<Selection> candidates, bool least)
    : candidates_(std::move(candidates)), least_(least) {
    try_all();
}

const Selection& Exploration::begin(TrialAreas& areas, const CallPosition& now) {
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
        constexpr std::uint32_t before_next_look = 16;
        calls_left_ = before_next_look;
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
    best = best == 0 ? ns : std::min(best, ns);
    const int trials = rounds * (only_choice_ ? 1 : static_cast<int>(candidates_.size()));
    if (++trial_ == trials) {
        phase_ = Phase::full;
        use(choice_);
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
        calls_left_ = 2; // the next call may be one that all enter
    }
}

void Exploration::decide(TrialAreas& areas, const CallPosition& now) {
    // Less would let noise decide between candidates that are the same, or the clock between short calls.
    constexpr double least_gain = 1.03;
    constexpr double least_gain_ns = 30;
    constexpr double most_growth = 1.3;
    constexpr std::uint32_t longest_interval = 1U << 16U;
    const std::vector<std::uint64_t> ns =
        areas.take(area_, only_choice_ ? 1 : candidates_.size(), least_, now);
    if (only_choice_ && double(ns.front()) > most_growth * double(choice_ns_)) {
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
        choice_ns_ = ns[choice_];
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

Explorations::Explorations(const GroupConfig& config, std::span<TrialTimes> times, int rank)
    : config_(config), times_(times), rank_(rank), areas_(times, rank) {}

Exploration* Explorations::of(const detail::Call& call, const CallSize& size) {
    // Shorter calls take so little time that what they gain is less than what trying takes.
    constexpr std::size_t least_bytes = std::size_t{16} << 10U;
    if (size.total_bytes < least_bytes || call.counts != nullptr || exchanges(call) ||
        !call.algorithm.empty()) {
        return nullptr;
    }
    const Kind kind{call.collective,
                    operands_of(call),
                    static_cast<int>(std::bit_width(size.total_bytes)),
                    size.in_place,
                    call.order == Order::serial,
                    call.commutative,
                    call.shared_output,
                    size.message_bytes <= mailbox::staging_bytes};
    auto found = of_kinds_.find(kind);
    if (found == of_kinds_.end()) {
        found =
            of_kinds_
                .emplace(kind, Exploration(candidates(call, size, config_.choices, config_.predictor.get(),
                                                      TrialTimes::most_candidates),
                                           detail::traits_of(call.collective).needs_all))
                .first;
    }
    Exploration& exploration = found->second;
    return exploration.candidates().size() > 1 ? &exploration : nullptr;
}

const Selection& Explorations::begin(Exploration& exploration) {
    if (exploration.needs_area() && areas_.free_area(position_) == TrialAreas::none) {
        // Kinds that the program has ceased to call keep areas.
        for (auto& [kind, other] : of_kinds_) {
            other.decide_if_possible(areas_, position_);
        }
    }
    return exploration.begin(areas_, position_);
}

void Explorations::clear() {
    of_kinds_.clear();
    areas_ = TrialAreas(times_, rank_);
}

} // namespace tutti::engine
