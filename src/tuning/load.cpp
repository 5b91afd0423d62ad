#include "tuning/load.hpp"

#include "environment.hpp"
#include "log/log.hpp"
#include "machine/process.hpp"
#include "tuning/file.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/save.hpp"

#include <tutti/version.hpp>

#include <unistd.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace tutti::tuning {

namespace {

constexpr const char* built_in = "built-in choice";

/// `refusal` becomes the fault of the file, which `name` has requested.
Source read_source(const std::string& name, const std::string& path, std::string& refusal) {
    try {
        return {std::make_shared<const Table>(load(path, this_machine())), "file " + path};
    } catch (const std::exception& error) {
        refusal = name + ": tuning file " + path + " is refused: " + error.what();
        return {nullptr, std::string(built_in) + "; " + refusal};
    }
}

/// A file is read once for each name that requests it, in the life of a process.
Source source_in(const std::string& name, const std::string& path) {
    static machine::ProcessMutex mutex(machine::ProcessMutex::Order::outer); // reading a file reads the CPUs
    static std::map<std::pair<std::string, std::string>, Source> sources;
    std::string refusal;
    Source source = [&] {
        const std::scoped_lock lock(mutex);
        const std::pair key(name, path);
        const auto known = sources.find(key);
        return known != sources.end() ? known->second
                                      : sources.emplace(key, read_source(name, path, refusal)).first->second;
    }();
    if (!refusal.empty()) {
        refusal += std::string("; the ") + built_in + " of algorithms is used";
        engine::report(LogLevel::warning, refusal.c_str());
    }
    return source;
}

} // namespace

const machine::Machine& this_machine() {
    static const machine::Machine machine = machine::here();
    return machine;
}

const machine::Thresholds& this_thresholds() {
    static const machine::Thresholds profile = machine::family_thresholds(this_machine());
    return profile;
}

Table load(const std::string& path, const machine::Machine& machine) {
    Table table = parse(read_file(path));
    if (table.library != TUTTI_VERSION_STRING) {
        throw std::invalid_argument("it was made with version " + table.library.substr(0, 40) +
                                    " of the library, and this is " + TUTTI_VERSION_STRING +
                                    ": delete the file");
    }
    const std::vector<std::string> here = fingerprint(machine);
    for (std::size_t line = 0; line < fingerprint_lines; ++line) {
        if (table.machine[line] != here[line]) {
            throw std::invalid_argument("it was made on another machine, \"" +
                                        table.machine[line].substr(0, 100) + "\", and this one has \"" +
                                        here[line] + "\": name a file of its own for each machine");
        }
    }
    return table;
}

Source source_of(const std::string& tuning) {
    const bool is_option = !tuning.empty();
    const std::string chosen = is_option ? tuning : environment_variable("TUTTI_TUNING");
    if (chosen == "off") {
        return {.table = nullptr, .text = built_in, .explores = false};
    }
    if (!chosen.empty() && chosen != "on") {
        return source_in(is_option ? "GroupOptions::tuning" : "TUTTI_TUNING", chosen);
    }
    Source source{nullptr, built_in};
    const std::string saved = environment_variable(save_variable);
    if (!saved.empty() && access(saved.c_str(), F_OK) == 0) { // there is none before the first run
        source = source_in(save_variable, saved);
    }
    return source;
}

} // namespace tutti::tuning
