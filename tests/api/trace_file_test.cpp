// Files that the environment asks for.
#include "trace_lines.hpp"

#include <tutti/tutti.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <csignal>

using namespace tutti;
using namespace std::chrono_literals;
using namespace tutti::test;

namespace {

constexpr const char* traced = "program that is traced";

/// What a shell says of this program with `environment`, running that test case; `output` goes where it says.
int run_again(const std::string& environment, const std::string& output = "> /dev/null 2>&1",
              const std::string& test_case = traced) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    return std::system(
        (environment + " '" + self + "' --no-skip --test-case='" + test_case + "' " + output).c_str());
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
}

TEST_CASE("the environment names a file for the traces of all groups") {
    const std::string name =
        (std::filesystem::temp_directory_path() / ("tutti_trace_test." + std::to_string(getpid()))).string();
    REQUIRE(run_again("TUTTI_TRACE='" + name + ",steps'") == 0);
    std::ifstream file(name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(name);
    const std::vector<Line> lines = lines_of(text);
    CHECK(std::ranges::count(lines, "operation", &Line::kind) >= 4);
    CHECK(std::ranges::count(lines, "step", &Line::kind) >= 4);
    CHECK(text.find("\"group\":\"group 1 of 2 members\"") != std::string::npos);
    CHECK(text.find("\"group\":\"group 3 of 1 members\"") != std::string::npos);
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

TEST_CASE("program that goes elsewhere" * doctest::skip()) {
    Team team = team_of(1, Trace::off);
    team.run([](Member& me) { me.barrier(); });
    std::filesystem::current_path("/");
}

TEST_CASE("a file is where the process was when it made its first group") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const std::string name = "tutti_trace_here." + std::to_string(getpid());
    REQUIRE(run_again("cd '" + folder.string() + "'; TUTTI_TRACE='" + name + "'", "> /dev/null 2>&1",
                      "program that goes elsewhere") == 0);
    CHECK(std::filesystem::remove(folder / name));
}

TEST_CASE("the signal of roll calls has the file written") {
    const std::string name =
        (std::filesystem::temp_directory_path() / ("tutti_trace_signal." + std::to_string(getpid())))
            .string();
    REQUIRE(run_again("TUTTI_ROLL_CALL=USR1 TUTTI_TRACE='" + name + "'", "> /dev/null 2>&1",
                      "program that ends when a signal*") == 0);
    std::ifstream file(name);
    std::string line;
    CHECK(std::getline(file, line));
    CHECK(line.starts_with("{\"group\":\"group 1 of 2 members\""));
    std::filesystem::remove(name);
}

TEST_CASE("a file that cannot be understood or written is told") {
    CHECK(run_again("TUTTI_TRACE=file,all", "2>&1 | grep -q 'TUTTI_TRACE: \"file,all\"'") == 0);
    CHECK(run_again("TUTTI_TRACE=/nowhere/trace", "2>&1 | grep -q 'TUTTI_TRACE: /nowhere/trace'") == 0);
}
