// What goes wrong on the way is one of the library's own errors.

#include "support.hpp"

#include <cstdlib>

using namespace tutti;
using test::mentions;
using test::Thrown;
using test::thrown_by;

TEST_CASE("an unknown instruction set is an error of whoever makes a group") {
    // Read once in the life of a process: the test that sets the variable has one of its own.
    const char* const variable = std::getenv("TUTTI_ISA");
    const bool is_nonsense = variable != nullptr && std::string(variable) == "nonsense";
    for (const Thrown& thrown : {thrown_by([] { const Group group(2); }),
                                 thrown_by([] { const Team team({.members = 2, .placement = "none"}); })}) {
        CHECK(thrown.kind == (is_nonsense ? Thrown::Kind::error : Thrown::Kind::nothing));
        CHECK(mentions(thrown.text, "use generic, avx2 or avx512") == is_nonsense);
    }
}

TEST_CASE("an algorithm with more rounds than it may have is refused by name") {
    Group group(40'000);
    Member me = group.join(7);
    std::vector<int> values(1000, 1);
    const Thrown thrown = thrown_by([&] { me.allreduce(values, sum, {.algorithm = "ring"}); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, "allreduce: algorithm \"ring\" cannot serve 40000 members"));
    CHECK(mentions(thrown.text, "rounds"));
}

TEST_CASE("a region needs a function") {
    Group group(1);
    const Thrown thrown = thrown_by([&] { group.run(0, nullptr); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, "function"));
    CHECK(thrown_by([&] { group.run(0, [](Member& me) { me.barrier(); }); }).kind == Thrown::Kind::nothing);
}
