#pragma once

#include "cache_line.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace tutti::bench {

/// Bytes from one vector to the next where several of `bytes` lie in one buffer and share no cache line.
constexpr std::size_t spaced(std::size_t bytes) {
    return (bytes + paired_lines_bytes - 1) / paired_lines_bytes * paired_lines_bytes;
}

/// Zeroed private memory, page-aligned; in huge pages where it is large and the system has them. Pages come
/// into being where the first thread that touches them runs.
class Buffer {
public:
    Buffer() = default;

    /// Throws std::bad_alloc when the system fails.
    explicit Buffer(std::size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
        data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
        constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
        if (bytes_ >= huge_page_bytes) {
            madvise(data_, bytes_, MADV_HUGEPAGE); // advice only: without it everything works, more slowly
        }
    }

    ~Buffer() {
        if (data_ != nullptr) {
            munmap(data_, bytes_);
        }
    }
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::byte* data() const { return static_cast<std::byte*>(data_); }
    std::size_t bytes() const { return bytes_; }

private:
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace tutti::bench
