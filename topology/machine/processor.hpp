#pragma once

#include <string>

namespace tutti::machine {

/// How a processor names itself; empty or 0 where it does not.
struct Processor {
    std::string model;
    std::string vendor;
    int family = 0; ///< the vendor's number
};

/// Of this machine. x86 processors have instructions for it; others are described in /proc/cpuinfo, which
/// some kernels take milliseconds to write.
Processor this_processor();

} // namespace tutti::machine
