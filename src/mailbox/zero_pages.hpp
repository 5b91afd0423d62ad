#pragma once

#include <cstddef>

namespace tutti::execute {

/// Memory of zero bytes straight from the system, which takes room only where it is touched, page by page,
/// and near the thread that touches it first: in small pages, so that what a member shows lies on its node.
class ZeroPages {
public:
    /// Throws std::bad_alloc.
    explicit ZeroPages(std::size_t bytes);
    ~ZeroPages();
    ZeroPages(const ZeroPages&) = delete;
    ZeroPages& operator=(const ZeroPages&) = delete;
    ZeroPages(ZeroPages&&) = delete;
    ZeroPages& operator=(ZeroPages&&) = delete;

    /// On a page.
    std::byte* data() const { return start_; }

private:
    std::byte* start_;
    std::size_t bytes_;
};

} // namespace tutti::execute
