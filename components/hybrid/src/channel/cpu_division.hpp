#pragma once

#include "immovable.hpp"
#include "machine/machine.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace tutti::hybrid {

/// The processes of a communicator that run on this one's node, and the CPUs that each is allowed.
class Node : Immovable {
public:
    /// Collective over `communicator`. Made by all its processes, or by none.
    explicit Node(MPI_Comm communicator);
    ~Node();

    int rank() const { return rank_; }
    /// The CPUs of each process, ascending.
    const std::vector<std::vector<int>>& cpus() const { return cpus_; }
    /// The CPUs that they have together, ascending.
    const std::vector<int>& all_cpus() const { return all_cpus_; }
    /// The sum of all processes' values. Collective over the node.
    int total(int value) const;

private:
    Node() = default;

    MPI_Comm communicator_ = MPI_COMM_NULL;
    int rank_ = 0;
    std::vector<std::vector<int>> cpus_;
    std::vector<int> all_cpus_;
};

/// The CPUs for process `rank` when the processes of a node, allowed `cpus`, divide them, one on each core
/// first; `note` gets the rule. `machine` has the CPUs of the process. Pure, so that machines other than this
/// one can be tried.
std::vector<int> divided(const machine::Machine& machine, const std::vector<std::vector<int>>& cpus, int rank,
                         std::string& note);

} // namespace tutti::hybrid
