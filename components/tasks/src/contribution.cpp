#include "tasks/src/contribution.hpp"

#include "call/arguments.hpp"
#include "choose/select.hpp"
#include "choose/store_policy.hpp"
#include "tasks/src/agreement.hpp"
#include "wait/time_limit.hpp"

#include <tutti/error.hpp>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tasks {

using detail::Call;
using engine::Aliasing;

namespace {

/// Makes the task of calls that go together.
class Maker {
public:
    explicit Maker(std::span<const Contribution> all)
        : all_(all), call_(all[0].call), collective_(call_.collective) {}

    Task task(int cpus) {
        list_vectors();
        pass::Shape shape{.collective = collective_,
                          .members = static_cast<int>(all_.size()),
                          .elements = all_[0].shape.total,
                          .element_bytes = call_.element_bytes,
                          .offsets = all_[0].offsets.empty() ? nullptr : all_[0].offsets.data(),
                          .root = static_cast<int>(all_[0].signature.root),
                          .in_place = call_.in_place,
                          .shared = call_.shared_output};
        std::vector<const plan::BlockPlace*> sent;
        std::vector<const plan::BlockPlace*> received;
        if (all_[0].signature.has_private_counts) {
            for (const Contribution& each : all_) {
                sent.push_back(each.blocks.sent.data());
                received.push_back(each.blocks.received.data());
            }
            shape.sent = sent.data();
            shape.received = received.data();
        }
        pass::Work& work = task_.work;
        work.passes = pass::passes_of_all(shape, vectors_);
        pass::Elements& elements = work.elements;
        elements.bytes = call_.element_bytes;
        elements.state = call_.state;
        elements.association = engine::association_of(call_);
        if (detail::traits_of(collective_).reduces()) {
            elements.kernels = &call_.loops();
        }
        // Nobody has read the output of a broadcast, though it is in place.
        const bool may_stream = is_separate_ || collective_ == Collective::broadcast;
        elements.stores.stream = may_stream && engine::StorePolicy::here().streams_to_own(
                                                   collective_, pass::touched_bytes(work), cpus);
        return std::move(task_);
    }

private:
    /// An exchanged block takes the place of a block that others still have to read, unless all call in
    /// place.
    void list_vectors() {
        const bool takes_the_place = detail::traits_of(collective_).permutes();
        for (const Contribution& each : all_) {
            // A call reads its input only, but in place it also writes there.
            auto* input = static_cast<std::byte*>(const_cast<void*>(each.call.input));
            if (each.shape.aliasing == Aliasing::same) {
                is_separate_ = false;
                if (takes_the_place && !call_.in_place) {
                    input = copied(input, each.call.input_count * call_.element_bytes);
                }
            }
            vectors_.inputs.push_back(input);
            vectors_.outputs.push_back(static_cast<std::byte*>(each.call.output));
        }
    }

    std::byte* copied(const std::byte* input, std::size_t bytes) {
        std::byte* const copy = task_.copies.emplace_back(new std::byte[bytes]).get();
        std::memcpy(copy, input, bytes);
        return copy;
    }

    std::span<const Contribution> all_;
    const Call& call_;
    Collective collective_;
    pass::Vectors vectors_;
    /// No member's input and output are the same memory.
    bool is_separate_ = true;
    Task task_;
};

} // namespace

void Contribution::take(const Call& asked, int rank, int members) {
    repeated.forget();
    engine::check_given(asked);
    if (!asked.algorithm.empty()) {
        throw ArgumentError(std::string(to_string(asked.collective)) + ": `algorithm` is " +
                            std::string(asked.algorithm) +
                            ", but calls of an AsyncGroup or of one caller cannot name an "
                            "algorithm: leave it empty");
    }
    if (exchanges(asked)) {
        if (neighborhood_of(asked) != nullptr) {
            throw ArgumentError(
                "neighbor_alltoall: is for members of a Team or Group; ranks of an AsyncGroup and "
                "one caller take alltoall with counts, 0 for all but the neighbours");
        }
        shape = engine::checked_layout(asked, rank, members, blocks);
    } else {
        offsets.resize(asked.counts != nullptr ? static_cast<std::size_t>(members) + 1 : 0);
        shape = engine::checked_shape(asked, rank, members, offsets.data());
    }
    signature = engine::signature_of(asked, shape);
    digest = signature.digests(0).digest;
    call = asked;
    call.counts = call.received = nullptr;
    repeated.set(asked, engine::aliasing_of(asked, shape), detail::key_of(asked));
}

void Contribution::keep_operator() {
    kept.keep(call);
    call.state = kept.data();
}

Task task_of(std::span<const Contribution> all, std::uint64_t number, int cpus) {
    require_agreement(all, number);
    return Maker(all).task(cpus);
}

} // namespace tutti::tasks
