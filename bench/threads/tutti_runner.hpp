#pragma once

#include "choose/group_config.hpp"
#include "measure/buffer.hpp"
#include "measure/calling.hpp"
#include "measure/harness.hpp"
#include "measure/measurement.hpp"
#include "peers/peer.hpp"
#include "threads/floor.hpp"

#include <tutti/async_group.hpp>
#include <tutti/group.hpp>
#include <tutti/team.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::bench {

/// The configuration of a runner.
struct RunnerOptions {
    int members = 1;
    std::string placement;
    /// There are fewer CPUs than members.
    bool crowded = false;
    /// The bytes of the longest vector.
    std::size_t most_bytes = 0;
    Method method;
    /// Thread peers that are measured in turns with Tutti. Those that need threads of their own runtime
    /// system must need the same.
    std::vector<std::string> peers = {};
    /// How Tutti is called, in turns as well.
    std::vector<Calling> callings = {Calling{}};
    /// GroupOptions::levels.
    std::vector<int> levels = {};
};

/// Pinned threads, with vectors for every member, on which points are measured one after the other: a team's,
/// or if a peer needs them, those of another runtime system, which Tutti serves as a group.
class TuttiRunner {
public:
    /// Throws ArgumentError when the placement is wrong, std::bad_alloc when there is not enough memory,
    /// std::runtime_error when a peer cannot be had.
    explicit TuttiRunner(const RunnerOptions& options);

    /// Measures `problem` with an algorithm, or with the library's choice when the name is empty; then, in
    /// turns with it, by all peers that can do it; without an algorithm, only by these. Tutti's points come
    /// first, one for each way of calling. Throws whatever the library throws.
    std::vector<Point> measure(const Problem& problem, const std::optional<std::string>& algorithm);

    /// The places of the members.
    std::vector<std::string> pinning() const { return pinning_; }

    /// Runs `body` as every member on its own thread, with a harness on which they meet, and rethrows what
    /// one of them throws.
    void run_measured(const std::function<void(Harness&, Member&)>& body);

    /// The vectors of all members for this problem.
    Vectors vectors(const Problem& problem) const;

private:
    struct NamedPeer {
        std::string name;
        std::unique_ptr<Peer> peer;
    };

    /// The second member makes the calls that are back to back.
    std::vector<Contender> own_contenders(Member& me, Member& in_loops, const Problem& problem,
                                          const std::string& algorithm, const Vectors& all);
    Subject subject_of(Member& me, Member& in_loops, const Problem& problem,
                       const std::optional<std::string>& algorithm);
    std::string chosen(const Problem& problem) const;
    std::size_t stamps() const;
    void run(const std::function<void(Member&)>& body);
    void run_on_crew(const std::function<void(Member&)>& body);

    RunnerOptions options_;
    std::vector<std::string> pinning_;
    /// The configuration of the members' group.
    library::GroupConfig config_;
    std::vector<NamedPeer> peers_;
    /// Either a team, or a crew and a group.
    std::unique_ptr<Team> team_;
    std::unique_ptr<Crew> crew_;
    std::unique_ptr<Group> group_;
    /// Makes the calls that are back to back: a group learns what suits the calls of a program, and no
    /// program makes its calls in both ways.
    std::unique_ptr<Group> of_loops_;
    /// At which members arrive that call so.
    std::unique_ptr<AsyncGroup> meeting_;
    /// The helpers of the all-buffers form.
    std::unique_ptr<Team> helpers_;
    Buffer harness_memory_;
    std::vector<Buffer> inputs_;
    std::vector<Buffer> outputs_;
    FlagExchange exchange_;
};

} // namespace tutti::bench
