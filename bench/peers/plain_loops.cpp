#include "cache_line.hpp"
#include "measure/types.hpp"
#include "peers/peer.hpp"

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

/// The loops over one block, whatever goes around them: there are a hundred pairs of a type and an operator.
struct Loops {
    /// sum = sum op operand, of so many bytes.
    void (*combine)(std::byte* sum, const std::byte* operand, std::size_t bytes);
    /// sum = left op right.
    void (*combine_two)(std::byte* sum, const std::byte* left, const std::byte* right, std::size_t bytes);
};

template <class T, class Op>
void combine(std::byte* sum, const std::byte* operand, std::size_t bytes) {
    T* __restrict const to = reinterpret_cast<T*>(sum);
    const T* __restrict const from = reinterpret_cast<const T*>(operand);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
        to[i] = Op()(to[i], from[i]);
    }
}

template <class T, class Op>
void combine_two(std::byte* sum, const std::byte* left, const std::byte* right, std::size_t bytes) {
    T* __restrict const to = reinterpret_cast<T*>(sum);
    const T* __restrict const first = reinterpret_cast<const T*>(left);
    const T* __restrict const second = reinterpret_cast<const T*>(right);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
        to[i] = Op()(first[i], second[i]);
    }
}

Loops loops_of(Type type, Operator op) {
    return with_type(type, [&]<class T>(std::type_identity<T>) {
        return with_operator<T>(op, []<class Op>(const Op&) {
            return Loops{&combine<T, Op>, &combine_two<T, Op>};
        });
    });
}

std::byte* at(void* vector, std::size_t first) {
    return static_cast<std::byte*>(vector) + first;
}
const std::byte* at(const void* vector, std::size_t first) {
    return static_cast<const std::byte*>(vector) + first;
}

void reduce(const Pass& pass, std::size_t bytes, bool stream, const Loops& loops) {
    alignas(line_bytes) std::byte sum[block_bytes];
    for (std::size_t first = 0; first < bytes; first += block_bytes) {
        const std::size_t length = std::min(block_bytes, bytes - first);
        if (pass.ins.size() == 1) {
            std::memcpy(sum, at(pass.ins[0], first), length);
        } else {
            loops.combine_two(sum, at(pass.ins[0], first), at(pass.ins[1], first), length);
        }
        for (std::size_t member = 2; member < pass.ins.size(); ++member) {
            loops.combine(sum, at(pass.ins[member], first), length);
        }
        for (void* out : pass.outs) {
            store(at(out, first), sum, length, stream);
        }
    }
}

void scan(const Pass& pass, std::size_t bytes, bool stream, const Loops& loops) {
    alignas(line_bytes) std::byte sum[block_bytes];
    // In place and exclusive, an operand is overwritten before it is used.
    alignas(line_bytes) std::byte before[block_bytes];
    const bool exclusive = pass.kind == Pass::Kind::exscan;
    for (std::size_t first = 0; first < bytes; first += block_bytes) {
        const std::size_t length = std::min(block_bytes, bytes - first);
        for (std::size_t member = 0; member < pass.ins.size(); ++member) {
            const std::byte* const operand = at(pass.ins[member], first);
            std::byte* const result = at(pass.outs[member], first);
            if (exclusive && member > 0) {
                std::memcpy(before, operand, length);
                store(result, sum, length, stream);
                loops.combine(sum, before, length);
                continue;
            }
            if (member == 0) {
                std::memcpy(sum, operand, length);
            } else {
                loops.combine(sum, operand, length);
            }
            if (!exclusive) {
                store(result, sum, length, stream);
            }
        }
    }
}

} // namespace

Calls plain_loops(const Problem& problem, int rank, const Vectors& vectors) {
    const pass::Layout layout = layout_of(problem);
    if (!pass::has_passes(layout)) {
        return {};
    }
    const bool stream = problem.bytes() * static_cast<std::size_t>(problem.members) > stream_from_bytes;
    const auto repeated =
        [stream, passes = pass::passes_of(layout, rank, vectors, pass::Direction::pull)](auto body) -> Calls {
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
    const Loops loops = loops_of(problem.type, problem.op);
    return repeated([loops, element_bytes = problem.element_bytes()](const Pass& pass, bool past_caches) {
        const std::size_t bytes = pass.elements * element_bytes;
        if (pass.kind == Pass::Kind::reduce) {
            reduce(pass, bytes, past_caches, loops);
        } else {
            scan(pass, bytes, past_caches, loops);
        }
    });
}

} // namespace tutti::bench
