// Sub-groups that are kept from one run, or one region, to the next.

#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int repetitions = test::reduced ? 5 : 30;

/// A team whose members keep a sub-group of two or three each, made of a duplicate of all.
class Keeping {
public:
    explicit Keeping(int members)
        : team_(members, {.placement = "none"}), rows_(static_cast<std::size_t>(members)) {
        split();
    }

    void split() {
        for (std::optional<Member>& row : rows_) {
            row.reset();
        }
        team_.run([&](Member& me) {
            Member all = me.dup();
            row(me).emplace(all.split(me.rank() % 2, 0).value());
        });
    }

    std::optional<Member>& row(const Member& me) { return rows_[static_cast<std::size_t>(me.rank())]; }
    Team& team() { return team_; }

private:
    Team team_;
    std::vector<std::optional<Member>> rows_;
};

void call(Member& row, int i) {
    std::vector<int> values(static_cast<std::size_t>(1 + 400 * (i % 2)), 1);
    row.allreduce(values, sum);
    if (values.back() != row.size()) {
        throw std::logic_error("wrong sum");
    }
}

} // namespace

TEST_CASE("a kept sub-group serves run after run") {
    Keeping keeping(5);
    for (int i = 0; i < repetitions; ++i) {
        CHECK(thrown_by([&] { keeping.team().run([&](Member& me) { call(*keeping.row(me), i); }); }).text ==
              "");
    }
}

TEST_CASE("a member that throws releases those that wait in a kept sub-group") {
    Keeping keeping(5);
    for (int i = 0; i < repetitions; ++i) {
        Outcomes outcomes(5);
        const Thrown reached = thrown_by([&] {
            keeping.team().run([&](Member& me) {
                outcomes.note(me, [&] {
                    if (me.rank() != i % 5) {
                        call(*keeping.row(me), i);
                        me.barrier();
                    }
                });
                if (me.rank() == i % 5) {
                    throw std::domain_error("no more data");
                }
            });
        });
        CHECK(reached.text == "no more data");
        CHECK(outcomes.count(Thrown::Kind::aborted) == 4);
        CHECK(mentions(outcomes.text(Thrown::Kind::aborted), "no more data"));
        // It stays failed, whoever asks.
        const Thrown again =
            thrown_by([&] { keeping.team().run([&](Member& me) { call(*keeping.row(me), i); }); });
        CHECK(again.kind == Thrown::Kind::aborted);
        CHECK(mentions(again.text, "no more data"));
        keeping.split();
        CHECK(thrown_by([&] { keeping.team().run([&](Member& me) { call(*keeping.row(me), i); }); }).text ==
              "");
    }
}

TEST_CASE("a kept sub-group learns of failures after a run that ended in different calls") {
    Keeping keeping(3);
    const Thrown different = thrown_by([&] {
        keeping.team().run([](Member& me) {
            int value = 1;
            if (me.rank() == 0) {
                value = me.broadcast(value, 0); // which waits for nobody
            }
        });
    });
    CHECK(different.kind == Thrown::Kind::mismatch);
    CHECK(thrown_by([&] { keeping.team().run([&](Member& me) { call(*keeping.row(me), 0); }); }).text == "");
    const Thrown reached = thrown_by([&] {
        keeping.team().run([&](Member& me) {
            if (me.rank() == 1) {
                throw std::domain_error("no more data");
            }
            for (;;) {
                call(*keeping.row(me), 0);
            }
        });
    });
    CHECK(reached.text == "no more data");
}

TEST_CASE("a member that returns early releases those that wait in a kept sub-group") {
    Keeping keeping(4);
    for (int i = 0; i < repetitions; ++i) {
        Outcomes outcomes(4);
        keeping.team().run([&](Member& me) {
            outcomes.note(me, [&] {
                call(*keeping.row(me), i);
                if (me.rank() != i % 4) {
                    call(*keeping.row(me), i);
                }
            });
        });
        const int partner = (i + 2) % 4; // in the sub-group of two
        CHECK(outcomes.of(partner).kind == Thrown::Kind::mismatch);
        CHECK(mentions(outcomes.of(partner).text, "has returned without calling it"));
        CHECK(outcomes.count(Thrown::Kind::nothing) == 3);
        keeping.split();
    }
}

TEST_CASE("an exception in a region of a joined group releases those that wait in a kept sub-group") {
    std::vector<std::optional<Member>> twins(3);
    const auto on_threads = [&](const auto& part) {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < 3; ++rank) {
            threads.emplace_back([&part, rank] { part(rank); });
        }
    };
    for (int i = 0; i < repetitions; ++i) {
        Group group(3);
        on_threads([&](int rank) {
            Member me = group.join(rank);
            twins[static_cast<std::size_t>(rank)].emplace(me.dup());
        });
        std::vector<Thrown> thrown(3);
        on_threads([&](int rank) {
            const Member me = group.join(rank);
            Member& twin = *twins[static_cast<std::size_t>(rank)];
            call(twin, i);
        });
        on_threads([&](int rank) {
            thrown[static_cast<std::size_t>(rank)] = thrown_by([&] {
                const Member me = group.join(rank);
                if (rank == i % 3) {
                    throw std::domain_error("no more data");
                }
                call(*twins[static_cast<std::size_t>(rank)], i);
            });
        });
        for (int rank = 0; rank < 3; ++rank) {
            CHECK((thrown[static_cast<std::size_t>(rank)].kind == Thrown::Kind::aborted) == (rank != i % 3));
        }
        for (std::optional<Member>& twin : twins) {
            twin.reset();
        }
    }
}

TEST_CASE("a failure elsewhere in the midst of a split") {
    Team team(5, {.placement = "none"});
    for (int i = 0; i < 2 * repetitions; ++i) {
        Outcomes outcomes(5);
        const Thrown reached = thrown_by([&] {
            team.run([&](Member& me) {
                outcomes.note(me, [&] {
                    std::optional<Member> row = me.split(me.rank() == 4 ? std::nullopt : std::optional(0), 0);
                    while (row) {
                        static_cast<void>(row->dup());
                    }
                });
                std::this_thread::sleep_for(std::chrono::microseconds(40 * (i % 50)));
                throw std::domain_error("no more data");
            });
        });
        CHECK(reached.text == "no more data");
        CHECK(outcomes.count(Thrown::Kind::aborted) == 4);
    }
}
