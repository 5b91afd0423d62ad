#include "support.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Makes and frees an operator, and returns whether that succeeds.
bool makes_operator() {
    tutti_op op{};
    const auto keep = [](const void*, void*, std::size_t, void*) {};
    return tutti_op_create(keep, nullptr, 1, &op) == TUTTI_OK && tutti_op_free(op) == TUTTI_OK;
}

} // namespace

TEST_CASE("a process that is forked while other threads make objects can make objects") {
    CHECK(makes_operator());
    std::atomic<bool> stop{false};
    std::vector<std::jthread> others;
    for (int other = 0; other < 3; ++other) {
        others.emplace_back([&] {
            while (!stop) {
                static_cast<void>(makes_operator());
            }
        });
    }
    int failed = 0;
    for (int forks = 0; forks < 100 && failed == 0; ++forks) {
        const pid_t child = fork();
        if (child == 0) {
            constexpr unsigned hang_seconds = 20;
            alarm(hang_seconds);
            _exit(makes_operator() ? 0 : 1);
        }
        waitpid(child, &failed, 0);
    }
    stop = true;
    CHECK(failed == 0);
}
