// Which members a failure of a joined group reaches, and when the group can be used again.

#include "../on_threads.hpp"
#include "support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int regions = test::reduced ? 60 : 300;

/// Takes the seat and gives it up by an exception.
void fail_as(Group& group, int rank, const char* why) {
    CHECK(thrown_by([&] {
              const Member me = group.join(rank);
              throw std::domain_error(why);
          }).text == why);
}

/// Whether all members find each other in the group.
bool works(Group& group) {
    std::atomic<int> good{0};
    on_threads(group.size(), [&](int rank) {
        Member me = group.join(rank);
        int value = 1;
        value = me.allreduce(value, sum);
        good += value == group.size() ? 1 : 0;
    });
    return good == group.size();
}

/// Passes a short while, often none.
class Loitering {
public:
    explicit Loitering(int seed) : random_(static_cast<unsigned>(seed)) {}
    void operator()() {
        const auto number = static_cast<unsigned>(random_());
        if (number % 4 == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(number / 4 % 300));
        } else if (number % 4 == 1) {
            std::this_thread::yield();
        }
    }

private:
    std::minstd_rand random_;
};

} // namespace

TEST_CASE("members that come when the failed one has left are told, once") {
    Group group(3);
    fail_as(group, 1, "enough");
    for (const int late : {2, 0}) {
        const Thrown thrown = thrown_by([&] { static_cast<void>(group.join(late)); });
        CHECK(thrown.kind == Thrown::Kind::aborted);
        CHECK(mentions(thrown.text, "member 1 failed"));
        CHECK(mentions(thrown.text,
                       "join again for the next one (at once, if the failed region had fewer threads)"));
    }
    CHECK(works(group));
}

TEST_CASE("the next region works while a member is still to come to the one that failed") {
    Group group(2);
    fail_as(group, 0, "enough");
    Member early = group.join(0);
    const Thrown thrown = thrown_by([&] { static_cast<void>(group.join(1)); });
    CHECK(thrown.kind == Thrown::Kind::aborted);
    int sum_of_early = 1;
    int sum_of_late = 2;
    {
        const std::jthread other([&] { sum_of_late = group.join(1).allreduce(sum_of_late, sum); });
        sum_of_early = early.allreduce(sum_of_early, sum);
    }
    CHECK(sum_of_early == 3);
    CHECK(sum_of_late == 3);
}

TEST_CASE("a member that had left the region before it failed is not told") {
    Group group(2);
    on_threads(2, [&](int rank) {
        Member me = group.join(rank);
        me.barrier();
    });
    { const Member left = group.join(1); }
    fail_as(group, 0, "enough");
    CHECK(works(group));
}

TEST_CASE("the failure of a region takes those with it that some member has gone on to") {
    Group group(2);
    Member behind = group.join(0);
    { const Member left = group.join(1); }
    Member ahead = group.join(1);
    CHECK(thrown_by([&] {
              const Member mine = std::move(behind);
              throw std::domain_error("enough");
          }).text == "enough");
    CHECK(thrown_by([&] { ahead.barrier(); }).kind == Thrown::Kind::aborted);
    { const Member leaving = std::move(ahead); }
    CHECK(thrown_by([&] { static_cast<void>(group.join(0)); }).kind == Thrown::Kind::aborted);
    CHECK(works(group));
}

TEST_CASE("one member stays while another joins for every call") {
    Group group(2);
    std::atomic<int> aborted{0};
    on_threads(2, [&](int rank) {
        for (int round = 0; round < 3; ++round) {
            aborted += thrown_by([&] {
                           int value = 0;
                           if (rank == 0) {
                               Member me = group.join(0);
                               for (int i = 0; i < 6; ++i) {
                                   value = me.allreduce(value, sum);
                               }
                           }
                           for (int i = 0; i < 6; ++i) {
                               Member me = group.join(1);
                               if (i == 5) {
                                   throw std::domain_error("enough");
                               }
                               value = me.allreduce(value, sum);
                           }
                       }).kind == Thrown::Kind::aborted
                           ? 1
                           : 0;
        }
    });
    CHECK(aborted == 3);
    CHECK(works(group));
}

TEST_CASE("regions fail and succeed in turn, in whatever order the members come") {
    constexpr int members = 4;
    Group group(members);
    std::vector<std::atomic<int>> good(regions);
    std::vector<std::atomic<int>> failed(regions);
    on_threads(members, [&](int rank) {
        Loitering loiter(rank);
        for (int region = 0; region < regions; ++region) {
            const bool fails = region % 3 == 1;
            const Thrown thrown = thrown_by([&] {
                loiter();
                Member me = group.join(rank);
                loiter();
                if (fails && rank == region % members) {
                    throw std::domain_error("enough");
                }
                int value = region;
                value = me.allreduce(value, sum);
                loiter();
                good[static_cast<std::size_t>(region)] += value == members * region ? 1 : 0;
            });
            failed[static_cast<std::size_t>(region)] += thrown.kind != Thrown::Kind::nothing ? 1 : 0;
        }
    });
    for (int region = 0; region < regions; ++region) {
        const int good_here = good[static_cast<std::size_t>(region)];
        const int failed_here = failed[static_cast<std::size_t>(region)];
        INFO("region ", region);
        CHECK(good_here + failed_here == members);
        if (region % 3 != 0) { // in the region before a failure some may still be there
            CHECK(failed_here == (region % 3 == 1 ? members : 0));
        }
    }
}

TEST_CASE("a region that fails when some have been through it ends nobody's program") {
    constexpr int members = 3;
    Group group(members);
    std::atomic<int> thrown_on_purpose{0};
    on_threads(members, [&](int rank) {
        Loitering loiter(10 + rank);
        for (int region = 0; region < regions; ++region) {
            const Thrown thrown = thrown_by([&] {
                Member me = group.join(rank);
                loiter();
                std::vector<int> values(static_cast<std::size_t>(1 + 400 * (region % 2)), rank);
                if (region % 5 == 1) {
                    me.broadcast(values, region % members);
                } else if (region % 5 != 2) {
                    me.allreduce(values, sum);
                }
                loiter();
                if (region % 2 == 0 && rank == region / 2 % members) {
                    throw std::domain_error("at the end");
                }
            });
            thrown_on_purpose += thrown.text == "at the end" ? 1 : 0;
        }
    });
    CHECK(thrown_on_purpose > 0);
    // Everybody has come to every region: nobody owes the group anything.
    CHECK(works(group));
}

TEST_CASE("a member that does not leave keeps nobody waiting for ever") {
    Group group(2);
    Member stays = group.join(0);
    fail_as(group, 1, "enough");
    const std::jthread other([&] {
        CHECK(thrown_by([&] { static_cast<void>(group.join(1)); }).kind ==
              Thrown::Kind::aborted); // after a while
    });
}

TEST_CASE("what a function throws in a region reaches the others with its text") {
    Group group(3);
    for (int i = 0; i < 10; ++i) {
        std::vector<Thrown> thrown(3);
        on_threads(3, [&](int rank) {
            thrown[static_cast<std::size_t>(rank)] = thrown_by([&] {
                group.run(rank, [&](Member& me) {
                    me.barrier();
                    if (me.rank() == i % 3) {
                        throw std::domain_error("no more data");
                    }
                    me.barrier();
                });
            });
        });
        for (int rank = 0; rank < 3; ++rank) {
            const Thrown& mine = thrown[static_cast<std::size_t>(rank)];
            CHECK(mentions(mine.text, "no more data"));
            CHECK((mine.kind == Thrown::Kind::aborted) == (rank != i % 3));
        }
    }
    CHECK(works(group));
}
