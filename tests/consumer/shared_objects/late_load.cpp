// Loads copies of a small library until there is no more room for variables like its own, and then Tutti.

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>

int main() {
    constexpr int most_copies = 4096;
    int copies = 0;
    bool is_full = false;
    while (!is_full && copies < most_copies) {
        const std::string copy = std::string(FILLER) + "." + std::to_string(copies);
        std::filesystem::copy_file(FILLER, copy, std::filesystem::copy_options::overwrite_existing);
        is_full = dlopen(copy.c_str(), RTLD_NOW) == nullptr;
        std::filesystem::remove(copy);
        copies += is_full ? 0 : 1;
    }
    if (!is_full) {
        std::printf("skipped: this system has room for more than %d libraries\n", copies);
        return 0;
    }
    if (dlopen(LIBRARY, RTLD_NOW) == nullptr) {
        std::printf("after %d other libraries: %s\n", copies, dlerror());
        return 1;
    }
    std::printf("the library was loaded after %d others had taken all static thread-local memory\n", copies);
    return 0;
}
