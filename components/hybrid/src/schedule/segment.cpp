#include "hybrid/src/schedule/segment.hpp"

namespace tutti::hybrid {

void Segment::cut(std::span<const std::size_t> blocks, std::size_t index, std::size_t count) {
    start_ = 0;
    offsets_.assign(1, 0);
    places_.clear();
    for (std::size_t block = 0; block + 1 < blocks.size(); ++block) {
        const std::size_t length = blocks[block + 1] - blocks[block];
        const std::size_t before = length * index / count;
        start_ += before;
        places_.push_back(blocks[block] + before);
        offsets_.push_back(offsets_.back() + length * (index + 1) / count - before);
    }
}

} // namespace tutti::hybrid
