// Tasks that block in calls, where there are too few threads for them.

#include "tests/test.hpp"

#include <tutti/error.hpp>
#include <tutti/group.hpp>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

TEST_CASE("a task group of four on two threads is told that two of its members have no thread") {
    tutti::Group group(4, {.timeout = std::chrono::milliseconds(200)});
    std::vector<std::string> texts(4);
    ::tbb::task_arena arena(2);
    arena.execute([&] {
        ::tbb::task_group tasks;
        for (int rank = 0; rank < 4; ++rank) {
            tasks.run([&, rank] {
                try {
                    group.run(rank, [](tutti::Member& me) { me.barrier(); });
                } catch (const tutti::Error& error) {
                    texts[static_cast<std::size_t>(rank)] = error.what();
                }
            });
        }
        tasks.wait();
    });
    for (const std::string& text : texts) {
        CHECK_MESSAGE(text.find("members are not there: member ") != std::string::npos, text);
        CHECK_MESSAGE(text.find(" has not joined") != std::string::npos, text);
        CHECK_MESSAGE(text.find("the size of a pool") != std::string::npos, text);
    }
}
