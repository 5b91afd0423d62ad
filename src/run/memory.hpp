#pragma once

#include "cache_line.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace tutti::run {

/// Memory that grows when more of it is needed than ever before, and loses its content when it does.
class Memory {
public:
    /// On a cache line, and with at least that alignment. The old memory is given back before new memory is
    /// allocated; if there is none, this is left without any.
    std::byte* at_least(std::size_t bytes, std::size_t alignment = line_bytes) {
        if (bytes_ < bytes || alignment_ < alignment) {
            const std::size_t most_bytes = std::max(bytes, bytes_);
            const std::size_t widest = std::max(alignment, alignment_);
            const std::align_val_t where{widest};
            memory_.reset();
            bytes_ = 0;
            memory_ = {static_cast<std::byte*>(::operator new(most_bytes, where)), Delete{where}};
            bytes_ = most_bytes;
            alignment_ = widest;
        }
        return memory_.get();
    }

    /// The result of the last at_least(), null if it threw.
    std::byte* data() const { return memory_.get(); }

private:
    struct Delete {
        std::align_val_t alignment;
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };

    std::unique_ptr<std::byte, Delete> memory_;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = line_bytes;
};

} // namespace tutti::run
