#pragma once

#include "board.hpp"
#include "buffer.hpp"
#include "exchange.hpp"
#include "measure.hpp"

#include <tutti/team.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::bench {

/// A team of pinned threads, with vectors for every member, on which points are measured one after the other.
class TuttiRunner {
public:
    /// Vectors of up to `most_bytes` bytes. `crowded`: there are fewer CPUs than members.
    /// Throws ArgumentError when the placement is wrong, std::bad_alloc when there is not enough memory.
    TuttiRunner(int members, const std::string& placement, bool crowded, std::size_t most_bytes,
                const Method& method);

    /// Measures `work` with an algorithm, or with the library's choice when the name is empty. Throws
    /// whatever the library throws.
    Point measure(const Work& work, const std::string& algorithm);

    /// Where the members run.
    std::vector<std::string> pinning() const { return team_.pinning(); }

private:
    Subject subject_of(Member& me, const Work& work, const std::string& algorithm);

    Method method_;
    bool crowded_;
    Team team_;
    Buffer board_memory_;
    std::vector<Buffer> inputs_;
    std::vector<Buffer> outputs_;
    Exchange exchange_;
};

} // namespace tutti::bench
