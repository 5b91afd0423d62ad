// Which members a failure of a joined group reaches, and that it lasts.

#include "../on_threads.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int rounds = test::reduced ? 30 : 100;

/// Takes the seat and gives it up by an exception.
void fail_as(Group& group, int rank, const char* why) {
    CHECK(thrown_by([&] {
              const Member me = group.join(rank);
              throw std::domain_error(why);
          }).text == why);
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

TEST_CASE("members that come after the failure are told why, as often as they come") {
    Group group(3);
    fail_as(group, 1, "enough");
    for (const int late : {2, 0, 1, 2}) {
        const Thrown thrown = thrown_by([&] { static_cast<void>(group.join(late)); });
        CHECK(thrown.kind == Thrown::Kind::aborted);
        CHECK(mentions(thrown.text, "the group has failed and stays failed; make a new one: "));
        CHECK(mentions(thrown.text, "member 1 failed"));
    }
    group = Group(3);
    on_threads(3, [&](int rank) { CHECK(group.join(rank).allreduce(1, sum) == 3); });
}

TEST_CASE("every later call of a failed group reports why") {
    using Act = std::function<void(Member&, std::vector<int>&)>;
    const Act all[] = {
        [](Member& me, auto&) { me.barrier(); },
        [](Member& me, auto& x) { me.allreduce(x, sum); },
        [](Member& me, auto& x) { me.broadcast(x, 0); }, // the root waits for nobody
        [](Member& me, auto& x) { me.start.broadcast(x, 0).wait(); },
        [](Member& me, auto& x) { me.start.allreduce(std::span(x), sum).wait(); },
        [](Member& me, auto& x) {
            Persistent call = me.prepare.broadcast(x, 0);
            call.start();
            call.wait();
        },
        [](Member& me, auto&) { static_cast<void>(me.split(0, 0)); },
        [](Member& me, auto& x) { me.among(1).allreduce(x, sum); },
    };
    for (const Act& act : all) {
        Group group(2);
        Member me = group.join(0);
        std::vector<int> x(4, 1);
        std::jthread([&] {
            CHECK(thrown_by([&] { group.run(1, [](Member&) { throw std::domain_error("enough"); }); }).text ==
                  "enough");
        }).join();
        for (int times = 0; times < 3; ++times) {
            const Thrown thrown = thrown_by([&] { act(me, x); });
            CHECK(thrown.kind == Thrown::Kind::aborted);
            CHECK(mentions(thrown.text, "member 1 failed: enough"));
        }
    }
}

TEST_CASE("a failure takes those with it that have gone on to the next region") {
    Group group(2);
    Member behind = group.join(0);
    { const Member left = group.join(1); }
    Member ahead = group.join(1);
    CHECK(thrown_by([&] {
              const Member mine = std::move(behind);
              throw std::domain_error("enough");
          }).text == "enough");
    CHECK(thrown_by([&] { ahead.barrier(); }).kind == Thrown::Kind::aborted);
}

TEST_CASE("all regions before the failure succeed and all after it fail, in whatever order members come") {
    constexpr int members = 4;
    for (int round = 0; round < rounds; ++round) {
        Group group(members);
        std::array<std::atomic<int>, 4> good{};
        on_threads(members, [&](int rank) {
            Loitering loiter(round * members + rank);
            for (int region = 0; region < 4; ++region) {
                const Thrown thrown = thrown_by([&] {
                    loiter();
                    group.run(rank, [&](Member& me) {
                        loiter();
                        if (region == 2 && rank == round % members) {
                            throw std::domain_error("enough");
                        }
                        const int all = me.allreduce(region, sum);
                        CHECK(all == members * region);
                        loiter();
                    });
                });
                good[static_cast<std::size_t>(region)] += thrown.kind == Thrown::Kind::nothing ? 1 : 0;
                CHECK((thrown.kind == Thrown::Kind::nothing || mentions(thrown.text, "enough")));
            }
        });
        CHECK(good[0] == members);
        CHECK(good[1] > 0); // the others may still have been there
        CHECK(good[2] + good[3] == 0);
    }
}

TEST_CASE("what a function throws in a region reaches the others with its text") {
    for (int i = 0; i < 10; ++i) {
        Group group(3);
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
}
