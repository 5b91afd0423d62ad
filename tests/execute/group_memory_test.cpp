// The memory of groups without a thread in them.

#include "../on_threads.hpp"
#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"
#include "group/shared_memory.hpp"
#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "mailbox/mailbox.hpp"

#include <tutti/tutti.hpp>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

/// Pages of the process: all, and those in memory.
struct Pages {
    std::size_t all = 0;
    std::size_t resident = 0;

    static Pages now() {
        Pages pages;
        std::ifstream("/proc/self/statm") >> pages.all >> pages.resident;
        const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        return {pages.all * page_bytes, pages.resident * page_bytes};
    }
};

/// The kernel's entry in /proc/self/smaps for the mapping of this process that has this address.
std::string mapping(const void* place) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(place);
    std::ifstream smaps("/proc/self/smaps");
    std::string found;
    bool is_wanted = false;
    for (std::string line; std::getline(smaps, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        if (std::istringstream(line) >> std::hex >> begin >> dash >> end && dash == '-') {
            is_wanted = begin <= wanted && wanted < end;
        }
        found += is_wanted ? line + " \n" : "";
    }
    return found;
}

/// Its entry for the mapping that begins there in /proc/self/numa_maps, if there is such a file.
std::string policy(const void* start) {
    std::ostringstream address;
    address << std::hex << reinterpret_cast<std::uintptr_t>(start) << ' ';
    std::ifstream maps("/proc/self/numa_maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.starts_with(address.str())) {
            return line;
        }
    }
    return {};
}

/// The first CPU of each node that this process may use.
std::vector<int> cpu_of_each_node() {
    std::vector<int> cpus;
    std::set<int> nodes;
    for (const tutti::machine::Pu& pu : tutti::machine::here().pus) {
        if (nodes.insert(pu.numa).second) {
            cpus.push_back(pu.os_index);
        }
    }
    return cpus;
}

/// The system's number of the node that a CPU belongs to, below 0 if it knows none.
int node_of(int cpu) {
    for (int node = 0; node < 1024; ++node) {
        if (std::filesystem::exists("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/node" +
                                    std::to_string(node))) {
            return node;
        }
    }
    return -1;
}

/// The node on which the page is that begins there, below 0 if there is none.
int node_of_page(const void* page) {
    int node = -1;
    return syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) == 0 ? node : -1;
}

/// Whether the constructor leaves nothing but zero bytes.
template <class T>
bool is_made_of_zeros() {
    const std::vector<std::byte> zeros(sizeof(T));
    const std::unique_ptr<std::byte, decltype(&std::free)> place(
        static_cast<std::byte*>(std::aligned_alloc(alignof(T), sizeof(T))), &std::free);
    std::memcpy(place.get(), zeros.data(), sizeof(T));
    new (place.get()) T;
    return std::memcmp(place.get(), zeros.data(), sizeof(T)) == 0;
}

} // namespace

using namespace tutti;

TEST_CASE("mailboxes lie in small pages, each near the member whose it is") {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
        return;
    }
    const library::ZeroPages pages(4 * mebibyte);
    CHECK(mapping(pages.data()).find(" nh ") != std::string::npos);
}

TEST_CASE("zero bytes are what constructors of objects in zero pages leave") {
    CHECK(is_made_of_zeros<mailbox::Slot>());
    CHECK(is_made_of_zeros<mailbox::Board>());
    CHECK(is_made_of_zeros<library::MemberStatus>());
    CHECK(is_made_of_zeros<library::Starts>());
    CHECK(is_made_of_zeros<library::MemberRecord>());
}

TEST_CASE("the kernel moves no page of a mailbox to a member that reads it") {
    const library::ZeroPages pages(4 * mebibyte);
    pages.data()[0] = std::byte{1}; // numa_maps lists no mapping without pages
    const std::string policy_of_pages = policy(pages.data());
    if (policy_of_pages.empty() || machine::here().numa_nodes() < 2) { // nothing moves within one node
        MESSAGE("skipped: the memory has one node");
        return;
    }
    CHECK(policy_of_pages.find(" local ") != std::string::npos);
}

TEST_CASE("who awaits the members of a group touches none of their pages") {
    detail::GroupState group(8, library::GroupConfig{}, library::diagnosis_of);
    group.memory().expect_all();
    CHECK(mapping(&group.memory().status(0)).find("Anonymous:             0 kB") != std::string::npos);
    group.memory().leave_for_good(0);
    CHECK(mapping(&group.memory().status(0)).find("Anonymous:             0 kB") == std::string::npos);
    CHECK(group.has_left_for_good(0));
    group.memory().expect_all();
    CHECK_FALSE(group.has_left_for_good(0));
}

TEST_CASE("what a member shows lies on its node") {
    const std::vector<int> cpus = cpu_of_each_node();
    if (cpus.size() < 2) {
        MESSAGE("skipped: this process may use the CPUs of one node only");
        return;
    }
    const auto members = static_cast<int>(cpus.size());
    const auto group = std::make_shared<detail::GroupState>(members, library::config_for(members, {}),
                                                            library::diagnosis_of);
    group->memory().expect_all(); // by a thread that is on one of the nodes
    test::on_threads(members, [&](int rank) {
        machine::pin_this_thread(cpus[static_cast<std::size_t>(rank)]);
        Member me(group, group->seat(rank));
        std::vector<double> staged(64, 1.0);
        for (int call = 0; call < 16; ++call) {
            me.allreduce(staged, sum);
        }
    });
    for (int rank = 0; rank < members; ++rank) {
        // Other pages have several members.
        const void* const page = group->memory().mailbox().staging(rank, 0);
        const int node = node_of(cpus[static_cast<std::size_t>(rank)]);
        MESSAGE("member ", rank, " on node ", node, ": ", policy(group->memory().mailbox().staging(0, 0)));
        CHECK(node_of_page(page) == node);
    }
}

TEST_CASE("a group takes memory in proportion to its members, and touches none of their mailboxes") {
    struct Bound {
        int members;
        std::size_t all;
        std::size_t resident;
    };
    for (const Bound& bound : {Bound{4096, 160 * mebibyte, 16 * mebibyte},
                               Bound{plan::most_members, 4096 * mebibyte, 256 * mebibyte}}) {
        const Pages before = Pages::now();
        const Group group(bound.members);
        const Pages after = Pages::now();
        MESSAGE(bound.members, " members: ", (after.all - before.all) / mebibyte, " MiB, ",
                (after.resident - before.resident) / mebibyte, " MiB in memory");
        CHECK(after.all - before.all < bound.all);
        CHECK(after.resident - before.resident < bound.resident);
    }
}

TEST_CASE("the first schedules stay, and of the others those that have not been asked for the longest are "
          "forgotten") {
    constexpr int members = 1024;
    detail::GroupState group(members, library::GroupConfig{}, library::diagnosis_of);
    std::size_t row = 0;
    while (algorithm::registry()[row].name != "tree") {
        ++row;
    }
    const auto asked_for = [&](int root) {
        return group.schedules().synchronised(
            {.row = row, .protocol = schedule::Protocol::zero_copy, .root = root});
    };
    const std::shared_ptr<const schedule::Synchronised> in_use = asked_for(0);
    std::vector<std::weak_ptr<const schedule::Synchronised>> others;
    std::size_t kept = 0;
    std::weak_ptr<const schedule::Synchronised> lately;
    constexpr int beyond_the_first = members / 2;
    for (int root = 1; root < members; ++root) {
        others.push_back(asked_for(root));
        if (root == beyond_the_first) {
            lately = others.back();
        }
        if (root >= beyond_the_first) {
            CHECK(asked_for(beyond_the_first) == lately.lock()); // still there
        }
    }
    for (const auto& other : others) {
        kept += other.expired() ? 0U : 1U;
    }
    MESSAGE(kept, " of ", others.size(), " kept");
    CHECK(kept > 0);
    CHECK(kept < others.size());
    CHECK(!others.front().expired());
    CHECK(!others.back().expired());
    const auto end_of_the_first =
        std::ranges::find_if(others, [](const auto& other) { return other.expired(); });
    CHECK(end_of_the_first < others.begin() + beyond_the_first);
    CHECK(in_use->schedule.root() == 0); // whoever holds one may go on with it
}
