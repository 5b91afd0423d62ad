#include "report/file_text.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace tutti::bench {

std::string file_text(const std::string& path, const std::string& writer) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw std::invalid_argument(path + " is not there");
    }
    if (std::filesystem::is_directory(path, error)) {
        throw std::invalid_argument(path + " is a folder, and no file that " + writer);
    }
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file) {
        throw std::invalid_argument("cannot read " + path);
    }
    return text;
}

} // namespace tutti::bench
