#pragma once

namespace tutti::laboratory {

/// ns of an allreduce of 8 bytes between two members on these CPUs, from when the first begins until the last
/// leaves, as `tutti bench` times it: they begin together. The median of as many calls as `seconds` last for.
double call_ns(int cpu, int other, double seconds);

} // namespace tutti::laboratory
