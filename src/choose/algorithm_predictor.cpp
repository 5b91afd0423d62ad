#include "choose/algorithm_predictor.hpp"

#include "choose/store_policy.hpp"
#include "distance/published.hpp"
#include "machine/distances.hpp"
#include "mailbox/slot.hpp"
#include "tuning/table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

namespace tutti::engine {

namespace {

using distance::Class;
using distance::Published;
using machine::Machine;
using machine::Pu;
using schedule::Protocol;

std::set<std::string> words_of_name(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return c == '(' || c == ')' || c == ',' || c == '-'; }, ' ');
    std::istringstream words(name);
    std::set<std::string> all;
    for (std::string word; words >> word;) {
        all.insert(word);
    }
    return all;
}

/// How different two machines are in shape: by which factors their cores in an L3 and in a socket differ.
double difference_in_shape(const Machine& one, const Machine& other) {
    const auto factor = [](int a, int b) {
        return std::abs(std::log2(std::max(a, 1) / double(std::max(b, 1))));
    };
    const auto each = [](const Machine& machine, int parts) { return machine.cores() / std::max(parts, 1); };
    return factor(each(one, one.l3_groups()), each(other, other.l3_groups())) +
           factor(each(one, one.packages()), each(other, other.packages()));
}

} // namespace

Distances distances_between(std::span<const Pu> pus) {
    Distances has{};
    for (std::size_t one = 0; one < pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            has[static_cast<std::size_t>(machine::class_of(pus[one], pus[other]))] = true;
        }
    }
    return has;
}

bool covers(const distance::MachineModel& profile, const Distances& distances) {
    return std::ranges::none_of(distance::all_classes, [&](Class each) {
        return distances[static_cast<std::size_t>(each)] && !profile.has_class(each);
    });
}

std::string describe(const KnownMachine& machine) {
    const bool is_measured = std::ranges::any_of(machine.profile.sources, [](const auto& source) {
        return source.origin == distance::Origin::measured;
    });
    return machine.profile.name + (is_measured ? ", measured" : ", published") +
           (machine.is_guess ? ", which is a guess" : "");
}

std::optional<KnownMachine> most_like(const Machine& machine, std::span<const Pu> pus) {
    const Distances has = distances_between(pus);
    const std::set<std::string> words = words_of_name(machine.model);
    static const std::vector<Machine> shapes = [] {
        std::vector<Machine> made;
        for (const Published& each : distance::published()) {
            made.push_back(machine::from_synthetic(each.profile.topology));
        }
        return made;
    }();
    const Published* best = nullptr;
    std::pair<long, double> least{};
    for (const Published& each : distance::published()) {
        if (!covers(each.profile, has)) {
            continue;
        }
        const auto common = std::ranges::count_if(words_of_name(each.profile.name),
                                                  [&](const auto& word) { return words.contains(word); });
        const auto index = static_cast<std::size_t>(&each - distance::published().data());
        const std::pair<long, double> rank{-common, difference_in_shape(machine, shapes[index])};
        if (best == nullptr || rank < least) {
            best = &each;
            least = rank;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    return KnownMachine{best->profile, true};
}

std::vector<Pu> pus_of(const Machine& machine, std::span<const int> cpus) {
    std::vector<Pu> pus;
    pus.reserve(cpus.size());
    for (const int cpu : cpus) {
        pus.push_back(*std::ranges::find(machine.pus, cpu, &Pu::os_index));
    }
    return pus;
}

simulate::Positions positions_of(const Machine& machine, std::span<const Pu> pus) {
    simulate::Positions positions;
    for (std::size_t part = 0; part < positions.groups.size(); ++part) {
        positions.groups[part] = machine::groups_within(pus, distance::all_classes[part]);
    }
    positions.l2_bytes = machine.l2_bytes;
    positions.l3_bytes = machine.l3_bytes;
    return positions;
}

AlgorithmPredictor::AlgorithmPredictor(KnownMachine machine, simulate::Positions positions,
                                       graph::LevelTree tree)
    : machine_(std::move(machine)), positions_(std::move(positions)), tree_(std::move(tree)),
      rows_(algorithm::registry().size()) {}

bool AlgorithmPredictor::is_for(int members, int cpus, int l3_groups) {
    // What has been measured with two CPUs serves so many whose lines are all in one cache.
    constexpr int most_in_one_cache = 8;
    // A simulation takes as long as members have pairs.
    constexpr int most = 1024;
    return members <= std::min(cpus, most) && (l3_groups > 1 || members > most_in_one_cache);
}

std::vector<std::size_t> AlgorithmPredictor::candidates(const detail::Call& call,
                                                        const CallSize& size) const {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        const algorithm::Algorithm& algorithm = algorithm::registry()[row];
        if (algorithm.collective == call.collective && refusal(algorithm, call, size.members).empty() &&
            tuning::may_choose(algorithm, operands_of(call), size.members) &&
            has_few_rounds(algorithm, size.members) && // others take longest to simulate
            (!size.in_place || algorithm.protocols.in_place || algorithm.protocols.eager) &&
            takes(algorithm, protocol_of(row, call, size))) {
            rows.push_back(row);
        }
    }
    return rows;
}

std::optional<AlgorithmPredictor::Prediction> AlgorithmPredictor::best(const detail::Call& call,
                                                                       const CallSize& size) {
    if (exchanges(call) || call.counts != nullptr || call.shared_output) {
        return std::nullopt;
    }
    const std::vector<std::size_t> rows = candidates(call, size);
    std::vector<std::optional<double>> times_us(rows.size());
    // First those that no other member simulates now. Then the others are known, or soon will be.
    for (const Wait wait : {Wait::no, Wait::yes}) {
        for (std::size_t at = 0; at < rows.size(); ++at) {
            if (!times_us[at]) {
                times_us[at] = us(rows[at], protocol_of(rows[at], call, size), size, wait);
            }
        }
    }
    const auto least = std::ranges::min_element(times_us);
    if (least == times_us.end()) {
        return std::nullopt;
    }
    const std::size_t row = rows[static_cast<std::size_t>(least - times_us.begin())];
    return Prediction{row, protocol_of(row, call, size), **least};
}

std::optional<AlgorithmPredictor::Prediction>
AlgorithmPredictor::of(std::size_t row, const detail::Call& call, const CallSize& size) {
    const Protocol protocol = protocol_of(row, call, size);
    if (!takes(algorithm::registry()[row], protocol)) {
        return std::nullopt;
    }
    return Prediction{row, protocol, *us(row, protocol, size, Wait::yes)};
}

std::optional<double> AlgorithmPredictor::us(std::size_t row, Protocol protocol, const CallSize& size,
                                             Wait wait) {
    const bool staged = protocol == Protocol::eager && size.message_bytes > mailbox::eager_bytes;
    const int power = static_cast<int>(std::bit_width(size.total_bytes));
    Row& known = rows_[row];
    std::unique_lock lock(known.mutex, std::defer_lock);
    if (wait == Wait::yes) {
        lock.lock();
    } else if (!lock.try_lock()) {
        return std::nullopt;
    }
    const auto found = known.times_us.find({protocol, staged, power});
    if (found != known.times_us.end()) {
        return found->second;
    }
    // As many as the least number that is so many bits long.
    const std::size_t least = power == 0 ? 0 : std::size_t{1} << static_cast<unsigned>(power - 1);
    return known.times_us[{protocol, staged, power}] = simulated_us(row, protocol, staged, least);
}

double AlgorithmPredictor::simulated_us(std::size_t row, Protocol protocol, bool staged, std::size_t bytes) {
    auto& predictor = rows_[row].predictor;
    if (predictor == nullptr) {
        const algorithm::Algorithm& algorithm = algorithm::registry()[row];
        const int number = detail::traits_of(algorithm.collective).example_number(members());
        predictor = std::make_unique<simulate::Predictor>(make(algorithm, tree_, number), machine_.profile,
                                                          positions_);
    }
    constexpr std::size_t word_bytes = sizeof(double);
    const simulate::Vector vector = bytes % word_bytes == 0 ? simulate::Vector{bytes / word_bytes, word_bytes}
                                                            : simulate::Vector{bytes, 1};
    constexpr double us_per_ns = 1e-3;
    const Collective collective = algorithm::registry()[row].collective;
    return predictor->ns(vector, protocol,
                         {.staged = staged, .touched_bytes = touched_bytes(collective, bytes, members())}) *
           us_per_ns;
}

} // namespace tutti::engine
