// Groups that take their choices from files and try algorithms in their first calls, with real threads.
// Members that chose differently would end in an error, because the algorithm is part of a call's signature.

#include "../reference/calls.hpp"
#include "support.hpp"

using namespace tutti;
using namespace tutti::test;
using tuning::Operands;

namespace {

Reference<double> reference_of(const Member& me) {
    // No two orders of summation need give the same bits.
    const auto element = [](std::size_t rank, std::size_t i) {
        return 1.0 / static_cast<double>(3 + i + 7 * rank);
    };
    return {me.size(), element, std::plus<>()};
}

/// Makes the call, which must leave the bits of the canonical order.
void make_and_check(Member& me, const Shape& shape, Vectors<double>& now) {
    make_call(me, shape, now, std::span<const double>(now.in), std::span(now.out), sum);
    if (now.out != now.expected) {
        throw std::logic_error("wrong result of " + shape.describe());
    }
}

void make_and_check(Member& me, const Shape& shape, const Reference<double>& reference) {
    Vectors<double> now = reference.vectors(index_of(me), shape);
    make_and_check(me, shape, now);
}

/// Calls of every collective in several sizes, in an order that all members know.
void call_at_random(Member& me, int calls) {
    const Reference<double> reference = reference_of(me);
    std::vector<Shape> shapes;
    std::vector<Vectors<double>> vectors;
    for (const std::size_t bytes : {std::size_t{8192}, std::size_t{30'000}, std::size_t{400'000}}) {
        for (Shape shape : regular_shapes(bytes / sizeof(double), {0, me.size() - 1}, {1})) {
            shape.count /= shape.traits().is_divided() ? static_cast<std::size_t>(me.size()) : 1;
            shapes.push_back(shape);
            vectors.push_back(reference.vectors(index_of(me), shape));
        }
    }
    std::mt19937 random(7);
    Vectors<double> now; // keeps its memory, which the kernel would take back and clear each time
    for (int call = 0; call < calls; ++call) {
        const std::size_t which = random() % shapes.size();
        // A few calls of a kind in a row, as programs make them.
        for (unsigned repeated = random() % 8; repeated > 0; --repeated) {
            now = vectors[which];
            make_and_check(me, shapes[which], now);
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
    const Placement one_cpu = Placement::cpus({tuning::this_machine().os_indices().front()});
    return Team(3, {.placement = one_cpu, .group = {.tuning = tuning}});
}

Team trying_team(int members) {
    return Team(members, {.placement = Placement::none, .group = {.tuning = "on"}});
}

constexpr int enough_calls = 40;

void call_often(Member& me, int calls = enough_calls) {
    std::vector<int> values(8192, 1);
    for (int call = 0; call < calls; ++call) {
        me.allreduce(values, sum);
    }
}

enum class By { blocking, nonblocking, persistent, sub_group };

/// The algorithm of an allreduce after so many of 32 KiB: member 0 makes it, and the others call something
/// else.
std::string algorithm_of(Team& team, int calls = 0, By by = By::blocking, std::size_t elements = 8192) {
    const Thrown thrown = thrown_by([&] {
        team.run([&](Member& me) {
            call_often(me, calls);
            std::optional<Member> twin;
            Member& own = by == By::sub_group ? twin.emplace(me.dup()) : me;
            std::vector<int> values(elements, 1);
            const bool reduces = me.rank() == 0;
            if (by == By::nonblocking) {
                (reduces ? own.start.allreduce(values, sum) : own.start.barrier()).wait();
            } else if (by == By::persistent) {
                Persistent made = reduces ? own.prepare.allreduce(values, sum) : own.prepare.barrier();
                made.start();
                made.wait();
            } else {
                reduces ? own.allreduce(values, sum) : own.barrier();
            }
        });
    });
    CHECK(thrown.kind != Thrown::Kind::nothing);
    return word_behind(thrown.text, "allreduce (algorithm ", ")");
}

std::string algorithm_after(int calls, const std::string& tuning) {
    Team team = team_on_one_cpu(tuning);
    return algorithm_of(team, calls);
}

/// A file of its own with one entry of a slow algorithm: files are read once.
std::string file_with_ring(const Directory& directory, std::size_t bytes = 32768) {
    tuning::Table table = small_table();
    table.entries = {entry({Collective::allreduce, Operands::exact, 3, 1, bytes}, "ring")};
    static int files = 0;
    return directory.file("tuning" + std::to_string(files++), tuning::to_text(table));
}

/// With a file that has no entry for its calls, it does not begin with what groups before it have learnt.
Team team_that_knows_nothing(const Directory& directory) {
    return team_on_one_cpu(directory.file("others", tuning::to_text(small_table())));
}

} // namespace

TEST_CASE("teams, groups and their sub-groups take their choices from the file they are given") {
    const Directory directory;
    const std::string path = file_with_ring(directory, 4096);
    const std::string then = ", then what is fastest here";
    Team team = team_on_one_cpu(path);
    CHECK(team.tuning() == "file " + path + then);
    CHECK(algorithm_of(team, 0, By::sub_group, 1024) == "ring");
    Team other = team_on_one_cpu("");
    const std::string learnt = ", what earlier groups have learnt"; // unless this test is the first
    CHECK(
        (other.tuning() == "built-in choice" + then || other.tuning() == "built-in choice" + learnt + then));
    CHECK(algorithm_of(other, 0, By::blocking, 1024) == "flat");
    CHECK(Group(3, {.tuning = path}).tuning() == "file " + path + then);
}

TEST_CASE("every collective in groups that try algorithms: all members choose alike, and no bit differs") {
    for (const int members : {2, 3, 4, 8}) {
        Team team = trying_team(members);
        CHECK_NOTHROW(team.run([](Member& me) { call_at_random(me, reduced ? 200 : 1500); }));
    }
}

TEST_CASE("sub-groups try algorithms for themselves") {
    Team team = trying_team(4);
    CHECK_NOTHROW(team.run([](Member& me) {
        Member half = *me.split(me.rank() % 2, me.rank());
        call_at_random(half, 200);
        call_at_random(me, 100);
    }));
}

TEST_CASE("after a failure a group begins anew to try") {
    Team team = trying_team(3);
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
        Team team = trying_team(members);
        CHECK_NOTHROW(team.run([](Member& me) {
            for (const Collective collective : {Collective::allgather, Collective::gather}) {
                for (const std::size_t count : {500U, 512U, 513U, 640U, 750U, 1024U, 1025U, 1500U}) {
                    for (int call = 0; call < 20; ++call) {
                        make_and_check(me, {.collective = collective, .count = count}, reference_of(me));
                    }
                }
            }
        }));
    }
}

TEST_CASE("a reduce_scatter that leaves everything with one member is not tried") {
    Team team = trying_team(2);
    CHECK_NOTHROW(team.run([](Member& me) {
        const Shape shape{.collective = Collective::reduce_scatter,
                          .lengths = [](std::size_t from, std::size_t /*to*/) {
                              return from == 1 ? std::size_t{8192} : std::size_t{0};
                          }};
        for (int call = 0; call < 20; ++call) {
            make_and_check(me, shape, reference_of(me));
        }
    }));
}

TEST_CASE(
    "members choose alike if some of them have timeouts of their own, or one vector for input and output") {
    for (const bool has_timeout : {true, false}) {
        Team team = trying_team(3);
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
    const Directory directory;
    const std::string path = file_with_ring(directory);
    const std::string built_in = algorithm_after(0, "off");
    CHECK(built_in != "ring");
    CHECK(algorithm_after(0, path) == "ring");
    CHECK(algorithm_after(1, path) == "ring");
    CHECK(algorithm_after(2, path) == built_in);
    CHECK(algorithm_after(0, "on") == built_in);
    CHECK(algorithm_after(40, "off") == built_in);
}

TEST_CASE("what a group has learnt is in its roll call and in the file that the process saves") {
    const Directory directory;
    Team team = team_that_knows_nothing(directory);
    team.run([](Member& me) {
        std::vector<int> values(8192, 1);
        for (int call = 0; call < enough_calls; ++call) {
            me.allreduce(values, sum);
            me.allreduce(std::span<const int>(values), std::span(values), sum);
        }
    });
    const std::string text = team.roll_call();
    const std::string learnt = word_behind(text, "\n  learnt: allreduce exact of 32768 bytes: ", " ");
    for (const char* part : {"(built-in) ", "; tried in ", "calls, which lost "}) {
        CHECK_MESSAGE(mentions(text, part), text);
    }
    const std::string json = team.roll_call(RollCallFormat::json);
    for (const char* part : {R"("learnt": [)", R"("tried_calls": )", R"("from": "built-in")"}) {
        CHECK_MESSAGE(mentions(json, part), json);
    }
    const std::string path = directory.path("saved");
    save_tuning(path);
    const tuning::Table table = tuning::load(path, tuning::this_machine());
    const tuning::Point point{Collective::allreduce, Operands::exact, 3, 1, 32768};
    const auto found = std::ranges::find(table.entries, point, &tuning::Entry::point);
    REQUIRE(found != table.entries.end());
    const tuning::Measured& choice = found->measured.front();
    CHECK(found->measured.size() > 1);
    CHECK(tuning::name_of(algorithm::registry()[choice.row], choice.stores) == learnt);
    // The next run begins with it.
    CHECK(algorithm_after(0, path) == algorithm::registry()[choice.row].name);
}

TEST_CASE("a group whose calls never have its members wait for each other learns as well") {
    Team team(3, {.placement = Placement::none});
    team.run([](Member& me) {
        std::vector<double> values(65536, 1.0);
        std::vector<double> all(values.size() * 3);
        for (int call = 0; call < enough_calls; ++call) {
            me.broadcast(std::span(values), 1);
            me.gather(std::span<const double>(values), std::span(all), 0);
        }
    });
    const std::string text = team.roll_call();
    CHECK_MESSAGE(mentions(text, "learnt: broadcast moved of 524288 bytes"), text);
    CHECK_MESSAGE(mentions(text, "learnt: gather moved of 1572864 bytes: "), text);
}

TEST_CASE("a group begins with what groups before it have learnt") {
    constexpr std::size_t elements = std::size_t{1} << 20U;
    tuning::learn(entry({Collective::allreduce, Operands::exact, 3, 1, elements * sizeof(int)}, "ring", 1));
    Team team = team_on_one_cpu("on");
    CHECK(team.tuning() == "built-in choice, what earlier groups have learnt, then what is fastest here");
    CHECK(algorithm_of(team, 0, By::blocking, elements) == "ring");
    CHECK(algorithm_of(team, 0, By::sub_group, elements) == "ring");
    Team built_in = team_on_one_cpu("off");
    CHECK(algorithm_of(built_in, 0, By::blocking, elements) != "ring");
}

TEST_CASE("a group that has failed has learnt nothing") {
    const Directory directory;
    Team team = team_that_knows_nothing(directory);
    team.run([](Member& me) { call_often(me); });
    CHECK(mentions(team.roll_call(), "learnt: "));
    CHECK_THROWS_AS(team.run([](Member& me) { me.abort("on purpose"); }), Error);
    team.run([](Member& me) { me.barrier(); });
    CHECK(!mentions(team.roll_call(), "learnt: "));
}

TEST_CASE("nonblocking and persistent calls use what blocking calls have learnt") {
    const Directory directory;
    const std::string path = file_with_ring(directory);
    for (const By by : {By::nonblocking, By::persistent}) {
        Team untried = team_on_one_cpu(path);
        CHECK(algorithm_of(untried, 0, by) == "ring");
        std::string learnt = "ring";
        for (int attempt = 0; attempt < 20 && learnt == "ring";
             ++attempt) { // what is fastest is up to chance
            Team team = team_on_one_cpu(path);
            team.run([](Member& me) { call_often(me); });
            learnt =
                word_behind(team.roll_call(), "\n  learnt: allreduce exact of 32768 bytes in place: ", " /");
            CHECK(algorithm_of(team, 0, by) == learnt);
        }
        CHECK(learnt != "ring");
    }
}

TEST_CASE(
    "nonblocking and persistent calls beside blocking ones: all members choose alike, and no bit differs") {
    for (const int members : {2, 3}) {
        Team team = trying_team(members);
        CHECK_NOTHROW(team.run([](Member& me) {
            const Reference<double> reference = reference_of(me);
            const Shape shape{.collective = Collective::allreduce, .count = 4096};
            const Vectors<double> vectors = reference.vectors(index_of(me), shape);
            const std::span<const double> in(vectors.in);
            std::array<std::vector<double>, 4> out;
            out.fill(vectors.expected);
            std::array<Request, 4> requests;
            std::mt19937 random(7);
            std::mt19937 own(static_cast<unsigned>(me.rank())); // which operations are free differs
            const auto finish = [&](std::size_t which) {
                requests[which].wait();
                if (out[which] != vectors.expected) {
                    throw std::logic_error("wrong result");
                }
            };
            for (int call = 0; call < (reduced ? 100 : 400); ++call) {
                const auto kind = random() % 8;
                const std::size_t which = random() % out.size();
                finish(which);
                if (kind < 5) {
                    out[which].assign(shape.count, 0);
                }
                if (kind < 4) {
                    requests[which] = me.start.allreduce(in, std::span(out[which]), sum);
                } else if (kind == 4) {
                    Persistent prepared = me.prepare.allreduce(in, std::span(out[which]), sum);
                    prepared.start();
                    prepared.wait();
                    finish(which);
                } else {
                    make_and_check(me, shape, reference);
                }
                if (own() % 3 == 0) {
                    finish(own() % out.size());
                }
            }
        }));
    }
}
