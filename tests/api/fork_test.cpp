// Teams and processes. Most of this happens in children.

#include "diagnose/roll_call.hpp"
#include "support.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace {

/// The exit code of a child process that runs `part` and then exits; the number of the signal, negative, that
/// has ended it. One that hangs is ended by SIGALRM.
int exit_code_of_child(const std::function<int()>& part) {
    constexpr unsigned hang_seconds = 60;
    std::fflush(nullptr);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(hang_seconds);
        std::exit(part());
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool is_of_parent(const Thrown& thrown) {
    return thrown.kind == Kind::error && mentions(thrown.text, "fork()");
}

} // namespace

TEST_CASE("a child of fork() is told that the team's threads are not there, and ends") {
    static Team team(2);
    check_usable(team);
    CHECK(exit_code_of_child([] { return 0; }) == 0);
    CHECK(exit_code_of_child(
              [] { return is_of_parent(thrown_by([] { team.run([](Member&) {}); })) ? 0 : 1; }) == 0);
    auto passing = std::make_unique<Team>(2);
    CHECK(exit_code_of_child([&] {
              passing.reset();
              return 0;
          }) == 0);
    CHECK(exit_code_of_child([] { // which has none of the threads that hold CPUs
              const Team here(1);
              return here.pinning().front().find("another team") == std::string::npos ? 0 : 1;
          }) == 0);
    check_usable(*passing);
    check_usable(team);
}

TEST_CASE("a child of fork() gets errors from the groups of its parent, and can make others") {
    Group group(2);
    AsyncGroup ranks(2);
    std::atomic<bool> forked{false};
    std::jthread other([&] {
        Member me = group.join(1);
        me.barrier();
        forked.wait(false); // so that a child sees this member in no call
        me.barrier();
    });
    Member me = group.join(0);
    AsyncRank rank = ranks.at(0);
    me.barrier();
    const std::vector<std::function<void()>> uses{
        [&] { static_cast<void>(group.join(0)); },
        [&] { rank.barrier().wait(); },
        [&] { me.barrier(); },
        [&] { me.start.barrier().wait(); },
        [&] { static_cast<void>(me.dup()); },
        [&] { static_cast<void>(me.among(1)); },
        [&] { group.set_timeout(1s); },
        [&] { static_cast<void>(group.roll_call()); },
    };
    for (const auto& use : uses) {
        CHECK(exit_code_of_child([&] {
                  const Thrown thrown = thrown_by(use);
                  { const Member ends = std::move(me); }
                  Group own(1);
                  Team team(2);
                  check_usable(team);
                  return is_of_parent(thrown) && mentions(thrown.text, "make another one in the child") &&
                                 own.join(0).allreduce(3, sum) == 3
                             ? 0
                             : 1;
              }) == 0);
    }
    forked = true;
    forked.notify_all();
    me.barrier();
}

TEST_CASE("a process that is forked while another thread is in the failure hook does not wait for it") {
    static std::atomic<bool> is_inside{false};
    static std::atomic<bool> forked{false};
    set_failure_hook([](int, std::string_view) {
        is_inside = true;
        is_inside.notify_all();
        forked.wait(false);
    });
    Group group(2);
    Member me = group.join(1);
    std::jthread other([&] { group.join(0).abort("deliberate"); });
    is_inside.wait(false);
    CHECK(exit_code_of_child([&] {
              const bool is_told = is_of_parent(thrown_by([&] { me.barrier(); }));
              me.abort("deliberate");
              return is_told && is_of_parent(thrown_by([&] { me.barrier(); })) ? 0 : 1;
          }) == 0);
    forked = true;
    forked.notify_all();
    other.join();
    set_failure_hook({});
}

TEST_CASE("a child that a member has forked ends when its function returns") {
    for (const TeamOptions& options : team_options()) {
        Team team(2, options);
        std::fflush(nullptr);
        std::atomic<pid_t> child{-1};
        const Thrown thrown = thrown_by([&] {
            team.run([&](Member& me) {
                if (me.rank() == 0) {
                    child = fork();
                    if (child == 0) {
                        alarm(60);
                    }
                }
            });
        });
        if (child == 0) { // the caller is the member
            std::_Exit(is_of_parent(thrown) ? 0 : 1);
        }
        CHECK(thrown.kind == Kind::nothing);
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        check_usable(team);
    }
}

TEST_CASE("a process that is forked during a roll call can make groups, and has roll calls of these") {
    CHECK(exit_code_of_child([] {
              setenv("TUTTI_ROLL_CALL", "USR2", 1);
              static std::atomic<bool> has_begun{false};
              const library::RollCallListed slow([](RollCallFormat) {
                  has_begun = true;
                  std::this_thread::sleep_for(std::chrono::milliseconds(100));
                  return std::string("of the parent\n");
              });
              kill(getpid(), SIGUSR2);
              while (!has_begun) {
                  std::this_thread::yield();
              }
              return exit_code_of_child([] { // while a thread makes a roll call
                  std::array<int, 2> ends{};
                  if (pipe(ends.data()) != 0 || dup2(ends[1], STDERR_FILENO) < 0) {
                      return 1;
                  }
                  Team team(2);
                  check_usable(team);
                  kill(getpid(), SIGUSR2);
                  std::array<char, 4096> text{};
                  if (read(ends[0], text.data(), text.size() - 1) <= 0) {
                      return 2;
                  }
                  return mentions(text.data(), "2 members") && !mentions(text.data(), "of the parent") ? 0
                                                                                                       : 3;
              });
          }) == 0);
}

TEST_CASE("a process that is forked while others make teams can make teams") {
    CHECK(exit_code_of_child([] {
              std::atomic<bool> stop{false};
              std::vector<std::jthread> others;
              for (int other = 0; other < 3; ++other) {
                  others.emplace_back([&] {
                      while (!stop) {
                          const Team team(2);
                      }
                  });
              }
              int failed = 0;
              for (int forks = 0; forks < 30 && failed == 0; ++forks) {
                  failed = exit_code_of_child([] {
                      Team team(2);
                      team.run([](Member& me) { me.barrier(); });
                      return 0;
                  });
              }
              stop = true;
              return failed;
          }) == 0);
}

TEST_CASE("a member may end the process, whose team is static") {
    CHECK(exit_code_of_child([] {
              static Team team(2);
              team.run([](Member& me) {
                  if (me.rank() == 1) {
                      std::exit(7);
                  }
                  me.barrier();
              });
              return 1;
          }) == 7);
}

TEST_CASE("a team that gets too few threads says how many") {
    CHECK(exit_code_of_child([] {
              long pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const auto room = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) +
                                (rlim_t{100} << 20U);
              const rlimit memory{room, room};
              if (setrlimit(RLIMIT_AS, &memory) != 0) {
                  return 1;
              }
              const Thrown thrown = thrown_by([] { const Team team(1000); });
              const bool says =
                  mentions(thrown.text, "gives only") && mentions(thrown.text, "of 1000 threads");
              Team small(2);
              check_usable(small);
              return thrown.kind == Kind::error && says ? 0 : 2;
          }) == 0);
}
