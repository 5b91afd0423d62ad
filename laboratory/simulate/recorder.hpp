#pragma once

#include "plan/plan.hpp"
#include "record/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::simulate {

/// In the place of a member's rank.
inline constexpr int nobody = -1;

/// Notes the members' actions in a simulated operation. Times are in ns from when all have come; each is
/// rounded by itself, so spans that meet still do.
class Recorder {
public:
    explicit Recorder(std::size_t members);

    /// The member looked for a point of the peer from `begin` on, and saw it at `end`.
    void wait(int member, int peer, double begin, double end);
    /// Records its action since its last step, or since it has come. `bytes` are those that it copies or
    /// combines. A step that takes no time is left out.
    void step(const plan::Plan& plan, const plan::Step& step, std::uint64_t bytes, double end);
    /// The recorded spans of each member, within a span like `operation` from its arrival until it left.
    std::vector<trace::Lane> lanes(const trace::Span& operation) const;

private:
    struct Steps {
        std::vector<trace::Span> spans = {};
        /// The beginning of the current step: its time, and the span before which it is.
        std::int64_t begin_ns = 0;
        std::size_t at = 0;
    };

    std::vector<Steps> members_;
};

} // namespace tutti::simulate
