// Clusters of some members of a cluster.

#include "exam.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test {

namespace {

int most_members() {
    return thread_level() == MPI_THREAD_SINGLE ? 1 : 3;
}

/// Where a member of a cluster is: in which process, and as which of its members.
struct Place {
    int process;
    int local;
};
/// Of all members, by rank.
std::vector<Place> places_of(mpi::Member& me) {
    std::vector<Place> places(static_cast<std::size_t>(me.size()));
    const Place mine{process_of_world(), me.local().rank()};
    me.allgather(std::span(&mine, 1), places);
    return places;
}

/// What a member of that rank asks of a split.
struct Asked {
    std::optional<int> color;
    int key;
};
using Division = std::function<Asked(int rank, const Place& place)>;

struct NamedDivision {
    const char* name;
    Division asks;
};

std::uint32_t mixed(std::uint32_t seed, int rank) {
    std::uint32_t x = seed * 7919 + static_cast<std::uint32_t>(rank) * 104729 + 17;
    x ^= x >> 7U;
    x *= 2654435761U;
    return x >> 13U;
}

std::vector<NamedDivision> divisions() {
    std::vector<NamedDivision> all{
        {"by process",
         [](int, const Place& at) {
             return Asked{at.process, 0};
         }},
        {"by process, the last first",
         [](int rank, const Place& at) {
             return Asked{7 - at.process, -rank};
         }},
        {"by pairs of processes",
         [](int rank, const Place& at) {
             return Asked{at.process / 2, rank};
         }},
        {"the last first",
         [](int rank, const Place&) {
             return Asked{1000000, -rank};
         }},
        {"by parity",
         [](int rank, const Place&) {
             return Asked{rank % 2, 0};
         }},
        {"by place in the process",
         [](int, const Place& at) {
             return Asked{at.local, 5};
         }},
        {"one of each process",
         [](int, const Place& at) {
             return Asked{at.local == 0 ? std::optional(3) : std::nullopt, 0};
         }},
        {"one process alone, the others together",
         [](int rank, const Place& at) {
             return Asked{at.process == 0 ? at.local : 1 + 64, rank};
         }},
        {"none",
         [](int, const Place&) {
             return Asked{std::nullopt, 0};
         }},
        {"the members of processes in turn",
         [](int, const Place& at) {
             return Asked{0, at.local};
         }},
    };
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        all.push_back({"random", [seed](int rank, const Place&) {
                           const auto color = static_cast<int>(mixed(seed, rank) % 3);
                           return Asked{color == 2 && seed % 2 == 0 ? std::nullopt : std::optional(color),
                                        static_cast<int>(mixed(seed + 99, rank) % 2)};
                       }});
    }
    return all;
}

/// What a split must make of the members.
struct Expected {
    std::vector<int> mates;
    bool is_possible = true;
    const char* text = "";
};

/// The mates that chose the color, in the order of the part.
std::vector<int> mates_of(int color, const Division& asks, const std::vector<Place>& places) {
    std::vector<std::pair<int, int>> order;
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
        const Asked asked = asks(rank, places[static_cast<std::size_t>(rank)]);
        if (asked.color == color) {
            order.emplace_back(asked.key, rank);
        }
    }
    std::ranges::sort(order);
    std::vector<int> mates;
    for (const auto& [key, rank] : order) {
        mates.push_back(rank);
    }
    return mates;
}

/// Why that part cannot be; empty if it can.
const char* reason(const std::vector<int>& mates, const std::vector<Place>& places) {
    std::vector<int> processes;
    std::set<int> led;
    for (const int rank : mates) {
        const Place& at = places[static_cast<std::size_t>(rank)];
        if (processes.empty() || processes.back() != at.process) {
            processes.push_back(at.process);
        }
        if (at.local == 0) {
            led.insert(at.process);
        }
    }
    const std::set<int> different(processes.begin(), processes.end());
    if (different.size() != processes.size()) {
        return "the members of each process are consecutive";
    }
    const bool needs_leaders = different.size() > 1 && thread_level() != MPI_THREAD_MULTIPLE;
    return needs_leaders && led.size() != different.size() ? "MPI_THREAD_MULTIPLE" : "";
}

Expected expected_for(int rank, const Division& asks, const std::vector<Place>& places) {
    Expected expected;
    std::set<int> colors;
    for (int other = 0; other < static_cast<int>(places.size()); ++other) {
        if (const auto color = asks(other, places[static_cast<std::size_t>(other)]).color) {
            colors.insert(*color);
        }
    }
    for (const int color : colors) {
        const char* const text = reason(mates_of(color, asks, places), places);
        if (*text != 0) {
            expected = {{}, false, text};
            break;
        }
    }
    if (const auto own = asks(rank, places[static_cast<std::size_t>(rank)]).color;
        own && expected.is_possible) {
        expected.mates = mates_of(*own, asks, places);
    }
    return expected;
}

/// Calls that do not block.
void examine_started(mpi::Member& me) {
    std::vector<long> in(3000), out(in.size()), twice(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<long>(i) + me.rank();
    }
    Request first = me.start.allreduce(in, out, tutti::sum);
    Persistent second = me.prepare.scan(in, twice, tutti::sum);
    second.start();
    second.wait();
    first.wait();
    const long ranks = me.size() * (me.size() - 1) / 2;
    const long before = me.rank() * (me.rank() + 1) / 2;
    bool right = true;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const long index = static_cast<long>(i);
        right = right && out[i] == me.size() * index + ranks && twice[i] == (me.rank() + 1) * index + before;
    }
    CHECK(right);
}

void examine_part(mpi::Member& me, std::size_t most = 300) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, most}) {
        examine(me, cluster_shapes(me.size(), count), {}, value, tutti::sum, std::plus<>());
    }
    examine(me, only(cluster_shapes(me.size(), 7), combines), {}, map, tutti::non_commutative(compose),
            compose);
    examine(me, only(cluster_shapes(me.size(), 7), combines), {.order = Order::serial}, real, tutti::sum,
            std::plus<>(), detail::Association::left);
    examine_started(me);
    CHECK(me.local().allreduce(1, tutti::sum) == me.local().size());
}

void examine_division(mpi::Member& me, const NamedDivision& division) {
    INFO(division.name);
    const std::vector<Place> places = places_of(me);
    const Asked asked = division.asks(me.rank(), places[static_cast<std::size_t>(me.rank())]);
    const Expected expected = expected_for(me.rank(), division.asks, places);
    if (!expected.is_possible) {
        CHECK_THROWS_WITH_AS(static_cast<void>(me.split(asked.color, asked.key)),
                             doctest::Contains(expected.text), ArgumentError);
    } else {
        std::optional<mpi::Member> mine = me.split(asked.color, asked.key);
        REQUIRE(mine.has_value() == asked.color.has_value());
        if (mine) {
            std::vector<int> mates(expected.mates.size());
            REQUIRE(mine->size() == static_cast<int>(mates.size()));
            const int rank = me.rank();
            mine->allgather(std::span(&rank, 1), mates);
            CHECK(mates == expected.mates);
            CHECK(mates[static_cast<std::size_t>(mine->rank())] == me.rank());
            examine_part(*mine);
        }
    }
    CHECK(me.allreduce(1, tutti::sum) == me.size());
}

} // namespace

TEST_CASE("all collectives of parts, up to 4 processes of up to 3 members") {
    for (int processes = 1; processes <= 4; ++processes) {
        on_processes(processes, [&](MPI_Comm part) {
            const int uneven = 1 + (process_of_world() + 1) % most_members();
            for (const int members : processes <= 2 ? std::vector{1, 2, 3, uneven} : std::vector{2, uneven}) {
                CAPTURE(processes);
                CAPTURE(members);
                on_members(part, std::min(members, most_members()), [](mpi::Member& me) {
                    for (const NamedDivision& division : divisions()) {
                        examine_division(me, division);
                    }
                });
            }
        });
    }
}

TEST_CASE("the members of a list, and all of them again") {
    on_processes(3, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            // The last process and the first one, in this order.
            std::vector<int> list;
            for (int local = 0; local < members_here(); ++local) {
                list.push_back(me.size() - members_here() + local);
            }
            for (int local = 0; local < members_here(); ++local) {
                list.push_back(local);
            }
            const std::optional<int> place =
                process_of_world() == 1
                    ? std::nullopt
                    : std::optional(me.local().rank() + (process_of_world() == 0 ? members_here() : 0));
            std::optional<mpi::Member> some = me.subset(list);
            REQUIRE(some.has_value() == place.has_value());
            if (some) {
                CHECK(some->rank() == *place);
                examine_part(*some, 70001);
            }
            mpi::Member copy = me.dup();
            CHECK(copy.rank() == me.rank());
            CHECK(copy.size() == me.size());
            examine_part(copy);
            const std::vector<int> reversed{1, 0};
            CHECK_THROWS_WITH_AS(static_cast<void>(me.subset(std::vector{0, me.size()})),
                                 doctest::Contains("subset: `ranks` has"), ArgumentError);
            CHECK_THROWS_WITH_AS(static_cast<void>(me.split(-2, 0)),
                                 doctest::Contains("split: `color` is -2"), ArgumentError);
            std::optional<mpi::Member> nobody = me.subset({});
            CHECK(!nobody);
        });
    });
}

TEST_CASE("a copy beside the cluster: operations of both are outstanding at a time") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            mpi::Member copy = me.dup();
            std::vector<long> in(50000, me.rank()), out(in.size()), other(in.size());
            const std::vector<long> sum(in.size(), me.size() * (me.size() - 1) / 2);
            for (int round = 0; round < 5; ++round) {
                Request of_all = me.start.allreduce(in, out, tutti::sum);
                std::optional<Request> of_copy;
                if (round % 2 == 0) { // else the copy itself has nothing outstanding
                    of_copy = copy.start.allreduce(in, other, tutti::sum);
                }
                if (process_of_world() == 0) {
                    of_all.wait(); // the others come to the barrier of the copy first
                    copy.barrier();
                } else {
                    copy.barrier();
                    of_all.wait();
                }
                if (of_copy) {
                    of_copy->wait();
                }
                CHECK(out == sum);
                CHECK(other == sum);
            }
        });
    });
}

TEST_CASE("parts of parts, and more of them than MPI has communicators") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            std::optional<mpi::Member> own = me.split(process_of_world(), 0);
            CHECK(own->size() == members_here());
            mpi::Member of_own = own->dup();
            CHECK(of_own.allreduce(1, tutti::sum) == members_here());
            for (int round = 0; round < 800; ++round) {
                mpi::Member copy = me.dup();
                if (round % 16 == 0) {
                    mpi::Member again = copy.dup();
                    again.dup().barrier();
                    CHECK(again.allreduce(1, tutti::sum) == me.size());
                }
                copy.barrier();
            }
            CHECK(of_own.allreduce(1, tutti::sum) == members_here());
        });
    });
}

TEST_CASE("a part that outlives the cluster") {
    on_processes(2, [](MPI_Comm part) {
        std::vector<std::optional<mpi::Member>> copies;
        for (int rank = 0; rank < members_here(); ++rank) {
            copies.emplace_back(); // members cannot be assigned
        }
        on_members(part, members_here(), [&](mpi::Member& me) {
            copies[static_cast<std::size_t>(me.local().rank())].emplace(me.dup());
        });
        on_ranks(members_here(), [&](int rank) {
            mpi::Member copy = std::move(*copies[static_cast<std::size_t>(rank)]);
            CHECK(copy.allreduce(1, tutti::sum) == copy.size());
            examine_started(copy);
        });
    });
}

TEST_CASE("parts of the threads of a team, also where the main thread makes the MPI calls") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        Team team(3);
        mpi::Cluster cluster(team, part);
        std::vector<std::optional<mpi::Member>> kept(3);
        for (int run = 0; run < 2; ++run) {
            cluster.run([&](mpi::Member& me) {
                std::optional<mpi::Member>& own = kept[static_cast<std::size_t>(me.local().rank())];
                if (run == 0) {
                    own.emplace(me.dup());
                    CHECK(me.split(me.local().rank() < 2 ? std::optional(0) : std::nullopt, 0).has_value() ==
                          (me.local().rank() < 2));
                    std::optional<mpi::Member> inside = me.split(process_of_world(), -me.rank());
                    CHECK(inside->rank() == 2 - me.local().rank());
                    examine_part(*inside);
                }
                examine_part(*own);
            });
        }
    });
}

namespace {

/// What the call throws on each member of the first two processes; nothing on other processes.
template <class E = Error>
void check_thrown(const std::function<void(mpi::Member&)>& call, const std::string& part,
                  const mpi::ClusterOptions& options = {}) {
    on_processes(2, [&](MPI_Comm both) { check_all(thrown_by<E>(both, call, options), part); });
}

} // namespace

TEST_CASE("members that divide the cluster by different calls") {
    check_thrown(
        [](mpi::Member& me) {
            if (me.rank() == me.size() - 1) {
                static_cast<void>(me.split(0, 0));
            } else {
                static_cast<void>(me.dup());
            }
        },
        "calls split: all members must make the same call");
    check_thrown([](mpi::Member& me) { static_cast<void>(me.subset(std::vector{process_of_world()})); },
                 "call subset with different lists, of 1 and 1 ranks");
}

TEST_CASE("a failure of the cluster releases the members that wait in a part") {
    check_thrown<std::exception>(
        [](mpi::Member& me) {
            mpi::Member copy = me.dup();
            if (me.rank() == me.size() - 1) {
                me.abort("out of paper");
                copy.barrier();
            } else {
                copy.barrier();
            }
        },
        "out of paper");
    check_thrown<std::exception>(
        [](mpi::Member& me) {
            mpi::Member copy = me.dup();
            if (me.rank() == me.size() - 1) {
                throw std::runtime_error("out of paper");
            }
            copy.barrier();
        },
        "");
}

TEST_CASE("a failure of the cluster is told by a leader that only leaves the part") {
    check_thrown<std::exception>(
        [](mpi::Member& me) {
            mpi::Member copy = me.dup();
            if (me.rank() == me.size() - 1) {
                me.abort("out of paper");
            }
            process_of_world() == 0 ? copy.barrier() : me.barrier();
        },
        "out of paper", {.timeout = std::chrono::seconds(20)});
}

TEST_CASE("a failure of the cluster releases a leader that waits for another process") {
    if (members_here() == 1) {
        return;
    }
    check_thrown<std::exception>(
        [](mpi::Member& me) {
            std::optional<mpi::Member> leaders =
                me.split(me.local().rank() == 0 ? std::optional(0) : std::nullopt, 0);
            if (me.rank() == 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50)); // so that the other one waits
                me.abort("out of paper");
            }
            me.rank() == 0 ? leaders->barrier() : me.barrier();
        },
        "out of paper", {.timeout = std::chrono::seconds(20)});
}

TEST_CASE("a failure of a part leaves the cluster usable") {
    on_processes(2, [](MPI_Comm part) {
        on_members(part, members_here(), [](mpi::Member& me) {
            mpi::Member other = me.dup();
            try {
                mpi::Member copy = me.dup();
                copy.barrier();
                if (me.rank() == 0) {
                    throw std::runtime_error("out of ink");
                }
                copy.barrier();
                FAIL_CHECK("nothing was thrown");
            } catch (const std::exception& error) {
                CHECK(std::string(error.what()) != "");
            }
            CHECK(me.allreduce(1, tutti::sum) == me.size());
            CHECK(other.allreduce(1, tutti::sum) == me.size());
            CHECK(me.dup().allreduce(1, tutti::sum) == me.size());
        });
    });
}

TEST_CASE("a member that has left a part ends the calls of the others, in its process at once") {
    if (members_here() == 1) {
        return;
    }
    on_processes(2, [](MPI_Comm part) {
        on_members(part, members_here(),
                   [](mpi::Member& me) {
                       {
                           mpi::Member copy = me.dup();
                           if (me.rank() != me.size() - 1) { // which leads nobody
                               CHECK_THROWS_AS(copy.barrier(), Error);
                           }
                       }
                       CHECK(me.allreduce(1, tutti::sum) == me.size());
                   },
                   {.timeout = std::chrono::seconds(20)});
    });
}

} // namespace tutti::test
