#pragma once

#include <tutti/member.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tutti {

/// What a team is made of.
struct TeamOptions {
    /// Number of members; 0: one for each allowed CPU.
    int members = 0;
    /// Where they are pinned: "compact" (neighbours share caches), "scatter", "none", or a list of CPUs such
    /// as "0,2,4-7".
    std::string placement = "compact";
    GroupOptions group = {};
};

/// p threads of its own, pinned, and their group.
class Team {
public:
    /// Starts the threads. Where pinning is impossible they run unpinned; pinning() tells why.
    /// Throws ArgumentError when members is not in 0..65535 or the placement cannot be read or names a CPU
    /// that is not allowed.
    explicit Team(const TeamOptions& options = {});
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    Team(Team&&) = delete;
    Team& operator=(Team&&) = delete;

    int size() const;

    /// One line for each member that says where it runs or why it is not pinned.
    std::vector<std::string> pinning() const;

    /// As Group::tuning().
    std::string tuning() const;

    /// Runs `function` once on every member's thread and returns when all have finished. When one throws, the
    /// others are released from whatever collective they wait in, and the first exception is rethrown here
    /// (an Aborted only if there is no other); the team can be used again afterwards. Throws MismatchError
    /// when members have ended in different calls. Calls from several threads take turns.
    void run(const std::function<void(Member&)>& function);

private:
    class Threads;
    std::unique_ptr<Threads> threads_;
};

} // namespace tutti
