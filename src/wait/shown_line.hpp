#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/source_line.hpp>

#include <string>

namespace tutti::engine {

/// The line of a call in a program, with a copy of the file's name. A SourceLine refers to the shared library
/// that has made the call, and the program may have unloaded it since.
class ShownLine {
public:
    ShownLine() = default;
    /// Unknown if the line is empty or its name is gone.
    TUTTI_COMPONENT_API ShownLine(const SourceLine& where); // NOLINT(google-explicit-constructor): the same

    bool is_known() const { return !file_.empty(); }
    const std::string& file() const { return file_; }
    unsigned line() const { return line_; }
    /// "solver.cpp:31"
    std::string text() const;

private:
    std::string file_;
    unsigned line_ = 0;
};

} // namespace tutti::engine
