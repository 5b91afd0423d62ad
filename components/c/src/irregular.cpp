// The collectives with irregular blocks, and those among neighbours.

#include "c/src/calls.hpp"

using namespace tutti;
using c_api::CallingMember;
using c_api::guarded;
using c_api::Making;

namespace {

/// A vector of blocks whose counts differ, and maybe their displacements.
class IrregularVector {
public:
    /// `name` is that of the counts, `displacements` null if there are none.
    IrregularVector(const CallingMember& member, const char* name, const std::size_t* counts,
                    const std::size_t* displacements)
        : IrregularVector(member, name, static_cast<std::size_t>(member.size()), counts, displacements) {}
    /// The same of so many blocks, which are among neighbours if there is a graph.
    IrregularVector(const CallingMember& member, const char* name, std::size_t blocks,
                    const std::size_t* counts, const std::size_t* displacements,
                    const detail::Neighborhood* graph = nullptr)
        : counts_(made(member, name, blocks, counts, displacements).among(graph)) {
        const bool displaced = counts_.has_displacements();
        for (std::size_t i = 0; i < counts_.span().size(); ++i) {
            const std::size_t count = counts_.span()[i];
            const std::size_t start = displaced ? displacements[i] : elements_;
            std::size_t end = 0;
            if (count != 0 && __builtin_add_overflow(start, count, &end)) {
                c_api::refuse(member.function(), std::string("the sum of `") + name + "`" +
                                                     (displaced ? " and displacements" : "") + " overflows");
            }
            elements_ = std::max(elements_, end);
        }
    }

    const Counts::View* counts() const { return &counts_; }
    /// The elements of the vector, as far as the blocks reach.
    std::size_t elements() const { return elements_; }
    std::size_t of(int rank) const { return counts_.span()[static_cast<std::size_t>(rank)]; }

private:
    static Counts::View made(const CallingMember& member, const char* name, std::size_t blocks,
                             const std::size_t* counts, const std::size_t* displacements) {
        const std::span given(blocks == 0 ? nullptr : &c_api::there(member.function(), name, counts), blocks);
        return displacements == nullptr ? Counts(given) : Counts(given, std::span(displacements, blocks));
    }

    Counts::View counts_;
    std::size_t elements_ = 0;
};

/// The blocks of a gather or scatter: those of the root, or of all members.
class RootedBlocks {
public:
    RootedBlocks(const CallingMember& member, int root, const std::size_t* counts,
                 const std::size_t* displacements)
        : is_root_(member.rank() == root), on_all_(member.has_counts_on_all()) {
        if (is_root_ || on_all_) {
            blocks_.emplace(member, "counts", counts, displacements);
        }
    }

    /// Elements of the whole vector, of which the others have `otherwise`.
    std::size_t whole_or(std::size_t otherwise) const { return is_root_ ? blocks_->elements() : otherwise; }

    void give_to(Making& call) const {
        call.has_counts(blocks_ ? blocks_->counts() : nullptr);
        if (!on_all_) {
            call.has_counts_at_root();
        }
    }

private:
    bool is_root_;
    bool on_all_;
    std::optional<IrregularVector> blocks_;
};

/// Those of the process. A handle is the number of one.
constinit c_api::Numbered<Neighbors> all_neighbors;

/// Those of a member, whose thread is the calling one.
const Neighbors& neighbors_behind(const char* function, const tutti_neighbors* neighbors) {
    c_api::there(function, "neighbors", neighbors);
    const Neighbors* const found = all_neighbors.find(c_api::number_of(neighbors));
    if (found == nullptr) {
        c_api::refuse(function,
                      "`neighbors` has been freed, or does not come from tutti_neighbors_create() or "
                      "tutti_neighbors_grid()");
    }
    return *found;
}

template <class T>
std::vector<T> list_of(const char* function, const char* name, const int* numbers, std::size_t n) {
    const std::span given = c_api::list(function, name, numbers, n);
    return std::vector<T>(given.begin(), given.end());
}

/// Makes neighbours by a function of the member, of either kind.
template <class Make>
void make_neighbors(const char* function, const tutti_member& me, tutti_neighbors** made, Make make) {
    c_api::there(function, "neighbors", made) = nullptr;
    c_api::Seated& found = c_api::seated(function, me);
    const std::uint64_t number =
        all_neighbors.add(found.in_cluster() != nullptr ? make(*found.in_cluster()) : make(found.member()));
    *made = c_api::handle_of<tutti_neighbors>(number);
}

void give_list(const char* function, std::span<const int> list, const int** ranks, std::size_t* n) {
    std::size_t& length = c_api::there(function, "n", n);
    c_api::there(function, "ranks", ranks) = list.data();
    length = list.size();
}

void refuse_in_place(const CallingMember& member, const void* in) {
    if (c_api::is_in_place(in)) {
        c_api::refuse(member.function(),
                      "`in` is TUTTI_IN_PLACE: a member receives other blocks than it sends");
    }
}

} // namespace

tutti_status tutti_reduce_scatterv(tutti_member me, const void* in, void* block, const size_t counts[],
                                   tutti_type type, tutti_op op) {
    return guarded([&] {
        const CallingMember member("reduce_scatterv", me);
        Making call(member, Collective::reduce_scatter, type);
        const IrregularVector blocks(member, "counts", counts, nullptr);
        call.takes(in, blocks.elements(), block, blocks.of(member.rank()), blocks.elements());
        call.has_counts(blocks.counts());
        call.combines(op);
        call.make();
    });
}

tutti_status tutti_allgatherv(tutti_member me, const void* block, size_t n, void* out, const size_t counts[],
                              const size_t displacements[], tutti_type type) {
    return guarded([&] {
        const CallingMember member("allgatherv", me);
        Making call(member, Collective::allgather, type);
        const IrregularVector blocks(member, "counts", counts, displacements);
        call.takes(block, n, out, blocks.elements(), blocks.elements());
        call.has_counts(blocks.counts());
        call.make();
    });
}

tutti_status tutti_gatherv(tutti_member me, const void* block, size_t n, void* out, const size_t counts[],
                           const size_t displacements[], tutti_type type, int root) {
    return guarded([&] {
        const CallingMember member("gatherv", me);
        Making call(member, Collective::gather, type);
        const RootedBlocks blocks(member, root, counts, displacements);
        call.takes(block, n, out, blocks.whole_or(0), blocks.whole_or(n));
        call.has_root(root);
        blocks.give_to(call);
        call.make();
    });
}

tutti_status tutti_scatterv(tutti_member me, const void* in, const size_t counts[],
                            const size_t displacements[], void* block, size_t n, tutti_type type, int root) {
    return guarded([&] {
        const CallingMember member("scatterv", me);
        Making call(member, Collective::scatter, type);
        const RootedBlocks blocks(member, root, counts, displacements);
        call.takes(in, blocks.whole_or(0), block, n, blocks.whole_or(n));
        call.has_root(root);
        blocks.give_to(call);
        call.make();
    });
}

tutti_status tutti_alltoallv(tutti_member me, const void* in, const size_t send_counts[],
                             const size_t send_displacements[], void* out, const size_t recv_counts[],
                             const size_t recv_displacements[], tutti_type type) {
    return guarded([&] {
        const CallingMember member("alltoallv", me);
        Making call(member, Collective::alltoall, type);
        const IrregularVector received(member, "recv_counts", recv_counts, recv_displacements);
        std::optional<IrregularVector> sent;
        if (!c_api::is_in_place(in)) {
            sent.emplace(member, "send_counts", send_counts, send_displacements);
        }
        call.takes(in, sent ? sent->elements() : 0, out, received.elements(), received.elements());
        call.has_counts(sent ? sent->counts() : received.counts(), received.counts());
        call.make();
    });
}

tutti_status tutti_neighbors_create(tutti_member me, const int sources[], size_t n_sources,
                                    const int destinations[], size_t n_destinations,
                                    tutti_neighbors** neighbors) {
    constexpr const char* name = "neighbors";
    return guarded([&] {
        make_neighbors(name, me, neighbors, [&](auto& member) {
            const auto from = list_of<int>(name, "sources", sources, n_sources);
            const auto to = list_of<int>(name, "destinations", destinations, n_destinations);
            return member.neighbors(from, to, c_api::where_of(me));
        });
    });
}

tutti_status tutti_neighbors_grid(tutti_member me, const int dims[], const int wraps[], size_t n_dims,
                                  tutti_neighbors** neighbors) {
    constexpr const char* name = "grid";
    return guarded([&] {
        make_neighbors(name, me, neighbors, [&](auto& member) {
            return member.grid(list_of<int>(name, "dims", dims, n_dims),
                               list_of<bool>(name, "wraps", wraps, n_dims));
        });
    });
}

tutti_status tutti_neighbors_sources(const tutti_neighbors* neighbors, const int** ranks, size_t* n) {
    constexpr const char* name = "neighbors_sources";
    return guarded([&] { give_list(name, neighbors_behind(name, neighbors).sources(), ranks, n); });
}

tutti_status tutti_neighbors_destinations(const tutti_neighbors* neighbors, const int** ranks, size_t* n) {
    constexpr const char* name = "neighbors_destinations";
    return guarded([&] { give_list(name, neighbors_behind(name, neighbors).destinations(), ranks, n); });
}

tutti_status tutti_neighbors_free(tutti_neighbors* neighbors) {
    return guarded([&] {
        if (neighbors != nullptr && !all_neighbors.take(c_api::number_of(neighbors))) {
            neighbors_behind("neighbors_free", neighbors); // which it is not
        }
    });
}

tutti_status tutti_neighbor_alltoall(tutti_member me, const tutti_neighbors* neighbors, const void* in,
                                     void* out, size_t n, tutti_type type) {
    return guarded([&] {
        const CallingMember member("neighbor_alltoall", me);
        const Neighbors own = neighbors_behind(member.function(), neighbors);
        Making call(member, Collective::alltoall, type);
        refuse_in_place(member, in);
        const auto elements = [&](std::span<const int> blocks) {
            return c_api::checked_product(member.function(), n, blocks.size(), call.elements());
        };
        const Counts::View graph = Counts::View().among(own.graph());
        call.takes(in, elements(own.destinations()), out, elements(own.sources()), 0);
        call.has_counts(&graph);
        call.make();
    });
}

tutti_status tutti_neighbor_alltoallv(tutti_member me, const tutti_neighbors* neighbors, const void* in,
                                      const size_t send_counts[], const size_t send_displacements[],
                                      void* out, const size_t recv_counts[],
                                      const size_t recv_displacements[], tutti_type type) {
    return guarded([&] {
        const CallingMember member("neighbor_alltoallv", me);
        const Neighbors own = neighbors_behind(member.function(), neighbors);
        Making call(member, Collective::alltoall, type);
        refuse_in_place(member, in);
        const IrregularVector sent(member, "send_counts", own.destinations().size(), send_counts,
                                   send_displacements, own.graph());
        const IrregularVector received(member, "recv_counts", own.sources().size(), recv_counts,
                                       recv_displacements);
        call.takes(in, sent.elements(), out, received.elements(), 0);
        call.has_counts(sent.counts(), received.counts());
        call.make();
    });
}
