// calls WHAT NUMBER: makes one call that number of times, for a tool that counts instructions.

#include <tutti/c.hpp>
#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string_view>

namespace {

using namespace tutti;

/// A repeated allreduce of 8 bytes by value, of one member.
double block(long number) {
    Group group(1);
    Member me = group.join(0);
    double value = 1.0;
    for (long call = 0; call < number; ++call) {
        value = me.allreduce(value, sum);
    }
    return value;
}

/// The same from C, with its source line.
double block_in_c(long number) {
    tutti_group* group = nullptr;
    tutti_caller me;
    tutti_group_create(1, nullptr, &group);
    tutti_join(group, 0, &me);
    double value = 1.0;
    for (long call = 0; call < number; ++call) {
        tutti_allreduce(me, TUTTI_IN_PLACE, &value, 1, TUTTI_DOUBLE, TUTTI_SUM);
    }
    tutti_leave(me);
    tutti_group_free(group);
    return value;
}

/// The same, started and waited for.
double start(long number) {
    Group group(1);
    Member me = group.join(0);
    std::array<double, 1> value{1.0};
    for (long call = 0; call < number; ++call) {
        me.start.allreduce(value, sum).wait();
    }
    return value.front();
}

constexpr std::size_t ranks = 8;

/// Four different calls in turn.
double block_in_turn(long number) {
    Group group(1);
    Member me = group.join(0);
    std::array<double, 4> values{};
    for (long call = 0; call < number; ++call) {
        me.broadcast(std::span(values).first(static_cast<std::size_t>(call % 4) + 1), 0);
    }
    return values.front();
}

/// One caller has the buffers of `Ranks` ranks.
template <std::size_t Ranks>
double call_for_all(long number) {
    std::array<std::array<double, 1>, Ranks> in{};
    std::array<std::array<double, 1>, Ranks> out{};
    for (long call = 0; call < number; ++call) {
        single_caller::allreduce(in, out, sum);
    }
    return out.front().front();
}

/// The same of 8 ranks that arrive on one thread.
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

int main(int argc, char** argv) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    const long number = std::strtol(argv[2], nullptr, 10);
    constexpr std::array<Way, 7> ways{{{"blocking", block},
                                       {"blocking-in-c", block_in_c},
                                       {"in-turn", block_in_turn},
                                       {"nonblocking", start},
                                       {"single-caller", call_for_all<ranks>},
                                       {"many-ranks", call_for_all<2 * ranks + 1>},
                                       {"arriving", arrive}}};
    for (const Way& way : ways) {
        if (way.name == argv[1]) {
            return way.call(number) >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    return EXIT_FAILURE;
}
