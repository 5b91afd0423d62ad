// The documentation of what a way of calling does not support.

#include "../test.hpp"
#include "way.hpp"

using namespace tutti::test;

namespace {

std::string table_of_abilities() {
    std::string table = "| way of calling | algorithm by name | several outstanding calls | each rank calls "
                        "by itself | numbers of 16 bits |\n"
                        "|---|---|---|---|---|\n";
    for (const Way& way : all_ways()) {
        const auto cell = [](bool has) { return std::string(has ? " yes |" : " no |"); };
        table += "| " + std::string(way.name) + " |" + cell(way.abilities.names_algorithms) +
                 cell(way.abilities.has_requests) + cell(way.abilities.calls_alone) +
                 cell(way.abilities.has_16_bits) + "\n";
    }
    return table;
}

} // namespace

TEST_CASE("the documentation has what a way of calling does not support") {
    std::ifstream file(TUTTI_DOCS "/collectives.md");
    const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CHECK_MESSAGE(page.find(table_of_abilities()) != std::string::npos, table_of_abilities());
}
