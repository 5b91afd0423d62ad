#include "distance/groups.hpp"

#include <algorithm>
#include <limits>

namespace tutti::distance {

namespace {

/// A median that is this many times as long makes a level of groups of one size, and of other groups.
constexpr double regular_ratio = 1.2;
constexpr double irregular_ratio = 2;
/// Below this nothing is looked at more closely.
constexpr double least_step = 1.02;

/// The value at this share of the values, in any order. \pre not empty
double quantile(std::vector<double> values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + at);
    return values[static_cast<std::size_t>(at)];
}

/// Merges the two nearest sets of CPUs until one is left. How far sets are from each other is the median of
/// all pairs, of two in the middle the lower one: single CPUs may have been disturbed while they were timed.
/// The median of the pairs of two sets together is no less than the lesser of their own, so that no merge
/// comes at less than the one before.
class Merging {
public:
    explicit Merging(const Matrix& matrix) : matrix_(matrix), joined_(matrix.cpus()) {
        const std::size_t cpus = matrix.cpus();
        far_.assign(cpus, std::vector<double>(cpus));
        for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
            sets_.push_back({cpu});
            for (std::size_t other = 0; other < cpus; ++other) {
                far_[cpu][other] = matrix.ns(cpu, other);
            }
        }
        while (sets_.size() > 1) {
            merge_nearest();
        }
    }

    /// At which time the sets of two CPUs became one: never less inside of a set than between it and another.
    const Matrix& joined() const { return joined_; }

    /// The heights of all merges, ascending.
    const std::vector<double>& heights() const { return heights_; }

private:
    void merge_nearest() {
        std::size_t one = 0;
        std::size_t other = 1;
        for (std::size_t row = 0; row < sets_.size(); ++row) {
            for (std::size_t column = row + 1; column < sets_.size(); ++column) {
                if (far_[row][column] < far_[one][other]) {
                    one = row;
                    other = column;
                }
            }
        }
        const double height = far_[one][other];
        for (const std::size_t cpu : sets_[one]) {
            for (const std::size_t of_other : sets_[other]) {
                joined_.set(cpu, of_other, height);
            }
        }
        heights_.push_back(height);
        sets_[one].insert(sets_[one].end(), sets_[other].begin(), sets_[other].end());
        remove(other);
        for (std::size_t set = 0; set < sets_.size(); ++set) {
            far_[one][set] = far_[set][one] = set == one ? 0 : between(one, set);
        }
    }

    /// The last set takes its place.
    void remove(std::size_t set) {
        const std::size_t last = sets_.size() - 1;
        std::swap(sets_[set], sets_[last]);
        for (std::size_t row = 0; row <= last; ++row) {
            far_[row][set] = far_[row][last];
        }
        far_[set] = far_[last];
        far_[set][set] = 0;
        sets_.pop_back();
        far_.pop_back();
    }

    double between(std::size_t one, std::size_t other) const {
        std::vector<double> all;
        all.reserve(sets_[one].size() * sets_[other].size());
        for (const std::size_t cpu : sets_[one]) {
            for (const std::size_t of_other : sets_[other]) {
                all.push_back(matrix_.ns(cpu, of_other));
            }
        }
        return quantile(std::move(all), 0.5);
    }

    const Matrix& matrix_;
    Matrix joined_;
    std::vector<std::vector<std::size_t>> sets_;
    std::vector<double> heights_;
    std::vector<std::vector<double>> far_; ///< between sets
};

/// CPUs that became one up to this time.
Groups groups_until(const Matrix& joined, double height) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    Groups groups(joined.cpus(), none);
    std::size_t next = 0;
    for (std::size_t cpu = 0; cpu < groups.size(); ++cpu) {
        if (groups[cpu] != none) {
            continue;
        }
        for (std::size_t other = cpu; other < groups.size(); ++other) {
            if (other == cpu || joined.ns(cpu, other) <= height) {
                groups[other] = next;
            }
        }
        ++next;
    }
    return groups;
}

/// How many times as long lines have to take between these groups as inside of them.
double least_ratio(const Groups& groups) {
    std::vector<std::size_t> sizes(count(groups));
    for (const std::size_t group : groups) {
        ++sizes[group];
    }
    const auto [least, most] = std::ranges::minmax(sizes);
    if (least == most) {
        return regular_ratio;
    }
    return least == 1 ? std::numeric_limits<double>::infinity() : irregular_ratio;
}

/// A time that separates groups, and the share by which the next merge took longer.
struct Cut {
    double height = 0;
    double step = 0;
};

/// The times of the pairs that became one above the one height, up to the other.
std::vector<double> times_between(const Matrix& matrix, const Matrix& joined, double above, double until) {
    std::vector<double> times;
    for (std::size_t cpu = 0; cpu < matrix.cpus(); ++cpu) {
        for (std::size_t other = 0; other < cpu; ++other) {
            const double height = joined.ns(cpu, other);
            if (height > above && height <= until) {
                times.push_back(matrix.ns(cpu, other));
            }
        }
    }
    return times;
}

struct Judged {
    FoundLevel level;
    bool shows = false;
};

/// Judges the groups that a cut separates, between the cut below it and the one above.
Judged judge(const Matrix& matrix, const Matrix& joined, double below, double cut, double above) {
    const std::vector<double> inside = times_between(matrix, joined, below, cut);
    const std::vector<double> outside = times_between(matrix, joined, cut, above);
    Judged judged{{groups_until(joined, cut), quantile(inside, 0.5), quantile(outside, 0.5)}, false};
    const double ratio = judged.level.between_ns / judged.level.inside_ns;
    judged.shows =
        quantile(inside, 0.9) < quantile(outside, 0.1) && ratio >= least_ratio(judged.level.groups);
    return judged;
}

std::vector<Cut> possible_cuts(const std::vector<double>& heights) {
    std::vector<Cut> cuts;
    for (std::size_t at = 1; at < heights.size(); ++at) {
        const double step = heights[at] / heights[at - 1];
        if (step >= least_step) {
            cuts.push_back({heights[at - 1], step});
        }
    }
    return cuts;
}

} // namespace

std::size_t count(const Groups& groups) {
    return groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
}

std::vector<FoundLevel> find_levels(const Matrix& matrix) {
    const Merging merging(matrix);
    std::vector<Cut> cuts = possible_cuts(merging.heights());
    // The groups that a cut separates depend on its neighbours: the least of the cuts that do not show goes
    // first.
    while (true) {
        std::vector<FoundLevel> levels;
        std::size_t worst = cuts.size();
        for (std::size_t at = 0; at < cuts.size(); ++at) {
            const double below = at == 0 ? -1 : cuts[at - 1].height;
            const double above =
                at + 1 < cuts.size() ? cuts[at + 1].height : std::numeric_limits<double>::infinity();
            Judged judged = judge(matrix, merging.joined(), below, cuts[at].height, above);
            levels.push_back(std::move(judged.level));
            if (!judged.shows && (worst == cuts.size() || cuts[at].step < cuts[worst].step)) {
                worst = at;
            }
        }
        if (worst == cuts.size()) {
            return levels;
        }
        cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(worst));
    }
}

} // namespace tutti::distance
