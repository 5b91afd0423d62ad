#pragma once

#include "immovable.hpp"

#include <cstddef>
#include <new>
#include <type_traits>

namespace tutti::engine {

/// Memory of zero bytes straight from the system, which takes room only where it is touched, page by page,
/// and near the thread that touches it first: in small pages, so that the words that a member shows lie on
/// its node.
class ZeroPages : Immovable {
public:
    /// Throws std::bad_alloc.
    explicit ZeroPages(std::size_t bytes);
    ~ZeroPages();

    /// On a page.
    std::byte* data() const { return start_; }

private:
    std::byte* start_;
    std::size_t bytes_;
};

/// Objects in zero pages. Their constructors are not called, because they would touch the pages, each of
/// which must lie near the member that touches it first.
///
/// A type may live there if its constructor leaves nothing but zero bytes, which a test checks of each, and
/// its destructor does nothing. Atomic words are no implicit-lifetime types, so by the letter their lifetime
/// must be begun. The compiler cannot make use of that: it does not see what mmap() does, and must assume
/// that the objects are there.
template <class T>
T* objects_in(std::byte* pages) {
    static_assert(std::is_trivially_destructible_v<T>, "they live in pages that are just given back");
    return std::launder(reinterpret_cast<T*>(pages));
}

} // namespace tutti::engine
