// Members that call from two shared objects agree on an operator that both have compiled, and differ where it
// is another one; what the library throws is caught by its type. The objects may be unloaded when the calls
// are complete: what is known of them then names neither their files nor their types through pointers into
// them.

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

void require(bool holds, const char* what, const std::string& text = "") {
    if (!holds) {
        std::printf("%s:\n%s\n", what, text.c_str());
        std::exit(1);
    }
}

struct Part {
    explicit Part(const char* path)
        : file(path), handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)),
          calls(reinterpret_cast<decltype(calls)>(dlsym(handle, "calls"))),
          arrives(reinterpret_cast<decltype(arrives)>(dlsym(handle, "arrives"))) {}

    const char* file;
    void* handle;
    void (*calls)(tutti::Member& me, std::span<double> values, bool farthest);
    void (*arrives)(tutti::AsyncGroup& ranks, int rank, std::span<double> values);
};

bool notices_different_operators(const std::array<Part, 2>& parts) {
    try {
        tutti::Team team(2, {.placement = tutti::Placement::none});
        team.run([&](tutti::Member& me) {
            std::vector<double> values(1000, 1.0);
            parts.at(me.rank()).calls(me, values, me.rank() == 0);
        });
    } catch (const tutti::MismatchError&) {
        return true;
    }
    return false;
}

} // namespace

int main() {
    tutti::Team team(2, {.placement = tutti::Placement::none});
    tutti::AsyncGroup ranks(2);
    const std::array parts{Part(EVEN), Part(ODD)};
    require(notices_different_operators(parts), "different operators are not noticed");
    for (const std::size_t size : {1U, 30U, 1000U}) {
        const std::vector<double> expected(size, -2.0);
        team.run([&](tutti::Member& me) {
            std::vector<double> values(size, -1.0 - me.rank());
            parts.at(me.rank()).calls(me, values, true);
            require(values == expected, "wrong results");
        });
        const auto arrive = [&](int rank) {
            std::vector<double> values(size, -1.0 - rank);
            parts.at(rank).arrives(ranks, rank, values);
            require(values == expected, "wrong results");
        };
        std::jthread other([&] { arrive(1); });
        arrive(0);
    }
    const auto roll_calls = [&] {
        return team.roll_call() + team.roll_call(tutti::RollCallFormat::json) + ranks.roll_call() +
               ranks.roll_call(tutti::RollCallFormat::json);
    };
    const std::string before = roll_calls();
    require(before.find("part.cpp:") != before.npos, "the file is not named before", before);

    for (const Part& part : parts) {
        dlclose(part.handle);
        require(dlopen(part.file, RTLD_NOW | RTLD_NOLOAD) == nullptr, "a part was not unloaded", part.file);
    }
    const std::string after = roll_calls();
    require(after.find("Farthest") != after.npos, "the type is forgotten", after);
    require(after.find("part.cpp") == after.npos, "the name of a file is read that is gone", after);
    team.run([](tutti::Member& me) { me.barrier(); });
    std::puts("the calls of two shared objects agree, and are still described when these are gone");
    return 0;
}
