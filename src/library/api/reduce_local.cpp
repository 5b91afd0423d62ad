#include "call/arguments.hpp"
#include "run/prepared.hpp"

#include <tutti/error.hpp>
#include <tutti/reduce_local.hpp>

#include <cstdint>
#include <string>

namespace tutti::v0_1::detail {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw ArgumentError("reduce_local: " + what);
}

void check(const Call& call) {
    const std::string in = library::elements("in", call.input_count);
    const std::string inout = library::elements("inout", call.output_count);
    if (call.wrong != Wrong::nothing) {
        refuse(library::wrong_argument(call, "in", "inout"));
    }
    if (call.input_count != call.output_count) {
        refuse(in + " and " + inout + ": they must have the same number");
    }
    if (call.input_count != 0 && (call.input == nullptr || call.output == nullptr)) {
        refuse((call.input == nullptr ? in : inout) + " but is a null pointer");
    }
    const run::Range read{reinterpret_cast<std::uintptr_t>(call.input), call.input_bytes()};
    const run::Range written{reinterpret_cast<std::uintptr_t>(call.output), call.input_bytes()};
    if (read.start != written.start && overlap(read, written)) {
        refuse("`in` and `inout` overlap: pass separate vectors, or the same one");
    }
}

} // namespace

void reduce_local(const Call& call) {
    check(call);
    call.loops().reduce(call.state, call.output, call.input, call.output, call.output_count);
}

} // namespace tutti::v0_1::detail
