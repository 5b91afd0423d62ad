// A library that makes calls may be unloaded when they are complete: what is known of them then names neither
// its files nor its types through pointers into it.

#include "plugin.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

void require(bool holds, const char* what, const std::string& text) {
    if (!holds) {
        std::printf("%s:\n%s\n", what, text.c_str());
        std::exit(1);
    }
}

template <class Function>
Function* function_of(void* plugin, const char* name) {
    return reinterpret_cast<Function*>(dlsym(plugin, name));
}

} // namespace

int main() {
    tutti::Team team(2, {.placement = "none"});
    tutti::AsyncGroup ranks(2);
    void* const plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    require(plugin != nullptr, "the plug-in was not loaded", PLUGIN);
    team.run(function_of<Calls>(plugin, "calls"));
    {
        auto* const arrives = function_of<Arrives>(plugin, "arrives");
        std::jthread other([&] { arrives(ranks, 1); });
        arrives(ranks, 0);
    }
    const auto roll_calls = [&] {
        return team.roll_call() + team.roll_call(tutti::RollCallFormat::json) + ranks.roll_call() +
               ranks.roll_call(tutti::RollCallFormat::json);
    };
    const std::string before = roll_calls();
    require(before.find("plugin.cpp:") != before.npos, "the file is not named before", before);

    dlclose(plugin);
    require(dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD) == nullptr, "the plug-in was not unloaded", PLUGIN);
    const std::string after = roll_calls();
    require(after.find("Farthest") != after.npos, "the type is forgotten", after);
    require(after.find("plugin.cpp") == after.npos, "the name of a file is read that is gone", after);
    team.run([](tutti::Member& me) { me.barrier(); });
    std::puts("the calls of a plug-in that has been unloaded are still described");
    return 0;
}
