// What calls from C have of their own; tests/ways holds every collective against loops over the ranks.

#include "support.hpp"

#include <tutti/c.hpp>
#include <tutti/tutti.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Two numbers under (a, b) op (c, d) = (a c, c b + d), which does not commute, in 24 bytes.
struct Affine {
    std::int64_t scale;
    std::int64_t shift;
    std::int64_t count;
    friend bool operator==(const Affine&, const Affine&) = default;
};

Affine compose(const Affine& one, const Affine& two) {
    const auto unsigned_of = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
    return {
        static_cast<std::int64_t>(unsigned_of(one.scale) * unsigned_of(two.scale)),
        static_cast<std::int64_t>(unsigned_of(two.scale) * unsigned_of(one.shift) + unsigned_of(two.shift)),
        one.count + two.count};
}

void compose_all(const void* in, void* inout, std::size_t n, void* user) {
    const auto* const left = static_cast<const Affine*>(in);
    auto* const right = static_cast<Affine*>(inout);
    for (std::size_t i = 0; i < n; ++i) {
        right[i] = compose(left[i], right[i]);
    }
    static_cast<std::atomic<std::size_t>*>(user)->fetch_add(n);
}

} // namespace

TEST_CASE("an algorithm that does not keep rank order serves an operator only if that commutes") {
    for (const int commutative : {0, 1}) {
        std::atomic<std::size_t> combined{0};
        tutti_op op = 0;
        REQUIRE(tutti_op_create(compose_all, &combined, commutative, &op) == TUTTI_OK);
        const tutti_status status = test::run_team(5, [&](tutti_caller me) {
            tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
            options.algorithm = "circulant";
            std::vector<Affine> in(50, Affine{1, me.rank, 1}), out(50);
            const tutti_status made = tutti_allreduce(tutti_with_options(me, &options), in.data(), out.data(),
                                                      50, tutti_type_of_size(sizeof(Affine)), op);
            CHECK((made != TUTTI_OK || out[49] == Affine{1, 10, 5}));
            return made;
        });
        CHECK(status == (commutative != 0 ? TUTTI_OK : TUTTI_ARGUMENT_ERROR));
        CHECK(tutti_op_free(op) == TUTTI_OK);
    }
}

TEST_CASE("one output that all members share") {
    for (const int members : {1, 2, 3, 5, 8}) {
        const auto p = static_cast<std::size_t>(members);
        std::vector<double> total(1000), all(p * 10), blocks(p * (p + 1) / 2);
        std::atomic<int> wrong{0};
        const Meeting meeting(members);
        const tutti_status status = test::run_team(members, [&](tutti_caller me) {
            const auto r = static_cast<std::size_t>(me.rank);
            const std::vector<double> in(1000, me.rank + 1);
            std::vector<std::size_t> counts;
            for (std::size_t i = 0; i < p; ++i) {
                counts.push_back(i + 1);
            }
            tutti_request request = TUTTI_REQUEST_NULL;
            for (const bool arrives : {false, true}) {
                const auto caller = [&] {
                    return tutti_shared_output(arrives ? tutti_async_rank(meeting.get(), me.rank, &request)
                                                       : me);
                };
                const auto expect = [&](tutti_status got) { wrong += got == TUTTI_OK ? 0 : 1; };
                expect(tutti_allreduce(caller(), in.data(), total.data(), 1000, TUTTI_DOUBLE, TUTTI_SUM));
                expect(tutti_wait(&request));
                expect(tutti_allgather(caller(), in.data(), all.data(), 10, TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                expect(tutti_allgatherv(caller(), in.data(), counts[r], blocks.data(), counts.data(), nullptr,
                                        TUTTI_DOUBLE));
                expect(tutti_wait(&request));
                wrong += total[999] == members * (members + 1) / 2.0 ? 0 : 1;
                wrong += all.back() == members && blocks.back() == members && blocks[0] == 1 ? 0 : 1;
                expect(tutti_barrier(me));
            }
            return int{TUTTI_OK};
        });
        CHECK(status == TUTTI_OK);
        CHECK(wrong == 0);
    }
}

TEST_CASE("members that call from C and from C++ are in the same calls") {
    Team team(5, {.placement = "none"});
    std::atomic<int> wrong{0};
    team.run([&](Member& me) {
        const std::vector<std::size_t> counts = {1, 2, 3, 4, 5};
        const auto rank = static_cast<std::size_t>(me.rank());
        std::vector<double> in(600, me.rank()), out(600), all(15);
        int one = me.rank(), total = 0;
        if (me.rank() % 2 == 0) {
            me.allreduce(in, out, sum);
            me.allreduce(one, total, max);
            me.allgather(std::span(in).first(counts[rank]), all, Counts(counts));
            me.gather(std::span(in).first(counts[rank]), all, Counts(counts), 2);
            me.start.scan(in, out, sum).wait();
            me.barrier();
        } else {
            test::MemberFunction part = [&](tutti_caller c) {
                wrong += &tutti::c::member_of(c) == &me ? 0 : 1;
                tutti_request request = TUTTI_REQUEST_NULL;
                tutti_allreduce(c, in.data(), out.data(), in.size(), TUTTI_DOUBLE, TUTTI_SUM);
                tutti_allreduce(c, &one, &total, 1, TUTTI_INT, TUTTI_MAX);
                tutti_allgatherv(c, in.data(), counts[rank], all.data(), counts.data(), nullptr,
                                 TUTTI_DOUBLE);
                tutti_gatherv(c, in.data(), counts[rank], nullptr, nullptr, nullptr, TUTTI_DOUBLE, 2);
                tutti_scan(tutti_nonblocking(c, &request), in.data(), out.data(), in.size(), TUTTI_DOUBLE,
                           TUTTI_SUM);
                tutti_wait(&request);
                return tutti_barrier(c);
            };
            tutti::c::call_as_member(me, test::call_part, &part);
        }
        wrong += total == 4 && all[14] == 4 && out[599] == me.rank() * (me.rank() + 1) / 2.0 ? 0 : 1;
    });
    CHECK(wrong == 0);
}
