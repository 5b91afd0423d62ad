#include "mpirun/measurement_request.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tutti::bench {

namespace {

nlohmann::json work_to_json(const Work& work) {
    return {{"collective", to_string(work.collective)},
            {"type", to_string(work.type)},
            {"op", to_string(work.op)},
            {"members", work.members},
            {"elements", work.elements},
            {"in_place", work.in_place}};
}

Work work_from_json(const nlohmann::json& json) {
    return {.collective = parse_collective(json.at("collective").get<std::string>()),
            .type = parse_type(json.at("type").get<std::string>()),
            .op = parse_operator(json.at("op").get<std::string>()),
            .members = json.at("members").get<int>(),
            .elements = json.at("elements").get<std::size_t>(),
            .in_place = json.at("in_place").get<bool>()};
}

} // namespace

void write_job(const Job& job, const std::string& path) {
    nlohmann::json works = nlohmann::json::array();
    for (const Work& work : job.works) {
        works.push_back(work_to_json(work));
    }
    const nlohmann::json json{{"provider", job.provider},
                              {"works", works},
                              {"least", job.method.limits.least},
                              {"most", job.method.limits.most},
                              {"seconds", job.method.limits.seconds},
                              {"check", job.method.check},
                              {"loop_bytes", job.method.loop_bytes},
                              {"cpus", job.cpus},
                              {"crowded", job.crowded},
                              {"results", job.results}};
    std::ofstream file(path);
    file << json;
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

Job read_job(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    const nlohmann::json json = nlohmann::json::parse(file);
    Job job;
    job.provider = json.at("provider").get<std::string>();
    for (const nlohmann::json& work : json.at("works")) {
        job.works.push_back(work_from_json(work));
    }
    job.method = {.limits = {.least = json.at("least").get<std::size_t>(),
                             .most = json.at("most").get<std::size_t>(),
                             .seconds = json.at("seconds").get<double>()},
                  .check = json.at("check").get<bool>(),
                  .loop_bytes = json.at("loop_bytes").get<std::size_t>()};
    job.cpus = json.at("cpus").get<std::vector<int>>();
    job.crowded = json.at("crowded").get<bool>();
    job.results = json.at("results").get<std::string>();
    return job;
}

} // namespace tutti::bench
