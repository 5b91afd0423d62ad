#pragma once

#include "immovable.hpp"
#include "measure/calling.hpp"
#include "measure/problem.hpp"
#include "tasks/src/pass/pass.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tutti::bench {

using pass::Vectors;

/// The threads of one runtime system.
class Crew : Immovable {
public:
    virtual ~Crew() = default;

    /// Runs `body` once on every thread and returns when all have finished. It must not throw.
    virtual void run(const std::function<void(int rank)>& body) = 0;
};

/// The stack of each thread of an OpenMP library: private copies of arrays lie there.
inline constexpr std::size_t openmp_stack_bytes = std::size_t{256} << 20;

/// Somebody else's way to solve problems among threads of one process, which Tutti is compared with. Peers
/// are compiled into shared objects of their own, one for each runtime system: two OpenMP libraries can then
/// be in one process, and one that is not installed is missed by nobody else.
class Peer : Immovable {
public:
    virtual ~Peer() = default;

    /// The calls that solve `problem` as member `rank`; empty if this baseline cannot solve it, for all ranks
    /// alike. Called by every member on its own thread.
    virtual Calls calls(const Problem& problem, int rank, const Vectors& vectors) = 0;
};

/// The interface of a shared object of baselines.
class PeerModule : Immovable {
public:
    virtual ~PeerModule() = default;

    /// Throws std::runtime_error when it cannot be had here.
    virtual std::unique_ptr<Peer> peer(const std::string& name, int members) = 0;

    /// The threads on which its peers must run; nothing if any will do.
    virtual std::unique_ptr<Crew> crew(int /*members*/) { return nullptr; }
};

/// The function that each of these shared objects exports: its module, which lives for ever.
inline constexpr const char* peer_module_symbol = "tutti_peer_module";

/// A member's share of a problem: one pass over the data in blocks that stay in the first-level cache, plain
/// loops that the compiler vectorises for the machine it runs on, and stores past the caches where the
/// vectors do not fit into them. It synchronises nothing: what goes around it is up to the peer. Empty where
/// there are no such passes.
Calls plain_loops(const Problem& problem, int rank, const Vectors& vectors);

/// The names of all peers among threads.
std::vector<std::string> thread_peer_names();

/// Whether the peer brings threads that are not the members'. It cannot take turns with others: what its
/// threads do when they are done disturbs them. \pre one of thread_peer_names()
bool has_own_threads(const std::string& name);

/// The module that has a peer of this name, loaded on first use. Throws std::runtime_error with the reason if
/// it cannot be had: it was not built, or what it needs is not installed. \pre one of thread_peer_names()
PeerModule& peer_module(const std::string& name);

} // namespace tutti::bench
