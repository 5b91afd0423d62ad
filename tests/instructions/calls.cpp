// calls WHAT NUMBER: makes one call that number of times, for a tool that counts instructions.

#include <tutti/tutti.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
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

/// The same of 8 ranks that arrive on one thread.
double arrive(long number) {
    constexpr std::size_t ranks = 8;
    Rendezvous meeting(static_cast<int>(ranks));
    std::array<std::array<double, 1>, ranks> in{};
    std::array<std::array<double, 1>, ranks> out{};
    std::array<Request, ranks> requests;
    for (long call = 0; call < number; ++call) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            requests[rank] = meeting.at(static_cast<int>(rank)).allreduce(in[rank], out[rank], sum);
        }
        for (Request& request : requests) {
            request.wait();
        }
    }
    return out.front().front();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        return EXIT_FAILURE;
    }
    const long number = std::strtol(argv[2], nullptr, 10);
    const double value = std::string_view(argv[1]) == "blocking" ? block(number) : arrive(number);
    return value >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
