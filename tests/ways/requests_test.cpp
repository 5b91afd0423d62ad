// Requests, in every way of calling that has them.

#include "../api/support.hpp"
#include "../fast_clock.hpp"
#include "c.hpp"
#include "way.hpp"

#include <tutti/c.hpp>

namespace {

const ElementType ints{Type::i32, sizeof(int), DynamicOp(Operator::sum)};
const ElementType maxima{Type::i32, sizeof(int), DynamicOp(Operator::max)};
const int one = 1;
const int two = 2;

/// Begins the sum, or another reduction, of one number of each rank.
std::unique_ptr<Underway> begin(WayCaller& me, const int& in, int& out, const ElementType& elements = ints) {
    const Shape shape{.collective = Collective::allreduce, .count = 1};
    const Vectors<std::byte> vectors;
    return me.begin({shape, vectors, elements, &in, 1, &out, 1});
}

void in_each_way(const std::function<void(const Way&)>& examine) {
    for (const Way& way : all_ways()) {
        if (way.abilities.has_requests) {
            INFO(way.name);
            examine(way);
        }
    }
}

using First = std::function<void(WayCaller&, std::atomic<bool>& may_go_on)>;

/// Rank 0 of two runs `first`; the other one makes as many sums of 1 when that lets it.
void with_late_rank(const Way& way, std::size_t sums, const First& first) {
    std::atomic<bool> may_go_on{false};
    way.make({.members = 2})->run([&](WayCaller& me) {
        if (me.rank() == 0) {
            return first(me, may_go_on);
        }
        await(may_go_on, true);
        for (std::size_t i = 0; i < sums; ++i) {
            int out = 0;
            begin(me, one, out)->wait();
        }
    });
}

} // namespace

TEST_CASE("a wait ends when its time is over, and an empty request waits for nothing") {
    in_each_way([](const Way& way) {
        with_late_rank(way, 1, [&](WayCaller& me, std::atomic<bool>& may_go_on) {
            int out = 0;
            const auto empty = begin(me, two, out);
            const auto request = empty->taken();
            CHECK(!empty->valid());
            CHECK((empty->test() && empty->wait_for(1h)));
            empty->wait();
            int called = 0;
            empty->then([&](const std::exception_ptr& failure) { called += failure == nullptr ? 1 : 1000; });
            CHECK(called == 1);
            CHECK((request->valid() && !request->test()));
            for (const auto time : {-5ms, 0ms, 20ms}) {
                const auto start = std::chrono::steady_clock::now();
                CHECK(!request->wait_for(time));
                CHECK(std::chrono::steady_clock::now() - start >= time);
            }
            may_go_on = true;
            CHECK(request->wait_for(std::chrono::milliseconds::max())); // longer than the clock lasts
            CHECK(out == 3);
            CHECK(request->valid() == (!way.is_c() || way.any == nullptr)); // in C, it is used up
            CHECK((request->test() && request->wait_for(0ms)));
            request->wait();
        });
    });
}

TEST_CASE("any and all of several requests") {
    in_each_way([](const Way& way) {
        for (const bool waits : {false, true}) {
            if (waits && (way.is_async() || way.any == nullptr)) {
                continue;
            }
            constexpr std::size_t n = 100; // more than there are channels
            with_late_rank(way, n / 2, [&](WayCaller& me, std::atomic<bool>& may_go_on) {
                Requests requests;
                std::vector<int> in(n);
                std::vector<int> out(n);
                for (std::size_t i = 0; i < n; i += 2) { // every second one is empty
                    in[i] = static_cast<int>(i);
                    auto empty = begin(me, in[i], out[i]);
                    requests.push_back(empty->taken());
                    requests.push_back(std::move(empty));
                }
                CHECK(!way.test_all(requests));
                CHECK((way.any == nullptr || way.any(requests, false) == std::nullopt));
                may_go_on = true;
                for (std::size_t taken = 0; way.any != nullptr && taken < n / 4;) {
                    if (const auto index = way.any(requests, waits)) {
                        CHECK(out[*index] == in[*index] + 1);
                        CHECK(!requests[*index]->valid());
                        out[*index] = 0; // each is returned once
                        ++taken;
                    }
                }
                while (!way.test_all(requests)) {
                }
                for (std::size_t i = 0; i < n; ++i) {
                    CHECK((out[i] == 0 || out[i] == in[i] + 1));
                }
                while (way.any != nullptr && way.any(requests, waits) != n) {
                }
            });
        }
    });
}

TEST_CASE("a request that is destroyed waits for its operation, except for that of an async group") {
    in_each_way([](const Way& way) {
        with_late_rank(way, 1, [&](WayCaller& me, std::atomic<bool>& may_go_on) {
            int out = 0;
            may_go_on = !way.is_async();
            begin(me, two, out).reset();
            CHECK(out == (way.is_async() ? 0 : 3));
            may_go_on = true;
        });
    });
}

TEST_CASE("a function is told of a failure once, and that of a member before the member is") {
    enum class By { wait, test, wait_for, then, destruction, any, wait_any };
    const auto check = [](const Way& way, By by, bool is_late) {
        INFO(static_cast<int>(by), is_late ? ", late" : ", different");
        const FastClock clock(is_late ? 10 : 1);
        std::atomic<bool> has_begun{false};
        std::atomic<bool> has_ended{false};
        int called = 0;
        Thrown told;
        Thrown thrown;
        const auto tell = [&](const std::exception_ptr& failure) {
            ++called;
            told = thrown_by([&] { failure != nullptr ? std::rethrow_exception(failure) : void(); });
        };
        const auto first = [&](WayCaller& me) {
            int out = 0;
            Requests requests;
            requests.push_back(begin(me, one, out));
            Underway& request = *requests.front();
            if (by != By::then) {
                request.then(tell);
            }
            has_begun = true;
            thrown = thrown_by([&] {
                while ((by == By::test && !request.test()) ||
                       (by == By::wait_for && !request.wait_for(1ms)) ||
                       (by == By::any && !way.any(requests, false))) {
                }
                by == By::wait_any ? static_cast<void>(way.any(requests, true)) : void();
                by == By::wait || by == By::then ? request.wait() : void();
            });
            if (!way.is_async()) { // whose functions the other rank calls
                CHECK(called == (by == By::destruction || by == By::then ? 0 : 1));
            }
            CHECK((by < By::any || !request.valid()));
            if (by == By::then && request.valid()) {
                request.then(tell); // at once
            }
            requests.clear();
            has_ended = true;
        };
        const auto ranks = way.make(with_timeout(2, is_late ? 20ms : 1h));
        static_cast<void>(thrown_by([&] {
            ranks->run([&](WayCaller& me) {
                if (me.rank() == 0) {
                    return first(me);
                }
                await(is_late ? has_ended : has_begun, true);
                int out = 0; // of another call
                CHECK(thrown_by([&] { begin(me, one, out, maxima)->wait(); }).kind != Kind::nothing);
            });
        }));
        const bool is_used_up = by == By::then && way.is_c() && way.any != nullptr;
        CHECK(called == (is_used_up ? 0 : 1));
        const Thrown& failure = by == By::destruction ? told : thrown;
        CHECK((is_late ? failure.kind == Kind::timeout
                       : failure.kind == Kind::mismatch || failure.kind == Kind::aborted));
        CHECK((is_used_up || (told.kind == failure.kind && told.text == failure.text)));
    };
    in_each_way([&](const Way& way) {
        for (const bool is_late : {false, true}) {
            for (const By by : {By::wait, By::test, By::wait_for, By::then}) {
                check(way, by, is_late);
            }
            if (!way.is_async()) {
                check(way, By::destruction, is_late);
            }
            if (way.any != nullptr) {
                check(way, By::any, is_late);
                check(way, way.is_async() ? By::any : By::wait_any, is_late);
            }
        }
    });
}

TEST_CASE("another thread is refused, and leaves the request of a member as it is") {
    in_each_way([](const Way& way) {
        if (way.is_async()) {
            return;
        }
        with_late_rank(way, 1, [&](WayCaller& me, std::atomic<bool>& may_go_on) {
            int out = 0;
            Requests requests;
            requests.push_back(begin(me, one, out));
            Underway& request = *requests.front();
            std::thread([&] {
                const auto check = [&](const std::string& by, const std::function<void()>& act) {
                    check_thrown(thrown_by(act), Kind::error, {by + "called by another thread"});
                    CHECK(request.valid());
                };
                check("test: ", [&] { request.test(); });
                check("wait: ", [&] { request.wait(); });
                check("wait_for: ", [&] { request.wait_for(1ms); });
                check("then: ", [&] { request.then([](const auto& /*failure*/) {}); });
                check("", [&] { way.test_all(requests); });
                check("", [&] { way.any != nullptr ? way.any(requests, false) : way.test_all(requests); });
                check("", [&] { begin(me, one, out); });
            }).join();
            may_go_on = true;
            request.wait();
            CHECK(out == 2);
        });
    });
}

TEST_CASE("operations complete by calls of tutti_progress alone, in all groups of the thread") {
    require_ok(tutti_progress()); // there are none
    const auto part = [](tutti_member me, void* /*user*/) -> tutti_status {
        const auto count = [](tutti_status status, void* calls) {
            *static_cast<int*>(calls) += status == TUTTI_OK ? 1 : 1000;
        };
        std::array<tutti_member, 2> members{me};
        require_ok(tutti_dup(me, &members[1]));
        std::array<tutti_request, 2> requests{};
        std::array<int, 2> out{};
        int calls = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            require_ok(tutti_allreduce(tutti_nonblocking(members[i], &requests[i]), &one, &out[i], 1,
                                       TUTTI_INT, TUTTI_SUM));
            require_ok(tutti_then(&requests[i], count, &calls));
        }
        while (calls < 2) {
            require_ok(tutti_progress());
        }
        CHECK((calls == 2 && out == std::array{2, 2}));
        require_ok(tutti_wait_all(requests.data(), 2));
        return tutti_leave(members[1]);
    };
    Team(2, {.placement = Placement::none}).run([&](Member& me) {
        c_api::call_as_member(me, part, nullptr);
    });
}
