#pragma once

#include "measure/problem.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tutti::bench {

/// An object of collective, members, bytes, type, op, in_place and shared.
nlohmann::json to_json(const Problem& problem);

/// The reverse; other fields are not looked at. Throws nlohmann::json::exception or std::invalid_argument
/// when it is no such object.
Problem problem_from_json(const nlohmann::json& json);

} // namespace tutti::bench
