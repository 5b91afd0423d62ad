#pragma once

#include "cache_line.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "call/plans.hpp"
#include "choose/exploration.hpp"
#include "choose/select.hpp"

namespace tutti::v0_1::detail {
class Seat;
}

namespace tutti::library {

/// A checked call with all decisions that do not depend on addresses. It recognises other calls that differ
/// only in their addresses. Programs repeat calls; a repeated small call is cheap because nothing is decided
/// again.
class alignas(line_bytes) PreparedCall {
public:
    /// Prepares `asked`. Until complete(), this object fits no call. If calls are explored, also begins a
    /// trial of the call's kind. Throws ArgumentError if an argument is wrong.
    void prepare(const detail::Call& asked, Plans& plans, Explorations* explorations = nullptr);
    /// Prepares a call that is not explored itself, but uses the choice that blocking calls of its kind have
    /// learnt (explorations may be null). Throws as prepare().
    void prepare_as_learnt(const detail::Call& asked, Plans& plans, const Explorations* explorations);
    /// Begins another call of an explored kind. If another selection has its turn, it is prepared for that,
    /// and serves no call until complete().
    void begin_again(const detail::Call& asked, Plans& plans, Explorations& explorations);
    /// How a seat repeats the call in front of it, which serves() these: see detail::execute_again().
    using Again = bool (*)(detail::Seat& seat, std::uint64_t key, const void* input, void* output);
    /// Marks the call as ready: its memory is reserved. Null if it is not made by a seat.
    void complete(Again by_seat = nullptr) {
        again_ = by_seat;
        known_.complete();
    }
    Again again() const { return again_; }

    /// Whether it serves a call with that key on these vectors, or that call: see KnownCall.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return known_.serves(key, input, output);
    }
    bool serves(const detail::Call& call) const { return known_.serves(call); }

    /// The exploration of its kind; null if there is none.
    Exploration* exploration() const { return exploration_; }
    /// Counts a repetition. Returns false if begin_again() must be called first.
    bool repeats() const noexcept {
        return exploration_ == nullptr || exploration_->repeats(selection_number_);
    }

    /// See KnownCall.
    void require_like(const detail::Call& other) const { known_.require_like(other); }

    const run::Prepared& prepared() const { return prepared_; }
    const CallSignature& signature() const { return signature_; }

    /// The bytes of the copy of the input that others read in the place of the input; 0 if there is none.
    std::size_t copied_bytes() const { return copied_bytes_; }
    std::size_t element_align() const { return known_.call().element_align; }

private:
    template <class Choose>
    void prepare_with(const detail::Call& asked, Plans& plans, Choose choose);
    void use(const Selection& selection, const detail::Call& call, const Selection::Input& size,
             std::size_t input_bytes, Plans& plans);
    void set_plan(const detail::Call& call, Plans& plans);
    void set_messages(const detail::Call& call, int members);
    void set_partition(const detail::Call& call);
    void set_scratch();
    void set_copy(const detail::Call& call, std::size_t input_bytes, Plans& plans);
    void set_stores(const detail::Call& call, const Selection::Input& size, int rank);
    void set_call_signature(const detail::Call& call);

    const Shape& shape() const { return known_.shape(); }

    // A repeated call reads these first; they are on one cache line with the beginning of known_.
    Again again_ = nullptr;
    std::size_t copied_bytes_ = 0;
    KnownCall known_;
    Exploration* exploration_ = nullptr;
    std::uint32_t selection_number_ = 0;

    run::Prepared prepared_;
    CallSignature signature_;
    Selection selection_;
};

} // namespace tutti::library
