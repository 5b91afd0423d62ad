#include "mpirun/measurement_request.hpp"

#include "measure/problem_json.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tutti::bench {

void write_request(const MeasurementRequest& request, const std::string& path) {
    nlohmann::json problems = nlohmann::json::array();
    for (const Problem& problem : request.problems) {
        problems.push_back(to_json(problem));
    }
    const nlohmann::json json{{"provider", request.provider},
                              {"problems", problems},
                              {"least", request.method.limits.least},
                              {"most", request.method.limits.most},
                              {"seconds", request.method.limits.seconds},
                              {"check", request.method.check},
                              {"loop_bytes", request.method.loop_bytes},
                              {"cpus", request.cpus},
                              {"crowded", request.crowded},
                              {"results", request.results}};
    std::ofstream file(path);
    file << json;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

MeasurementRequest read_request(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    const nlohmann::json json = nlohmann::json::parse(file);
    MeasurementRequest request;
    request.provider = json.at("provider").get<std::string>();
    for (const nlohmann::json& problem : json.at("problems")) {
        request.problems.push_back(problem_from_json(problem));
    }
    request.method = {.limits = {.least = json.at("least").get<std::size_t>(),
                                 .most = json.at("most").get<std::size_t>(),
                                 .seconds = json.at("seconds").get<double>()},
                      .check = json.at("check").get<bool>(),
                      .loop_bytes = json.at("loop_bytes").get<std::size_t>()};
    request.cpus = json.at("cpus").get<std::vector<int>>();
    request.crowded = json.at("crowded").get<bool>();
    request.results = json.at("results").get<std::string>();
    return request;
}

} // namespace tutti::bench
