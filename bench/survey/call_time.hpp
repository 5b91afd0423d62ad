#pragma once

namespace tutti::bench {

/// ns of an allreduce of 8 bytes between two members on these CPUs: the median of some rounds of many, as
/// many as `seconds` last for.
double call_ns(int cpu, int other, double seconds);

} // namespace tutti::bench
