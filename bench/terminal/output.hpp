#pragma once

#include <cstdio>
#include <deque>
#include <span>
#include <string>

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

/// Writes to the file so that at any time it holds all of this text or all of what it held before: a new file
/// takes its place. A pipe, or another file that is not regular, is written to. Throws EnvironmentUnfit when
/// it cannot.
void replace_file(const std::string& path, const std::string& text);

/// Passes on what is buffered. Throws EnvironmentUnfit when this or anything before could not be written.
void flush(std::FILE* stream);

/// While there is one, SIGINT and SIGTERM print its words on stderr before they end the process. A signal
/// that is ignored stays ignored. Only one at a time.
class Farewell {
public:
    explicit Farewell(std::string words);
    ~Farewell();
    Farewell(const Farewell&) = delete;
    Farewell& operator=(const Farewell&) = delete;

    /// From now on prints these instead.
    void change(std::string words);

private:
    /// A handler may still read old ones, which do not move.
    std::deque<std::string> all_words_;
};

} // namespace tutti::bench
