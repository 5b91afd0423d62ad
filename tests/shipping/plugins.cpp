// plugins unloaded PLUGIN: loads a plug-in that contains the library, uses it and unloads it, 100 times.
// plugins copies PLUGINS...: uses plug-ins and this program's own copy of the library at the same time.

#include <tutti/tutti.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        const char* const error = dlerror();
        std::printf("%s: %s\n", what, error != nullptr ? error : "no error of dlopen");
        std::exit(1);
    }
}

class Plugin {
public:
    explicit Plugin(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
        require(handle_ != nullptr, "the plug-in is not loaded");
    }
    ~Plugin() { dlclose(handle_); }
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    Plugin(Plugin&&) = delete;
    Plugin& operator=(Plugin&&) = delete;

    bool use() const { return reinterpret_cast<bool (*)()>(dlsym(handle_, "use"))(); }

private:
    void* handle_;
};

constexpr int times = 100;

void load_and_unload(const char* file) {
    for (int time = 0; time < times; ++time) {
        const Plugin plugin(file);
        // In a thread that ends before: the C library keeps a plug-in while threads have objects of it.
        std::thread([&] { require(plugin.use(), "wrong results in a thread"); }).join();
    }
    require(dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in was not unloaded");
    for (int time = 0; time < times; ++time) {
        require(Plugin(file).use(), "wrong results");
    }
    std::puts("a plug-in is loaded and unloaded again and again");
}

void use_copies(std::span<char*> files) {
    tutti::Group group(2); // gets the signal
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 2; ++rank) {
        threads.emplace_back([&, rank] {
            tutti::Member me = group.join(rank);
            std::vector<int> ones(100, 1);
            tutti::Request started = me.start.allreduce(ones, tutti::sum);
            for (const char* const file : files) { // inside the region of another copy
                const Plugin plugin(file);
                require(plugin.use(), "wrong results of a plug-in");
                require(me.allreduce(1, tutti::sum) == 2, "wrong results");
            }
            started.wait();
            require(ones.front() == 2, "wrong results of a nonblocking call");
        });
    }
    threads.clear();
    kill(getpid(), SIGUSR2); // writes the roll calls of one copy
    std::fflush(stderr);
    std::puts("the copies work side by side");
}

} // namespace

int main(int count, char** arguments) {
    const std::span files(arguments + 2, static_cast<std::size_t>(count - 2));
    if (std::string(arguments[1]) == "unloaded") {
        load_and_unload(files.front());
    } else {
        use_copies(files);
    }
}
