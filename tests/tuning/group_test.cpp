#include "support.hpp"

#include <tutti/tutti.hpp>

using namespace tutti;
using test::mentions;
using tuning::Operands;

namespace {

/// A placement in one L3 group.
std::string one_cpu() {
    return std::to_string(tuning::this_machine().os_indices().front());
}

/// A table with one entry, in a file of its own: files are read once.
std::string file_with(const test::Directory& directory, const tuning::Entry& entry) {
    tuning::Table table = test::small_table();
    table.entries = {entry};
    static int files = 0;
    return directory.file("tuning" + std::to_string(files++), tuning::to_text(table));
}

/// The error when member 0 reduces and the others do not: which algorithm it was to be.
std::string signature_of(Member& me, int elements) {
    std::vector<int> values(static_cast<std::size_t>(elements), 1);
    try {
        if (me.rank() == 0) {
            me.allreduce(values, sum);
        } else {
            me.barrier();
        }
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("teams, groups and their sub-groups take their choices from the file they are given") {
    const test::Directory directory;
    const std::string path =
        file_with(directory, test::entry({Collective::allreduce, Operands::exact, 3, 1, 4096}, "ring"));
    const std::string then = ", then what is fastest here";
    const auto signature = [&](const GroupOptions& options, bool in_subgroup) {
        Team team(3, {.placement = one_cpu(), .group = options});
        CHECK(team.tuning() ==
              (options.tuning.empty() ? "built-in choice" : "file " + options.tuning) + then);
        std::string text;
        try {
            team.run([&](Member& me) {
                Member own = me.dup();
                const std::string claimed = signature_of(in_subgroup ? own : me, 1024);
                if (me.rank() == 0) {
                    text = claimed;
                }
            });
        } catch (const Error&) {
            CHECK(!in_subgroup); // in the group itself the failure ends the run
        }
        return text;
    };
    CHECK(mentions(signature({.tuning = path}, false), "(algorithm ring)"));
    CHECK(mentions(signature({.tuning = path}, true), "(algorithm ring)"));
    CHECK(mentions(signature({}, false), "(algorithm flat)"));
    const Group group(3, {.tuning = path});
    CHECK(group.tuning() == "file " + path + then);
}

TEST_CASE("a group that is given a file which is refused works as without") {
    const test::Directory directory;
    const std::string path = directory.file("damaged", "tutti-tuning 10\n");
    Team team(2, {.group = {.tuning = path}});
    CHECK(mentions(team.tuning(),
                   "built-in choice; GroupOptions::tuning: tuning file " + path + " is refused: "));
    std::vector<int> sums(2);
    team.run(
        [&](Member& me) { me.allreduce(me.rank() + 1, sums[static_cast<std::size_t>(me.rank())], sum); });
    CHECK(sums == std::vector<int>{3, 3});
}

namespace {

/// Values of which no two orders of summation need give the same.
std::vector<double> values_of(int rank, std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = 1.0 / static_cast<double>(3 + i + 7 * static_cast<std::size_t>(rank));
    }
    return values;
}

/// The sums of all members, of integers and of others.
struct Sums {
    std::vector<std::vector<long>> exact;
    std::vector<std::vector<double>> serial;

    friend bool operator==(const Sums&, const Sums&) = default;
};

Sums sums_with(const std::string& path, int members, std::size_t count) {
    Team team(members, {.placement = one_cpu(), .group = {.tuning = path}});
    Sums sums;
    sums.exact.resize(static_cast<std::size_t>(members), std::vector<long>(count));
    sums.serial.resize(static_cast<std::size_t>(members), std::vector<double>(count));
    team.run([&](Member& me) {
        const auto own = static_cast<std::size_t>(me.rank());
        std::vector<long> integers(count);
        std::iota(integers.begin(), integers.end(), 100L * me.rank());
        me.allreduce(integers, sums.exact[own], sum);
        me.allreduce(values_of(me.rank(), count), sums.serial[own], sum);
    });
    return sums;
}

} // namespace

TEST_CASE("whatever a table chooses, no result differs by a bit") {
    const test::Directory directory;
    constexpr int members = 4;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{3000}}) {
        const Sums expected = sums_with("", members, count);
        const std::size_t bytes = count * sizeof(double);
        for (const algorithm::Algorithm& row : algorithm::registry()) {
            for (const Operands operands : {Operands::exact, Operands::ordered}) {
                if (row.collective == Collective::allreduce && tuning::may_choose(row, operands, members)) {
                    const tuning::Point point{Collective::allreduce, operands, members, 1, bytes};
                    const std::string path = file_with(directory, test::entry(point, row.name));
                    CHECK_MESSAGE((sums_with(path, members, count) == expected), row.name, " ", count);
                }
            }
        }
    }
}
