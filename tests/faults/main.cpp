// Every way in which one member can do otherwise than the others: is everybody told, and of the right thing?
// Each case runs in a process of its own, so that one that hangs is found and named.
//
//   fault_matrix           a sample
//   fault_matrix --all     all cases, with a table of what was told
//   fault_matrix --like P  those whose names contain P

#include "cases.hpp"
#include "choose/select.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace tutti;
using namespace tutti::faults;

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

/// Runs the cases, some side by side, and calls `note` with each and its verdict.
template <class Note>
void run_all(const std::vector<Case>& cases, Note note) {
    const std::size_t side_by_side = std::max(2U, std::thread::hardware_concurrency());
    std::map<pid_t, const Case*> running;
    const auto reap = [&] {
        int status = 0;
        const pid_t ended = wait(&status);
        note(*running.at(ended), verdict_of(*running.at(ended), status));
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
}

std::vector<Case> sample(std::vector<Case> cases) {
#if defined(TUTTI_REDUCED_TESTS)
    constexpr std::size_t most = 150;
#else
    constexpr std::size_t most = 1000;
#endif
    const unsigned seed = std::random_device()();
    std::printf("seed of the sample %u\n", seed);
    std::shuffle(cases.begin(), cases.end(), std::mt19937(seed));
    cases.resize(std::min(cases.size(), most));
    return cases;
}

std::vector<Case> like(const std::vector<Case>& cases, const std::string& part) {
    std::vector<Case> found;
    for (const Case& made : cases) {
        if (made.name().find(part) != std::string::npos) {
            found.push_back(made);
        }
    }
    return found;
}

struct Tally {
    int told = 0;
    int all = 0;
};

void print_table(const std::map<Fault, std::map<Collective, Tally>>& tallies) {
    std::printf("\n%-14s", "told");
    for (const Collective collective : detail::all_collectives) {
        std::printf(" %10.10s", std::string(to_string(collective)).c_str());
    }
    std::printf("\n");
    for (const auto& [fault, row] : tallies) {
        std::printf("%-14s", std::string(to_string(fault)).c_str());
        for (const Collective collective : detail::all_collectives) {
            const auto cell = row.find(collective);
            const std::string text = cell == row.end() ? "-"
                                                       : std::to_string(cell->second.told) + "/" +
                                                             std::to_string(cell->second.all);
            std::printf(" %10s", text.c_str());
        }
        std::printf("\n");
    }
}

} // namespace

int main(int count, char** arguments) {
    const std::string option = count > 1 ? arguments[1] : "";
    std::vector<Case> cases = all_cases();
    const std::size_t known = cases.size();
    if (option == "--like" && count > 2) {
        cases = like(cases, arguments[2]);
    } else if (option != "--all") {
        cases = sample(std::move(cases));
    }
    std::map<Verdict, int> verdicts;
    std::map<Fault, std::map<Collective, Tally>> tallies;
    run_all(cases, [&](const Case& made, Verdict verdict) {
        ++verdicts[verdict];
        Tally& tally = tallies[made.fault][made.collective];
        tally.told += verdict == Verdict::told ? 1 : 0;
        ++tally.all;
    });
    if (option == "--all") {
        print_table(tallies);
    }
    std::printf("%zu of %zu cases: %d told, %d not told or of something else, %d hung, %d crashed\n",
                cases.size(), known, verdicts[Verdict::told], verdicts[Verdict::wrong],
                verdicts[Verdict::hung], verdicts[Verdict::crashed]);
    return verdicts[Verdict::told] == static_cast<int>(cases.size()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
