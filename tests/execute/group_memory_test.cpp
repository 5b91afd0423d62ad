// What groups cost in memory, without a thread in them.

#include "algorithm/registry.hpp"
#include "group/group_state.hpp"
#include "group/mailbox_pages.hpp"
#include "mailbox/zero_pages.hpp"

#include <tutti/tutti.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

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

/// What the kernel knows of the mapping of this process that begins at this address.
std::string mapping_flags(const void* start) {
    std::ostringstream address;
    address << std::hex << reinterpret_cast<std::uintptr_t>(start) << '-';
    std::ifstream smaps("/proc/self/smaps");
    bool is_found = false;
    for (std::string line; std::getline(smaps, line);) {
        is_found = is_found || line.starts_with(address.str());
        if (is_found && line.starts_with("VmFlags:")) {
            return line + ' ';
        }
    }
    return {};
}

} // namespace

using namespace tutti;

TEST_CASE("mailboxes lie in small pages, each near the member whose it is") {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
        return;
    }
    const execute::ZeroPages pages(4 * mebibyte);
    CHECK(mapping_flags(pages.data()).find(" nh ") != std::string::npos);
}

TEST_CASE("a group takes memory in proportion to its members, and touches none of their mailboxes") {
    struct Bound {
        int members;
        std::size_t all;
        std::size_t resident;
    };
    for (const Bound& bound : {Bound{4096, 96 * mebibyte, 16 * mebibyte},
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

TEST_CASE("schedules that have not been asked for the longest are forgotten") {
    constexpr int members = 1024;
    detail::GroupState group(members, execute::Setting{});
    std::size_t row = 0;
    while (algorithm::registry()[row].name != "tree") {
        ++row;
    }
    const auto asked_for = [&](int root) {
        return group.schedules().synchronised({.row = row, .form = schedule::Form::separate, .root = root});
    };
    const std::shared_ptr<const schedule::Synchronised> in_use = asked_for(0);
    std::weak_ptr<const schedule::Synchronised> lately = asked_for(members - 1);
    std::vector<std::weak_ptr<const schedule::Synchronised>> others;
    std::size_t kept = 0;
    for (int root = 1; root < members - 1; ++root) {
        others.push_back(asked_for(root));
        CHECK(asked_for(members - 1) == lately.lock()); // still there
    }
    for (const auto& other : others) {
        kept += other.expired() ? 0U : 1U;
    }
    MESSAGE(kept, " of ", others.size(), " kept");
    CHECK(kept > 0);
    CHECK(kept < others.size());
    CHECK(others.front().expired());
    CHECK(in_use->schedule.root() == 0); // whoever holds one may go on with it
}
