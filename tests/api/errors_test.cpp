// What goes wrong on the way is one of the library's own errors.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("an algorithm with more rounds than it may have is refused by name") {
    Group group(40'000);
    Member me = group.join(7);
    std::vector<int> values(1000, 1);
    const Thrown thrown = thrown_by([&] { me.allreduce(values, sum, {.algorithm = "ring"}); });
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, "allreduce: algorithm \"ring\" cannot serve 40000 members"));
    CHECK(mentions(thrown.text, "rounds"));
}
