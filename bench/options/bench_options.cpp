#include "options/bench_options.hpp"

#include "algorithm/registry.hpp"
#include "machine/placement.hpp"
#include "mpirun/mpi_baseline.hpp"
#include "peers/peer.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/output.hpp"
#include "terminal/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace tutti::bench {

std::vector<std::string> words_of(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ',');) {
        words.push_back(word);
    }
    return words;
}

std::vector<Collective> all_collectives() {
    return {detail::all_collectives.begin(), detail::all_collectives.end()};
}

Collective collective_named(const std::string& text) {
    if (text.empty()) {
        throw UsageError("collective: which one? Such as allreduce");
    }
    return as_asked("collective: ", [&] { return parse_collective(text); });
}

std::vector<std::string> algorithm_names(std::span<const Collective> collectives) {
    std::vector<std::string> names;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        const std::string name(row.name);
        if (std::ranges::find(collectives, row.collective) != collectives.end() &&
            std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

void check_known(const char* option, const std::string& text, std::span<const std::string> known) {
    if (text.empty()) {
        throw UsageError(fmt::format("{}: which one? There are: {}", option, fmt::join(known, ", ")));
    }
    if (std::ranges::find(known, text) == known.end()) {
        throw UsageError(fmt::format("{}: \"{}\" is unknown{}; there are: {}", option, text,
                                     did_you_mean(text, known), fmt::join(known, ", ")));
    }
}

namespace {

std::vector<std::size_t> sizes(const PointArguments& points) {
    const std::size_t first = as_asked("--begin: ", [&] { return parse_bytes(points.begin); });
    const std::size_t last = as_asked("--end: ", [&] { return parse_bytes(points.end); });
    if (first == 0) {
        throw UsageError("--begin: the smallest size is 1 byte");
    }
    if (last < first) {
        throw UsageError(fmt::format("--end: {} is less than --begin {}", points.end, points.begin));
    }
    if (!(points.factor > 1)) {
        throw UsageError(fmt::format("--factor: {} does not grow; any number above 1 works", points.factor));
    }
    return geometric_sizes(first, last, points.factor);
}

std::vector<Collective> collectives(const BenchArguments& arguments) {
    if (arguments.collectives.empty()) {
        std::vector<Collective> all = all_collectives();
        std::erase_if(all, [&](Collective each) { return arguments.shared && !can_share(each); });
        return all;
    }
    std::vector<Collective> chosen;
    for (const std::string& text : arguments.collectives) {
        const Collective collective = collective_named(text);
        as_asked("--shared: ", [&] {
            check_shared({.collective = collective, .shared = arguments.shared});
            return 0;
        });
        if (std::ranges::find(chosen, collective) == chosen.end()) {
            chosen.push_back(collective);
        }
    }
    return chosen;
}

void choose_algorithms(const std::string& text, BenchOptions& options) {
    const std::vector<std::string> names = algorithm_names(options.collectives);
    std::vector<std::string> known = names;
    known.insert(known.begin(), {"auto", "all"});
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(options.algorithms, name) == options.algorithms.end()) {
            options.algorithms.push_back(name);
        }
    };
    for (const std::string& word : words_of(text)) {
        check_known("--algorithm", word, known);
        options.all_algorithms = options.all_algorithms || word == "all";
        if (word == "all" || word == "auto") {
            add(""); // the library's choice
        }
        if (word == "all") {
            std::ranges::for_each(names, add);
        } else if (word != "auto") {
            add(word);
        }
    }
    if (options.algorithms.empty()) {
        throw UsageError("--algorithm: none is named; auto and all work");
    }
}

/// "all", "none" or a list; in the order in which they are known. Processes share no result.
std::vector<std::string> parse_baselines(const std::string& text, bool shared) {
    std::vector<std::string> known = shared ? std::vector<std::string>{} : mpi_names();
    std::ranges::copy(thread_peer_names(), std::back_inserter(known));
    if (text == "all" || text == "none") {
        return text == "all" ? known : std::vector<std::string>{};
    }
    const std::vector<std::string> asked_for = words_of(text);
    std::vector<std::string> choices{"none", "all"};
    std::ranges::copy(known, std::back_inserter(choices));
    for (const std::string& word : asked_for) {
        check_known(shared ? "--baseline with --shared" : "--baseline", word, choices);
    }
    std::erase_if(known, [&](const std::string& name) {
        return std::ranges::find(asked_for, name) == asked_for.end();
    });
    return known;
}

/// Blocking calls, with which the others are compared, and the requested ones.
std::vector<Calling> parse_callings(const std::string& text, std::size_t in_flight) {
    std::vector<Calling> callings{Calling{}};
    const std::vector<std::string> known(ways_of_calling.begin(), ways_of_calling.end());
    for (const std::string& word : words_of(text)) {
        check_known("--calling", word, known);
        const auto way = static_cast<Calling::Way>(std::ranges::find(known, word) - known.begin());
        if (!has_way(callings, way)) {
            callings.push_back({.way = way});
        }
    }
    if (in_flight < 1 || in_flight > most_calls_in_flight) {
        throw UsageError(fmt::format("--in-flight: from 1 to {}", most_calls_in_flight));
    }
    if (in_flight > 1) {
        callings.push_back({.way = Calling::Way::started, .in_flight = in_flight});
    }
    return callings;
}

/// Every number of members is to have these groups.
void check_levels(const std::vector<int>& levels, const std::vector<int>& members) {
    if (levels.empty()) {
        return;
    }
    long product = 1;
    for (const int size : levels) {
        product = size < 1 ? 0 : std::min<long>(product * size, most_members + 1);
    }
    for (const int each : members) {
        if (each != product) {
            throw UsageError(
                fmt::format("--levels: {} are no groups of {} members", fmt::join(levels, ","), each));
        }
    }
}

/// Rejects options that calls which are not made by members do not support.
void check_callings(const BenchOptions& options) {
    const bool all_buffers = has_way(options.callings, Calling::Way::all_buffers);
    if ((all_buffers || has_way(options.callings, Calling::Way::arriving)) &&
        options.algorithms != std::vector<std::string>{""}) {
        throw UsageError(
            "--calling arriving, all_buffers: such calls cannot name an algorithm; leave --algorithm out");
    }
    if (all_buffers && (options.type != Type::f64 || options.op != Operator::sum)) {
        throw UsageError("--calling all_buffers: is measured with --type f64 and --op sum only");
    }
}

void check_busy(const BenchArguments& arguments) {
    if (!arguments.busy.empty() &&
        !(arguments.collectives.empty() || arguments.collectives == std::vector<std::string>{"allreduce"})) {
        throw UsageError("--busy: measures allreduce; name no other collective");
    }
    for (const int loops : arguments.busy) {
        constexpr int most_loops = 1000;
        if (loops < 0 || loops > most_loops) {
            throw UsageError(
                fmt::format("--busy: {} is not a number of loops from 0 to {}", loops, most_loops));
        }
    }
}

} // namespace

BenchOptions BenchArguments::parsed() const {
    BenchOptions options;
    options.given = *this;
    options.collectives = bench::collectives(*this);
    options.bytes = sizes(points);
    options.members = as_asked("--members: ", [&] { return parse_counts(points.members, most_members); });
    options.type = as_asked("--type: ", [&] { return parse_type(type); });
    options.op = as_asked("--op: ", [&] { return parse_operator(op); });
    as_asked("--op: ", [&] {
        check_operator(options.type, options.op);
        return 0;
    });
    choose_algorithms(algorithm, options);
    options.placement = as_asked(
        "--placement: ", [&] { return machine::to_string(machine::parse_placement(points.placement)); });
    check_levels(levels, options.members);
    check_busy(*this);
    if (!(points.seconds > 0)) {
        throw UsageError("--seconds: must be above 0");
    }
    if (!(within >= 0)) {
        throw UsageError("--within: must not be negative");
    }
    if (rounds < 1) {
        throw UsageError("--rounds: at least 1 is needed");
    }
    if (repetitions < 1) {
        throw UsageError("--repetitions: at least 1 is needed");
    }
    options.callings = parse_callings(calling, in_flight);
    check_callings(options);
    options.baselines = parse_baselines(baseline, shared);
    options.method.check = check;
    const auto each = static_cast<std::size_t>(rounds);
    options.method.limits.seconds = points.seconds / rounds;
    options.method.limits.most = (repetitions + each - 1) / each;
    options.method.limits.least = std::min((options.method.limits.least + each - 1) / each, repetitions);
    return options;
}

std::vector<Problem> problems_for(const BenchOptions& options, int members) {
    std::vector<Problem> problems;
    for (const Collective collective : options.collectives) {
        for (const std::size_t bytes : options.bytes) {
            Problem problem =
                make_problem(collective, options.type, options.op, members, bytes, options.given.in_place);
            problem.shared = options.given.shared;
            if (std::ranges::find(problems, problem) == problems.end()) {
                problems.push_back(problem);
            }
        }
    }
    return problems;
}

std::size_t most_bytes(const std::vector<Problem>& problems) {
    std::size_t most = 0;
    for (const Problem& problem : problems) {
        most = std::max(most, problem.bytes());
    }
    return most;
}

std::size_t memory_needed(const BenchOptions& options, int members) {
    const std::size_t vectors = 2 * most_in_flight(options.callings);
    return static_cast<std::size_t>(members) * vectors * most_bytes(problems_for(options, members));
}

std::size_t available_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        std::size_t kib = 0;
        if (word == "MemAvailable:" && file >> kib) {
            return kib << 10;
        }
    }
    return SIZE_MAX;
}

void check_memory(const BenchOptions& options) {
    for (const int members : options.members) {
        const std::size_t vectors = 2 * most_in_flight(options.callings);
        const std::size_t bytes = most_bytes(problems_for(options, members));
        const std::size_t needed = memory_needed(options, members);
        if (needed > available_bytes()) {
            throw EnvironmentUnfit(
                fmt::format("{} members with {} vectors of {} each need {} MiB of memory, of which {} are "
                            "available; choose a smaller --end or fewer --members{}",
                            members, vectors, format_bytes(bytes), needed >> 20, available_bytes() >> 20,
                            vectors > 2 ? ", or a smaller --in-flight" : ""));
        }
    }
}

} // namespace tutti::bench
