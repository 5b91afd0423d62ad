#pragma once

#include "measure/calling.hpp"
#include "measure/measurement.hpp"
#include "measure/problem.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::bench {

/// The limits of requests: members of a team, ranks of a schedule.
inline constexpr int most_members = 1024;
inline constexpr int most_ranks = 4096;
inline constexpr std::size_t most_calls_in_flight = 4096;

/// The points to measure, as typed: the same for all commands that measure.
struct PointArguments {
    std::string begin;
    std::string end;
    double factor;
    std::string members;
    std::string placement = "compact";
    double seconds;
    bool quiet = false;
};

/// The words of a list such as "ring,hypercube".
std::vector<std::string> words_of(const std::string& list);

std::vector<Collective> all_collectives();

/// parse_collective() with a UsageError.
Collective collective_named(const std::string& text);

/// All names of algorithms that any of the collectives has, in the order of the registry.
std::vector<std::string> algorithm_names(std::span<const Collective> collectives);

/// Throws UsageError "OPTION: "TEXT" is unknown", with a likely correction and the known names, unless the
/// text is one of `known`.
void check_known(const char* option, const std::string& text, std::span<const std::string> known);

struct BenchOptions;

/// The options of `tutti bench` as they are typed.
struct BenchArguments {
    PointArguments points = {.begin = "8", .end = "64M", .factor = 2, .members = "2,4,8", .seconds = 3};
    std::vector<std::string> collectives = {};
    std::string algorithm = "auto";
    std::string type = "f64";
    std::string op = "sum";
    std::vector<int> levels = {};
    std::vector<int> busy = {};
    bool in_place = false;
    bool shared = false;
    std::string calling = "blocking";
    std::size_t in_flight = 1;
    bool check = true;
    std::string baseline = "none";
    std::size_t repetitions = 5000;
    int rounds = 3;
    /// Seconds for everything; 0: as long as it takes.
    double within = 0;
    std::string json = {};
    std::string html = {};

    /// Checks and converts. Throws UsageError naming the option and what would work.
    BenchOptions parsed() const;
};

/// The work of `tutti bench`.
struct BenchOptions {
    BenchArguments given;
    std::vector<Collective> collectives;
    std::vector<std::size_t> bytes;
    std::vector<int> members;
    /// Names, or empty for the library's choice.
    std::vector<std::string> algorithms;
    /// Measure an algorithm only if the collective has it and it takes the operator, instead of refusing.
    bool all_algorithms = false;
    Type type = Type::f64;
    Operator op = Operator::sum;
    /// Calls that block come first.
    std::vector<Calling> callings;
    /// Names of peers, MPI libraries or not.
    std::vector<std::string> baselines;
    std::string placement;
    /// The method of one round.
    Method method;
};

/// The problems to measure among so many members.
std::vector<Problem> problems_for(const BenchOptions& options, int members);

/// Bytes of the longest vector.
std::size_t most_bytes(const std::vector<Problem>& problems);

/// The bytes of all vectors of so many members.
std::size_t memory_needed(const BenchOptions& options, int members);

/// Memory that a new program could have, in bytes; the most there is if the system does not report it.
std::size_t available_bytes();

/// Throws EnvironmentUnfit when there is not enough memory for the vectors.
void check_memory(const BenchOptions& options);

} // namespace tutti::bench
