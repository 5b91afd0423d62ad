#pragma once

#include "immovable.hpp"
#include "record/timeline.hpp"

#include <tutti/options.hpp>

#include <functional>
#include <list>

namespace tutti::engine {

/// The amount of recording that the environment variable TUTTI_TRACE requests.
Trace trace_of_process();

/// A group whose trace goes into the file that TUTTI_TRACE names, as long as this lives, and as it is then at
/// the end.
class TraceListed : Immovable {
public:
    /// Lists nothing if no file is named. `timeline` may be called by any thread.
    explicit TraceListed(std::function<trace::Timeline()> timeline);
    ~TraceListed();

private:
    friend class TraceFile;

    std::function<trace::Timeline()> timeline_;
    std::list<const TraceListed*>::iterator place_;
    bool is_listed_ = false;
};

/// Writes the file that TUTTI_TRACE names, if there is something to write.
void write_trace_file() noexcept;

} // namespace tutti::engine
