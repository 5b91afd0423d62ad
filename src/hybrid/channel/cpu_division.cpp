#include "hybrid/channel/cpu_division.hpp"

#include "hybrid/channel/mpi_check.hpp"
#include "hybrid/channel/together.hpp"
#include "machine/pinning.hpp"

#include <tutti/mpi.hpp>

#include <algorithm>
#include <numeric>
#include <set>

namespace tutti::hybrid {

Node::Node(MPI_Comm communicator) : Node() {
    check(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &communicator_),
          "MPI_Comm_split_type");
    int size = 0;
    check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(communicator_, &size), "MPI_Comm_size");
    std::vector<int> own;
    std::vector<int> counts;
    std::vector<int> places;
    together(communicator, [&] {
        own = machine::process_cpus();
        counts.resize(static_cast<std::size_t>(size));
        places.resize(counts.size() + 1);
    });
    const int count = static_cast<int>(own.size());
    check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, communicator_), "MPI_Allgather");
    std::inclusive_scan(counts.begin(), counts.end(), places.begin() + 1);
    std::vector<int> all;
    together(communicator, [&] { all.resize(static_cast<std::size_t>(places.back())); });
    check(MPI_Allgatherv(own.data(), count, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                         communicator_),
          "MPI_Allgatherv");
    together(communicator, [&] {
        for (std::size_t process = 0; process < counts.size(); ++process) {
            cpus_.emplace_back(all.begin() + places[process], all.begin() + places[process + 1]);
        }
        const std::set<int> different(all.begin(), all.end());
        all_cpus_.assign(different.begin(), different.end());
    });
}

Node::~Node() {
    if (communicator_ != MPI_COMM_NULL) {
        MPI_Comm_free(&communicator_);
    }
}

int Node::total(int value) const {
    int sum = 0;
    check(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, communicator_), "MPI_Allreduce");
    return sum;
}

namespace {

/// Each CPU to the process with the fewest so far of those that may use it, those that few may use first; a
/// process left without gets the first that it may use.
std::vector<std::vector<int>> dealt(const std::vector<std::vector<int>>& cpus, const std::set<int>& all) {
    std::vector<std::vector<int>> hands(cpus.size());
    const auto users = [&](int cpu) {
        return std::ranges::count_if(cpus,
                                     [&](const auto& each) { return std::ranges::binary_search(each, cpu); });
    };
    std::vector<int> rarest_first(all.begin(), all.end());
    std::ranges::stable_sort(rarest_first, {}, users);
    for (const int cpu : rarest_first) {
        std::vector<int>* least = nullptr;
        for (std::size_t process = 0; process < cpus.size(); ++process) {
            const bool may = std::ranges::binary_search(cpus[process], cpu);
            if (may && (least == nullptr || hands[process].size() < least->size())) {
                least = &hands[process];
            }
        }
        least->push_back(cpu);
    }
    for (std::size_t process = 0; process < cpus.size(); ++process) {
        std::ranges::sort(hands[process]);
        if (hands[process].empty() && !cpus[process].empty()) {
            hands[process].push_back(cpus[process].front());
        }
    }
    return hands;
}

} // namespace

std::vector<int> divided(const std::vector<std::vector<int>>& cpus, int rank, std::string& note) {
    const auto own = static_cast<std::size_t>(rank);
    const std::size_t processes = cpus.size();
    std::set<int> all_cpus;
    std::size_t sum = 0;
    for (const auto& each : cpus) {
        all_cpus.insert(each.begin(), each.end());
        sum += each.size();
    }
    const std::string of_node = std::to_string(processes) + " processes on this node";
    if (sum == all_cpus.size()) {
        note = of_node + " have CPUs of their own: kept";
        return cpus[own];
    }
    const bool identical = std::ranges::all_of(cpus, [&](const auto& each) { return each == cpus.front(); });
    note = of_node + (identical ? " have identical masks" : " have masks that overlap") + " (" +
           std::to_string(all_cpus.size()) + " CPUs in all): ";
    if (!identical) {
        note += "each CPU to the process with the fewest of those that may use it";
        return dealt(cpus, all_cpus)[own];
    }
    const std::vector<int>& all = cpus.front();
    if (processes > all.size()) {
        note += "one CPU each, in turn";
        return {all[own % all.size()]};
    }
    note += "divided in rank order";
    const auto begin = static_cast<std::ptrdiff_t>(own * all.size() / processes);
    const auto end = static_cast<std::ptrdiff_t>((own + 1) * all.size() / processes);
    return {all.begin() + begin, all.begin() + end};
}

} // namespace tutti::hybrid

namespace tutti::inline TUTTI_NAMESPACE::mpi {

Share divide_cpus(MPI_Comm communicator) {
    hybrid::require_communicator("divide_cpus", communicator);
    const hybrid::Node node(communicator);
    Share share;
    const std::vector<int> cpus = hybrid::divided(node.cpus(), node.rank(), share.note);
    share.cpus = static_cast<int>(cpus.size());
    for (const int cpu : cpus) {
        share.placement += (share.placement.empty() ? "" : ",") + std::to_string(cpu);
    }
    return share;
}

} // namespace tutti::inline TUTTI_NAMESPACE::mpi
