#pragma once

#include "immovable.hpp"
#include "run/memory.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>

namespace tutti::engine {

/// An operator of the caller's, kept for an operation that outlives its call.
class KeptOperator : Immovable {
public:
    ~KeptOperator() { drop(); }

    /// Copies the target of the call's `state`, if there is one.
    TUTTI_COMPONENT_API void keep(const detail::Call& call);
    /// Null if nothing is kept.
    const void* data() const { return keeping_ != nullptr ? memory_.data() : nullptr; }

    TUTTI_COMPONENT_API void drop();

private:
    run::Memory memory_;
    const detail::Keeping* keeping_ = nullptr;
};

} // namespace tutti::engine
