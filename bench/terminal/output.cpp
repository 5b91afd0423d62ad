#include "terminal/output.hpp"

#include "terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace tutti::bench {

bool is_stdout(const std::string& path) {
    return path == "-";
}

std::FILE* text_stream(std::span<const std::string> paths) {
    const auto count = std::ranges::count_if(paths, is_stdout);
    if (count > 1) {
        throw UsageError("only one output can go to stdout (-); name a file for the others");
    }
    return count == 0 ? stdout : stderr;
}

void check_writable(const char* option, const std::string& path) {
    if (path.empty() || is_stdout(path)) {
        return;
    }
    std::error_code error;
    const bool is_new = !std::filesystem::exists(path, error);
    if (!std::ofstream(path, std::ios::app)) {
        throw UsageError(fmt::format("{}: cannot write {}", option, path));
    }
    if (is_new) {
        std::filesystem::remove(path, error);
    }
}

void write_output(const std::string& path, const std::string& text) {
    if (is_stdout(path)) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        flush(stdout);
        return;
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << text).flush()) {
        throw EnvironmentUnfit("cannot write " + path);
    }
}

void deliver(const std::string& path, const std::string& text, std::FILE* out) {
    write_output(path, text);
    if (!is_stdout(path)) {
        fmt::print(out, "wrote {}\n", path);
    }
}

void replace_file(const std::string& path, const std::string& text) {
    std::error_code error;
    if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
        write_output(path, text);
        return;
    }
    const std::string part = path + ".part";
    write_output(part, text);
    std::filesystem::rename(part, path, error);
    if (error) {
        throw EnvironmentUnfit(fmt::format("cannot write {}: {}", path, error.message()));
    }
}

void flush(std::FILE* stream) {
    errno = 0;
    if (std::fflush(stream) != 0 || std::ferror(stream) != 0) {
        const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
        throw EnvironmentUnfit(
            fmt::format("cannot write to {}{}", stream == stdout ? "stdout" : "stderr", why));
    }
}

} // namespace tutti::bench
