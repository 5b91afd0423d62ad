#include "peers/plain_loops.hpp"

#include "cache_line.hpp"
#include "measure/types.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace tutti::bench {

namespace {

using pass::Pass;

constexpr std::size_t block_bytes = 8192;

/// Vectors that together exceed the caches are better stored past them.
constexpr std::size_t stream_from_bytes = std::size_t{24} << 20;

/// memcpy with stores past the caches. Ordinary stores of this thread may be seen before these: see fence().
void stream_copy(std::byte* __restrict to, const std::byte* __restrict from, std::size_t bytes) {
#if defined(__SSE2__)
    constexpr std::size_t width = sizeof(__m128i);
    const std::size_t head = std::min(bytes, (width - reinterpret_cast<std::uintptr_t>(to) % width) % width);
    std::memcpy(to, from, head);
    std::size_t at = head;
    for (; at + width <= bytes; at += width) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    }
    std::memcpy(to + at, from + at, bytes - at);
#else
    std::memcpy(to, from, bytes);
#endif
}

void fence() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

void store(void* to, const void* from, std::size_t bytes, bool stream) {
    if (stream) {
        stream_copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
    } else {
        std::memcpy(to, from, bytes);
    }
}

void copy(const Pass& pass, std::size_t element_bytes, bool stream) {
    const std::size_t bytes = pass.elements * element_bytes;
    const std::size_t step = pass.outs.size() > 1 ? block_bytes : bytes;
    for (std::size_t first = 0; first < bytes; first += step) {
        const std::size_t length = std::min(step, bytes - first);
        for (void* out : pass.outs) {
            store(static_cast<std::byte*>(out) + first, static_cast<const std::byte*>(pass.ins[0]) + first,
                  length, stream);
        }
    }
}

template <class T, class Op>
void combine(T* __restrict sum, const T* __restrict operand, std::size_t count, const Op& op) {
    for (std::size_t i = 0; i < count; ++i) {
        sum[i] = op(sum[i], operand[i]);
    }
}

template <class T, class Op>
void combine_two(T* __restrict sum, const T* __restrict left, const T* __restrict right, std::size_t count,
                 const Op& op) {
    for (std::size_t i = 0; i < count; ++i) {
        sum[i] = op(left[i], right[i]);
    }
}

template <class T, class Op>
void reduce(const Pass& pass, bool stream, const Op& op) {
    constexpr std::size_t step = block_bytes / sizeof(T);
    alignas(line_bytes) T sum[step];
    const auto input = [&](std::size_t member, std::size_t first) {
        return static_cast<const T*>(pass.ins[member]) + first;
    };
    for (std::size_t first = 0; first < pass.elements; first += step) {
        const std::size_t count = std::min(step, pass.elements - first);
        if (pass.ins.size() == 1) {
            std::memcpy(sum, input(0, first), count * sizeof(T));
        } else {
            combine_two(sum, input(0, first), input(1, first), count, op);
        }
        for (std::size_t member = 2; member < pass.ins.size(); ++member) {
            combine(sum, input(member, first), count, op);
        }
        for (void* out : pass.outs) {
            store(static_cast<T*>(out) + first, sum, count * sizeof(T), stream);
        }
    }
}

template <class T, class Op>
void scan(const Pass& pass, bool stream, const Op& op) {
    constexpr std::size_t step = block_bytes / sizeof(T);
    alignas(line_bytes) T sum[step];
    alignas(line_bytes) T before[step]; // in place and exclusive, an operand is overwritten before it is used
    const bool exclusive = pass.kind == Pass::Kind::exscan;
    for (std::size_t first = 0; first < pass.elements; first += step) {
        const std::size_t count = std::min(step, pass.elements - first);
        for (std::size_t member = 0; member < pass.ins.size(); ++member) {
            const T* const operand = static_cast<const T*>(pass.ins[member]) + first;
            T* const result = static_cast<T*>(pass.outs[member]) + first;
            if (exclusive && member > 0) {
                std::memcpy(before, operand, count * sizeof(T));
                store(result, sum, count * sizeof(T), stream);
                combine(sum, before, count, op);
                continue;
            }
            if (member == 0) {
                std::memcpy(sum, operand, count * sizeof(T));
            } else {
                combine(sum, operand, count, op);
            }
            if (!exclusive) {
                store(result, sum, count * sizeof(T), stream);
            }
        }
    }
}

template <class T, class Op>
void carry_out(const Pass& pass, bool stream, const Op& op) {
    if (pass.kind == Pass::Kind::reduce) {
        reduce<T>(pass, stream, op);
    } else {
        scan<T>(pass, stream, op);
    }
}

} // namespace

Calls plain_loops(const Problem& problem, int rank, const Vectors& vectors) {
    const pass::Shape shape = shape_of(problem);
    if (!pass::has_passes(shape)) {
        return {};
    }
    const bool stream = problem.bytes() * static_cast<std::size_t>(problem.members) > stream_from_bytes;
    const auto repeated =
        [stream, passes = pass::passes_of(shape, rank, vectors, pass::Direction::pull)](auto body) -> Calls {
        return [stream, passes, body](std::size_t calls) {
            for (std::size_t call = 0; call < calls; ++call) {
                for (const Pass& each : passes) {
                    body(each, stream);
                }
                if (stream) {
                    fence();
                }
            }
        };
    };
    if (!problem.reduces()) {
        return repeated([element_bytes = problem.element_bytes()](const Pass& pass, bool past_caches) {
            copy(pass, element_bytes, past_caches);
        });
    }
    return with_type(problem.type, [&]<class T>(std::type_identity<T>) -> Calls {
        return with_operator<T>(problem.op, [&]<class Op>(const Op& op) -> Calls {
            return repeated(
                [op](const Pass& pass, bool past_caches) { carry_out<T>(pass, past_caches, op); });
        });
    });
}

} // namespace tutti::bench
