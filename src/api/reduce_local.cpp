#include "run/footprint.hpp"

#include <tutti/error.hpp>
#include <tutti/reduce_local.hpp>

#include <cstdint>
#include <string>

namespace tutti::detail {

namespace {

struct Named {
    const char* name;
    const void* start;
    std::size_t count;
};

std::string name_of(const Named& vector) {
    return std::string("`") + vector.name + "`";
}

std::string elements(const Named& vector) {
    return name_of(vector) + " has " + std::to_string(vector.count) + " elements";
}

[[noreturn]] void refuse(const std::string& what) {
    throw ArgumentError("reduce_local: " + what);
}

void check(const Named& in, const Named& out, std::size_t element_bytes) {
    if (in.count != out.count) {
        refuse(elements(in) + " and " + elements(out) + ": they must have the same number");
    }
    for (const Named& vector : {in, out}) {
        if (vector.count != 0 && vector.start == nullptr) {
            refuse(elements(vector) + " but is a null pointer");
        }
    }
    const std::size_t bytes = in.count * element_bytes;
    const run::Range read{reinterpret_cast<std::uintptr_t>(in.start), bytes};
    const run::Range written{reinterpret_cast<std::uintptr_t>(out.start), bytes};
    if (read.start != written.start && overlap(read, written)) {
        refuse(name_of(in) + " and " + name_of(out) + " overlap: pass separate vectors, or the same one");
    }
}

} // namespace

void reduce_local(const Call& call, const void* right, std::size_t right_count, const LocalNames& names) {
    const Named out{names.out, call.output, call.output_count};
    check({names.left, call.input, call.input_count}, out, call.element_bytes);
    check({names.right, right, right_count}, out, call.element_bytes);
    const Kernels& kernels = call.kernels != nullptr ? *call.kernels : builtin(call.type, call.op);
    kernels.reduce(call.state, call.output, call.input, right, call.output_count);
}

} // namespace tutti::detail
