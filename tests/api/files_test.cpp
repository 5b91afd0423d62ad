// Files that the environment asks for: traces, and what groups have learnt.

#include "../directory.hpp"
#include "trace_lines.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace {

class Folder : public Directory {
public:
    std::string text(const char* name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// Runs a test case of this program in the folder, with `environment`; its exit code. Messages go to
    /// "messages".
    int run_again(const std::string& environment, const std::string& test_case) const {
        const std::string self = std::filesystem::read_symlink("/proc/self/exe");
        return std::system(("cd '" + path("") + "'; " + environment + " '" + self +
                            "' --no-skip --test-case='" + test_case + "' > /dev/null 2> messages")
                               .c_str());
    }
};

constexpr const char* traced = "program that is traced";
constexpr const char* learns = "program that learns";

void learn(int members) {
    Team team(members, {.placement = Placement::none, .group = {.tuning = "on"}});
    team.run([](Member& me) {
        std::vector<int> values(8192, 1);
        for (int call = 0; call < 40; ++call) {
            me.allreduce(values, sum);
        }
    });
}

} // namespace

TEST_CASE("program that is traced" * doctest::skip()) {
    Team kept = team_of(2, Trace::off);
    kept.run([](Member& me) { me.barrier(); });
    Group gone(1);
    gone.run(0, [](Member& me) {
        me.barrier();
        me.dup().barrier();
    });
    std::filesystem::current_path("/"); // the file is where the process was when it made its first group
}

TEST_CASE("the environment names a file for the traces of all groups") {
    const Folder folder;
    REQUIRE(folder.run_again("TUTTI_TRACE=trace,steps", traced) == 0);
    const std::string text = folder.text("trace");
    const std::vector<Line> lines = lines_of(text);
    CHECK(std::ranges::count(lines, "operation", &Line::kind) >= 4);
    CHECK(std::ranges::count(lines, "step", &Line::kind) >= 4);
    check_mentions(text, {"\"group\":\"group 1 of 2 members\"", "\"group\":\"group 3 of 1 members\""});
}

TEST_CASE("program that ends when a signal has had its trace written" * doctest::skip()) {
    Team team = team_of(2, Trace::off);
    team.run([](Member& me) { me.barrier(); });
    const std::string file = std::getenv("TUTTI_TRACE");
    while (!std::filesystem::exists(file) || std::filesystem::file_size(file) == 0) {
        kill(getpid(), SIGUSR1);
        std::this_thread::sleep_for(10ms);
    }
    _exit(0);
}

TEST_CASE("the signal of roll calls has the file written") {
    const Folder folder;
    REQUIRE(folder.run_again("TUTTI_ROLL_CALL=USR1 TUTTI_TRACE=trace", "program that ends when a signal*") ==
            0);
    CHECK(folder.text("trace").starts_with("{\"group\":\"group 1 of 2 members\""));
}

TEST_CASE("a trace file that cannot be understood or written is told") {
    const Folder folder;
    CHECK(folder.run_again("TUTTI_TRACE=file,all", traced) == 0);
    CHECK(mentions(folder.text("messages"), "TUTTI_TRACE: \"file,all\""));
    CHECK(folder.run_again("TUTTI_TRACE=/nowhere/trace", traced) == 0);
    CHECK(mentions(folder.text("messages"), "TUTTI_TRACE: /nowhere/trace"));
}

TEST_CASE("program that learns" * doctest::skip()) {
    learn(2);
    learn(3);
    std::filesystem::current_path("/");
}

TEST_CASE("program that has a file of what it learnt" * doctest::skip()) {
    CHECK(mentions(Group(2, {.tuning = "on"}).tuning(), "file tuned, then"));
    CHECK(mentions(Group(2).tuning(), "file tuned"));
    CHECK(Group(2, {.tuning = "off"}).tuning() == "built-in choice");
}

TEST_CASE("the environment names a file for what a program has learnt, from which the next one begins") {
    const Folder folder;
    REQUIRE(folder.run_again("TUTTI_TUNING_SAVE=tuned", learns) == 0);
    const std::string text = folder.text("tuned");
    CHECK(text.starts_with("tutti-tuning "));
    for (const char* entry : {"\nallreduce exact 2 ", "\nallreduce exact 3 "}) {
        CHECK_MESSAGE(mentions(text, entry), text);
    }
    CHECK(folder.text("messages").empty());
    CHECK(folder.run_again("TUTTI_TUNING_SAVE=tuned", "program that has a file of what it learnt") == 0);
    CHECK(folder.text("tuned") == text);
    CHECK(folder.run_again("TUTTI_TUNING=tuned", learns) == 0);
    CHECK(folder.text("messages").empty());
}

TEST_CASE("a file that cannot be saved is reported at the start, and the variable is named") {
    const Folder folder;
    CHECK(folder.run_again("TUTTI_TUNING_SAVE=/nonesuch/tuned", learns) == 0);
    CHECK(folder.text("messages") ==
          "tutti: TUTTI_TUNING_SAVE: /nonesuch/tuned cannot be saved: No such file "
          "or directory; name another file\n");
    std::ofstream(folder.path("letter")) << "to a friend\n";
    CHECK(folder.run_again("TUTTI_TUNING_SAVE=letter", learns) == 0);
    check_mentions(folder.text("messages"), {"tutti: TUTTI_TUNING_SAVE: ",
                                             "letter cannot be saved: line 1: this is not a tuning file"});
    CHECK(folder.text("letter") == "to a friend\n");
}

TEST_CASE("a program that learns nothing writes no file") {
    const Folder folder;
    CHECK(folder.run_again("TUTTI_TUNING_SAVE=tuned", "program that has no file") == 0);
    CHECK(!std::filesystem::exists(folder.path("tuned")));
}

TEST_CASE("program that has no file" * doctest::skip()) {
    CHECK(Group(2, {.tuning = "off"}).tuning() == "built-in choice");
}

TEST_CASE("save_tuning names its argument and what is wrong with it") {
    const Folder folder;
    std::ofstream(folder.path("letter")) << "to a friend\n";
    for (const auto& [path, says] :
         {std::pair{std::string(), "save_tuning: `path` \"\" is not written: it is empty: name a file"},
          {folder.path("letter"), "this is not a tuning file"},
          {"/dev/null", "not a regular file"}}) {
        check_rejected(says, [&, &name = path] { save_tuning(name); });
    }
    learn(2);
    save_tuning(folder.path("tuned"));
    CHECK(mentions(folder.text("tuned"), "\nallreduce exact 2 "));
}
