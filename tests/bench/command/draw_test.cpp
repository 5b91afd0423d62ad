#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

using tutti::test::Outcome;
using tutti::test::tutti_command;

TEST_CASE("draw writes a drawing of a schedule and the expression of a result") {
    const Outcome svg = tutti_command({"draw", "allgather", "-a", "circulant", "-t", "11"});
    CHECK(svg.exit_code == 0);
    CHECK(svg.says("<svg"));
    const Outcome dot =
        tutti_command({"draw", "allgather", "-a", "circulant", "-t", "11", "--format", "dot"});
    CHECK(dot.exit_code == 0);
    CHECK(dot.says("digraph"));
    const Outcome expression =
        tutti_command({"draw", "reduce_scatter", "-a", "circulant", "-t", "22", "--expression", "21"});
    CHECK(expression.exit_code == 0);
    CHECK(expression.says("x21 + x10 + (x15 + x4)"));
    CHECK(tutti_command({"draw", "allgather", "-a", "hypercube", "-t", "11"}).exit_code == 2);
}

TEST_CASE("the extension of a file says in which format to draw, and others are refused") {
    const tutti::bench::TemporaryDirectory directory;
    const auto drawn = [&](const std::string& name, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"draw", "scan", "-a", "ring",
                                           "-t",   "3",    "-o", directory.path() / name};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tutti_command(arguments);
    };
    const auto first_line = [&](const std::string& name) {
        std::ifstream file(directory.path() / name);
        std::string line;
        std::getline(file, line);
        return line;
    };
    CHECK(drawn("a.svg").exit_code == 0);
    CHECK(first_line("a.svg").starts_with("<svg"));
    CHECK(drawn("a.gv").exit_code == 0);
    CHECK(first_line("a.gv").starts_with("digraph"));
    CHECK(drawn("a.txt").exit_code == 0);
    CHECK(first_line("a.txt").starts_with("scan, 3 ranks"));
    CHECK(drawn("a", {"--format", "dot"}).exit_code == 0);
    CHECK(first_line("a").starts_with("digraph"));
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--format", "svg"}}) {
        const Outcome png = drawn("a.png", more);
        CHECK(png.exit_code == 2);
        CHECK_MESSAGE(png.says(".png is not a format that tutti draws in; there are svg (.svg), dot"),
                      png.text);
        CHECK(first_line("a.png").empty());
    }
    CHECK(drawn("b.svg", {"--format", "dot"}).says(".svg is for svg, but --format says dot"));
    CHECK(drawn("b", {"--format", "sgv"}).says("(did you mean svg?)"));
}
