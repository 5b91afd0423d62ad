// Whatever goes wrong, every member of every process gets an error that says what, and soon.

#include "exam.hpp"

namespace tutti::test {

namespace {

/// A member that makes the same calls in one manner.
struct Caller {
    ClusterMember& me;
    Manner manner;

    bool in_second() const { return process_of_world() == 1; }
    bool is_last_of_second() const { return in_second() && me.local().rank() == members_here() - 1; }
    template <class Make>
    void call(Make make) const {
        complete(me, manner, make);
    }
};

/// What goes wrong, and the parts of the text that every member gets.
struct Failing {
    std::string name;
    std::function<void(const Caller&)> body;
    std::vector<std::string> texts;
    bool needs_several_members = false;
    int processes = 2;
};

void check_scenario(const Failing& scenario) {
    if (scenario.needs_several_members && members_here() == 1) {
        return;
    }
    for (const Manner manner : {Manner::blocking, Manner::nonblocking}) {
        INFO(scenario.name, ", manner ", static_cast<int>(manner));
        on_processes(scenario.processes, [&](MPI_Comm part) {
            const Texts texts = thrown_by<std::exception>(part, {}, [&](ClusterMember& me) {
                const Caller caller{me, manner};
                try {
                    scenario.body(caller);
                    // A member that waited for nobody learns of it here.
                    caller.call([](auto& way) { return way.barrier(); });
                } catch (const std::exception&) {
                    CHECK_THROWS_AS(me.barrier(), Aborted); // it stays so
                    throw;
                }
            });
            for (const std::string& text : scenario.texts) {
                check_all(texts, text);
            }
        });
    }
}

/// Types of one size.
struct Metres {
    double value;
};
struct Seconds {
    double value;
};
struct Longest {
    auto operator()(const auto& a, const auto& b) const { return a.value < b.value ? b : a; }
};
struct Shortest {
    auto operator()(const auto& a, const auto& b) const { return a.value < b.value ? a : b; }
};

template <class T, class Op>
void allreduce(const Caller& caller, std::size_t count, const Op& op, const Options& options = {}) {
    std::vector<T> in(count), out(count);
    caller.call([&](auto& way) { return way.allreduce(in, out, op, options); });
}

template <class T>
void broadcast(const Caller& caller, std::size_t count, int root) {
    std::vector<T> vector(count);
    caller.call([&](auto& way) { return way.broadcast(vector, root); });
}

/// The last member passes a result of its own.
template <class Make>
void call_shared(const Caller& caller, Make make) {
    static std::vector<double> together(4);
    std::vector<double> own(4);
    const std::span<double> out(caller.is_last_of_second() ? own : together);
    caller.call([&](auto& way) { return make(way, shared(out)); });
}

/// The second process takes the last one for the root.
int root_of(const Caller& caller) {
    return caller.in_second() ? caller.me.size() - members_here() : 0;
}

int broken(int a, int b) {
    if (a + b >= 2) {
        throw std::runtime_error("the operator broke");
    }
    return a + b;
}

const std::string in_different_calls = "the processes are in different calls";

// NOLINTNEXTLINE(cert-err58-cpp)
const std::vector<Failing> scenarios = {
    {"calls",
     [](const Caller& of) {
         of.in_second() ? of.call([](auto& way) { return way.barrier(); })
                        : allreduce<double>(of, 3, tutti::sum);
     },
     {in_different_calls, "process 0 calls allreduce (algorithm butterfly) of 24 bytes of f64 with sum",
      "process 1 calls barrier"}},
    {"elements",
     [](const Caller& of) {
         of.in_second() ? allreduce<Seconds>(of, 1, Longest{}) : allreduce<Metres>(of, 1, Longest{});
     },
     {in_different_calls, "Metres", "Seconds"}},
    {"operators of the program",
     [](const Caller& of) {
         of.in_second() ? allreduce<Metres>(of, 1, Shortest{}) : allreduce<Metres>(of, 1, Longest{});
     },
     {in_different_calls, "Longest", "Shortest"}},
    {"elements that are broadcast",
     [](const Caller& of) { of.in_second() ? broadcast<Seconds>(of, 1, 0) : broadcast<Metres>(of, 1, 0); },
     {in_different_calls, "Metres", "Seconds"}},
    {"algorithms",
     [](const Caller& of) {
         allreduce<double>(of, 50000, tutti::sum, {.algorithm = of.in_second() ? "ring" : "circulant"});
     },
     {in_different_calls}},
    {"calls of the members of a process",
     [](const Caller& of) {
         of.is_last_of_second() ? allreduce<double>(of, 40, tutti::max)
                                : allreduce<double>(of, 40, tutti::sum);
     },
     {"with max", "with sum"},
     true},
    {"an operator that throws",
     [](const Caller& of) {
         std::vector<int> vector(70000, of.in_second() && of.me.local().rank() == 0 ? 2 : 0),
             out(vector.size());
         of.call([&](auto& way) { return way.allreduce(vector, out, &broken); });
     },
     {"the operator broke"}},
    {"shared results of an allreduce",
     [](const Caller& of) {
         std::vector<double> in(4);
         call_shared(of, [&](auto& way, auto out) { return way.allreduce(in, out, tutti::sum); });
     },
     {"`out` is not the same memory: shared() takes the vector that all members share"},
     true},
    {"shared results of an allgather",
     [](const Caller& of) {
         std::vector<double> in(1);
         call_shared(of, [&](auto& way, auto out) { return way.allgather(in, out); });
     },
     {"`out` is not the same memory"},
     true},
    {"shared results of a broadcast",
     [](const Caller& of) { call_shared(of, [](auto& way, auto out) { return way.broadcast(out, 0); }); },
     {"`out` is not the same memory"},
     true},
};

/// Calls whose roots differ, in clusters of 2 and 3 processes: all members learn of both.
using Rooted = void (*)(const Caller&, int root);
const std::array<Rooted, 5> rooted = {
    [](const Caller& of, int root) {
        std::vector<int> in(1), out(1);
        of.call([&](auto& way) { return way.reduce(in, out, tutti::sum, root); });
    },
    [](const Caller& of, int root) {
        std::vector<int> in(1), all(static_cast<std::size_t>(of.me.size()));
        of.call([&](auto& way) { return way.gather(in, all, root); });
    },
    [](const Caller& of, int root) {
        std::vector<int> all(static_cast<std::size_t>(of.me.size())), out(1);
        of.call([&](auto& way) { return way.scatter(all, out, root); });
    },
    [](const Caller& of, int root) { broadcast<int>(of, 1, root); },
    [](const Caller& of, int root) { broadcast<double>(of, 300'000, root); }};

} // namespace

TEST_CASE("different calls and operators that throw: every member gets an error that says what") {
    for (const Failing& scenario : scenarios) {
        check_scenario(scenario);
    }
}

TEST_CASE("processes with roots in different processes learn of both, whoever waits for whom") {
    for (const Rooted call : rooted) {
        for (const int processes : {2, 3}) {
            const std::string other = "root " + std::to_string((processes - 1) * members_here());
            const auto body = [call](const Caller& of) { call(of, root_of(of)); };
            check_scenario({"roots", body, {"root 0", other}, false, processes});
        }
    }
}

TEST_CASE("a member that leaves by an exception, with operations outstanding") {
    on_two([](MPI_Comm part, bool is_second) {
        Cluster cluster(Group(members_here()), part);
        Texts texts(static_cast<std::size_t>(members_here()));
        on_ranks(members_here(), [&](int rank) {
            texts[static_cast<std::size_t>(rank)] = message_of<Error>([&] {
                ClusterMember me = cluster.join(rank);
                std::vector<double> own(3, 1), out(3);
                me.start.allreduce(own, out, tutti::sum).wait();
                Request next = me.start.barrier();
                me.rank() == me.size() - 1 ? throw Error("out of luck") : next.wait();
                me.barrier();
            });
        });
        if (is_second) {
            CHECK(texts.back() == "out of luck");
            texts.pop_back();
        }
        check_all(texts, "released because");
    });
}

TEST_CASE(
    "a function that runs as a member returns its result, and all others get the text of its exception") {
    on_processes(2, [](MPI_Comm part) {
        Cluster cluster(Group(members_here()), part);
        Cluster failing(Group(members_here()), part); // a failure can overtake the end of the last call
        on_ranks(members_here(), [&](int rank) {
            const auto count = [](ClusterMember& me) { return me.allreduce(1, tutti::sum); };
            CHECK(cluster.run(rank, count) == cluster.size());
            CHECK_THROWS_AS(cluster.run(rank, std::function<int(ClusterMember&)>()), ArgumentError);
            const auto fail = [](ClusterMember& me) {
                me.barrier(); // all have joined
                if (me.rank() == 1) {
                    throw std::runtime_error("the grid is too coarse");
                }
                me.barrier();
            };
            CHECK_THROWS_WITH(failing.run(rank, fail), doctest::Contains("the grid is too coarse"));
        });
    });
}

TEST_CASE("an error of MPI") {
    on_two([](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by(part, {}, [&](ClusterMember& me) {
            me.barrier();
            me.local().barrier();
            if (is_second && me.local().rank() == 0) {
                sends_until_failure = 0;
            }
            me.local().barrier();
            me.barrier();
        });
        check_all(texts, "MPI_Isend: ");
    });
}

TEST_CASE("what MPI has not sent when a cluster fails is not freed, and texts of two clusters are apart") {
    on_two([](MPI_Comm part, bool is_second) {
        const std::size_t before = sent_texts().size();
        for (const char* const text : {"the first broke", "the second broke"}) {
            sends_last = !is_second;
            const Texts texts = thrown_by(part, {.timeout = 100ms}, [&](ClusterMember& me) {
                std::vector<double> vector(100);
                if (!is_second) {
                    std::optional<LedClock> clock;
                    me.local().rank() == 0 ? static_cast<void>(clock.emplace(20us)) : void();
                    me.broadcast(vector, 0); // which nobody takes
                }
            });
            sends_last = false;
            if (!is_second) {
                check_all(texts, " has waited 100 ms"); // one process or the other
            }
            const auto broken = [&](int a, int b) {
                if (is_second) {
                    throw Error(text);
                }
                return a + b;
            };
            const Texts of_operator = thrown_by(part, {}, [&](ClusterMember& me) {
                int x = 1;
                x = me.allreduce(x, broken);
                me.barrier(); // in which process 0 learns of it, that had all it needed
            });
            check_all(of_operator, text);
        }
        CHECK(freed_active == 0);
        const std::vector<const char*> texts = sent_texts();
        const std::set<const char*> different(texts.begin() + static_cast<std::ptrdiff_t>(before),
                                              texts.end());
        CHECK(different.size() == texts.size() - before);
    });
}

TEST_CASE("a process that is late at the end of a cluster does not wait for one that has given up") {
    on_two([](MPI_Comm part, bool is_second) {
        {
            Cluster cluster(Group(1), part, {.timeout = 50ms});
            ClusterMember me = cluster.join(0);
            me.start.barrier({.timeout = never}).wait(); // on another channel than blocking calls
            if (is_second) {
                test::sleep_for(100ms);
            }
        }
        MPI_Barrier(part);
    });
}

TEST_CASE("a communicator of which no cluster can be made") {
    CHECK_THROWS_WITH_AS(Cluster(Group(1), MPI_COMM_NULL), doctest::Contains("MPI_COMM_NULL"), ArgumentError);
    CHECK_THROWS_WITH_AS(divide_cpus(MPI_COMM_NULL), doctest::Contains("divide_cpus: `communicator`"),
                         ArgumentError);
    if (thread_level() == MPI_THREAD_SINGLE) {
        CHECK_THROWS_WITH_AS(Cluster(Group(2), MPI_COMM_SELF),
                             doctest::Contains("MPI_THREAD_FUNNELED or more"), ArgumentError);
    }
}

TEST_CASE("no member on the main thread, where only that one may speak") {
    if (thread_level() != MPI_THREAD_FUNNELED) {
        return;
    }
    const doctest::Contains text("only the main thread may make its calls, but none of this process's "
                                 "members is on it: let it join");
    const auto beside_main = [&](MPI_Comm communicator, const std::function<void(ClusterMember&)>& call) {
        Cluster cluster(Group(1), communicator);
        std::thread([&] {
            ClusterMember me = cluster.join(0);
            const auto call_as_error = [&] {
                try {
                    call(me);
                } catch (const ArgumentError&) {
                    FAIL_CHECK("an argument error, although the cluster has failed");
                    throw;
                }
            };
            CHECK_THROWS_WITH_AS(call_as_error(), text, Error);
        }).join();
    };
    int x = 1;
    int y = 0;
    beside_main(MPI_COMM_SELF, [&](ClusterMember& me) { me.allreduce(x, y, tutti::sum); });
    beside_main(MPI_COMM_SELF, [&](ClusterMember& me) { me.start.allreduce(x, y, tutti::sum).wait(); });
    beside_main(MPI_COMM_SELF, [&](ClusterMember& me) { me.prepare.allreduce(x, y, tutti::sum).start(); });
    on_two([&](MPI_Comm part, bool is_second) {
        if (is_second) {
            return beside_main(part, [](ClusterMember& me) { me.barrier(); });
        }
        Cluster cluster(Group(1), part);
        ClusterMember me = cluster.join(0);
        CHECK_THROWS_WITH_AS(me.barrier(), text, Aborted);
    });
}

} // namespace tutti::test
