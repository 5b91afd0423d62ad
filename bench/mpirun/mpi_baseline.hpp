#pragma once

#include "measure/measurement.hpp"
#include "measure/point.hpp"
#include "measure/problem.hpp"

#include <functional>
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
    /// File for the results: a line with the version of the library, then one point a line, so that what has
    /// been measured survives a crash.
    std::string results;
};

/// Throws std::runtime_error when the file cannot be written.
void write_request(const MeasurementRequest& request, const std::string& path);

/// Throws std::runtime_error or nlohmann::json::exception when the file cannot be read.
MeasurementRequest read_request(const std::string& path);

/// The result of a baseline run.
struct BaselineResult {
    /// The measured points, even if the run failed later.
    std::vector<Point> points;
    /// How its processes were started, without the file of the request.
    std::string launch;
    /// The version that the MPI library states.
    std::string library;
    /// Why the run ended early, with the last lines that it printed; empty when it did not.
    std::string failure;
};

/// The names of the MPI libraries that there are programs for: openmpi, mpich.
std::vector<std::string> mpi_names();

/// Whether this build has the program for an MPI library, and if not, why. Empty: it has.
std::string why_no_mpi(const std::string& name);

/// Measures the problems of `request` with the program of the MPI library `request.provider`, started through
/// its mpirun with as many processes as the problems have members. `on_step(i)` is called when problem i
/// begins.
BaselineResult run_mpi(MeasurementRequest request, const std::function<void(std::size_t)>& on_step);

} // namespace tutti::bench
