// calls WHAT NUMBER: makes one call that number of times, for a tool that counts instructions.

#include <tutti/c.hpp>
#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <sched.h>
#include <ucontext.h>
#include <valgrind/callgrind.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace tutti;

/// The contexts of two members on one thread.
ucontext_t first;
ucontext_t second;
std::function<void()> part_of_second;

/// Two members make `number` calls. The first one waits in each call and yields, and there the second one
/// makes its call, which finds what it needs. Only the calls of the second one are counted: nothing of them
/// depends on time. `join(rank)` returns a function object that makes a call of a member, and leaves at its
/// end.
template <class Join>
double count_second_of_two(long number, Join join) {
    part_of_second = [=] {
        auto call = join(1);
        for (long made = 0; made < number; ++made) {
            CALLGRIND_TOGGLE_COLLECT;
            call();
            CALLGRIND_TOGGLE_COLLECT;
            swapcontext(&second, &first);
        }
    };
    std::vector<char> stack(std::size_t{1} << 20U);
    getcontext(&second);
    second.uc_stack = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    second.uc_link = &first;
    makecontext(
        &second, [] { part_of_second(); }, 0);
    auto call = join(0);
    for (long made = 0; made < number; ++made) {
        call();
    }
    swapcontext(&first, &second); // leaves
    return 0;
}

/// A repeated call of 8 bytes by value.
template <class Call>
double count_blocking(long number, Call call) {
    Group group(2, {.wait = Wait::yield});
    return count_second_of_two(number, [&](int rank) {
        return [me = group.join(rank), value = 1.0, call]() mutable { value = call(me, value); };
    });
}

double block(long number) {
    return count_blocking(number, [](Member& me, double value) { return me.allreduce(value, max); });
}
double send(long number) {
    return count_blocking(number, [](Member& me, double value) { return me.broadcast(value, 1); });
}
double receive(long number) {
    return count_blocking(number, [](Member& me, double value) { return me.scan(value, max); });
}

/// The same from C, with its source line.
double block_in_c(long number) {
    tutti_group_options options = TUTTI_GROUP_OPTIONS_INIT;
    options.wait = TUTTI_WAIT_YIELD;
    tutti_group* group = nullptr;
    tutti_group_create(2, &options, &group);
    return count_second_of_two(number, [=](int rank) {
        tutti_member me;
        tutti_join(group, rank, &me);
        return [me, value = 1.0]() mutable {
            tutti_allreduce(me, TUTTI_IN_PLACE, &value, 1, TUTTI_DOUBLE, TUTTI_MAX);
        };
    });
}

/// The same, started and waited for.
double start(long number) {
    Group group(2, {.wait = Wait::yield});
    return count_second_of_two(number, [&](int rank) {
        return [me = group.join(rank), value = std::array{1.0}]() mutable {
            me.start.allreduce(value, max).wait();
        };
    });
}

/// Four different calls in turn.
double block_in_turn(long number) {
    Group group(2, {.wait = Wait::yield});
    return count_second_of_two(number, [&](int rank) {
        return [me = group.join(rank), values = std::array<double, 4>{}, made = std::size_t{0}]() mutable {
            me.allreduce(std::span(values).first(made++ % 4 + 1), max);
        };
    });
}

constexpr std::size_t ranks = 8;

/// One thread has the buffers of `Ranks` ranks.
template <std::size_t Ranks>
double call_for_all(long number) {
    std::array<std::array<double, 1>, Ranks> in{};
    std::array<std::array<double, 1>, Ranks> out{};
    for (long call = 0; call < number; ++call) {
        all_buffers::allreduce(in, out, sum);
    }
    return out.front().front();
}

/// An exchange that is too small to be shared out.
double exchange_for_both(long number) {
    std::array<std::array<double, 2>, 2> in{};
    std::array<std::array<double, 2>, 2> out{};
    const Executor executor = [](std::size_t, const auto&) {};
    for (long call = 0; call < number; ++call) {
        all_buffers::alltoall(in, out, executor);
    }
    return out.front().front();
}

/// Calls of 8 ranks that arrive on one thread.
double arrive(long number) {
    AsyncGroup meeting(static_cast<int>(ranks));
    std::array<std::array<double, 1>, ranks> in{};
    std::array<std::array<double, 1>, ranks> out{};
    std::array<AsyncRequest, ranks> requests;
    for (long call = 0; call < number; ++call) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            requests[rank] = meeting.at(static_cast<int>(rank)).allreduce(in[rank], out[rank], sum);
        }
        for (AsyncRequest& request : requests) {
            request.wait();
        }
    }
    return out.front().front();
}

struct Way {
    std::string_view name;
    double (*call)(long number);
};

} // namespace

/// Called by the first of two members, in place of the C library's.
extern "C" int sched_yield() noexcept {
    return swapcontext(&first, &second);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    const long number = std::strtol(argv[2], nullptr, 10);
    constexpr std::array<Way, 10> ways{{{"blocking", block},
                                        {"sending", send},
                                        {"receiving", receive},
                                        {"blocking-in-c", block_in_c},
                                        {"in-turn", block_in_turn},
                                        {"nonblocking", start},
                                        {"all-buffers", call_for_all<ranks>},
                                        {"many-ranks", call_for_all<2 * ranks + 1>},
                                        {"with-executor", exchange_for_both},
                                        {"arriving", arrive}}};
    for (const Way& way : ways) {
        if (way.name == argv[1]) {
            return way.call(number) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    return EXIT_FAILURE;
}
