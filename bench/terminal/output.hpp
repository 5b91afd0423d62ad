#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

namespace tutti::bench {

/// Whether results that are to go to `path` go to stdout: it is "-".
bool is_stdout(const std::string& path);

/// The stream of text for readers while results go to these paths, of which empty ones stand for none: stderr
/// when one of them is stdout, which is then for results only. Throws UsageError when two are.
std::FILE* text_stream(std::span<const std::string> paths);

/// Minutes of measuring should not end with a file that cannot be written. Throws UsageError that names the
/// option; an empty path stands for none. A file that is not there is not there afterwards.
void check_writable(const char* option, const std::string& path);

/// Writes to the file, or to stdout. Throws EnvironmentUnfit when it cannot.
void write_output(const std::string& path, const std::string& text);

/// The same, and names the file on `out`.
void deliver(const std::string& path, const std::string& text, std::FILE* out);

/// Writes to the file so that at any time it holds all of this text or all of what it held before: a new file
/// takes its place. A pipe, or another file that is not regular, is written to. Throws EnvironmentUnfit when
/// it cannot.
void replace_file(const std::string& path, const std::string& text);

/// Passes on what is buffered. Throws EnvironmentUnfit when this or anything before could not be written.
void flush(std::FILE* stream);

/// The directory of the running program, which also has the programs and objects that it starts or loads.
/// Empty when the system does not report it.
inline std::filesystem::path program_directory() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

/// Says on stderr what a long job is doing: one line that is rewritten where stderr is a terminal, else a
/// line each time a new stage begins.
class Progress {
public:
    Progress(std::size_t steps, bool shown);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// The next step begins: part of `stage`, in detail `detail`.
    void step(const std::string& stage, const std::string& detail);

    /// The steps that have not begun.
    std::size_t left() const { return steps_ - begun_; }

    /// Removes the line, so that something else can be printed.
    void clear();

private:
    std::size_t steps_;
    std::size_t begun_ = 0;
    bool shown_;
    bool terminal_;
    std::string stage_;
};

} // namespace tutti::bench
