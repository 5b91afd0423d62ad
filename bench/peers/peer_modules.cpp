#include "peers/peer.hpp"
#include "terminal/output.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

struct Entry {
    const char* name;
    const char* module;
    /// The package to install before the next configuration.
    const char* package;
    bool has_own_threads = false;
};

constexpr std::array entries{
    Entry{.name = "openmp", .module = "openmp", .package = "g++"},
    Entry{.name = "openmp_clang", .module = "openmp-clang", .package = "libomp-dev", .has_own_threads = true},
    Entry{.name = "openmp_array", .module = "openmp", .package = "g++"},
    Entry{.name = "std_barrier", .module = "standard", .package = "g++"}};

const Entry& entry_of(const std::string& name) {
    for (const Entry& entry : entries) {
        if (name == entry.name) {
            return entry;
        }
    }
    throw std::invalid_argument(name + " is no peer");
}

/// Beside the command, where it is built or where it is installed.
fs::path file_of(const Entry& entry) {
    std::error_code error;
    const fs::path directory = program_directory();
    const std::string file = fmt::format("tutti-peer-{}.so", entry.module);
    for (const fs::path& path : {directory / "peers" / file, directory / TUTTI_INSTALLED_PEERS / file}) {
        if (fs::exists(path, error)) {
            return path;
        }
    }
    throw std::runtime_error(fmt::format("{} is missing: build the target tutti_baselines; if that leaves it "
                                         "out, install {} and configure again",
                                         file, entry.package));
}

PeerModule& load(const fs::path& path) {
    // Read by an OpenMP library when it is loaded.
    setenv("OMP_STACKSIZE", fmt::format("{}B", openmp_stack_bytes).c_str(), 0);
    // Local: two OpenMP libraries have functions of the same names.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error(dlerror());
    }
    void* const symbol = dlsym(library, peer_module_symbol);
    if (symbol == nullptr) {
        throw std::runtime_error(dlerror());
    }
    return *reinterpret_cast<PeerModule* (*)()>(symbol)();
}

} // namespace

std::vector<std::string> thread_peer_names() {
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        names.emplace_back(entry.name);
    }
    return names;
}

bool has_own_threads(const std::string& name) {
    return entry_of(name).has_own_threads;
}

PeerModule& peer_module(const std::string& name) {
    static std::map<fs::path, PeerModule*> loaded; // one thread of the command uses it
    const fs::path path = file_of(entry_of(name));
    PeerModule*& module = loaded[path];
    if (module == nullptr) {
        module = &load(path);
    }
    return *module;
}

} // namespace tutti::bench
