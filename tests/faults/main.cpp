// Every way in which one member can do otherwise than the others: is everybody told, and of the right thing?
// Each case runs in a process of its own, so that one that hangs is found and named.
//
//   fault_matrix           a sample with each fault in each scope
//   fault_matrix --all     all cases
//   fault_matrix --like P  those whose names contain P

#define DOCTEST_CONFIG_IMPLEMENT // for the headers of tests; nothing of it is called

#include "cases.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace {

using namespace tutti;
using namespace tutti::faults;
using test::mentions;

/// A limit for what hangs. Being told takes milliseconds.
constexpr unsigned hang_seconds = 60;

enum class Verdict : std::uint8_t { told, wrong, hung, crashed };

int run_child(const Case& made) {
    alarm(hang_seconds);
    std::string complaint;
    try {
        complaint = run(made);
    } catch (const std::exception& error) {
        complaint = std::string("threw ") + error.what();
    }
    if (!complaint.empty()) {
        std::printf("%s: %s\n", made.name().c_str(), complaint.c_str());
    }
    std::fflush(stdout);
    return complaint.empty() ? 0 : 1;
}

Verdict verdict_of(const Case& made, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) {
        return WEXITSTATUS(status) == 0 ? Verdict::told : Verdict::wrong;
    }
    const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    std::printf("%s: %s\n", made.name().c_str(), hung ? "hung" : "crashed");
    return hung ? Verdict::hung : Verdict::crashed;
}

/// Runs the cases, some side by side, and counts their verdicts.
std::map<Verdict, int> run_all(const std::vector<Case>& cases) {
    const std::size_t side_by_side = std::max(2U, std::thread::hardware_concurrency());
    std::map<Verdict, int> verdicts;
    std::map<pid_t, const Case*> running;
    const auto reap = [&] {
        int status = 0;
        const pid_t ended = wait(&status);
        ++verdicts[verdict_of(*running.at(ended), status)];
        running.erase(ended);
    };
    for (const Case& made : cases) {
        if (running.size() == side_by_side) {
            reap();
        }
        std::fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            _exit(run_child(made));
        }
        running[child] = &made;
    }
    while (!running.empty()) {
        reap();
    }
    return verdicts;
}

std::vector<Case> sample(std::vector<Case> cases) {
    constexpr std::size_t most = 150;
    const unsigned seed = std::random_device()();
    std::printf("seed of the sample %u\n", seed);
    std::shuffle(cases.begin(), cases.end(), std::mt19937(seed));
    std::set<std::pair<Fault, Scope>> known; // one case of each comes first, so that each is in the sample
    std::partition(cases.begin(), cases.end(),
                   [&](const Case& made) { return known.emplace(made.fault, made.scope).second; });
    cases.resize(std::min(cases.size(), most));
    return cases;
}

} // namespace

int main(int count, char** arguments) {
    const std::string option = count > 1 ? arguments[1] : "";
    std::vector<Case> cases = all_cases();
    const std::size_t known = cases.size();
    if (option == "--like" && count > 2) {
        std::erase_if(cases, [&](const Case& made) { return !mentions(made.name(), arguments[2]); });
    } else if (option != "--all") {
        cases = sample(std::move(cases));
    }
    std::map<Verdict, int> verdicts = run_all(cases);
    std::printf("%zu of %zu cases: %d told, %d not told or of something else, %d hung, %d crashed\n",
                cases.size(), known, verdicts[Verdict::told], verdicts[Verdict::wrong],
                verdicts[Verdict::hung], verdicts[Verdict::crashed]);
    return verdicts[Verdict::told] == static_cast<int>(cases.size()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
