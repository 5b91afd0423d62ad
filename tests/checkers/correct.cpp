// A program without a race, in which all ways of calling occur.
#include "../pool.hpp"
#include "checked.hpp"

#include <chrono>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using checked::Add;
using checked::Pair;
using checked::require;
using tutti::test::Pool;

/// 8 bytes, 2 KiB and 64 KiB of doubles.
constexpr std::size_t counts[] = {1, 256, 8192};

const auto blocking = [](const auto& call) { call(); };
const auto started = [](const auto& call) {
    auto request = call();
    while (!request.test()) {
        std::this_thread::yield();
    }
};
const auto waited = [](const auto& call) { call().wait(); };
const auto persistent = [](const auto& call) {
    tutti::Persistent operation = call();
    for (int i = 0; i < 3; ++i) {
        operation.start();
        operation.wait();
    }
};

/// Each member writes its own element and reads those of the others.
void use_board(tutti::Member& me, std::vector<long>& board) {
    const auto rank = static_cast<std::size_t>(me.rank());
    for (long turn = 0; turn < 3; ++turn) {
        board[rank] = turn;
        me.barrier();
        for (const long written : board) {
            require(written == turn, "an element that was written before a barrier");
        }
        board[rank] += me.allreduce(1L, tutti::sum); // nobody reads any more
        me.barrier();
    }
}

void use_shared(tutti::Member& me, std::vector<double>& one) {
    const std::vector<double> in(one.size(), me.rank());
    for (int i = 0; i < 3; ++i) {
        me.allreduce(in, tutti::shared(one), tutti::sum);
        require(one.back() == me.size() * (me.size() - 1) / 2.0, "a shared result");
    }
}

void use_members(tutti::Member& me) {
    for (const std::size_t count : counts) {
        checked::twelve<double>(me, count, tutti::sum, blocking);
        checked::twelve<double>(me.start, count, tutti::sum, started);
        checked::twelve<double>(me.prepare, count, tutti::max, persistent);
        checked::twelve<Pair>(me, count, Add(), blocking);
        checked::twelve<Pair>(me.start, count, Add(), waited);
        checked::twelve<Pair>(me.prepare, count, Add(), persistent);
    }
}

void use_subgroups(tutti::Member& me) {
    for (int turn = 0; turn < 2; ++turn) {
        if (std::optional<tutti::Member> half = me.split(me.rank() % 2, 0)) {
            checked::twelve<double>(*half, 256, tutti::sum, blocking);
            checked::twelve<Pair>(half->start, 8192, Add(), waited);
        }
        tutti::Member again = me.dup();
        checked::twelve<double>(again, 1, tutti::sum, blocking);
    }
}

void use_teams() {
    for (const bool caller_is_member : {false, true}) {
        tutti::Team team(3, {.caller_is_member = caller_is_member});
        for (int run = 0; run < 2; ++run) {
            std::vector<long> board(3);
            std::vector<double> one(8192);
            long last = 0;
            team.run([&](tutti::Member& me) {
                use_board(me, board);
                use_shared(me, one);
                if (run == 0) {
                    use_members(me);
                    use_subgroups(me);
                }
                if (me.rank() == 2) {
                    last = 1;
                }
            });
            require(last == 1, "what a member has written before the end of a run");
        }
    }
}

template <class Function>
void on_threads(int threads, const Function& function) {
    std::vector<std::thread> pool;
    for (int index = 0; index < threads; ++index) {
        pool.emplace_back([&function, index] { function(index); });
    }
    for (std::thread& thread : pool) {
        thread.join();
    }
}

void use_groups() {
    tutti::Group group(2);
    for (int region = 0; region < 2; ++region) {
        std::vector<long> board(2);
        on_threads(2, [&](int rank) {
            for (int turn = 0; turn < 2; ++turn) {
                tutti::Member me = group.join(rank);
                use_board(me, board);
                if (region != turn) {
                    use_members(me);
                }
            }
        });
    }
}

/// One member throws, and so does an operator. Then the team is used again, and a group is made anew.
void use_failures() {
    tutti::Team team(3);
    for (int turn = 0; turn < 4; ++turn) {
        tutti::Group group(3);
        std::vector<long> seen(3);
        const auto part = [&](tutti::Member& me) {
            std::vector<Pair> in(1000, Pair(me.rank()));
            std::vector<Pair> out(1000);
            me.allreduce(in, out, Add());
            seen[static_cast<std::size_t>(me.rank())] = out.back().low;
            if (turn % 2 == 0 && me.rank() == 1) {
                throw std::runtime_error("as intended");
            }
            me.allreduce(in, out, [&](const Pair& a, const Pair& b) {
                if (turn % 2 == 0) {
                    throw std::runtime_error("as intended");
                }
                return Pair(a.low + b.low);
            });
        };
        on_threads(3, [&](int rank) {
            try {
                group.run(rank, part);
            } catch (const std::exception&) {
                seen[static_cast<std::size_t>(rank)] = 3;
            }
        });
        require(seen == std::vector<long>(3, 3), "what members have seen of a region");
        try {
            team.run(part);
        } catch (const std::runtime_error&) {
            require(turn % 2 == 0, "a run that has failed");
        }
    }
}

/// The ways in which the part of one member can fail: its own function, and an operator or a function of its
/// own that the library calls.
enum class Failing { function, operator_of_call, operator_of_part, operator_in_flight, continuation };

void fail(tutti::Member& me, Failing how, const std::vector<int>& in, std::vector<int>& out) {
    const auto throws = [&] {
        if (me.rank() == 1) {
            throw std::runtime_error("as intended");
        }
    };
    const auto op = [&](int a, int b) {
        throws();
        return a + b;
    };
    switch (how) {
    case Failing::function:
        throws();
        return me.barrier();
    case Failing::operator_of_call:
        return me.allreduce(in, out, op);
    case Failing::operator_of_part: {
        tutti::Member part = me.dup();
        return part.allreduce(in, out, op);
    }
    case Failing::operator_in_flight:
        return me.start.allreduce(in, out, op).wait();
    case Failing::continuation: {
        tutti::Request request = me.start.barrier();
        request.then([&](const auto& /*failure*/) { throws(); });
        request.wait();
        return me.barrier();
    }
    }
}

/// Threads look at what they are told, and give their vectors back, while others are told or join anew.
void use_caught_failures() {
    for (const Failing how : {Failing::function, Failing::operator_of_call, Failing::operator_of_part,
                              Failing::operator_in_flight, Failing::continuation}) {
        for (int turn = 0; turn < 5; ++turn) {
            tutti::Team team(2);
            tutti::Group group(2);
            const auto look = [](const std::exception& told) {
                require(std::string(told.what()).find("as intended") != std::string::npos,
                        "a failure's text");
            };
            try {
                team.run([&](tutti::Member& me) {
                    std::vector<int> in(1000, 1);
                    std::vector<int> out(1000);
                    try {
                        fail(me, how, in, out);
                    } catch (const std::exception& told) {
                        look(told);
                        out.assign(out.size(), me.rank());
                        throw;
                    }
                });
            } catch (const std::exception& told) {
                look(told);
            }
            on_threads(2, [&](int rank) {
                for (int region = 0; region < 2; ++region) {
                    std::vector<int> in(1000, 1);
                    std::vector<int> out(1000);
                    try {
                        group.run(rank, [&](tutti::Member& me) { fail(me, how, in, out); });
                    } catch (const std::exception& told) {
                        look(told);
                    }
                    std::this_thread::sleep_for(std::chrono::milliseconds(rank == 1 ? 6 : 3));
                }
            });
        }
    }
}

/// Ranks that wait, on a thread each.
void use_async_group() {
    Pool pool(2);
    tutti::AsyncGroupOptions options;
    options.executor = pool.executor();
    options.slice_bytes = 4096;
    tutti::AsyncGroup meeting(3, options);
    on_threads(3, [&](int rank) {
        tutti::AsyncRank me = meeting.at(rank);
        for (const std::size_t count : counts) {
            checked::twelve<double>(me, count, tutti::sum, waited);
            checked::twelve<Pair>(me, count, Add(), started);
        }
    });
}

/// Operations that fail, of which each rank is told on a thread of its own.
void use_failed_operations() {
    tutti::AsyncGroup meeting(3);
    on_threads(3, [&](int rank) {
        for (int turn = 0; turn < 10; ++turn) {
            std::vector<Pair> in(100, Pair(rank));
            std::vector<Pair> out(100);
            tutti::AsyncRequest request = meeting.at(rank).allreduce(
                in, out, [](const Pair&, const Pair&) -> Pair { throw std::runtime_error("as intended"); });
            try {
                request.wait();
            } catch (const std::exception& error) {
                require(std::string(error.what()) == "as intended", "the failure of an operation");
            }
        }
    });
}

/// Ranks that are chains of tasks on fewer threads: each function makes the next call.
class Chain {
public:
    Chain(tutti::AsyncGroup& meeting, Pool& pool, int rank)
        : meeting_(meeting), pool_(pool), rank_(rank), in_(1000, Pair(rank)), out_(1000) {}

    void go() {
        if (++steps_ == 8) {
            return;
        }
        meeting_.at(rank_).allreduce(in_, out_, Add()).then([this](const auto& /*failure*/) {
            in_.assign(in_.size(), out_.back());
            pool_.add([this] { go(); });
        });
    }

private:
    tutti::AsyncGroup& meeting_;
    Pool& pool_;
    int rank_;
    int steps_ = 0;
    std::vector<Pair> in_;
    std::vector<Pair> out_;
};

void use_chains() {
    std::deque<Chain> chains;
    tutti::AsyncGroup meeting(4);
    Pool pool(2);
    for (int rank = 0; rank < 4; ++rank) {
        chains.emplace_back(meeting, pool, rank);
    }
    for (Chain& chain : chains) {
        pool.add([&chain] { chain.go(); });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// One thread that has all vectors, with a pool and with a team.
void use_single_caller() {
    Pool pool(2);
    tutti::Team team(2);
    for (const std::size_t count : {std::size_t{1}, std::size_t{256}, std::size_t{1} << 19U}) {
        for (const tutti::Executor& executor : {pool.executor(), team.executor()}) {
            std::vector<std::vector<double>> ins(4, std::vector<double>(count, 1));
            std::vector<std::vector<double>> outs = ins;
            tutti::single_caller::allreduce(ins, outs, tutti::sum, executor);
            require(outs.back().back() == 4, "the result of one caller");
            tutti::single_caller::allreduce(
                ins, outs, [](double a, double b) { return a + b; }, executor);
            require(outs.front().front() == 4 && outs.back().back() == 4,
                    "the result of one caller's operator");
        }
    }
}

} // namespace

int main() {
    use_teams();
    use_groups();
    use_failures();
    use_caught_failures();
    use_async_group();
    use_failed_operations();
    use_chains();
    use_single_caller();
    std::puts("all results are right");
}
