#include "hybrid/src/channel/mpi_calls.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"

#include <tutti/mpi.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

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

using Pus = std::span<const machine::Pu>;

/// Those of each core, L3 or another part of the machine.
std::vector<Pus> divided_by(int machine::Pu::*part, Pus pus) {
    std::vector<Pus> found;
    for (std::size_t begin = 0, end = 0; begin < pus.size(); begin = end) {
        while (end < pus.size() && pus[end].*part == pus[begin].*part) {
            ++end;
        }
        found.push_back(pus.subspan(begin, end - begin));
    }
    return found;
}

/// Part `own` of so many: within an L3, NUMA node or package, or of whole ones, if that is possible and the
/// parts have nearly as many CPUs as each other; otherwise of equally many cores, or CPUs if there are fewer
/// cores than parts.
Pus equal_part(Pus pus, std::size_t own, std::size_t parts) {
    const auto joined = [&](const std::vector<Pus>& units) {
        const Pus first = units[own * units.size() / parts];
        const Pus last = units[(own + 1) * units.size() / parts - 1];
        return Pus(first.data(), last.data() + last.size());
    };
    for (int machine::Pu::*const level : {&machine::Pu::package, &machine::Pu::numa, &machine::Pu::l3}) {
        const std::vector<Pus> units = divided_by(level, pus);
        const auto [least, most] = std::ranges::minmax(units, {}, &Pus::size);
        if (least.size() * 4 < most.size() * 3) {
            continue;
        }
        if (units.size() % parts == 0) {
            return joined(units);
        }
        if (parts % units.size() == 0) {
            parts /= units.size();
            pus = units[own / parts];
            own %= parts;
        }
    }
    const std::vector<Pus> cores = divided_by(&machine::Pu::core, pus);
    if (cores.size() >= parts) {
        return joined(cores);
    }
    return joined(divided_by(&machine::Pu::os_index, pus));
}

/// One on each core first.
std::vector<int> spread(const machine::Machine& machine, const std::vector<int>& cpus) {
    return cpus.empty() ? cpus : machine::cores_first(machine::restrict(machine, cpus).pus);
}

/// For one of the processes that have this mask.
std::vector<int> divided(const machine::Machine& machine, const std::vector<int>& mask, std::size_t own,
                         std::size_t processes, std::string& note) {
    const machine::Machine allowed = machine::restrict(machine, mask);
    if (processes > mask.size()) {
        note += "one CPU each, in turn";
        return {machine::cores_first(allowed.pus)[own % mask.size()]};
    }
    note += "divided in rank order";
    return machine::cores_first(equal_part(allowed.pus, own, processes));
}

} // namespace

std::vector<int> divided(const machine::Machine& machine, const std::vector<std::vector<int>>& cpus, int rank,
                         std::string& note) {
    const auto own = cpus.begin() + rank;
    const std::set<std::vector<int>> masks(cpus.begin(), cpus.end());
    std::set<int> all;
    std::size_t sum = 0;
    for (const auto& mask : masks) {
        all.insert(mask.begin(), mask.end());
        sum += mask.size();
    }
    const std::string of_node = std::to_string(cpus.size()) + " processes on this node have ";
    const bool are_disjoint = sum == all.size();
    if (are_disjoint && masks.size() == cpus.size()) {
        note = of_node + "CPUs of their own: kept";
        return spread(machine, *own);
    }
    note = of_node +
           (masks.size() == 1 ? "identical masks"
            : are_disjoint    ? "masks that are identical or share no CPU"
                              : "masks that overlap") +
           " (" + std::to_string(all.size()) + " CPUs in all): ";
    if (!are_disjoint) {
        note += "each CPU to the process with the fewest of those that may use it";
        return spread(machine, dealt(cpus, all)[static_cast<std::size_t>(rank)]);
    }
    const auto before = static_cast<std::size_t>(std::count(cpus.begin(), own, *own));
    return divided(machine, *own, before, static_cast<std::size_t>(std::ranges::count(cpus, *own)), note);
}

} // namespace tutti::hybrid

namespace tutti::v0_1 {

CpuShare divide_cpus(MPI_Comm communicator) {
    hybrid::require_communicator("divide_cpus", communicator);
    const hybrid::Node node(communicator);
    CpuShare share;
    const std::vector<int> cpus = hybrid::divided(machine::here(), node.cpus(), node.rank(), share.note);
    share.cpus = static_cast<int>(cpus.size());
    share.placement = Placement::cpus(cpus);
    return share;
}

} // namespace tutti::v0_1
