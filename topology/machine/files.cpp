#include "machine/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tutti::machine {

namespace {

/// The kernel gives the start of a file with one read; the rest only if it is `whole`.
std::optional<std::string> read_file(const std::string& path, bool whole) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::string text;
    std::array<char, 4096> part{};
    ssize_t bytes = 0;
    do {
        bytes = read(file, part.data(), part.size());
        text.append(part.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    } while (whole && bytes > 0);
    close(file);
    return text;
}

} // namespace

std::optional<std::string> text_of_file(const std::string& path) {
    return read_file(path, true);
}

std::optional<std::string> line_of_file(const std::string& path) {
    std::optional<std::string> text = read_file(path, false);
    if (text) {
        text->resize(std::min(text->find('\n'), text->size()));
    }
    return text;
}

} // namespace tutti::machine
