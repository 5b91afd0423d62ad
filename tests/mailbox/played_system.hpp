#pragma once

namespace tutti::test {

/// The part of the system that this test program plays. Its functions stand before the C library's.
class PlayedSystem {
public:
    PlayedSystem();
    virtual ~PlayedSystem();
    PlayedSystem(const PlayedSystem&) = delete;
    PlayedSystem& operator=(const PlayedSystem&) = delete;

    /// sched_yield().
    virtual void yield() = 0;
    /// sched_getcpu().
    virtual int cpu() = 0;
    /// clock_gettime() of CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID.
    virtual long now_ns() = 0;
    virtual long used_ns() = 0;

    /// Later than every time that has been played: clocks do not go back from one test case to the next.
    static long later_ns();
};

} // namespace tutti::test
