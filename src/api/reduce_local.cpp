#include "call/wrong_argument.hpp"
#include "run/footprint.hpp"

#include <tutti/error.hpp>
#include <tutti/reduce_local.hpp>

#include <cstdint>
#include <string>

namespace tutti::inline TUTTI_NAMESPACE::detail {

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

void check(const Named& in, const Named& out, const Call& call) {
    if (call.wrong != Wrong::nothing) {
        refuse(engine::wrong_argument(call, in.name, out.name));
    }
    if (in.count != out.count) {
        refuse(elements(in) + " and " + elements(out) + ": they must have the same number");
    }
    for (const Named& vector : {in, out}) {
        if (vector.count != 0 && vector.start == nullptr) {
            refuse(elements(vector) + " but is a null pointer");
        }
    }
    const std::size_t bytes = in.count * call.element_bytes;
    const run::Range read{reinterpret_cast<std::uintptr_t>(in.start), bytes};
    const run::Range written{reinterpret_cast<std::uintptr_t>(out.start), bytes};
    if (read.start != written.start && overlap(read, written)) {
        refuse(name_of(in) + " and " + name_of(out) + " overlap: pass separate vectors, or the same one");
    }
}

} // namespace

void reduce_local(const Call& left, const Call& right, const LocalNames& names) {
    const Named out{names.out, left.output, left.output_count};
    check({names.left, left.input, left.input_count}, out, left);
    check({names.right, right.input, right.input_count}, out, right);
    left.loops().reduce(left.state, left.output, left.input, right.input, left.output_count);
}

} // namespace tutti::inline TUTTI_NAMESPACE::detail
