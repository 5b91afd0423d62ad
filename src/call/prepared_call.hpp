#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "call/plans/plans.hpp"
#include "call/repeated_call.hpp"
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
    /// Serves no call from now on until it is complete. Throws ArgumentError where an argument is wrong.
    void prepare(const detail::Call& asked, Plans& plans);
    /// Says that there is everything that runs of it need.
    void complete();

    /// Whether it is for calls with that key, which is not 0; it then serves those whose vectors
    /// are_placed_alike().
    bool is_for(std::uint64_t key) const { return repeated_.is_for(key); }
    bool are_placed_alike(const void* input, const void* output) const {
        return repeated_.are_placed_alike(input, output);
    }

    /// Whether it serves that call.
    bool serves(const detail::Call& call) const;

    /// The key of calls that it serves, 0 where only serves() can tell.
    std::uint64_t key() const { return repeated_.key(); }

    /// Throws ArgumentError unless the vectors of `other` can take the place of those that it has been
    /// prepared with. Of a call, these alone are looked at.
    void require_like(const detail::Call& other) const;

    const run::Prepared& prepared() const { return prepared_; }
    const CallSignature& signature() const { return signature_; }

    /// Of the input, which has to be copied before anybody reads it, or 0.
    std::size_t copied_bytes() const { return copied_bytes_; }
    std::size_t element_align() const { return known_.call().element_align; }

private:
    // What prepare() does. Each sets what its name says.
    void set_plan(const detail::Call& call, Plans& plans);
    void set_form_of_messages(const detail::Call& call);
    void set_partition(const detail::Call& call);
    void set_scratch();
    void set_copy(const detail::Call& call, std::size_t input_bytes, Plans& plans);
    void set_stores(const detail::Call& call, const CallSize& size, int rank);
    void set_claim(const detail::Call& call);
    void remember(const detail::Call& asked);

    // What a repeated call looks at, on one line.
    RepeatedCall repeated_;
    std::size_t copied_bytes_ = 0;
    bool is_complete_ = false;
    /// Whether the caller's vectors are the same memory, as far as the caller sees.
    Aliasing aliasing_ = Aliasing::separate;

    run::Prepared prepared_;
    CallSignature signature_;
    KnownCall known_;
    Shape shape_;
    Selection selection_;
};

} // namespace tutti::engine
