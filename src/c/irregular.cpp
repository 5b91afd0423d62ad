// The collectives with irregular blocks.

#include "c/calls.hpp"
#include "c/status.hpp"

#include <tutti/tutti.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

using namespace tutti;
using c::Caller;
using c::guarded;
using c::Making;

namespace {

/// A vector of blocks whose counts differ, and maybe their displacements.
class IrregularVector {
public:
    /// `name` is that of the counts, `displacements` null where there are none.
    IrregularVector(const Caller& caller, const char* name, const std::size_t* counts,
                    const std::size_t* displacements)
        : counts_(made(caller, name, counts, displacements)) {
        const bool displaced = counts_.has_displacements();
        for (std::size_t i = 0; i < counts_.span().size(); ++i) {
            const std::size_t count = counts_.span()[i];
            const std::size_t start = displaced ? displacements[i] : elements_;
            std::size_t end = 0;
            if (count != 0 && __builtin_add_overflow(start, count, &end)) {
                c::refuse(caller.function(), std::string("the sum of `") + name + "`" +
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
    static Counts::View made(const Caller& caller, const char* name, const std::size_t* counts,
                             const std::size_t* displacements) {
        const auto members = static_cast<std::size_t>(caller.size());
        const std::span given(&c::there(caller.function(), name, counts), members);
        return displacements == nullptr ? Counts(given) : Counts(given, std::span(displacements, members));
    }

    Counts::View counts_;
    std::size_t elements_ = 0;
};

/// The blocks of a gather or scatter: those of the root, or what all members give.
class RootedBlocks {
public:
    RootedBlocks(const Caller& caller, int root, const std::size_t* counts, const std::size_t* displacements)
        : is_root_(caller.rank() == root), on_all_(caller.has_counts_on_all()) {
        if (is_root_ || on_all_) {
            blocks_.emplace(caller, "counts", counts, displacements);
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

} // namespace

tutti_status tutti_reduce_scatterv(tutti_caller me, const void* in, void* block, const size_t counts[],
                                   tutti_type type, tutti_op op) {
    return guarded([&] {
        const Caller caller("reduce_scatterv", me);
        Making call(caller, Collective::reduce_scatter, type);
        const IrregularVector blocks(caller, "counts", counts, nullptr);
        call.takes(in, blocks.elements(), block, blocks.of(caller.rank()), blocks.elements());
        call.has_counts(blocks.counts());
        call.combines(op);
        call.make();
    });
}

tutti_status tutti_allgatherv(tutti_caller me, const void* block, size_t n, void* out, const size_t counts[],
                              const size_t displacements[], tutti_type type) {
    return guarded([&] {
        const Caller caller("allgatherv", me);
        Making call(caller, Collective::allgather, type);
        const IrregularVector blocks(caller, "counts", counts, displacements);
        call.takes(block, n, out, blocks.elements(), blocks.elements());
        call.has_counts(blocks.counts());
        call.make();
    });
}

tutti_status tutti_gatherv(tutti_caller me, const void* block, size_t n, void* out, const size_t counts[],
                           const size_t displacements[], tutti_type type, int root) {
    return guarded([&] {
        const Caller caller("gatherv", me);
        Making call(caller, Collective::gather, type);
        const RootedBlocks blocks(caller, root, counts, displacements);
        call.takes(block, n, out, blocks.whole_or(0), blocks.whole_or(n));
        call.has_root(root);
        blocks.give_to(call);
        call.make();
    });
}

tutti_status tutti_scatterv(tutti_caller me, const void* in, const size_t counts[],
                            const size_t displacements[], void* block, size_t n, tutti_type type, int root) {
    return guarded([&] {
        const Caller caller("scatterv", me);
        Making call(caller, Collective::scatter, type);
        const RootedBlocks blocks(caller, root, counts, displacements);
        call.takes(in, blocks.whole_or(0), block, n, blocks.whole_or(n));
        call.has_root(root);
        blocks.give_to(call);
        call.make();
    });
}

tutti_status tutti_alltoallv(tutti_caller me, const void* in, const size_t send_counts[],
                             const size_t send_displacements[], void* out, const size_t recv_counts[],
                             const size_t recv_displacements[], tutti_type type) {
    return guarded([&] {
        const Caller caller("alltoallv", me);
        Making call(caller, Collective::alltoall, type);
        const IrregularVector received(caller, "recv_counts", recv_counts, recv_displacements);
        std::optional<IrregularVector> sent;
        if (!c::is_in_place(in)) {
            sent.emplace(caller, "send_counts", send_counts, send_displacements);
        }
        call.takes(in, sent ? sent->elements() : 0, out, received.elements(), received.elements());
        call.has_counts(sent ? sent->counts() : received.counts(), received.counts());
        call.make();
    });
}
