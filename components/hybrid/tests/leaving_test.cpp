// A member that returns from a failed call has its vectors back: nobody of its process touches them any more.

#include "support.hpp"

#include <tutti/options.hpp>

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <span>
#include <stdexcept>
#include <string>

namespace tutti::test {

namespace {

constexpr int members = 3;
constexpr std::size_t elements = 500'000;

/// A vector that traps whoever touches it after its end, or what lies behind it.
class Guarded {
public:
    explicit Guarded(std::size_t count = elements)
        : bytes_((count * sizeof(int) + page - 1) / page * page), count_(count),
          memory_(static_cast<std::byte*>(
              mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
        REQUIRE(memory_ != MAP_FAILED);
        mprotect(memory_ + bytes_, page, PROT_NONE);
    }
    ~Guarded() { mprotect(memory_, bytes_, PROT_NONE); } // the place stays taken
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    Guarded(Guarded&&) = delete;
    Guarded& operator=(Guarded&&) = delete;

    std::span<int> span() const {
        return {reinterpret_cast<int*>(memory_ + bytes_) - count_, count_}; // its end is the guard
    }

private:
    static constexpr std::size_t page = 4096;
    std::size_t bytes_;
    std::size_t count_;
    std::byte* memory_;
};

/// An operator that says how often it has been called; the one of member `thrower` throws, later than the
/// others have begun, and theirs take their time. A vector is thus still being read when a member fails.
struct Operator {
    int rank;
    int thrower;
    std::atomic<int>* calls;

    int operator()(int a, int b) const {
        const int before = calls->fetch_add(1);
        if (rank == thrower && before > 10) {
            throw std::runtime_error("the operator broke");
        }
        if (before % 20'000 < 5) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return a + b;
    }
};

struct Case {
    int thrower; ///< none: process 1 does not come
    mpi::ClusterOptions options = {};
};

/// One call, on vectors that are gone when it has thrown.
void call(mpi::Member& me, const Case& run, std::atomic<int>& calls, bool comes) {
    const Guarded in;
    const Guarded out;
    if (!comes) {
        return;
    }
    const Operator op{me.local().rank(), run.thrower, &calls};
    try {
        me.allreduce(in.span(), out.span(), op);
        FAIL_CHECK("nothing was thrown");
    } catch (const std::runtime_error& error) { // all that is thrown here is one
        CHECK(!std::string(error.what()).empty());
    }
    const int at_return = calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_MESSAGE(calls == at_return, "an operator still ran when member ", me.rank(), " had returned");
}

void check_case(const Case& run) {
    INFO("member ", run.thrower);
    on_processes(2, [&](MPI_Comm part) {
        std::atomic<int> calls{0};
        const bool comes = run.thrower >= 0 || process_of_world() == 0;
        on_members(
            part, members, [&](mpi::Member& me) { call(me, run, calls, comes); }, run.options);
    });
}

} // namespace

TEST_CASE("vectors are left alone when a member's operator has thrown") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    check_case({.thrower = 0}); // the leader, which may combine by itself
}

TEST_CASE("vectors are left alone when a leader has given up waiting") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    check_case({.thrower = -1, .options = {.timeout = std::chrono::milliseconds(20)}});
}

TEST_CASE("members of one process with vectors of different lengths: nothing beyond their ends is touched") {
    if (thread_level() == MPI_THREAD_SINGLE) {
        return;
    }
    on_processes(2, [&](MPI_Comm part) {
        on_members(part, members, [&](mpi::Member& me) {
            const std::size_t count = me.local().rank() == 1 ? elements : elements / 4;
            const Guarded in(count);
            const Guarded out(count);
            try {
                me.allreduce(in.span(), out.span(), tutti::sum);
                me.barrier();
                FAIL_CHECK("nothing was thrown");
            } catch (const Error& error) {
                const std::string text = error.what();
                const bool says = text.find("different calls") != std::string::npos ||  // of a cluster
                                  text.find("make the same call") != std::string::npos; // of a group
                CHECK_MESSAGE(says, text);
            }
        });
    });
}

} // namespace tutti::test
