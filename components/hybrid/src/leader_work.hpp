#pragma once

#include "hybrid/src/cluster_call.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::inline TUTTI_NAMESPACE::mpi::detail {

/// What is combined, sent and stored in one go, so that it stays in a core's own cache.
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20U;

/// How many segments a vector of so many bytes is: 1 at least.
constexpr std::size_t segments_of(std::size_t bytes) {
    return bytes <= segment_bytes ? 1 : (bytes + segment_bytes - 1) / segment_bytes;
}

/// The same share of every block of a vector, one after the other. A vector that is not divided is one block.
class Segment {
public:
    /// Segment `index` of `count`, of a vector whose blocks start at `blocks`, which ends with the end of the
    /// vector; in elements. O(blocks).
    void cut(std::span<const std::size_t> blocks, std::size_t index, std::size_t count);

    std::size_t elements() const { return offsets_.back(); }
    /// Where the part starts in a vector that has all parts one after the other.
    std::size_t start() const { return start_; }
    /// Where the share of each block starts in the part, and the end of the last.
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
    /// Where each share lies in the vector.
    std::vector<std::size_t> places_;
};

/// What a leader does in a call for all members of its process, while these wait or, in an operation that is
/// outstanding, do something else: segment by segment it puts together what goes to other processes, from the
/// vectors of all, and stores what comes where each member wants it. By the leader only.
class LeaderWork {
public:
    explicit LeaderWork(ClusterCall& call) : call_(call) {}

    /// Decides how it is done, once the leader has shown its vectors.
    void begin();
    std::size_t segments() const { return segments_; }
    /// The bytes that it needs in each staging buffer.
    std::size_t input_room() const;
    std::size_t output_room() const;

    /// Puts a segment together. Returns the call to be made of it among the processes.
    hybrid::ProcessCall put(std::size_t segment);
    /// Stores what has come of it.
    void store();

private:
    std::size_t room() const;
    hybrid::ProcessCall put_broadcast();
    hybrid::ProcessCall process_call(std::byte* input, std::byte* output) const;
    std::pair<std::size_t, std::size_t> own_range() const;
    void put_together(std::byte* to);
    void combine(std::byte* to, std::size_t first, std::size_t elements, int members);
    void gather(std::byte* to, std::size_t first, std::size_t elements) const;
    void store_to_all();
    void store_block(int member) const;
    void store_prefixes();

    ClusterCall& call_;
    Segment segment_;
    std::size_t segments_ = 1;
    /// Whether the leader's vectors serve as they are: to be sent, for the result, and to combine in.
    bool sends_directly_ = false;
    bool receives_directly_ = false;
    bool combines_in_place_ = false;
    bool streams_ = false;
    /// Where what has come of the segment is.
    const std::byte* result_ = nullptr;
    std::vector<const void*> ins_;
    std::vector<void*> outs_;
};

} // namespace tutti::inline TUTTI_NAMESPACE::mpi::detail
