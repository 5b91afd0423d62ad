// Whatever goes wrong, every member of every process gets an error that says what, and soon.

#include "message_count.hpp"
#include "support.hpp"

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::test {

namespace {

void on_two(const std::function<void(MPI_Comm, bool is_second)>& body) {
    on_processes(2, [&](MPI_Comm part) { body(part, process_of_world() == 1); });
}

} // namespace

TEST_CASE("processes in different calls") {
    on_two([](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by(part, [&](mpi::Member& me) {
            std::vector<double> vector(3, 1);
            is_second ? me.barrier() : me.allreduce(vector, tutti::sum);
        });
        check_all(texts, "the processes are in different calls");
        check_all(texts, "process 0 calls allreduce (algorithm butterfly) of 24 bytes of f64 with sum");
        check_all(texts, "process 1 calls barrier");
    });
}

namespace {

/// Types of one size.
struct Metres {
    double value;
};
struct Seconds {
    double value;
};
struct Longest {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a.value < b.value ? b : a;
    }
};
struct Shortest {
    template <class T>
    T operator()(const T& a, const T& b) const {
        return a.value < b.value ? a : b;
    }
};

} // namespace

TEST_CASE("processes with elements or operators of different types: both calls are named with them") {
    using Call = std::function<void(mpi::Member&, bool)>;
    const auto check = [](const Call& call, const std::string& first, const std::string& second) {
        on_two([&](MPI_Comm part, bool is_second) {
            const Texts texts = thrown_by(part, [&](mpi::Member& me) {
                call(me, is_second);
                me.barrier(); // see below
            });
            check_all(texts, "the processes are in different calls");
            check_all(texts, first);
            check_all(texts, second);
        });
    };
    const auto reduce = [](mpi::Member& me, auto element, auto op) { element = me.allreduce(element, op); };
    check([&](mpi::Member& me,
              bool second) { second ? reduce(me, Seconds{1}, Longest{}) : reduce(me, Metres{1}, Longest{}); },
          "Metres", "Seconds");
    check([&](mpi::Member& me,
              bool second) { second ? reduce(me, Metres{1}, Shortest{}) : reduce(me, Metres{1}, Longest{}); },
          "Longest", "Shortest");
    check(
        [&](mpi::Member& me, bool second) {
            Metres metres{1};
            Seconds seconds{1};
            if (second) {
                seconds = me.broadcast(seconds, 0);
            } else {
                metres = me.broadcast(metres, 0);
            }
        },
        "Metres", "Seconds");
}

TEST_CASE("processes with different counts, roots, operators, ways, short and long") {
    using Call = std::function<void(mpi::Member&, bool)>;
    const std::vector<Call> calls{[](mpi::Member& me, bool second) {
                                      std::vector<double> vector(second ? 4 : 3);
                                      me.allreduce(vector, tutti::sum);
                                  },
                                  [](mpi::Member& me, bool second) {
                                      std::vector<double> vector(second ? 100000 : 50000);
                                      me.allreduce(vector, tutti::sum);
                                  },
                                  [](mpi::Member& me, bool second) {
                                      std::vector<double> vector(second ? 100000 : 1);
                                      me.allreduce(vector, tutti::sum);
                                  },
                                  [](mpi::Member& me, bool second) {
                                      std::vector<int> vector(5);
                                      me.broadcast(vector, second ? 1 : 0);
                                  },
                                  [](mpi::Member& me, bool second) {
                                      int x = 0;
                                      second ? me.allreduce(x, tutti::sum) : me.allreduce(x, tutti::max);
                                  },
                                  [](mpi::Member& me, bool second) {
                                      std::vector<double> vector(50000);
                                      me.allreduce(vector, tutti::sum,
                                                   {.algorithm = second ? "ring" : "circulant"});
                                  }};
    for (const Call& call : calls) {
        on_two([&](MPI_Comm part, bool is_second) {
            check_all(
                thrown_by(part,
                          [&](mpi::Member& me) {
                              call(me, is_second);
                              me.barrier(); // who was through before the other noticed learns of it here
                          }),
                "the processes are in different calls");
        });
    }
}

TEST_CASE("processes with roots in different processes learn of both, whoever waits for whom") {
    using Call = std::function<void(mpi::Member&, int root)>;
    const std::vector<Call> calls{[](mpi::Member& me, int root) {
                                      int x = 1;
                                      x = me.reduce(x, tutti::sum, root);
                                  },
                                  [](mpi::Member& me, int root) {
                                      std::vector<int> all(static_cast<std::size_t>(me.size()));
                                      me.gather(me.rank(), all, root);
                                  },
                                  [](mpi::Member& me, int root) {
                                      int x = 1;
                                      x = me.broadcast(x, root);
                                  },
                                  [](mpi::Member& me, int root) {
                                      int x = 1;
                                      me.scatter(std::vector<int>(static_cast<std::size_t>(me.size())), x,
                                                 root);
                                  },
                                  [](mpi::Member& me, int root) {
                                      std::vector<double> vector(300'000);
                                      me.broadcast(vector, root);
                                  }};
    for (const int processes : {2, 3}) {
        for (const Call& call : calls) {
            on_processes(processes, [&](MPI_Comm part) {
                // The second process takes the last one for the root.
                const int other = (processes - 1) * members_here();
                const int root = process_of_world() == 1 ? other : 0;
                const Texts texts = thrown_by(part, [&](mpi::Member& me) {
                    call(me, root);
                    me.barrier(); // for who is through with it without having waited for others
                });
                check_all(texts, "root 0");
                check_all(texts, "root " + std::to_string(other));
            });
        }
    }
}

TEST_CASE("members of one process in different calls") {
    if (members_here() == 1) {
        return;
    }
    on_two([](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by(part, [&](mpi::Member& me) {
            std::vector<double> vector(40, 1);
            if (is_second && me.local().rank() == 1) {
                me.allgather(vector);
            } else {
                me.broadcast(vector, 0);
            }
            me.barrier();
        });
        check_all(texts, "different calls");
    });
}

TEST_CASE("members of one process with different vectors for the result that they share") {
    if (members_here() == 1) {
        return;
    }
    using Call = std::function<void(mpi::Member&, std::span<double>)>;
    const std::vector<Call> calls{
        [](mpi::Member& me, std::span<double> out) {
            const std::vector<double> in(out.size());
            me.allreduce(in, shared(out), tutti::sum);
        },
        [](mpi::Member& me, std::span<double> out) { me.allgather(std::array{1.0}, shared(out)); },
        [](mpi::Member& me, std::span<double> out) { me.broadcast(shared(out), 0); }};
    for (const Call& call : calls) {
        on_two([&](MPI_Comm part, bool is_second) {
            std::vector<double> together(4);
            const Texts texts = thrown_by(part, [&](mpi::Member& me) {
                std::vector<double> own(4);
                call(me, is_second && me.local().rank() == 1 ? own : together);
                me.barrier();
            });
            check_all(texts,
                      "`out` is not the same memory: shared() takes the vector that all members share");
        });
    }
}

TEST_CASE("an operator that throws") {
    const auto broken = [](int a, int b) -> int {
        if (a + b >= 2) {
            throw std::runtime_error("the operator broke");
        }
        return a + b;
    };
    on_two([&](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by<std::exception>(part, [&](mpi::Member& me) {
            std::vector<int> vector(70000, is_second && me.local().rank() == 0 ? 2 : 0);
            me.allreduce(vector, broken);
        });
        check_all(texts, "the operator broke");
    });
}

TEST_CASE("a member that leaves by an exception") {
    on_two([](MPI_Comm part, bool is_second) {
        const int last = members_here() - 1;
        mpi::Cluster cluster(Group(members_here()), part);
        Texts texts(static_cast<std::size_t>(members_here()));
        const auto member = [&](int rank) {
            try {
                mpi::Member me = cluster.join(rank);
                if (is_second && rank == last) {
                    throw Error("out of luck");
                }
                me.barrier();
            } catch (const Error& error) {
                texts[static_cast<std::size_t>(rank)] = error.what();
            }
        };
        std::thread other([&] { last > 0 ? member(1) : void(); });
        member(0);
        other.join();
        if (is_second) {
            CHECK(texts.back() == "out of luck");
            texts.back() = texts.front();
        }
        if (!is_second || last > 0) {
            check_all(texts, "released because");
        }
    });
}

TEST_CASE("a process that does not answer") {
    on_two([](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by(part,
                                      [&](mpi::Member& me) {
                                          if (!is_second) {
                                              me.barrier();
                                          }
                                      },
                                      {.timeout = std::chrono::milliseconds(200)});
        if (!is_second) {
            check_all(texts, "has waited 200 ms in operation 1, barrier (algorithm dissemination); no answer "
                             "from process 1: ");
        }
    });
}

TEST_CASE("an error of MPI") {
    on_two([](MPI_Comm part, bool is_second) {
        const Texts texts = thrown_by(part, [&](mpi::Member& me) {
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
        const std::size_t before = told_texts().size();
        for (const char* const text : {"the first broke", "the second broke"}) {
            sends_last = !is_second;
            const Texts texts = thrown_by(part,
                                          [&](mpi::Member& me) {
                                              std::vector<double> vector(100);
                                              if (!is_second) {
                                                  me.broadcast(vector, 0); // which nobody takes
                                              }
                                          },
                                          {.timeout = std::chrono::milliseconds(100)});
            sends_last = false;
            if (!is_second) {
                check_all(texts, "process 0 has waited 100 ms in ");
            }
            const auto broken = [&](int a, int b) {
                if (is_second) {
                    throw Error(text);
                }
                return a + b;
            };
            const Texts of_operator = thrown_by(part, [&](mpi::Member& me) {
                int x = 1;
                x = me.allreduce(x, broken);
                me.barrier(); // in which process 0 learns of it, that had all it needed
            });
            check_all(of_operator, text);
        }
        CHECK(freed_active == 0);
        const std::vector<const char*> texts = told_texts();
        for (std::size_t i = before; i < texts.size(); ++i) {
            for (std::size_t other = i + 1; other < texts.size(); ++other) {
                CHECK(texts[i] != texts[other]);
            }
        }
    });
}

TEST_CASE("a cluster that has failed stays so") {
    on_two([](MPI_Comm part, bool is_second) {
        Texts again(static_cast<std::size_t>(members_here()));
        thrown_by(part, [&](mpi::Member& me) {
            try {
                std::vector<int> vector(is_second ? 1 : 2);
                me.allreduce(vector, tutti::sum);
            } catch (const Error&) {
                CHECK_THROWS_AS(me.barrier(), Aborted);
            }
        });
    });
}

TEST_CASE("a communicator of which no cluster can be made") {
    CHECK_THROWS_WITH_AS(mpi::Cluster(Group(1), MPI_COMM_NULL), doctest::Contains("MPI_COMM_NULL"),
                         ArgumentError);
    CHECK_THROWS_WITH_AS(mpi::divide_cpus(MPI_COMM_NULL), doctest::Contains("divide_cpus: `communicator`"),
                         ArgumentError);
    if (thread_level() == MPI_THREAD_SINGLE) {
        CHECK_THROWS_WITH_AS(mpi::Cluster(Group(2), MPI_COMM_SELF),
                             doctest::Contains("MPI_THREAD_FUNNELED or more"), ArgumentError);
    }
}

TEST_CASE("no member on the main thread, where only that one may speak") {
    if (thread_level() != MPI_THREAD_FUNNELED) {
        return;
    }
    const doctest::Contains text("only the main thread may make its calls, but none of this process's "
                                 "members is on it: let it join");
    const auto beside_main = [&](MPI_Comm communicator, const std::function<void(mpi::Member&)>& call) {
        mpi::Cluster cluster(Group(1), communicator);
        std::thread([&] {
            mpi::Member me = cluster.join(0);
            CHECK_THROWS_WITH_AS(call(me), text, ArgumentError);
        }).join();
    };
    int x = 1;
    int y = 0;
    beside_main(MPI_COMM_SELF, [&](mpi::Member& me) { me.allreduce(x, y, tutti::sum); });
    beside_main(MPI_COMM_SELF, [&](mpi::Member& me) { me.start.allreduce(x, y, tutti::sum).wait(); });
    beside_main(MPI_COMM_SELF, [&](mpi::Member& me) { me.prepare.allreduce(x, y, tutti::sum).start(); });
    on_two([&](MPI_Comm part, bool is_second) {
        if (is_second) {
            return beside_main(part, [](mpi::Member& me) { me.barrier(); });
        }
        mpi::Cluster cluster(Group(1), part);
        mpi::Member me = cluster.join(0);
        CHECK_THROWS_WITH_AS(me.barrier(), text, Aborted);
    });
}

TEST_CASE("a team, whose members are never on the main thread") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_two([](MPI_Comm part, bool /*is_second*/) {
        Team team(2, {.placement = "none"});
        mpi::Cluster cluster(team, part);
        for (int round = 0; round < 3; ++round) {
            cluster.run([](mpi::Member& me) {
                int x = me.rank();
                x = me.allreduce(x, tutti::sum);
                CHECK(x == 6);
            });
        }
        CHECK_THROWS_WITH_AS(cluster.join(0), doctest::Contains("run()"), ArgumentError);
    });
}

} // namespace tutti::test
