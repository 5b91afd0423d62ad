// How the processes of a node divide its CPUs.

#include "hybrid/channel/cpu_division.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tutti::hybrid {

namespace {

using Cpus = std::vector<int>;
using Masks = std::vector<Cpus>;

Cpus share(const Masks& masks, int rank, const std::string& part_of_note) {
    std::string note;
    Cpus cpus = divided(masks, rank, note);
    CHECK(note.find(part_of_note) != std::string::npos);
    return cpus;
}

} // namespace

TEST_CASE("identical masks are divided in rank order") {
    const Masks masks(2, Cpus{0, 1, 2, 3, 6});
    CHECK(share(masks, 0, "identical") == Cpus{0, 1});
    CHECK(share(masks, 1, "identical") == Cpus{2, 3, 6});
}

TEST_CASE("more processes than CPUs share them in turn") {
    const Masks masks(3, Cpus{4, 5});
    CHECK(share(masks, 0, "in turn") == Cpus{4});
    CHECK(share(masks, 1, "in turn") == Cpus{5});
    CHECK(share(masks, 2, "in turn") == Cpus{4});
}

TEST_CASE("masks that share no CPU are kept") {
    const Masks masks{{0, 1}, {3}};
    CHECK(share(masks, 0, "kept") == Cpus{0, 1});
    CHECK(share(masks, 1, "kept") == Cpus{3});
}

TEST_CASE("masks that overlap: nobody gets a CPU that it may not use, nor one that another has") {
    const Masks masks{{0, 1, 2}, {2, 3}, {2}};
    CHECK(share(masks, 0, "overlap") == Cpus{0, 1});
    CHECK(share(masks, 1, "overlap") == Cpus{3});
    CHECK(share(masks, 2, "overlap") == Cpus{2});
}

} // namespace tutti::hybrid
