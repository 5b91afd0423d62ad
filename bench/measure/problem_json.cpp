#include "measure/problem_json.hpp"

#include <nlohmann/json.hpp>

namespace tutti::bench {

nlohmann::json to_json(const Problem& problem) {
    return {{"collective", to_string(problem.collective)},
            {"members", problem.members},
            {"bytes", problem.bytes()},
            {"type", to_string(problem.type)},
            {"op", to_string(problem.op)},
            {"in_place", problem.in_place},
            {"shared", problem.shared}};
}

Problem problem_from_json(const nlohmann::json& json) {
    Problem problem;
    problem.collective = parse_collective(json.at("collective").get<std::string>());
    problem.type = parse_type(json.at("type").get<std::string>());
    problem.op = parse_operator(json.at("op").get<std::string>());
    problem.members = json.at("members").get<int>();
    problem.elements = json.at("bytes").get<std::size_t>() / problem.element_bytes();
    problem.in_place = json.at("in_place").get<bool>();
    problem.shared = json.value("shared", false); // older files have none
    return problem;
}

} // namespace tutti::bench
