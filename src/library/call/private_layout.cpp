#include "call/arguments.hpp"
#include "call/plans.hpp"

#include <algorithm>

namespace tutti::library {

using detail::Call;
using plan::BlockPlace;

namespace {

/// A vector that is divided by rank, and the caller's names of it and of its counts.
struct Divided {
    const char* name;
    std::size_t elements;
    const char* counts_name;
    const Counts::View& counts;
    /// There is a count for each of these.
    const char* things = "members";
};

/// Checks the counts and displacements of an irregular call, and lays the blocks of one member out.
class LayoutMaker : ArgumentCheck {
public:
    LayoutMaker(const Call& call, int rank, int members, run::PrivateLayout& blocks)
        : ArgumentCheck(call, rank, members), root_(static_cast<std::size_t>(call.root)), blocks_(blocks) {}

    Shape shape() {
        if (traits_.irregular != detail::Irregular::displacements) {
            refuse(call_, "takes no displacements: its blocks lie back to back");
        }
        blocks_.sent.assign(members_, {});
        blocks_.received.assign(members_, {});
        if (const detail::Neighborhood* const graph = neighborhood_of(call_); graph != nullptr) {
            exchange_with_neighbors(*graph);
        } else if (traits_.scatters()) {
            scatter();
        } else if (!traits_.gathers()) {
            exchange();
        } else if (traits_.is_rooted()) {
            gather();
        } else {
            gather_all();
        }
        if (call_.shared_output) {
            refuse(call_, "one vector for all members takes no displacements: its blocks lie back to back");
        }
        blocks_.read = has_input() ? call_.input_count : 0;
        blocks_.written =
            has_output() && !(traits_.scatters() && is_root_ && call_.in_place) ? call_.output_count : 0;
        check_vectors();
        check_aliasing();
        return shape_;
    }

private:
    void exchange() {
        const bool one = call_.in_place;
        lay_out({input_name(call_), call_.input_count, one ? "counts" : "send_counts", *call_.counts},
                blocks_.sent);
        lay_out({output_name(call_), call_.output_count, one ? "counts" : "recv_counts", *call_.received},
                blocks_.received);
        keep_apart(output_name(call_), blocks_.received);
        const std::size_t sent = blocks_.sent[own_].count;
        const std::size_t received = blocks_.received[own_].count;
        if (sent != received) {
            refuse(call_, entry("send_counts", own_, sent) + " and " + entry("recv_counts", own_, received) +
                              " of member " + std::to_string(own_) + " itself: they must be the same");
        }
        shape_.total = call_.output_count;
    }

    void exchange_with_neighbors(const detail::Neighborhood& graph) {
        check_graph(graph);
        lay_out_neighbors({"in", call_.input_count, "send_counts", *call_.counts, "destinations"},
                          graph.destinations(), blocks_.sent);
        lay_out_neighbors({"out", call_.output_count, "recv_counts",
                           call_.received != nullptr ? *call_.received : *call_.counts, "sources"},
                          graph.sources(), blocks_.received);
        keep_apart("out", blocks_.received);
        for (const detail::Neighborhood::Loop& loop : graph.loops()) {
            if (blocks_.sent[loop.sent].count != blocks_.received[loop.received].count) {
                refuse(call_, "block " + std::to_string(loop.sent) + " of " +
                                  elements("in", blocks_.sent[loop.sent].count) + ", but block " +
                                  std::to_string(loop.received) + " of `out` has " +
                                  std::to_string(blocks_.received[loop.received].count) + ": member " +
                                  std::to_string(own_) + " sends the one to itself as the other");
            }
        }
        if (call_.input == call_.output) {
            keep_sent_apart();
        }
        shape_.total = call_.output_count;
    }

    void check_graph(const detail::Neighborhood& graph) const {
        if (static_cast<std::size_t>(graph.rank()) != own_ ||
            static_cast<std::size_t>(graph.members()) != members_) {
            refuse(call_, "`neighbors` belongs to rank " + std::to_string(graph.rank()) + " of " +
                              std::to_string(graph.members()) + " members, this is rank " +
                              std::to_string(own_) + " of " + std::to_string(members_));
        }
        if (!call_.algorithm.empty()) {
            refuse(call_, "has no algorithms to choose from: leave `options.algorithm` empty");
        }
    }

    /// Without counts, all blocks have one length. Those of no neighbour are not touched.
    void lay_out_neighbors(const Divided& vector, std::span<const int> neighbors,
                           std::vector<BlockPlace>& places) const {
        places.assign(neighbors.size(), {});
        if (call_.received != nullptr) {
            lay_out(vector, places);
        } else {
            const std::size_t blocks = std::max<std::size_t>(neighbors.size(), 1);
            const std::size_t length = neighbors.empty() ? 0 : vector.elements / blocks;
            if (length * neighbors.size() != vector.elements) {
                refuse(call_, elements(vector.name, vector.elements) + ", which cannot be divided into " +
                                  std::to_string(neighbors.size()) + " equal blocks, one for each of the " +
                                  vector.things + ": pass a multiple, or counts");
            }
            for (std::size_t i = 0; i < places.size(); ++i) {
                places[i] = {i * length, length};
            }
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (neighbors[i] == Neighbors::none) {
                places[i] = {};
            }
        }
    }

    /// Throws if a block that is received overlaps one that is sent, which others may still read.
    void keep_sent_apart() const {
        for (std::size_t k = 0; k < blocks_.received.size(); ++k) {
            const BlockPlace& written = blocks_.received[k];
            for (std::size_t i = 0; i < blocks_.sent.size(); ++i) {
                const BlockPlace& read = blocks_.sent[i];
                if (std::max(written.start, read.start) <
                    std::min(written.start + written.count, read.start + read.count)) {
                    refuse(call_, "block " + std::to_string(i) + " of `in` and block " + std::to_string(k) +
                                      " of `out` overlap: what is received must not overlap what is sent");
                }
            }
        }
    }

    void gather_all() {
        set_gathered();
        blocks_.sent.assign(members_, own_block());
    }

    void gather() {
        if (is_root_) {
            set_gathered();
        } else if (call_.counts != nullptr) {
            check_entries(call_, "counts", call_.counts->span().size(), members_);
            check_block(input_name(call_), call_.input_count, call_.counts->span()[own_]);
        }
        blocks_.sent[root_] = is_root_ ? own_block() : BlockPlace{0, call_.input_count};
    }

    /// The output of a member that receives from all, in which its own block already lies if the call is in
    /// place.
    void set_gathered() {
        lay_out({output_name(call_), call_.output_count, "counts", *call_.counts}, blocks_.received);
        keep_apart(output_name(call_), blocks_.received);
        if (!call_.in_place) {
            check_block(input_name(call_), call_.input_count, blocks_.received[own_].count);
            shape_.input_is_block = true;
        }
        shape_.own_offset = blocks_.received[own_].start;
        shape_.total = call_.output_count;
    }

    BlockPlace own_block() const {
        return call_.in_place ? blocks_.received[own_] : BlockPlace{0, call_.input_count};
    }

    void scatter() {
        if (is_root_) {
            lay_out({input_name(call_), call_.input_count, "counts", *call_.counts}, blocks_.sent);
            if (!call_.in_place) {
                check_block(output_name(call_), call_.output_count, blocks_.sent[own_].count);
                shape_.output_is_block = true;
            }
            shape_.own_offset = blocks_.sent[own_].start;
            shape_.total = call_.input_count;
        } else if (call_.counts != nullptr) {
            check_entries(call_, "counts", call_.counts->span().size(), members_);
            check_block(output_name(call_), call_.output_count, call_.counts->span()[own_]);
        }
        // In place the root's own block stays where it is.
        const bool stays = is_root_ && call_.in_place;
        blocks_.received[root_] = stays ? blocks_.sent[own_] : BlockPlace{0, call_.output_count};
    }

    void check_block(const char* name, std::size_t elements_of_block, std::size_t count) const {
        if (elements_of_block != count) {
            refuse(call_, elements(name, elements_of_block) + ", but " + entry("counts", own_, count));
        }
    }

    void lay_out(const Divided& vector, std::vector<BlockPlace>& places) const {
        const auto counts = vector.counts.span();
        check_entries(call_, vector.counts_name, counts.size(), places.size(), vector.things);
        if (vector.counts.has_displacements()) {
            return lay_out_displaced(vector, places);
        }
        std::size_t end = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = {end, counts[i]};
            end = checked_end(call_, vector.counts_name, end, counts[i]);
        }
        check_sum(call_, vector.counts_name, end, vector.name, vector.elements);
    }

    void lay_out_displaced(const Divided& vector, std::vector<BlockPlace>& places) const {
        const auto counts = vector.counts.span();
        const auto displacements = vector.counts.displacements();
        if (displacements.size() != places.size()) {
            refuse(call_, std::string("`") + vector.counts_name + "` has " +
                              std::to_string(displacements.size()) +
                              " displacements, must have one for each of the " +
                              std::to_string(places.size()) + " " + vector.things);
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = {counts[i] != 0 ? displacements[i] : 0, counts[i]};
            if (places[i].start > vector.elements || counts[i] > vector.elements - places[i].start) {
                refuse(call_, elements(vector.name, vector.elements) + ", but block " + std::to_string(i) +
                                  " has " + std::to_string(counts[i]) + " from displacement " +
                                  std::to_string(displacements[i]) + " on");
            }
        }
    }

    /// Throws if blocks that are written overlap.
    void keep_apart(const char* name, const std::vector<BlockPlace>& places) const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].count != 0) {
                order.push_back(i);
            }
        }
        std::ranges::sort(order, {}, [&](std::size_t i) { return places[i].start; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            const BlockPlace& before = places[order[i - 1]];
            if (before.start + before.count > places[order[i]].start) {
                refuse(call_, "blocks " + std::to_string(std::min(order[i - 1], order[i])) + " and " +
                                  std::to_string(std::max(order[i - 1], order[i])) + " of `" + name +
                                  "` overlap: each is written");
            }
        }
    }

    void check_aliasing() const {
        const bool may_be_part =
            (call_.collective == Collective::allgather || neighborhood_of(call_) != nullptr) &&
            shape_.aliasing == Aliasing::same;
        if (shape_.aliasing != Aliasing::separate && !call_.in_place && !may_be_part) {
            refuse(call_, both_names(call_) + "overlap: " +
                              (neighborhood_of(call_) != nullptr ? "pass separate buffers, or the same one"
                               : call_.collective == Collective::alltoall
                                   ? "if each member has its own counts, they must be separate vectors, "
                                     "or one in place"
                                   : "pass separate vectors, or one in place"));
        }
    }

    std::size_t root_;
    run::PrivateLayout& blocks_;
};

} // namespace

Shape checked_layout(const Call& call, int rank, int members, run::PrivateLayout& blocks) {
    return LayoutMaker(call, rank, members, blocks).shape();
}

} // namespace tutti::library
