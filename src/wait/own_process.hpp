#pragma once

#include "machine/process.hpp"

#include <tutti/error.hpp>

#include <cstdint>
#include <string>

namespace tutti::engine {

/// The process that has made a group. A child of fork() has a copy of the group without the threads of its
/// members, for which it would wait for ever.
class OwnProcess {
public:
    bool is_here() const { return machine::this_process() == process_; }

    /// Throws Error in a child. `what` is the object that the caller uses.
    void require(const char* what) const {
        if (!is_here()) {
            throw Error(
                std::string(what) +
                " was made by the parent of this process, which fork() has made without the threads of "
                "the other members: make another one in the child");
        }
    }

private:
    std::uint64_t process_ = machine::this_process();
};

} // namespace tutti::engine
