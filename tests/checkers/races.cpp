// races [NUMBER]: a program with a race, one of several, which the thread sanitizer is to report.
#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

/// So that a race is one that the sanitizer sees: what comes later does so in time as well.
void come_later() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// An operator that the sanitizer sees.
const auto add = [](const double& a, const double& b) { return a + b; };

/// Member 0 writes to its input before the operation is complete.
void writes_input_too_early(tutti::Member& me, std::vector<double>& /*shared*/) {
    std::vector<double> in(8192, 1);
    std::vector<double> out(8192);
    if (me.rank() != 0) {
        come_later();
    }
    tutti::Request request = me.start.allreduce(in, out, add);
    if (me.rank() == 0) {
        in[8191] = 2;
    }
    request.wait();
}

/// Members 1 and 2 write to one variable between two broadcasts, for which they do not wait for each other.
void writes_between_broadcasts(tutti::Member& me, std::vector<double>& shared) {
    double value = 1;
    value = me.broadcast(value, 0);
    if (me.rank() == 2) {
        come_later();
    }
    if (me.rank() != 0) {
        shared[0] = me.rank();
    }
    value = me.broadcast(value, 0);
}

/// Member 0 reads in one round what member 1 writes in the same.
void reads_without_barrier(tutti::Member& me, std::vector<double>& shared) {
    me.barrier();
    come_later(); // when nobody waits any more
    if (me.rank() == 1) {
        shared[1] = 1;
    }
    if (me.rank() == 0) {
        come_later();
        shared[0] = shared[1];
    }
    me.barrier();
}

/// Member 1 writes where member 0 wants its result.
void writes_into_result(tutti::Member& me, std::vector<double>& shared) {
    std::vector<double> in(shared.size(), 1);
    std::vector<double> own(shared.size());
    if (me.rank() == 0) {
        me.allreduce(in, shared, add);
        // Others may still wait: what this member does now they would have seen when they look at it.
        come_later();
        come_later();
        shared[0] += 1;
    } else {
        me.allreduce(in, own, add);
        come_later();
        if (me.rank() == 1) {
            shared[0] = 1;
        }
    }
}

/// Rank 0 writes what the function writes that it has given to its operation, and does not wait for that.
void writes_as_function_does() {
    tutti::AsyncGroup meeting(2);
    std::vector<double> in(100, 1);
    std::vector<double> outs[2] = {in, in};
    double written = 0;
    std::thread other([&] {
        come_later();
        meeting.at(1).allreduce(in, outs[1], add).wait();
    });
    meeting.at(0).allreduce(in, outs[0], add).then([&](const auto& /*failure*/) { written = 1; });
    come_later();
    come_later();
    written = 2;
    other.join();
}

void (*const of_members[])(tutti::Member&, std::vector<double>&) = {
    writes_input_too_early, writes_between_broadcasts, reads_without_barrier, writes_into_result};

} // namespace

/// How many there are where it is not told which.
int main(int arguments, char** argv) {
    const std::size_t others = std::size(of_members);
    if (arguments < 2) {
        std::printf("%zu\n", others + 1);
        return 0;
    }
    const std::size_t number = std::stoul(argv[1]);
    if (number == others) {
        writes_as_function_does();
        return 0;
    }
    tutti::Team team(3);
    std::vector<double> shared(1000);
    team.run([&](tutti::Member& me) { of_members[number](me, shared); });
}
