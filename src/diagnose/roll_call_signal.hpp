#pragma once

#include "immovable.hpp"

#include <tutti/detail/export.hpp>
#include <tutti/options.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>

namespace tutti::engine {

/// A group whose roll call a signal triggers, if the environment variable TUTTI_ROLL_CALL names a signal:
/// "USR1", "SIGUSR1", "10", and "USR1,json" for tools. Otherwise it does nothing.
class TUTTI_COMPONENT_API RollCallListed : Immovable {
public:
    /// Calls `roll_call(format)` on a thread of its own, from now on.
    explicit RollCallListed(std::function<std::string(RollCallFormat)> roll_call);
    /// It is called no more: waits until a call of it that is under way has returned. A call may end others.
    ~RollCallListed();

private:
    std::function<std::string(RollCallFormat)> roll_call_;
    /// Held while it is called.
    mutable std::mutex calling_;
    std::list<const RollCallListed*>::iterator place_;
    /// The process that has listed it: a child of fork() has none of the threads that it reports.
    std::uint64_t process_ = 0;
    bool is_listed_ = false;

    friend class Signalled;
};

} // namespace tutti::engine
