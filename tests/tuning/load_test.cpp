#include "support.hpp"

#include <fcntl.h>
#include <sys/stat.h>

using namespace tutti;
using test::mentions;

namespace {

/// The output of `call` on stderr.
template <class Call>
std::string stderr_of(const test::Directory& directory, Call call) {
    const std::string path = directory.path("stderr");
    std::fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(file >= 0);
    dup2(file, STDERR_FILENO);
    call();
    std::fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    return tuning::read_file(path);
}

/// With the environment variable set, while it lives.
class Environment {
public:
    explicit Environment(const std::string& value, const char* name = "TUTTI_TUNING") : name_(name) {
        setenv(name_, value.c_str(), 1);
    }
    ~Environment() { unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* name_;
};

std::string without_machine(tuning::Table table, std::size_t line) {
    table.machine[line] += "0";
    return tuning::to_text(table);
}

} // namespace

TEST_CASE("a table of this machine and version is loaded") {
    const test::Directory directory;
    const std::string path = directory.file("good", tuning::to_text(test::small_table()));
    CHECK(tuning::load(path, tuning::this_machine()) == test::small_table());
}

TEST_CASE("a table of another machine is refused, whatever of it differs") {
    const test::Directory directory;
    for (std::size_t line = 0; line < tuning::fingerprint_lines; ++line) {
        const std::string path = directory.file("foreign", without_machine(test::small_table(), line));
        const std::string refusal = test::message_of([&] { tuning::load(path, tuning::this_machine()); });
        CHECK_MESSAGE(mentions(refusal, "another machine"), line, ": ", refusal);
    }
    machine::Machine fewer = tuning::this_machine();
    fewer.pus.resize(1);
    const std::string path = directory.file("here", tuning::to_text(test::small_table()));
    if (tuning::this_machine().pus.size() > 1) {
        CHECK(mentions(test::message_of([&] { tuning::load(path, fewer); }), "another machine"));
    }
}

TEST_CASE("a table of another version of the library is refused") {
    const test::Directory directory;
    tuning::Table table = test::small_table();
    table.library = "0.0.1-other";
    const std::string path = directory.file("old", tuning::to_text(table));
    CHECK(mentions(test::message_of([&] { tuning::load(path, tuning::this_machine()); }),
                   "made with version 0.0.1-other"));
}

TEST_CASE("processors may name themselves as they like") {
    machine::Machine machine = tuning::this_machine();
    machine.model = "Evil\nend 0 0\x01 \xC3\xBC";
    tuning::Table table = test::small_table();
    table.machine = tuning::fingerprint(machine);
    CHECK(tuning::parse(tuning::to_text(table)) == table);
    machine.model = "";
    table.machine = tuning::fingerprint(machine);
    CHECK(tuning::parse(tuning::to_text(table)) == table);
}

TEST_CASE("what is refused is reported once on stderr, and the built-in choice is used") {
    const test::Directory directory;
    const std::string whole = tuning::to_text(test::small_table());
    REQUIRE(mkfifo(directory.path("pipe").c_str(), 0600) == 0);
    const std::vector<std::string> paths{
        directory.file("truncated", whole.substr(0, 200)),
        directory.file("binary", std::string(4096, '\0')),
        directory.file("nested", std::string(100'000, '{')),
        directory.file("empty", ""),
        directory.file("huge", std::string(tuning::most_file_bytes + 1, 'x')),
        directory.path("missing"),
        directory.path("pipe"),
        directory.path(""),
        "/dev/zero",
        directory.file("foreign", without_machine(test::small_table(), 0))};
    for (const std::string& path : paths) {
        tuning::Source source;
        const std::string text = stderr_of(directory, [&] { source = tuning::source_of(path); });
        CHECK(source.table == nullptr);
        CHECK(mentions(source.text,
                       "built-in choice; GroupOptions::tuning: tuning file " + path + " is refused: "));
        CHECK(mentions(text, "tutti: GroupOptions::tuning: tuning file " + path + " is refused: "));
        CHECK(text.find('\n') == text.size() - 1);
        const std::string again =
            stderr_of(directory, [&] { CHECK(tuning::source_of(path).text == source.text); });
        CHECK(again.empty());
    }
}

TEST_CASE("the environment variable is for those who name no file") {
    const test::Directory directory;
    const std::string first = directory.file("first", tuning::to_text(test::small_table()));
    const std::string second = directory.file("second", tuning::to_text(test::small_table()));
    CHECK(tuning::source_of("").table == nullptr);
    CHECK(tuning::source_of("").text == "built-in choice");
    const Environment environment(first);
    CHECK(tuning::source_of("").text == "file " + first);
    REQUIRE(tuning::source_of("").table != nullptr);
    CHECK(*tuning::source_of("").table == test::small_table());
    CHECK(tuning::source_of(second).text == "file " + second);
    const Environment empty("");
    CHECK(tuning::source_of("").text == "built-in choice");
}

TEST_CASE("a file that is refused is reported under the name of the variable that names it") {
    const test::Directory directory;
    const std::string path = directory.file("wrong", "wrong");
    for (const char* name : {"TUTTI_TUNING", "TUTTI_TUNING_SAVE"}) {
        const Environment environment(path, name);
        const std::string text = stderr_of(directory, [] { static_cast<void>(tuning::source_of("")); });
        CHECK(mentions(text, "tutti: " + std::string(name) + ": tuning file " + path + " is refused: "));
        CHECK(mentions(tuning::source_of("").text, std::string(name) + ": tuning file "));
    }
}

TEST_CASE("the file that a program saves to is read if there is one, unless another one is named") {
    const test::Directory directory;
    const std::string saved = directory.path("saved");
    const Environment environment(saved, "TUTTI_TUNING_SAVE");
    const std::string text =
        stderr_of(directory, [] { CHECK(tuning::source_of("").text == "built-in choice"); });
    CHECK(text.empty());
    CHECK(directory.file("saved", tuning::to_text(test::small_table())) == saved);
    CHECK(tuning::source_of("").text == "file " + saved);
    CHECK(tuning::source_of("").explores);
    CHECK(tuning::source_of("on").text == "file " + saved);
    CHECK(tuning::source_of("on").explores);
    CHECK(tuning::source_of("off").table == nullptr);
    CHECK_FALSE(tuning::source_of("off").explores);
    const std::string other = directory.file("other", tuning::to_text(test::small_table()));
    CHECK(tuning::source_of(other).text == "file " + other);
}

TEST_CASE("threads that ask at the same time get the same table") {
    const test::Directory directory;
    const std::string path = directory.file("good", tuning::to_text(test::small_table()));
    std::vector<const tuning::Table*> tables(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(tables.size());
        for (auto& table : tables) {
            threads.emplace_back([&] { table = tuning::source_of(path).table.get(); });
        }
    }
    CHECK(tables.front() != nullptr);
    CHECK(tables == std::vector<const tuning::Table*>(4, tables.front()));
}
