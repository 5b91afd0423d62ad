#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::hybrid {

/// The part of a vector that is carried in one go: the same share of every block, one after the other. A
/// vector that is not divided is one block.
class Segment {
public:
    /// Segment `index` of `count`, of a vector whose blocks start at `blocks`, which ends with the end of the
    /// vector; in elements. O(blocks).
    void cut(std::span<const std::size_t> blocks, std::size_t index, std::size_t count);

    std::size_t elements() const { return offsets_.back(); }
    /// The start of the part in a vector that has all parts one after the other.
    std::size_t start() const { return start_; }
    /// The start of each block's share in the part, and the end of the last.
    const std::vector<std::size_t>& offsets() const { return offsets_; }

    /// Calls visit(place in the part, place in the vector, elements) for each range of the vector that
    /// elements begin .. end - 1 of the part are, in order.
    template <class Visit>
    void for_each_range(std::size_t begin, std::size_t end, Visit visit) const {
        for (std::size_t block = 0; block < places_.size(); ++block) {
            const std::size_t first = std::max(begin, offsets_[block]);
            const std::size_t last = std::min(end, offsets_[block + 1]);
            if (first < last) {
                visit(first, places_[block] + (first - offsets_[block]), last - first);
            }
        }
    }

private:
    std::size_t start_ = 0;
    std::vector<std::size_t> offsets_{0};
    /// The place of each share in the vector.
    std::vector<std::size_t> places_;
};

} // namespace tutti::hybrid
