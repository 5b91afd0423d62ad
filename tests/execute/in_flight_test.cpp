// Every algorithm in nonblocking and persistent calls, with eight outstanding.

#include "rows.hpp"

using namespace tutti;

TEST_CASE("every algorithm is right in nonblocking and persistent calls, with 8 outstanding") {
    using Numbers = std::vector<std::size_t>;
    const Numbers sizes = test::reduced ? Numbers{1, 4097} : Numbers{1, 33, 4097};
    for (const int members : test::reduced ? std::vector{3, 8} : std::vector{1, 2, 3, 4, 5, 8, 9, 16}) {
        test::Exam exam(members, sizes.back(), test::ordinary<std::int32_t>, sum);
        const auto jobs = test::jobs_of(members, sizes, {.defaults = false});
        for (const test::Way& way : {test::nonblocking_way, test::persistent_way}) {
            CHECK(exam.run(*way.make({.members = members}), jobs, 8) == "");
        }
    }
}
