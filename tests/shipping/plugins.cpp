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

void* load(const char* file) {
    void* const plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    require(plugin != nullptr, "the plug-in is not loaded");
    return plugin;
}

void use(void* plugin) {
    require(reinterpret_cast<bool (*)()>(dlsym(plugin, "use"))(), "wrong results of a plug-in");
}

void load_and_unload(const char* file) {
    for (const bool in_a_thread : {true, false}) {
        for (int time = 0; time < 100; ++time) {
            void* const plugin = load(file);
            if (in_a_thread) { // that ends before: the C library keeps a plug-in while threads have objects
                               // of it
                std::thread([&] { use(plugin); }).join();
            } else {
                use(plugin);
            }
            dlclose(plugin);
        }
        require(!in_a_thread || dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr,
                "the plug-in was not unloaded");
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
                void* const plugin = load(file);
                use(plugin);
                require(me.allreduce(1, tutti::sum) == 2, "wrong results");
                dlclose(plugin);
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
