#pragma once

#include "std.hpp"

#include <stdlib.h>

namespace tutti::test {

/// A directory that is gone at the end of the test.
class Directory {
public:
    Directory() {
        if (mkdtemp(path_.data()) == nullptr) {
            throw std::runtime_error("no temporary directory");
        }
    }
    ~Directory() { std::filesystem::remove_all(path_); }
    Directory& operator=(Directory&&) = delete;

    std::string path(const std::string& name = "") const { return path_ + "/" + name; }

    /// The path of a new file, in a folder that need not exist.
    std::string file(const std::string& name, std::string_view text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

private:
    std::string path_ = "/tmp/tutti-XXXXXX";
};

} // namespace tutti::test
