#pragma once

namespace tutti {

/// Base of classes whose objects are neither copied nor moved.
struct Immovable {
    Immovable() = default;
    Immovable(const Immovable&) = delete;
    Immovable& operator=(const Immovable&) = delete;
    Immovable(Immovable&&) = delete;
    Immovable& operator=(Immovable&&) = delete;
};

} // namespace tutti
