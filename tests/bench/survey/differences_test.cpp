// The differences between the times of a machine and its description by hwloc.
#include "../../test.hpp"
#include "survey/differences.hpp"
#include "survey/distances.hpp"
#include "survey/matrix_svg.hpp"

using namespace tutti;
using namespace tutti::laboratory;
using distance::Class;
using distance::Matrix;

namespace {

/// Lines take as long as the machine's classes say, one time for each.
Matrix times_of(const machine::Machine& machine, const std::array<double, distance::class_count>& ns) {
    Matrix matrix(machine.pus.size());
    for (std::size_t one = 0; one < machine.pus.size(); ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const Class each = laboratory::class_of(machine.pus[one], machine.pus[other]);
            matrix.set(one, other, ns[static_cast<std::size_t>(each)]);
        }
    }
    return matrix;
}

constexpr std::array<double, distance::class_count> usual_ns{8, 25, 100, 130, 250};

std::vector<std::string> differences_of(const machine::Machine& stated, const Matrix& matrix) {
    return differences(stated.pus, matrix, find_levels(matrix));
}

int occurrences(const std::string& text, const std::string& part) {
    int count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

} // namespace

TEST_CASE("where hwloc is right, nothing differs") {
    for (const char* description : {"pack:2 numa:2 l3:2 core:4 pu:2", "pack:2 [numa] l3:1 core:8 pu:2",
                                    "pack:1 [numa] l3:1 core:8 pu:1"}) {
        const machine::Machine machine = machine::from_synthetic(description);
        CHECK(differences_of(machine, times_of(machine, usual_ns)).empty());
    }
}

TEST_CASE("caches that a virtual machine hides are found") {
    const machine::Machine real = machine::from_synthetic("pack:1 [numa] l3:4 core:4 pu:1");
    const machine::Machine stated = machine::from_synthetic("pack:1 [numa] l3:1 core:16 pu:1");
    CHECK(differences_of(stated, times_of(real, usual_ns)) ==
          std::vector<std::string>{
              "hwloc knows nothing of 4 groups (0-3; 4-7; 8-11; 12-15): a line takes 25 ns inside of "
              "them, 100 ns between them"});
}

TEST_CASE("threads of cores that a virtual machine takes for cores are found") {
    const machine::Machine real = machine::from_synthetic("pack:1 [numa] l3:1 core:6 pu:2");
    const machine::Machine stated = machine::from_synthetic("pack:1 [numa] l3:1 core:12 pu:1");
    CHECK(differences_of(stated, times_of(real, usual_ns)) ==
          std::vector<std::string>{
              "hwloc knows nothing of 6 groups (0-1; 2-3; 4-5; 6-7; ...): a line takes 8 ns inside of "
              "them, 25 ns between them"});
}

TEST_CASE("sockets that are none in the times are named") {
    const machine::Machine real = machine::from_synthetic("pack:1 [numa] l3:1 core:8 pu:1");
    const machine::Machine stated = machine::from_synthetic("pack:2 [numa] l3:1 core:4 pu:1");
    CHECK(differences_of(stated, times_of(real, usual_ns)) ==
          std::vector<std::string>{
              "hwloc's 2 L3 caches (0-3; 4-7) do not show as such: a line takes 25 ns inside of "
              "them, 25 ns between them"});
}

TEST_CASE("the drawing has a cell for each pair, lines between stated groups, frames around found ones") {
    const machine::Machine machine = machine::from_synthetic("pack:2 [numa] l3:1 core:4 pu:1");
    const Matrix matrix = times_of(machine, usual_ns);
    const std::string svg = matrix_svg("2 < 3 & more", machine.pus, matrix, find_levels(matrix));
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find("2 &lt; 3 &amp; more") != std::string::npos);
    CHECK(occurrences(svg, "<rect class=\"f\"") == 2);
    CHECK(occurrences(svg, ">250</text>") == 32);
    CHECK(occurrences(svg, ">25</text>") == 24);
    // One border, which is that of caches, nodes and sockets.
    CHECK(occurrences(svg, "<path class=\"b\"") == 3);
}
