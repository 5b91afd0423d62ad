// Blocks from member to member: each copies those of its own process, and leaders send the others.

#include "hybrid/src/blocks.hpp"

#include "call/plans.hpp"
#include "diagnose/disagreement.hpp"
#include "hybrid/src/cluster_call.hpp"

#include <tutti/error.hpp>

#include <cstring>

namespace tutti::v0_1::detail {

using detail::Call;
using hybrid::MpiChannel;
using plan::BlockPlace;

namespace {

/// Blocks of so many bytes together go in one message with their lengths. MPI libraries send such a message
/// at once.
constexpr std::size_t short_parcel_bytes = 2048;

} // namespace

bool BlockExchange::Parcel::is_short() const {
    return bytes <= short_parcel_bytes;
}

/// Whether the blocks of a parcel go from and to the vectors of the process's only member.
bool BlockExchange::is_direct(const Parcel& parcel) const {
    return call_.is_alone() && !parcel.is_short();
}

BlockPlace BlockExchange::sent_place(const BlockEdge& edge) const {
    return call_.shown_by(edge.sender - call_.first_member()).blocks->sent[edge.sent];
}

/// The place of a block that a member receives, by the member's rank in the process.
BlockPlace BlockExchange::received_place(const BlockEdge& edge, int member) const {
    return call_.shown_by(member).blocks->received[edge.received];
}

bool BlockExchange::is_as_before() const {
    for (std::size_t member = 0; member < digests_.size(); ++member) {
        if (digests_[member] != call_.shown_by(static_cast<int>(member)).layout_digest) {
            return false;
        }
    }
    return !digests_.empty();
}

void BlockExchange::lay_out() {
    if (is_as_before()) {
        return;
    }
    digests_.clear();
    expect_different_ = false;
    lay_out_local();
    lay_out(outgoing_, true);
    lay_out(incoming_, false);
    for (int member = 0; member < call_.members(); ++member) {
        digests_.push_back(call_.shown_by(member).layout_digest);
    }
}

void BlockExchange::lay_out_local() {
    const int here = call_.cluster().process();
    local_.clear();
    call_.edges().for_each(here, here, [&](const BlockEdge& edge) {
        for (int member = first_; member < last_; ++member) {
            if (!edge.is_for(call_.first_member() + member)) {
                continue;
            }
            const BlockPlace from = sent_place(edge);
            const BlockPlace to = received_place(edge, member);
            if (from.count != to.count) {
                throw_lengths(edge, member, from.count);
            }
            local_.push_back({member, call_.bytes(to.start), call_.bytes(from.start), call_.bytes(to.count),
                              edge.sender - call_.first_member()});
        }
    });
}

void BlockExchange::lay_out(Parcels& parcels, bool sends) {
    const ClusterState& cluster = call_.cluster();
    const int here = cluster.process();
    const int processes = cluster.processes();
    parcels.all.clear();
    parcels.lengths.clear();
    parcels.copies.clear();
    parcels.bytes = 0;
    for (int distance = 1; distance < processes; ++distance) {
        const int other = (here + (sends ? distance : processes - distance)) % processes;
        const auto for_each_edge = [&](auto visit) {
            call_.edges().for_each(sends ? here : other, sends ? other : here, visit);
        };
        Parcel parcel{.process = other,
                      .start = parcels.bytes,
                      .first_length = parcels.lengths.size(),
                      .first_copy = parcels.copies.size()};
        for_each_edge([&](const BlockEdge& edge) {
            const int first = std::max(edge.receiver - call_.first_member(), 0);
            parcels.lengths.push_back((sends ? sent_place(edge) : received_place(edge, first)).count);
        });
        parcel.blocks = parcels.lengths.size() - parcel.first_length;
        if (parcel.blocks == 0) {
            continue;
        }
        for_each_edge([&, block = parcel.first_length](const BlockEdge& edge) mutable {
            const std::size_t bytes = call_.bytes(parcels.lengths[block++]);
            const std::size_t at = parcel.blocks_start() + parcel.bytes;
            parcel.bytes += bytes;
            for (int member = first_; member < last_; ++member) {
                const int rank = call_.first_member() + member;
                if (sends ? edge.sender == rank : edge.is_for(rank)) {
                    const BlockPlace own = sends ? sent_place(edge) : received_place(edge, member);
                    parcels.copies.push_back({member, call_.bytes(own.start), at, bytes, 0});
                }
            }
            for (int member = 0; !sends && edge.is_for(BlockEdge::everybody) && member < call_.members();
                 ++member) {
                expect_different_ =
                    expect_different_ || call_.bytes(received_place(edge, member).count) != bytes;
            }
        });
        parcel.last_copy = parcels.copies.size();
        const std::size_t room = is_direct(parcel) ? 0 : parcel.bytes;
        const std::size_t end = parcel.blocks_start() + (sends ? room : std::max(room, short_parcel_bytes));
        parcels.bytes = (end + line_bytes - 1) / line_bytes * line_bytes;
        parcels.all.push_back(parcel);
    }
}

template <class Visit>
void BlockExchange::for_each_copy(const Parcels& parcels, Visit visit) const {
    for (const Parcel& parcel : parcels.all) {
        if (!is_direct(parcel)) {
            std::for_each(parcels.copies.data() + parcel.first_copy, parcels.copies.data() + parcel.last_copy,
                          visit);
        }
    }
}

void BlockExchange::put() const {
    for (const Copy& copy : local_) {
        copy_unless_there(call_.shown_by(copy.member).output + copy.in_vector,
                          call_.shown_by(copy.sender).input + copy.place, copy.bytes);
    }
    for_each_copy(outgoing_, [&](const Copy& copy) {
        copy_unless_there(call_.staging().input + copy.place,
                          call_.shown_by(copy.member).input + copy.in_vector, copy.bytes);
    });
}

void BlockExchange::store() const {
    for_each_copy(incoming_, [&](const Copy& copy) {
        copy_unless_there(call_.shown_by(copy.member).output + copy.in_vector,
                          call_.staging().output + copy.place, copy.bytes);
    });
}

/// With the blocks of short parcels.
void BlockExchange::send_lengths() {
    MpiChannel& channel = call_.transport().channel();
    const StagingBuffers& staging = call_.staging();
    for (const Parcel& parcel : incoming_.all) {
        channel.receive(std::array{MpiChannel::Piece{staging.output + parcel.start,
                                                     parcel.lengths_bytes() + short_parcel_bytes}},
                        parcel.process);
    }
    for (const Parcel& parcel : outgoing_.all) {
        std::memcpy(staging.input + parcel.start, outgoing_.lengths.data() + parcel.first_length,
                    parcel.lengths_bytes());
        channel.send(
            std::array{MpiChannel::Piece{staging.input + parcel.start,
                                         parcel.lengths_bytes() + (parcel.is_short() ? parcel.bytes : 0)}},
            parcel.process);
    }
}

/// Sends and receives the blocks of long parcels.
void BlockExchange::send_blocks() {
    MpiChannel& channel = call_.transport().channel();
    for (const Parcel& parcel : incoming_.all) {
        check_lengths(parcel);
    }
    for (const Parcel& parcel : incoming_.all) {
        if (!parcel.is_short()) {
            channel.receive(blocks_of(incoming_, parcel), parcel.process);
        }
    }
    for (const Parcel& parcel : outgoing_.all) {
        if (!parcel.is_short()) {
            channel.send(blocks_of(outgoing_, parcel), parcel.process);
        }
    }
}

/// As far as that goes without waiting. Returns whether nothing is left.
bool BlockExchange::go_on() {
    while (!call_.transport().channel().awaits_messages()) {
        switch (next_) {
        case Next::send_lengths:
            next_ = Next::send_blocks;
            send_lengths();
            break;
        case Next::send_blocks:
            next_ = Next::end;
            send_blocks();
            break;
        case Next::end:
            return true;
        }
    }
    return false;
}

/// Throws MismatchError if parcels have other lengths than the members expect.
void BlockExchange::check_lengths(const Parcel& parcel) const {
    const std::byte* const lengths = call_.staging().output + parcel.start;
    if (!expect_different_ &&
        std::memcmp(lengths, incoming_.lengths.data() + parcel.first_length, parcel.lengths_bytes()) == 0) {
        return;
    }
    call_.edges().for_each(parcel.process, call_.cluster().process(),
                           [&, from = lengths](const BlockEdge& edge) mutable {
                               std::uint64_t sent = 0;
                               std::memcpy(&sent, from, sizeof(sent));
                               from += sizeof(sent);
                               for (int member = 0; member < call_.members(); ++member) {
                                   if (edge.is_for(call_.first_member() + member) &&
                                       received_place(edge, member).count != sent) {
                                       throw_lengths(edge, member, sent);
                                   }
                               }
                           });
}

void BlockExchange::throw_lengths(const BlockEdge& edge, int member, std::uint64_t sent) const {
    throw MismatchError(library::text_of_counts(call_.call_signature(), call_.first_member() + member,
                                                edge.sender,
                                                {.sent = sent,
                                                 .expected = received_place(edge, member).count,
                                                 .number_of_sender = edge.sent,
                                                 .number_of_receiver = edge.received}),
                        {.peer = edge.sender});
}

std::span<const MpiChannel::Piece> BlockExchange::blocks_of(const Parcels& parcels, const Parcel& parcel) {
    const bool sends = &parcels == &outgoing_;
    pieces_.clear();
    if (!is_direct(parcel)) {
        std::byte* const staging = sends ? call_.staging().input : call_.staging().output;
        pieces_.push_back({staging + parcel.blocks_start(), parcel.bytes});
        return pieces_;
    }
    const ShownVectors& own = call_.shown_by(0);
    for (std::size_t i = parcel.first_copy; i < parcel.last_copy; ++i) {
        const Copy& copy = parcels.copies[i];
        if (copy.bytes != 0) {
            pieces_.push_back(
                {(sends ? const_cast<std::byte*>(own.input) : own.output) + copy.in_vector, copy.bytes});
        }
    }
    return pieces_;
}

bool BlockExchange::advance() {
    return call_.transport().channel().carry_on(false, [this] { return go_on(); });
}

void BlockExchange::perform() {
    begin();
    call_.transport().channel().carry_on(true, [this] { return go_on(); });
}

bool sends_blocks(const Call& call) {
    return call.collective == Collective::shift || exchanges(call);
}

void BlockEdges::set(const Call& call, const ClusterState& cluster) {
    cluster_ = &cluster;
    number_ = call.root;
    const detail::CollectiveTraits& traits = detail::traits_of(call.collective);
    const detail::Neighborhood* const graph = neighborhood_of(call);
    pattern_ = graph != nullptr                       ? Pattern::graph
               : call.collective == Collective::shift ? Pattern::shift
               : traits.scatters()                    ? Pattern::from_root
               : !traits.gathers()                    ? Pattern::pairs
               : traits.is_rooted()                   ? Pattern::to_root
                                                      : Pattern::to_all;
    graph_edges_.clear();
    if (graph != nullptr) {
        set_graph(*graph->graph());
    }
}

void BlockEdges::set_graph(const schedule::Graph& graph) {
    const int here = cluster_->process();
    for (std::size_t receiver = 0; receiver < graph.size(); ++receiver) {
        const int to = cluster_->process_of(static_cast<int>(receiver));
        for (std::size_t block = 0; block < graph[receiver].size(); ++block) {
            const schedule::Source& source = graph[receiver][block];
            if (source.member == schedule::Source::nobody) {
                continue;
            }
            const int from = cluster_->process_of(source.member);
            if (from == here || to == here) {
                graph_edges_.push_back({{from, to},
                                        {.sender = source.member,
                                         .sent = static_cast<std::size_t>(source.block),
                                         .receiver = static_cast<int>(receiver),
                                         .received = block}});
            }
        }
    }
    std::ranges::stable_sort(graph_edges_, {}, &GraphEdge::processes);
}

BlockEdges::Ranks BlockEdges::only(int rank, int process) const {
    const bool is_there = cluster_->process_of(rank) == process;
    return {rank, is_there ? rank + 1 : rank};
}

BlockEdges::Ranks BlockEdges::receivers_in(int process) const {
    switch (pattern_) {
    case Pattern::to_root:
        return only(number_, process);
    case Pattern::to_all:
        return {BlockEdge::everybody, BlockEdge::everybody + 1};
    default:
        return {cluster_->first_rank(process), cluster_->first_rank(process + 1)};
    }
}

BlockEdges::Ranks BlockEdges::senders_in(int process, int receiver) const {
    switch (pattern_) {
    case Pattern::from_root:
        return only(number_, process);
    case Pattern::shift:
        return only((receiver - number_ + cluster_->size()) % cluster_->size(), process);
    default:
        return {cluster_->first_rank(process), cluster_->first_rank(process + 1)};
    }
}

BlockEdge BlockEdges::edge(int sender, int receiver) const {
    // A shift has one block, and the block that all receive has one place wherever it is sent.
    const bool is_one = pattern_ == Pattern::shift;
    return {.sender = sender,
            .sent = is_one || pattern_ == Pattern::to_all ? 0 : static_cast<std::size_t>(receiver),
            .receiver = receiver,
            .received = is_one ? 0 : static_cast<std::size_t>(sender)};
}

} // namespace tutti::v0_1::detail
