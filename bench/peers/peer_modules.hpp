#pragma once

#include "peers/peer.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// The names of all peers among threads.
std::vector<std::string> thread_peer_names();

/// Whether the peer brings threads that are not the members'. It cannot take turns with others: what its
/// threads do when they are done disturbs them. \pre one of thread_peer_names()
bool has_own_threads(const std::string& name);

/// The module that has a peer of this name, loaded on first use. Throws std::runtime_error with the reason if
/// it cannot be had: it was not built, or what it needs is not installed. \pre one of thread_peer_names()
PeerModule& peer_module(const std::string& name);

} // namespace tutti::bench
