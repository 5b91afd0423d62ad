#pragma once

#include <tutti/detail/call.hpp>

#include <string>

namespace tutti::engine {

/// The text about a call's argument that is wrong (Call::wrong). Its buffers have these names.
TUTTI_COMPONENT_API std::string wrong_argument(const detail::Call& call, const char* input,
                                               const char* output);

} // namespace tutti::engine
