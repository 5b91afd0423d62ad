// Random interleavings of the runner.
//
//   test_run [doctest options] [--interleavings N] [--seed S] [--row "COLLECTIVE NAME"] [--ranks P]
//
// N of every row, by default 10'000. A failure prints the options that repeat it.

#define DOCTEST_CONFIG_IMPLEMENT
#include "support.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace tutti::test {

namespace {

Options given;

void read(std::string_view option, const std::string& value) {
    if (option == "--interleavings") {
        given.interleavings = std::stol(value);
    } else if (option == "--seed") {
        given.seed = std::stoull(value);
    } else if (option == "--row") {
        given.row = value;
    } else if (option == "--ranks") {
        given.ranks = std::stoi(value);
    }
}

} // namespace

const Options& options() {
    return given;
}

} // namespace tutti::test

int main(int argc, char** argv) {
    try {
        for (int i = 1; i + 1 < argc; ++i) {
            tutti::test::read(argv[i], argv[i + 1]);
        }
    } catch (const std::logic_error&) {
        std::fprintf(stderr, "%s: an option without the number that it asks for\n", argv[0]);
        return 2;
    }
    return doctest::Context(argc, argv).run();
}
