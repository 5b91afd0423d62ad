#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tutti::schedule {

/// Values in numbered groups, in each in the order in which they came: a counting sort.
template <class Value>
class Grouped {
public:
    Grouped() : first_(2) {}
    /// Calls visit_all(visit) twice, which calls visit(group, value) for every value, both times alike.
    template <class VisitAll>
    Grouped(std::size_t groups, VisitAll visit_all) : first_(groups + 2) {
        // While groups are filled, each has its end where its begin will be.
        visit_all([&](std::size_t group, const Value& /*value*/) { ++first_[group + 2]; });
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        values_.resize(first_.back());
        visit_all([&](std::size_t group, const Value& value) { values_[first_[group + 1]++] = value; });
    }

    std::size_t groups() const { return first_.size() - 2; }

    std::span<const Value> at(std::size_t group) const {
        return std::span(values_).subspan(first_[group], first_[group + 1] - first_[group]);
    }
    std::span<Value> at(std::size_t group) {
        return std::span(values_).subspan(first_[group], first_[group + 1] - first_[group]);
    }

private:
    std::vector<std::uint32_t> first_;
    std::vector<Value> values_;
};

} // namespace tutti::schedule
