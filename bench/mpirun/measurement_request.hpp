#pragma once

#include "measure/measurement.hpp"
#include "measure/problem.hpp"

#include <string>
#include <vector>

namespace tutti::bench {

/// The command's request to the MPI program, passed in a JSON file.
struct MeasurementRequest {
    /// The provider of the points.
    std::string provider;
    std::vector<Problem> problems;
    Method method;
    /// The CPU of each process; -1: not pinned.
    std::vector<int> cpus;
    bool crowded = false;
    /// File for the results: a first line {"library": ...}, then one point a line, so that what has been
    /// measured survives a crash.
    std::string results;
};

/// Throws std::runtime_error when the file cannot be written.
void write_request(const MeasurementRequest& request, const std::string& path);

/// Throws std::runtime_error or nlohmann::json::exception when the file cannot be read.
MeasurementRequest read_request(const std::string& path);

} // namespace tutti::bench
