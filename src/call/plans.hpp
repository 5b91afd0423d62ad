#pragma once

#include "choose/group_config.hpp"
#include "run/own_plan.hpp"
#include "schedule/synchronise.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace tutti::engine {

/// The latest values, up to so many bytes in all: the values that have not been used for the longest time are
/// dropped when others come. The last one stays however large it is.
template <class Name, class Value>
class Recent {
public:
    explicit Recent(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// The value of that name, or null. Lasts until another one is kept.
    const Value* find(const Name& name) {
        const auto known = known_.find(name);
        if (known == known_.end()) {
            return nullptr;
        }
        entries_.splice(entries_.begin(), entries_, known->second);
        return &entries_.front().value;
    }

    /// Keeps a value of a name that is not known, which takes so many bytes.
    const Value& keep(const Name& name, Value value, std::size_t bytes) {
        entries_.push_front({name, std::move(value), bytes});
        try {
            known_.emplace(name, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        bytes_ += bytes;
        while (bytes_ > most_bytes_ && entries_.size() > 1) {
            bytes_ -= entries_.back().bytes;
            known_.erase(entries_.back().name);
            entries_.pop_back();
        }
        return entries_.front().value;
    }

private:
    struct Entry {
        Name name;
        Value value;
        std::size_t bytes;
    };

    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    /// The one used last comes first.
    std::list<Entry> entries_;
    std::map<Name, typename std::list<Entry>::iterator> known_;
};

/// Identifies a schedule and its plan for a given number of members.
struct ScheduleName {
    std::size_t row = 0;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    /// The root of a rooted collective, the distance of a shift, else 0.
    int root = 0;
    /// Which plan for that schedule: the compiled one, that of an all-to-all of irregular blocks, or the one
    /// for an output that all members share.
    enum class Variant : std::uint8_t { plain, irregular_exchange, shared_output } variant = Variant::plain;

    friend auto operator<=>(const ScheduleName&, const ScheduleName&) = default;
};

/// The schedules that a group keeps, in bytes.
inline constexpr std::size_t most_schedule_bytes = std::size_t{32} << 20U;

/// The schedules of a group, which all members share. Any member may use it at any time.
class Schedules {
public:
    /// \pre the configuration lasts, whose levels never change.
    Schedules(int members, const GroupConfig& config) : members_(members), config_(config) {}

    /// Built once for all members, on first use, and again when it has been forgotten.
    std::shared_ptr<const schedule::Synchronised> synchronised(const ScheduleName& name);

private:
    int members_;
    const GroupConfig& config_;
    std::mutex mutex_;
    Recent<ScheduleName, std::shared_ptr<const schedule::Synchronised>> kept_{most_schedule_bytes};
};

/// The plans that all members of a group together keep, in bytes; each keeps at least as many as follow.
inline constexpr std::size_t most_plan_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t least_plan_bytes = std::size_t{16} << 10U;

/// The plans of one member.
class Plans {
public:
    Plans(Schedules& schedules, const GroupConfig& config, int rank, int members);

    int rank() const { return rank_; }
    int members() const { return members_; }
    const GroupConfig& config() const { return config_; }

    /// The schedule of which a plan is made; its variant is ignored.
    std::shared_ptr<const schedule::Synchronised> schedule(const ScheduleName& name);

    /// Compiled on first use, and again when it has been forgotten. Throws ArgumentError if the algorithm
    /// cannot serve so many members.
    std::shared_ptr<const run::OwnPlan> plan(const ScheduleName& name);

private:
    Schedules& schedules_;
    const GroupConfig& config_;
    int rank_;
    int members_;
    Recent<ScheduleName, std::shared_ptr<const run::OwnPlan>> kept_;
};

} // namespace tutti::engine
