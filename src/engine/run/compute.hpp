#pragma once

#include "run/bindings.hpp"
#include "run/word_exchange.hpp"

namespace tutti::run {

// Places are computed as addresses because a vector's first block need not exist; only here do they become
// pointers.
inline void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// The effect of a plan's steps on vectors. The runner decides when they may run.
class Compute {
public:
    Compute(const Prepared& prepared, Bindings& bindings)
        : prepared_(prepared), bindings_(bindings), plan_(*prepared.plan) {}

    /// Carries out a step that waits for nothing. `received` is the content of the last message.
    void perform(const plan::Step& step, const void* received);

    /// The elements of the step's left vector, which are the message that it carries.
    const void* message(const plan::Step& step) const { return source(step.left, step); }
    std::size_t message_bytes(const plan::Step& step) const {
        return elements(step) * prepared_.element_bytes;
    }

    /// The elements of `payload` that the step needs.
    const void* wanted(const plan::Step& step, const void* payload) const;

    /// partial = left op right, of the step's elements.
    void combine(const plan::Step& step, void* partial, const void* left, const void* right);
    /// The step's target = the elements at `from`.
    void store(const plan::Step& step, const void* from);
    /// The step's target = ins[0] op ins[1] op ..., of the members whose messages it takes, in one pass.
    void combine_all(const plan::Step& step, detail::Association association);

private:
    std::size_t bytes_before(plan::Vector vector, std::uint16_t block) const;
    std::uintptr_t place(const Bases& bases, plan::Vector vector, std::uint16_t block) const;
    void* target(const plan::Step& step) const;
    const void* source(plan::Vector vector, const plan::Step& step) const;
    detail::StoreHints stores(const plan::Step& step) const;
    detail::StoreHints stores_to_all() const;
    std::size_t elements(const plan::Step& step) const {
        return prepared_.partition.elements(step.first, step.count);
    }
    /// For plans that touch the vectors of all members, whose numbers are then their ranks.
    const Bases& bases_of(int member) const {
        return member == plan_.rank ? bindings_.own : bindings_.peers[static_cast<std::size_t>(member)];
    }

    void copy(const plan::Step& step);
    void exchange(const plan::Step& step);
    void copy_to_every(const plan::Step& step);
    void list(const plan::Step& step, int members);
    void reduce_every(const plan::Step& step);
    void reduce_first(const plan::Step& step);
    void reduce_listed(const plan::Step& step);
    void copy_to_others(const plan::Step& step, const void* from, int places, int cached);
    void scan_every(const plan::Step& step);

    const Prepared& prepared_;
    Bindings& bindings_;
    const plan::Plan& plan_;
};

inline std::size_t Compute::bytes_before(plan::Vector vector, std::uint16_t block) const {
    const std::size_t lap = vector.lapped() ? prepared_.partition.total : 0;
    return (prepared_.partition.offset(block) + lap) * prepared_.element_bytes;
}

inline std::uintptr_t Compute::place(const Bases& bases, plan::Vector vector, std::uint16_t block) const {
    return bases.at[vector.space()] + bytes_before(vector, block);
}

[[gnu::always_inline]] inline void* Compute::target(const plan::Step& step) const {
    return pointer(
        place(step.to.remote() ? bindings_.peers[step.number()] : bindings_.own, step.to, step.first));
}

[[gnu::always_inline]] inline const void* Compute::source(plan::Vector vector, const plan::Step& step) const {
    return pointer(
        place(vector.remote() ? bindings_.peers[step.number()] : bindings_.own, vector, step.from()));
}

inline detail::StoreHints Compute::stores(const plan::Step& step) const {
    if (step.to.space() >= static_cast<std::size_t>(schedule::Space::scratch0)) {
        return {}; // it is read again soon
    }
    return step.to.remote() ? prepared_.all_stores.to_others() : prepared_.own_stores;
}

/// For several outputs of which the first is the member's own.
inline detail::StoreHints Compute::stores_to_all() const {
    detail::StoreHints stores = prepared_.all_stores;
    stores.cached_out = stores.cached_out == -1 ? -1 : 0;
    return stores;
}

inline const void* Compute::wanted(const plan::Step& step, const void* payload) const {
    const std::size_t before =
        step.whole != 0 ? prepared_.partition.offset(step.from()) * prepared_.element_bytes : 0;
    return static_cast<const std::byte*>(payload) + before;
}

inline void Compute::perform(const plan::Step& step, const void* received) {
    switch (step.code) {
    case plan::Code::copy:
        return copy(step);
    case plan::Code::copy_to_every:
        return copy_to_every(step);
    case plan::Code::copy_received:
        return store(step, wanted(step, received));
    case plan::Code::reduce:
        return prepared_.kernels->reduce(bindings_.state, target(step), source(step.left, step),
                                         source(step.right, step), elements(step));
    case plan::Code::reduce_received:
        return prepared_.kernels->reduce(bindings_.state, target(step), source(step.left, step),
                                         wanted(step, received), elements(step));
    case plan::Code::reduce_every:
    case plan::Code::reduce_every_to_every:
        return reduce_every(step);
    case plan::Code::reduce_first:
        return reduce_first(step);
    case plan::Code::reduce_listed:
    case plan::Code::reduce_listed_to_listed:
        return reduce_listed(step);
    case plan::Code::scan_every:
    case plan::Code::exscan_every:
        return scan_every(step);
    case plan::Code::exchange:
        return exchange(step);
    default:
        return; // the runner's
    }
}

inline void Compute::copy(const plan::Step& step) {
    void* const to = target(step);
    const void* const from = source(step.left, step);
    const std::size_t bytes = elements(step) * prepared_.element_bytes;
    if (to == from || bytes == 0) {
        return;
    }
    if (bytes <= mailbox::eager_bytes) { // goes on before the other's message is there
        return copy_bytes(to, from, bytes);
    }
    detail::copy_many(&to, 1, from, bytes, stores(step));
}

inline void Compute::exchange(const plan::Step& step) {
    const Bases& sender = bases_of(step.peer());
    const plan::BlockPlace& sent = layout_of(sender).sent[step.from()];
    const plan::BlockPlace& received = prepared_.layout.received[step.first];
    const void* const from = pointer(sender.at[step.left.space()] + sent.start * prepared_.element_bytes);
    void* const to = pointer(bindings_.own.at[step.to.space()] + received.start * prepared_.element_bytes);
    const std::size_t bytes = received.count * prepared_.element_bytes;
    if (bytes != 0 && to != from) { // one's own block may be in its place
        detail::copy_many(&to, 1, from, bytes, stores(step));
    }
}

inline void Compute::copy_to_every(const plan::Step& step) {
    for (int member = 0; member < plan_.ranks; ++member) {
        bindings_.outs[static_cast<std::size_t>(member)] =
            pointer(place(bases_of(member), step.to, step.first));
    }
    copy_to_others(step, source(step.left, step), plan_.ranks, prepared_.all_stores.cached_out);
}

/// Copies to the first `places` of the outputs that are somewhere else: in place the sender's is not. Number
/// `cached` is to stay in the cache, or none if it is negative.
inline void Compute::copy_to_others(const plan::Step& step, const void* from, int places, int cached) {
    detail::StoreHints stores = prepared_.all_stores.to_others();
    int outs = 0;
    for (int number = 0; number < places; ++number) {
        void* const to = bindings_.outs[static_cast<std::size_t>(number)];
        if (to == from) {
            continue;
        }
        if (number == cached) {
            stores.cached_out = outs;
        }
        bindings_.outs[static_cast<std::size_t>(outs++)] = to;
    }
    if (outs != 0) {
        detail::copy_many(bindings_.outs.data(), outs, from, elements(step) * prepared_.element_bytes,
                          stores);
    }
}

/// The step's left vectors and targets of the first members.
inline void Compute::list(const plan::Step& step, int members) {
    const std::size_t from = bytes_before(step.left, step.from());
    const std::size_t to = bytes_before(step.to, step.first);
    const void** const ins = bindings_.ins.data();
    void** const outs = bindings_.outs.data();
    for (int member = 0; member < members; ++member) {
        const Bases& bases = bases_of(member);
        ins[member] = pointer(bases.at[step.left.space()] + from);
        outs[member] = pointer(bases.at[step.to.space()] + to);
    }
}

inline void Compute::reduce_every(const plan::Step& step) {
    const bool to_every = step.code == plan::Code::reduce_every_to_every;
    list(step, plan_.ranks);
    void* const single = target(step);
    prepared_.kernels->reduce_many(bindings_.state, to_every ? bindings_.outs.data() : &single,
                                   to_every ? plan_.ranks : 1, bindings_.ins.data(), plan_.ranks,
                                   elements(step), prepared_.association,
                                   to_every ? prepared_.all_stores : stores(step));
}

inline void Compute::reduce_first(const plan::Step& step) {
    list(step, step.operands());
    void* const to = target(step);
    prepared_.kernels->reduce_many(bindings_.state, &to, 1, bindings_.ins.data(), step.operands(),
                                   elements(step), prepared_.association, stores(step));
}

inline void Compute::reduce_listed(const plan::Step& step) {
    const auto place_of = [&](const plan::Operand& listed) {
        const Bases& bases = listed.vector.remote() ? bindings_.peers[listed.number()] : bindings_.own;
        return pointer(place(bases, listed.vector, step.first));
    };
    std::size_t operands = 0;
    for (const plan::Operand& operand : operands_of(plan_, step)) {
        bindings_.ins[operands++] = place_of(operand);
    }
    std::size_t outs = 0;
    bindings_.outs[outs++] = target(step);
    for (const plan::Operand& target : targets_of(plan_, step)) {
        bindings_.outs[outs++] = place_of(target);
    }
    if (operands == 1) {
        const int cached = prepared_.all_stores.cached_out == -1 ? -1 : 0;
        return copy_to_others(step, bindings_.ins.front(), static_cast<int>(outs), cached);
    }
    prepared_.kernels->reduce_many(bindings_.state, bindings_.outs.data(), static_cast<int>(outs),
                                   bindings_.ins.data(), static_cast<int>(operands), elements(step),
                                   detail::Association::tree, outs == 1 ? stores(step) : stores_to_all());
}

inline void Compute::scan_every(const plan::Step& step) {
    list(step, plan_.ranks);
    prepared_.kernels->scan_many(bindings_.state, bindings_.outs.data(), bindings_.ins.data(), plan_.ranks,
                                 elements(step), step.code == plan::Code::exscan_every, prepared_.association,
                                 prepared_.all_stores);
}

inline void Compute::combine(const plan::Step& step, void* partial, const void* left, const void* right) {
    prepared_.kernels->reduce(bindings_.state, partial, left, right, elements(step));
}

inline void Compute::combine_all(const plan::Step& step, detail::Association association) {
    void* const to = target(step);
    prepared_.kernels->reduce_many(bindings_.state, &to, 1, bindings_.ins.data(), step.operands(),
                                   elements(step), association, {});
}

inline void Compute::store(const plan::Step& step, const void* from) {
    if (void* const to = target(step); to != from) { // alone in place it is there already
        copy_bytes(to, from, elements(step) * prepared_.element_bytes);
    }
}

} // namespace tutti::run
