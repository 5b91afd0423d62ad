#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "call/plans/plans.hpp"
#include "choose/exploration.hpp"
#include "choose/select.hpp"
#include "run/prepared.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>

namespace tutti::engine {

/// A call that has been checked, and everything that was decided about it and does not depend on its
/// addresses; and what tells whether another one is the same but for these. Programs repeat their calls: that
/// is what makes a small one cheap.
class alignas(line_bytes) PreparedCall {
public:
    /// Serves no call from now on until it is complete. Begins a call of the kind that it is, if calls are
    /// explored. Throws ArgumentError if an argument is wrong.
    void prepare(const detail::Call& asked, Plans& plans, Explorations* explorations = nullptr);
    /// Begins another call, which it serves, of a kind that is explored. Serves no call until it is complete,
    /// if another selection has its turn.
    void begin_again(const detail::Call& asked, Plans& plans, Explorations& explorations);
    /// Says that there is everything that runs of it need.
    void complete() { known_.complete(); }

    /// Whether it serves a call with that key on these vectors, or that call: see KnownCall.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return known_.serves(key, input, output);
    }
    bool serves(const detail::Call& call) const { return known_.serves(call); }

    /// The exploration of its kind; null if there is none.
    Exploration* exploration() const { return exploration_; }
    /// Counts a call that repeats it. False if the call must begin with a look at what is chosen.
    bool repeats() const noexcept {
        return exploration_ == nullptr || exploration_->repeats(selection_number_);
    }

    /// Throws ArgumentError unless the vectors of `other` can take the place of those that it has been
    /// prepared with. Of a call, these alone are looked at.
    void require_like(const detail::Call& other) const;

    const run::Prepared& prepared() const { return prepared_; }
    const CallSignature& signature() const { return signature_; }

    /// Of the input, which has to be copied before anybody reads it, or 0.
    std::size_t copied_bytes() const { return copied_bytes_; }
    std::size_t element_align() const { return known_.call().element_align; }

private:
    void use(const Selection& selection, const detail::Call& call, const CallSize& size,
             std::size_t input_bytes, Plans& plans);
    // What use() does. Each sets what its name says.
    void set_plan(const detail::Call& call, Plans& plans);
    void set_form_of_messages(const detail::Call& call);
    void set_partition(const detail::Call& call);
    void set_scratch();
    void set_copy(const detail::Call& call, std::size_t input_bytes, Plans& plans);
    void set_stores(const detail::Call& call, const CallSize& size, int rank);
    void set_claim(const detail::Call& call);

    const Shape& shape() const { return known_.shape(); }

    // What a repeated call looks at first, on one line with the beginning of what is known.
    std::size_t copied_bytes_ = 0;
    KnownCall known_;
    Exploration* exploration_ = nullptr;
    std::uint32_t selection_number_ = 0;

    run::Prepared prepared_;
    CallSignature signature_;
    Selection selection_;
};

} // namespace tutti::engine
