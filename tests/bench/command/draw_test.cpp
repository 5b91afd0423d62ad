#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

using tutti::test::Outcome;
using tutti::test::shell;
using tutti::test::tutti_command;

namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The text between the first `begin` and the next `end` of a line; empty if they are not there.
std::string between(const std::string& line, const std::string& begin, const std::string& end) {
    const std::size_t first = line.find(begin);
    const std::size_t last = first == std::string::npos ? first : line.find(end, first + begin.size());
    return last == std::string::npos ? "" : line.substr(first + begin.size(), last - first - begin.size());
}

} // namespace

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
    CHECK(first_line("a.txt").starts_with("scan ring, 3 ranks"));
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

TEST_CASE("the figures of the documentation are what the commands beside them draw") {
    const std::filesystem::path docs = TUTTI_DOCS;
    // Figures drawn otherwise: from a table of README, and by hand.
    std::set<std::filesystem::path> shown = {"measured.svg", "one-pass.svg", "one-call.svg", "levels.svg",
                                             "ways.svg"};
    for (const auto& page : {docs / "figures/README.md", docs / "machines.md"}) {
        std::ifstream lines(page);
        for (std::string line; std::getline(lines, line);) {
            const std::string command = between(line, "`tutti draw ", "`");
            const std::string file = between(line, "](", ")");
            if (!command.empty() && !file.empty()) {
                const std::filesystem::path figure = page.parent_path() / file;
                shown.insert(figure.filename());
                const bool is_same = text_of(figure) == shell("\"$0\" draw " + command).text;
                CHECK_MESSAGE(is_same,
                              "docs/figures/" << file << " is not what `tutti draw " << command << "` draws");
            }
        }
    }
    const auto figures = std::count_if(std::filesystem::directory_iterator(docs / "figures"), {},
                                       [](const auto& entry) { return entry.path().extension() == ".svg"; });
    CHECK(std::ssize(shown) == figures);
}

TEST_CASE("what members store to others in a round is drawn after what they read") {
    const Outcome direct =
        tutti_command({"draw", "allreduce", "-a", "direct", "-t", "3", "--format", "text"});
    CHECK(direct.text == "allreduce direct, 3 ranks\n"
                         "round 0: 1 -> 0: blocks 0, combined\n"
                         "round 0: 2 -> 0: blocks 0, combined\n"
                         "round 0: 0 -> 1: blocks 1, combined\n"
                         "round 0: 2 -> 1: blocks 1, combined\n"
                         "round 0: 0 -> 2: blocks 2, combined\n"
                         "round 0: 1 -> 2: blocks 2, combined\n"
                         "round 0, results: 1 -> 0: blocks 1\n"
                         "round 0, results: 2 -> 0: blocks 2\n"
                         "round 0, results: 0 -> 1: blocks 0\n"
                         "round 0, results: 2 -> 1: blocks 2\n"
                         "round 0, results: 0 -> 2: blocks 0\n"
                         "round 0, results: 1 -> 2: blocks 1\n");
}

TEST_CASE("draw shows the levels of a machine and who runs where on it") {
    const std::vector<std::string> ryzen{"draw", "--machine", "ryzen-7950x", "--format", "text"};
    const auto drawn = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = ryzen;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tutti_command(arguments);
    };
    const Outcome whole = drawn({});
    CHECK(whole.exit_code == 0);
    CHECK(whole.says("32 members on 32 CPUs, placement compact\n"
                     "level 1: 2 L3 caches of 16 members; a line: 73 ns (68 to 73)\n"
                     "level 2: 16 cores of 2 members; a line: 16 ns (10 to 21)\n"
                     "level 3: 32 CPUs, a member each; a line: 5 ns (5 to 11)\n"
                     "rank 0: socket 0, NUMA node 0, L3 0, core 0, CPU 0\n"));
    const Outcome cores = drawn({"-t", "12"});
    CHECK(cores.says("level 1: 2 L3 caches of 4 to 8 members; "));
    CHECK(cores.says("rank 11: socket 0, NUMA node 0, L3 1, core 11, CPU 22\n"));
    const Outcome apart = drawn({"-t", "2", "--placement", "scatter"});
    CHECK(apart.says("level 1: 2 L3 caches, a member each; a line: 73 ns (68 to 73)\n"));
    CHECK(apart.says("rank 1: socket 0, NUMA node 0, L3 1, core 8, CPU 16\n"));
    CHECK(
        drawn({"-t", "2", "--placement", "3,7"}).says("rank 0: socket 0, NUMA node 0, L3 0, core 1, CPU 3"));
    CHECK(drawn({"-t", "33"}).says("33 members do not fit on 32 CPUs"));
    CHECK(drawn({"-t", "2", "--placement", "5"}).says("placement 5 does not give each of 2 members a CPU"));
    CHECK(drawn({"-t", "0"}).exit_code == 2);
    CHECK(tutti_command({"draw", "--machine", "ryzen-7950x", "--format", "dot"}).says("g1_1 -> g2_8;"));
}

TEST_CASE("draw names the machines that there are") {
    for (const std::vector<std::string>& machine : {std::vector<std::string>{}, {"epyc-7742"}}) {
        std::vector<std::string> arguments{"draw", "--machine"};
        arguments.insert(arguments.end(), machine.begin(), machine.end());
        const Outcome outcome = tutti_command(arguments);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.says("there are: epyc-7742-2s, epyc-7773x,"));
        CHECK(outcome.says("(did you mean epyc-7742-2s?)") == !machine.empty());
    }
}

TEST_CASE("algorithms that go by levels are drawn on those of a machine, and others are not") {
    const std::vector<std::string> leaders{"draw",        "broadcast", "-a", "levels-leaders", "--machine",
                                           "kunpeng-920", "-t",        "64", "--format",       "text"};
    const Outcome outcome = tutti_command(leaders);
    CHECK(outcome.says("broadcast levels-leaders on levels of 2 x 32, 64 ranks, root 0"));
    CHECK(outcome.says("round 0: 0 -> 32: blocks all"));
    CHECK_FALSE(outcome.says("round 0: 0 -> 8: ")); // as it would among eight groups
    const Outcome ring = tutti_command({"draw", "broadcast", "-a", "ring", "--machine", "kunpeng-920"});
    CHECK(ring.exit_code == 2);
    CHECK(ring.says("broadcast ring is the same on all machines"));
}

TEST_CASE("draw refuses a layout of what has none") {
    const Outcome text =
        tutti_command({"draw", "allreduce", "-a", "ring", "--format", "text", "--layout", "circle"});
    CHECK(text.exit_code == 2);
    CHECK(text.says("--layout: only the SVG of a schedule has one"));
    CHECK(tutti_command({"draw", "--machine", "ryzen-7950x", "--layout", "rows"}).exit_code == 2);
}

TEST_CASE("draw names the option that is wrong") {
    CHECK(tutti_command({"draw", "allreduce", "-a", "hypercube", "-t", "3"})
              .says("--algorithm: allreduce hypercube is for powers of two, not for 3 members"));
    CHECK(
        tutti_command({"draw", "--machine", "ryzen-7950x", "--placement", "foo"}).says("--placement: 'foo'"));
}
