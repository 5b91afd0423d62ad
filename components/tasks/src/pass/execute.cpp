#include "cache_line.hpp"
#include "tasks/src/pass/pass.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tutti::pass {

namespace {

/// By way of memory on the stack, a piece that a cache holds at a time.
void rotate(const std::vector<void*>& vectors, std::size_t bytes) {
    std::array<std::byte, 4096> kept; // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
    for (std::size_t at = 0; at < bytes; at += kept.size()) {
        const std::size_t piece = std::min(kept.size(), bytes - at);
        const auto place = [&](std::size_t index) { return static_cast<std::byte*>(vectors[index]) + at; };
        std::memcpy(kept.data(), place(vectors.size() - 1), piece);
        for (std::size_t index = vectors.size() - 1; index > 0; --index) {
            std::memcpy(place(index), place(index - 1), piece);
        }
        std::memcpy(place(0), kept.data(), piece);
    }
}

/// Bytes that a pass touches for each of its elements.
std::size_t bytes_an_element(const Pass& pass, const Work& work) {
    return (pass.ins.size() + pass.outs.size()) * work.elements.bytes;
}

/// The elements of a pass that come before one of the bytes that it touches: whole cache lines of each vector
/// that starts on one, so that no two slices write to the same line.
std::size_t elements_before(std::size_t byte, const Pass& pass, const Work& work) {
    const std::size_t line =
        line_bytes % work.elements.bytes == 0 ? line_bytes / work.elements.bytes : std::size_t{1};
    const std::size_t elements = byte / bytes_an_element(pass, work);
    return std::min((elements + line - 1) / line * line, pass.elements);
}

} // namespace

void execute(const Pass& pass, const Elements& elements) {
    const auto outs = static_cast<int>(pass.outs.size());
    const auto ins = static_cast<int>(pass.ins.size());
    switch (pass.kind) {
    case Pass::Kind::copy:
        detail::copy_many(pass.outs.data(), outs, pass.ins.front(), pass.elements * elements.bytes,
                          elements.stores);
        break;
    case Pass::Kind::reduce:
        elements.kernels->reduce_many(elements.state, pass.outs.data(), outs, pass.ins.data(), ins,
                                      pass.elements, elements.association, elements.stores);
        break;
    case Pass::Kind::scan:
    case Pass::Kind::exscan:
        elements.kernels->scan_many(elements.state, pass.outs.data(), pass.ins.data(), ins, pass.elements,
                                    pass.kind == Pass::Kind::exscan, elements.association, elements.stores);
        break;
    case Pass::Kind::rotate:
        rotate(pass.outs, pass.elements * elements.bytes);
        break;
    }
}

Pass part(const Pass& pass, std::size_t first, std::size_t elements, std::size_t element_bytes) {
    Pass part = pass;
    part.elements = elements;
    for (const void*& in : part.ins) {
        in = static_cast<const std::byte*>(in) + first * element_bytes;
    }
    for (void*& out : part.outs) {
        out = static_cast<std::byte*>(out) + first * element_bytes;
    }
    return part;
}

std::size_t touched_bytes(const Work& work) {
    std::size_t bytes = 0;
    for (const Pass& pass : work.passes) {
        bytes += pass.elements * bytes_an_element(pass, work);
    }
    return bytes;
}

void carry_out_slice(const Work& work, std::size_t index, std::size_t slices) {
    const std::size_t slice_bytes = touched_bytes(work) / slices + 1;
    const std::size_t begin = index * slice_bytes;
    const std::size_t end = begin + slice_bytes;
    std::size_t at = 0;
    for (const Pass& pass : work.passes) {
        const std::size_t first = begin > at ? elements_before(begin - at, pass, work) : 0;
        const std::size_t last = end > at ? elements_before(end - at, pass, work) : 0;
        at += pass.elements * bytes_an_element(pass, work);
        if (last - first == pass.elements) {
            execute(pass, work.elements);
        } else if (last != first) {
            execute(part(pass, first, last - first, work.elements.bytes), work.elements);
        }
    }
}

} // namespace tutti::pass
