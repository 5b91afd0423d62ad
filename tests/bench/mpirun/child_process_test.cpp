#include "../../test.hpp"
#include "mpirun/child_process.hpp"

using namespace tutti::bench;

TEST_CASE("a child that fails, cannot be started or hangs is reported") {
    const auto ignore = [](const std::string&) {};
    CHECK(run_child({"true"}, 10, ignore).failure.empty());
    CHECK(run_child({"sh", "-c", "exit 3"}, 10, ignore).exit_code == 3);
    CHECK(run_child({"sh", "-c", "kill -9 $$"}, 10, ignore).failure == "sh was killed by signal 9");
    CHECK_FALSE(run_child({"/nonexistent/program"}, 10, ignore).failure.empty());
    CHECK(run_child({"sleep", "1000"}, 1, ignore).failure == "sleep made no progress for 1 s");
    std::vector<std::string> lines;
    run_child({"sh", "-c", "echo one; echo two >&2; printf three"}, 10,
              [&](const std::string& line) { lines.push_back(line); });
    CHECK(lines == std::vector<std::string>{"one", "two", "three"});
}
