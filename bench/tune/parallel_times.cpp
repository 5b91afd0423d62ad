#include "tune/parallel_times.hpp"

#include "measure/statistics.hpp"
#include "tune/store_times.hpp"

#include <tutti/async_group.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <chrono>

namespace tutti::bench {

namespace {

constexpr std::size_t ranks = 4;
constexpr std::size_t slice_bytes = std::size_t{256} << 10U;
constexpr std::size_t least_calls = 5;
constexpr std::size_t most_calls = 100;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of the vector of a rank, where all together have so many bytes.
std::size_t elements_of(std::size_t touched_bytes) {
    return touched_bytes / (2 * ranks * sizeof(double));
}

/// Vectors of all ranks, and the ways to call.
class Callers {
public:
    explicit Callers(std::size_t most_touched_bytes)
        : in_(ranks, std::vector<double>(elements_of(most_touched_bytes))), out_(in_),
          team_(2, {.caller_is_member = true}), alone_(ranks),
          shared_(ranks, {.executor = team_.executor(), .slice_bytes = slice_bytes}) {}

    double alone_us(std::size_t touched_bytes) { return call_us(alone_, touched_bytes); }
    double shared_us(std::size_t touched_bytes) { return call_us(shared_, touched_bytes); }

private:
    double call_us(AsyncGroup& meeting, std::size_t touched_bytes) {
        const std::size_t elements = elements_of(touched_bytes);
        for (auto* vectors : {&in_, &out_}) {
            for (std::vector<double>& vector : *vectors) {
                std::fill_n(vector.begin(), elements, 1);
            }
        }
        const Clock::time_point start = Clock::now();
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            static_cast<void>(meeting.at(static_cast<int>(rank))
                                  .allreduce(std::span(in_[rank]).first(elements),
                                             std::span(out_[rank]).first(elements), sum));
        }
        return 1e6 * seconds_since(start);
    }

    std::vector<std::vector<double>> in_;
    std::vector<std::vector<double>> out_;
    Team team_;
    AsyncGroup alone_;
    AsyncGroup shared_;
};

} // namespace

std::size_t parallel_threshold_bytes(std::span<const std::size_t> touched_bytes, const ParallelTimes& times) {
    const std::size_t first = best_split(times.alone_us, times.shared_us);
    return first < touched_bytes.size() ? touched_bytes[first] : 0;
}

ParallelTimes parallel_times(std::span<const std::size_t> touched_bytes, double seconds) {
    Callers callers(std::ranges::max(touched_bytes));
    ParallelTimes times;
    for (const std::size_t bytes : touched_bytes) {
        std::vector<double> alone;
        std::vector<double> shared;
        const Clock::time_point start = Clock::now();
        const double share = seconds / static_cast<double>(touched_bytes.size());
        while (alone.size() < least_calls || (alone.size() < most_calls && seconds_since(start) < share)) {
            alone.push_back(callers.alone_us(bytes));
            shared.push_back(callers.shared_us(bytes));
        }
        times.alone_us.push_back(summarise(alone).median);
        times.shared_us.push_back(summarise(shared).median);
    }
    return times;
}

} // namespace tutti::bench
