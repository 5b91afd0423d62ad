#pragma once

#include "../api/support.hpp"
#include "../directory.hpp"
#include "choose/group_config.hpp"
#include "choose/table.hpp"
#include "choose/tuning_file.hpp"

#include <tutti/version.hpp>

#include <unistd.h>

namespace tutti::test {

inline std::size_t row_of(Collective collective, std::string_view name) {
    const algorithm::Algorithm* const row = algorithm::find(collective, name);
    REQUIRE(row != nullptr);
    return algorithm::index_of(*row);
}

/// An entry of which `name` is the choice.
inline tuning::Entry entry(const tuning::Point& point, std::string_view name, double us = 1.5) {
    return {point, {{row_of(point.collective, name), us}}};
}

/// A table of this machine and library.
inline tuning::Table small_table() {
    using enum Collective;
    using tuning::Operands;
    tuning::Table table{TUTTI_VERSION_STRING, tuning::fingerprint(tuning::this_machine()), {}};
    table.entries.push_back(entry({barrier, Operands::moved, 4, 1, 0}, "dissemination"));
    table.entries.push_back(entry({allreduce, Operands::exact, 2, 1, 64}, "circulant", 0.25));
    table.entries.back().measured.push_back({row_of(allreduce, "direct"), 1.0 / 3});
    table.entries.push_back(entry({allreduce, Operands::exact, 4, 1, 1024}, "butterfly"));
    table.entries.push_back(entry({allreduce, Operands::ordered, 4, 1, 1024}, "flat"));
    return table;
}

/// The text with its last line set right.
inline std::string with_right_end(const std::string& text) {
    const std::string before = text.substr(0, text.rfind("\nend ") + 1);
    std::uint64_t hash = 0xCBF29CE484222325;
    std::size_t lines = 0;
    for (const char c : before) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
        lines += c == '\n' ? 1 : 0;
    }
    char line[64];
    std::snprintf(line, sizeof(line), "end %zu %llx\n", lines - 7, static_cast<unsigned long long>(hash));
    return before + line;
}

inline std::string replaced(std::string text, const std::string& part, const std::string& other) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    return text.replace(at, part.size(), other);
}

} // namespace tutti::test
