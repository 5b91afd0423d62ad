// Learnt choices of a process, saved to files.

#include "choose/tuning_file.hpp"
#include "support.hpp"

#include <sys/stat.h>
#include <sys/wait.h>

using namespace tutti;
using namespace tutti::test;
using tuning::Operands;

namespace {

tuning::Entry entry_of(int members, std::size_t bytes, std::string_view name = "direct") {
    return entry({Collective::allreduce, Operands::exact, members, 1, bytes}, name);
}

tuning::Table table_of(const std::vector<tuning::Entry>& entries) {
    tuning::Table table = small_table();
    table.entries = entries;
    return table;
}

/// Has children do that, each with its number, at the same time. Learnt choices end with their process.
void in_children(int count, const std::function<void(int)>& act) {
    std::vector<pid_t> children;
    for (int child = 0; child < count; ++child) {
        children.push_back(fork());
        REQUIRE(children.back() >= 0);
        if (children.back() == 0) {
            try {
                act(child);
                _exit(0);
            } catch (...) {
                _exit(1);
            }
        }
    }
    for (const pid_t child : children) {
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
}

tuning::Table loaded(const std::string& path) {
    return tuning::load(path, tuning::this_machine());
}

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

} // namespace

TEST_CASE("what has been learnt takes the place of entries of the same power of two, and of no others") {
    const tuning::Table table = table_of({entry_of(2, 32768), entry_of(2, 65536), entry_of(2, 98304),
                                          entry_of(2, 131072), entry_of(4, 65536)});
    const std::vector<tuning::Entry> learnt{entry_of(2, 80000, "flat")};
    CHECK(tuning::merged(table, learnt) == table_of({entry_of(2, 32768), entry_of(2, 80000, "flat"),
                                                     entry_of(2, 131072), entry_of(4, 65536)}));
    tuning::Entry in_place = entry_of(2, 65536);
    in_place.point.in_place = true;
    CHECK(tuning::merged(table, std::vector{in_place}).entries.size() == 6);
    CHECK(tuning::merged(table, {}) == table);
}

TEST_CASE("several processes save to one file at the same time, and nothing is lost") {
    const Directory directory;
    const std::string path = directory.path("tuned");
    constexpr int processes = 8;
    const auto learnt = [](int child, unsigned repeat) {
        return entry_of(2 + child, std::size_t{16384} << repeat, repeat % 2 == 0 ? "direct" : "flat");
    };
    in_children(processes, [&](int child) {
        for (unsigned repeat = 0; repeat < 10; ++repeat) {
            tuning::learn(learnt(child, repeat));
            tuning::save(path);
            loaded(path); // whole at any time
        }
    });
    std::vector<tuning::Entry> all;
    for (int child = 0; child < processes; ++child) {
        for (unsigned repeat = 0; repeat < 10; ++repeat) {
            all.push_back(learnt(child, repeat));
        }
    }
    CHECK(loaded(path) == table_of(all));
    CHECK(files_in(directory.path("")) == 1);
}

TEST_CASE("files that are not tuning files of this machine are left as they are") {
    const Directory directory;
    tuning::Table foreign = small_table();
    foreign.machine.back() += "0";
    tuning::Table old = small_table();
    old.library = "0.0.1-other";
    const std::string texts[] = {tuning::to_text(foreign), tuning::to_text(old), "letter to a friend\n", ""};
    for (const std::string& text : texts) {
        const std::string path = directory.file("other", text);
        CHECK(!message_of([&] { tuning::save(path); }).empty());
        CHECK(tuning::read_file(path) == text);
    }
    CHECK(mentions(message_of([&] { tuning::save(directory.file("other", texts[0])); }), "another machine"));
    REQUIRE(mkfifo(directory.path("pipe").c_str(), 0600) == 0);
    CHECK(mentions(message_of([&] { tuning::save(directory.path("pipe")); }), "not a regular file"));
    CHECK(mentions(message_of([&] { tuning::save("/dev/null"); }), "not a regular file"));
    CHECK(mentions(message_of([&] { tuning::save(directory.path("")); }), "not a regular file"));
    CHECK(mentions(message_of([&] { tuning::save(directory.path("missing/file")); }), "No such file"));
    CHECK(mentions(message_of([&] { tuning::save(directory.path("pipe/file")); }), "Not a directory"));
    CHECK(mentions(message_of([] { tuning::save(""); }), "it is empty"));
    CHECK(files_in(directory.path("")) == 2);
}
