// A program without a race, in which all ways of calling occur.
#include "../on_threads.hpp"
#include "../pool.hpp"
#include "../reference/each.hpp"

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

namespace {

using tutti::test::on_threads;
using tutti::test::Pool;

/// Ends the program where a result is wrong.
void require(bool holds, const char* what) {
    if (!holds) {
        std::printf("wrong: %s\n", what);
        std::exit(1);
    }
}

/// An element of the program's own.
struct Pair {
    long low = 0;
    long high = 0;
    Pair() = default;
    explicit Pair(long value) : low(value), high(-value) {}
};

/// Its operator, which has memory of its own.
struct Add {
    std::vector<long> weights = {1, 1};
    Pair operator()(const Pair& a, const Pair& b) const {
        Pair sum;
        sum.low = a.low + weights[0] * b.low;
        sum.high = a.high + weights[1] * b.high;
        return sum;
    }
};

/// Calls for `me`, whatever the way: complete(call) makes a call and returns when it is complete. Vectors are
/// written before, and read, written and freed after each call.
template <class T, class Caller, class Op, class Complete>
void twelve(Caller& me, std::size_t count, const Op& op, const Complete& complete) {
    const int last = me.size() - 1;
    const auto with = [&](const auto& call) {
        tutti::test::Operands<T> operands(me.size(), count, T(me.rank() + 1));
        complete([&]() -> decltype(auto) { return call(operands); });
        for (std::vector<T>* const each : {&operands.one, &operands.out, &operands.all, &operands.all_out}) {
            const T seen = each->back();
            each->assign(each->size(), seen);
        }
    };
    for (const tutti::Collective collective : tutti::detail::all_collectives) {
        with([&](auto& operands) { return tutti::test::call(me, collective, operands, op, last, last); });
    }
    with([&](auto& operands) { return me.allreduce(operands.one, op); });
}

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
        twelve<double>(me, count, tutti::sum, blocking);
        twelve<double>(me.start, count, tutti::sum, started);
        twelve<double>(me.prepare, count, tutti::max, persistent);
        twelve<Pair>(me, count, Add(), blocking);
        twelve<Pair>(me.start, count, Add(), waited);
        twelve<Pair>(me.prepare, count, Add(), persistent);
    }
}

void use_subgroups(tutti::Member& me) {
    for (int turn = 0; turn < 2; ++turn) {
        if (std::optional<tutti::Member> half = me.split(me.rank() % 2, 0)) {
            twelve<double>(*half, 256, tutti::sum, blocking);
            twelve<Pair>(half->start, 8192, Add(), waited);
        }
        tutti::Member again = me.dup();
        twelve<double>(again, 1, tutti::sum, blocking);
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

/// Whether the run throws the exception of a member or an operator.
template <class Run>
bool is_told(const Run& run) {
    try {
        run();
    } catch (const std::exception& told) {
        return std::string(told.what()).find("as intended") != std::string::npos;
    }
    return false;
}

/// The ways in which the part of one member can fail: its own function, and an operator or a function of its
/// own that the library calls.
enum class Failing { function, operator_of_call, operator_of_part, operator_in_flight, continuation };

void fail(tutti::Member& me, Failing how, const std::vector<Pair>& in, std::vector<Pair>& out) {
    const auto throws = [&] {
        if (me.rank() == 1) {
            throw std::runtime_error("as intended");
        }
    };
    const auto op = [&](const Pair& a, const Pair& b) {
        throws();
        return Pair(a.low + b.low);
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

/// A call that goes well and one that fails. Threads look at what they are told, and give their vectors back,
/// while others are told or join anew.
void use_failures() {
    for (const Failing how : {Failing::function, Failing::operator_of_call, Failing::operator_of_part,
                              Failing::operator_in_flight, Failing::continuation}) {
        tutti::Team team(3);
        for (int turn = 0; turn < 5; ++turn) {
            tutti::Group group(3);
            const auto part = [&](tutti::Member& me) {
                std::vector<Pair> in(1000, Pair(me.rank()));
                std::vector<Pair> out(1000);
                me.allreduce(in, out, Add());
                require(out.back().low == 3, "a sum before a failure");
                try {
                    fail(me, how, in, out);
                } catch (const std::exception&) {
                    out.assign(out.size(), in.back());
                    throw;
                }
            };
            require(is_told([&] { team.run(part); }), "the failure of a run");
            team.run([](tutti::Member& me) { me.barrier(); });
            on_threads(3, [&](int rank) {
                for (int region = 0; region < 2; ++region) {
                    require(is_told([&] { group.run(rank, part); }), "the failure of a region");
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
            twelve<double>(me, count, tutti::sum, waited);
            twelve<Pair>(me, count, Add(), started);
        }
        for (int turn = 0; turn < 10; ++turn) { // each rank is told on a thread of its own
            const std::vector<Pair> in(100, Pair(rank));
            std::vector<Pair> out(100);
            const auto op = [](const Pair&, const Pair&) -> Pair { throw std::runtime_error("as intended"); };
            require(is_told([&] { me.allreduce(in, out, op).wait(); }), "the failure of an operation");
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
void use_all_buffers() {
    Pool pool(2);
    tutti::Team team(2);
    for (const std::size_t count : {std::size_t{1}, std::size_t{256}, std::size_t{1} << 19U}) {
        for (const tutti::Executor& executor : {pool.executor(), tutti::executor_of(team)}) {
            std::vector<std::vector<double>> ins(4, std::vector<double>(count, 1));
            std::vector<std::vector<double>> outs = ins;
            tutti::all_buffers::allreduce(ins, outs, tutti::sum, executor);
            require(outs.back().back() == 4, "the result of all buffers");
            tutti::all_buffers::allreduce(
                ins, outs, [](double a, double b) { return a + b; }, executor);
            require(outs.front().front() == 4 && outs.back().back() == 4,
                    "the result of all buffers with an operator");
        }
    }
}

} // namespace

int main() {
    use_teams();
    use_groups();
    use_failures();
    use_async_group();
    use_chains();
    use_all_buffers();
    std::puts("all results are right");
}
