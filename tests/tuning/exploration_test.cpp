// Groups that try algorithms in their first calls, with real threads. Members that chose differently would
// end in an error, because the algorithm is part of a call's signature.

#include "../reduced.hpp"
#include "../reference/calls.hpp"
#include "support.hpp"

#include <tutti/tutti.hpp>

using namespace tutti;
using tuning::Operands;

namespace {

/// No two orders of summation need give the same bits.
double element(std::size_t rank, std::size_t i) {
    return 1.0 / static_cast<double>(3 + i + 7 * rank);
}

void make_and_check(Member& me, const test::Shape& shape, const test::Reference<double>& reference) {
    test::Vectors<double> vectors = reference.vectors(static_cast<std::size_t>(me.rank()), shape);
    make_call(me, shape, vectors, std::span<const double>(vectors.in), std::span(vectors.out), sum);
    if (vectors.out != vectors.expected) {
        throw std::logic_error("wrong result of " + shape.describe());
    }
}

/// Calls of every collective in several sizes, in an order that all members know, each of which must leave
/// the bits of the canonical order.
void call_at_random(Member& me, int calls) {
    const test::Reference<double> reference(me.size(), element, std::plus<>());
    std::vector<test::Shape> shapes;
    for (const std::size_t bytes : {std::size_t{8192}, std::size_t{30'000}, std::size_t{400'000}}) {
        for (test::Shape shape : test::regular_shapes(bytes / sizeof(double), {0, me.size() - 1}, {1})) {
            if (shape.traits().is_divided()) {
                shape.count /= static_cast<std::size_t>(me.size());
            }
            shapes.push_back(shape);
        }
    }
    std::vector<test::Vectors<double>> vectors;
    for (const test::Shape& shape : shapes) {
        vectors.push_back(reference.vectors(static_cast<std::size_t>(me.rank()), shape));
    }
    std::mt19937 random(7);
    test::Vectors<double> now; // keeps its memory, which the kernel would take back and clear each time
    for (int call = 0; call < calls; ++call) {
        const std::size_t which = random() % shapes.size();
        // A few calls of a kind in a row, as programs make them.
        for (unsigned repeated = random() % 8; repeated > 0; --repeated) {
            now = vectors[which];
            make_call(me, shapes[which], now, std::span<const double>(now.in), std::span(now.out), sum);
            if (now.out != now.expected) {
                throw std::logic_error("wrong result of " + shapes[which].describe());
            }
        }
    }
}

/// The word behind `before` and up to `end`.
std::string word_behind(const std::string& text, const std::string& before, const char* end) {
    const std::size_t at = text.find(before);
    REQUIRE_MESSAGE(at != std::string::npos, text);
    const std::size_t begin = at + before.size();
    return text.substr(begin, text.find_first_of(end, begin) - begin);
}

Team team_on_one_cpu(const std::string& tuning) {
    const std::string one_cpu = std::to_string(tuning::this_machine().os_indices().front());
    return Team(3, {.placement = one_cpu, .group = {.tuning = tuning}});
}

void call_often(Member& me, int calls) {
    std::vector<int> values(8192, 1);
    for (int call = 0; call < calls; ++call) {
        me.allreduce(values, sum);
    }
}

/// The algorithm of an allreduce of 32 KiB: member 0 makes it by `call`, and the others call something else
/// by `other`.
template <class Call, class Other>
std::string algorithm_of(Team& team, Call call, Other other) {
    std::string text;
    try {
        team.run([&](Member& me) {
            std::vector<int> values(8192, 1);
            me.rank() == 0 ? call(me, values) : other(me);
        });
    } catch (const Error& error) {
        text = error.what();
    }
    return word_behind(text, "allreduce (algorithm ", ")");
}

/// The algorithm of the call after so many allreduces of 32 KiB.
std::string algorithm_after(int calls, const std::string& tuning) {
    Team team = team_on_one_cpu(tuning);
    return algorithm_of(
        team,
        [&](Member& me, std::vector<int>& values) {
            call_often(me, calls);
            me.allreduce(values, sum);
        },
        [&](Member& me) {
            call_often(me, calls);
            me.barrier();
        });
}

constexpr int enough_calls = 40;

/// A table that chooses a slow algorithm for allreduces of 32 KiB.
tuning::Table slow_table() {
    tuning::Table table = test::small_table();
    table.entries = {test::entry({Collective::allreduce, Operands::exact, 3, 1, 32768}, "ring")};
    return table;
}

} // namespace

TEST_CASE("every collective in groups that try algorithms: all members choose alike, and no bit differs") {
    for (const int members : {2, 3, 4, 8}) {
        Team team(members, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([](Member& me) { call_at_random(me, test::reduced ? 200 : 1500); }));
    }
}

TEST_CASE("sub-groups try algorithms for themselves") {
    Team team(4, {.placement = "none", .group = {.tuning = "on"}});
    CHECK_NOTHROW(team.run([](Member& me) {
        Member half = *me.split(me.rank() % 2, me.rank());
        call_at_random(half, 200);
        call_at_random(me, 100);
    }));
}

TEST_CASE("after a failure a group begins anew to try") {
    Team team(3, {.placement = "none", .group = {.tuning = "on"}});
    for (int run = 0; run < 5; ++run) {
        CHECK_THROWS_AS(team.run([&](Member& me) {
            call_at_random(me, 20 + 7 * run);
            if (me.rank() == run % 3) {
                throw std::runtime_error("on purpose");
            }
            call_at_random(me, 10);
        }),
                        std::runtime_error);
    }
    CHECK_NOTHROW(team.run([](Member& me) { call_at_random(me, 100); }));
}

TEST_CASE("sizes on both sides of what fits into the staging buffers are of different kinds") {
    for (const int members : {3, 4, 5, 8}) {
        Team team(members, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([](Member& me) {
            const test::Reference<double> reference(me.size(), element, std::plus<>());
            for (const Collective collective : {Collective::allgather, Collective::gather}) {
                for (const std::size_t count : {500U, 512U, 513U, 640U, 750U, 800U, 1000U}) {
                    const test::Shape shape{.collective = collective, .count = count};
                    for (int call = 0; call < 20; ++call) {
                        make_and_check(me, shape, reference);
                    }
                }
            }
        }));
    }
}

TEST_CASE("a reduce_scatter that leaves everything with one member is not tried") {
    Team team(2, {.placement = "none", .group = {.tuning = "on"}});
    CHECK_NOTHROW(team.run([](Member& me) {
        const test::Reference<double> reference(me.size(), element, std::plus<>());
        const test::Shape shape{.collective = Collective::reduce_scatter,
                                .lengths = [](std::size_t from, std::size_t /*to*/) {
                                    return from == 1 ? std::size_t{8192} : std::size_t{0};
                                }};
        for (int call = 0; call < 20; ++call) {
            make_and_check(me, shape, reference);
        }
    }));
}

TEST_CASE(
    "members choose alike if some of them have timeouts of their own, or one vector for input and output") {
    for (const bool has_timeout : {true, false}) {
        Team team(3, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([&](Member& me) {
            std::vector<double> in(4096, 1.0);
            std::vector<double> out(in.size());
            const bool differs = me.rank() == 0;
            const Options options{.timeout =
                                      differs && has_timeout ? Timeout(std::chrono::minutes(5)) : Timeout()};
            for (int call = 0; call < 60; ++call) {
                in.assign(in.size(), 1.0);
                const std::span<double> result(differs && !has_timeout ? in : out);
                me.allreduce(std::span<const double>(in), result, sum, options);
                if (result.back() != 3.0) {
                    throw std::logic_error("wrong result");
                }
            }
        }));
    }
}

TEST_CASE("a file's choice is tried first, and then the built-in one") {
    const test::Directory directory;
    const std::string path = directory.file("slow", tuning::to_text(slow_table()));
    const std::string built_in = algorithm_after(0, "off");
    CHECK(built_in != "ring");
    CHECK(algorithm_after(0, path) == "ring");
    CHECK(algorithm_after(2, path) == "ring");
    CHECK(algorithm_after(3, path) == built_in);
    CHECK(algorithm_after(0, "on") == built_in);
    CHECK(algorithm_after(40, "off") == built_in);
}

TEST_CASE("what a group has learnt is in its roll call and in the file that the process saves") {
    const test::Directory directory;
    Team team = team_on_one_cpu("on");
    team.run([](Member& me) {
        std::vector<int> values(8192, 1);
        for (int call = 0; call < enough_calls; ++call) {
            me.allreduce(values, sum);
            me.allreduce(std::span<const int>(values), std::span(values), sum);
        }
    });
    const std::string text = team.roll_call();
    const std::string before = "\n  learnt: allreduce exact of 32768 bytes: ";
    const std::string learnt = word_behind(text, before, " ");
    CHECK_MESSAGE(text.find("(built-in) ") != std::string::npos, text);
    CHECK_MESSAGE(text.find("; tried in ") != std::string::npos, text);
    CHECK_MESSAGE(text.find("calls, which lost ") != std::string::npos, text);
    const std::string json = team.roll_call(RollCallFormat::json);
    CHECK_MESSAGE(json.find(R"("learnt": [)") != std::string::npos, json);
    CHECK_MESSAGE(json.find(R"("tried_calls": )") != std::string::npos, json);
    CHECK_MESSAGE(json.find(R"("from": "built-in")") != std::string::npos, json);

    const std::string path = directory.path("saved");
    save_tuning(path);
    const tuning::Table table = tuning::load(path, tuning::this_machine());
    const tuning::Point point{Collective::allreduce, Operands::exact, 3, 1, 32768};
    const auto entry = std::ranges::find(table.entries, point, &tuning::Entry::point);
    REQUIRE(entry != table.entries.end());
    const tuning::Measured& choice = entry->measured.front();
    CHECK(entry->measured.size() > 1);
    CHECK(tuning::name_of(algorithm::registry()[choice.row], choice.stores) == learnt);
    // The next run begins with it.
    CHECK(algorithm_after(0, path) == algorithm::registry()[choice.row].name);
}

TEST_CASE("a group whose calls never have its members wait for each other learns as well") {
    Team team(3, {.placement = "none"});
    team.run([](Member& me) {
        std::vector<double> values(65536, 1.0);
        std::vector<double> all(values.size() * 3);
        for (int call = 0; call < enough_calls; ++call) {
            me.broadcast(std::span(values), 1);
            me.gather(std::span<const double>(values), std::span(all), 0);
        }
    });
    const std::string text = team.roll_call();
    CHECK_MESSAGE(text.find("learnt: broadcast moved of 524288 bytes") != std::string::npos, text);
    CHECK_MESSAGE(text.find("learnt: gather moved of 1572864 bytes: ") != std::string::npos, text);
}

TEST_CASE("a group that has failed has learnt nothing") {
    Team team = team_on_one_cpu("on");
    team.run([](Member& me) { call_often(me, enough_calls); });
    CHECK(team.roll_call().find("learnt: ") != std::string::npos);
    CHECK_THROWS_AS(team.run([](Member& me) { me.abort("on purpose"); }), Error);
    team.run([](Member& me) { me.barrier(); });
    CHECK(team.roll_call().find("learnt: ") == std::string::npos);
}

TEST_CASE("nonblocking and persistent calls use what blocking calls have learnt") {
    const test::Directory directory;
    const std::string path = directory.file("slow", tuning::to_text(slow_table()));
    for (const bool is_persistent : {false, true}) {
        const auto algorithm_in = [&](Team& team) {
            return algorithm_of(
                team,
                [&](Member& me, std::vector<int>& values) {
                    if (is_persistent) {
                        Persistent made = me.prepare.allreduce(values, sum);
                        made.start();
                        made.wait();
                    } else {
                        me.start.allreduce(values, sum).wait();
                    }
                },
                [&](Member& me) {
                    if (is_persistent) {
                        Persistent made = me.prepare.barrier();
                        made.start();
                        made.wait();
                    } else {
                        me.start.barrier().wait();
                    }
                });
        };
        Team untried = team_on_one_cpu(path);
        CHECK(algorithm_in(untried) == "ring");
        std::string learnt = "ring";
        for (int attempt = 0; attempt < 20 && learnt == "ring";
             ++attempt) { // what is fastest is up to chance
            Team team = team_on_one_cpu(path);
            team.run([](Member& me) { call_often(me, enough_calls); });
            learnt =
                word_behind(team.roll_call(), "\n  learnt: allreduce exact of 32768 bytes in place: ", " /");
            CHECK(algorithm_in(team) == learnt);
        }
        CHECK(learnt != "ring");
    }
}

TEST_CASE(
    "nonblocking and persistent calls beside blocking ones: all members choose alike, and no bit differs") {
    for (const int members : {2, 3}) {
        Team team(members, {.placement = "none", .group = {.tuning = "on"}});
        CHECK_NOTHROW(team.run([](Member& me) {
            constexpr std::size_t most_outstanding = 4;
            const test::Reference<double> reference(me.size(), element, std::plus<>());
            const test::Shape shape{.collective = Collective::allreduce, .count = 4096};
            const test::Vectors<double> vectors =
                reference.vectors(static_cast<std::size_t>(me.rank()), shape);
            std::vector<std::vector<double>> out(most_outstanding + 1, std::vector<double>(shape.count));
            std::vector<Request> requests(most_outstanding);
            std::vector<bool> is_started(most_outstanding);
            std::vector<Persistent> prepared(1);
            std::mt19937 random(7);
            std::mt19937 own(static_cast<unsigned>(me.rank())); // which operations are free differs
            const auto finish = [&](std::size_t which) {
                if (is_started[which]) {
                    is_started[which] = false;
                    requests[which].wait();
                    if (out[which] != vectors.expected) {
                        throw std::logic_error("wrong result");
                    }
                }
            };
            for (int call = 0; call < (test::reduced ? 100 : 400); ++call) {
                const auto kind = random() % 8;
                const std::size_t which = random() % most_outstanding;
                if (kind < 4) {
                    finish(which);
                    is_started[which] = true;
                    requests[which] =
                        me.start.allreduce(std::span<const double>(vectors.in), std::span(out[which]), sum);
                } else if (kind == 4) {
                    prepared[0] =
                        me.prepare.allreduce(std::span<const double>(vectors.in), std::span(out.back()), sum);
                    prepared[0].start();
                    prepared[0].wait();
                    if (out.back() != vectors.expected) {
                        throw std::logic_error("wrong result");
                    }
                } else {
                    make_and_check(me, shape, reference);
                }
                if (own() % 3 == 0) {
                    finish(own() % most_outstanding);
                }
            }
            for (std::size_t which = 0; which < most_outstanding; ++which) {
                finish(which);
            }
        }));
    }
}
