#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "report/results_file.hpp"
#include "support.hpp"
#include "terminal/output.hpp"

#include <nlohmann/json.hpp>

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

/// 8 bytes between two members, measured once.
Point flat_allreduce(bool in_place) {
    Point point;
    point.provider = "tutti";
    point.algorithm = "flat";
    point.problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, 8, in_place);
    point.time_us.median = 1;
    point.samples_us = {1};
    return point;
}

} // namespace

TEST_CASE("model reproduces the papers' tables but for what is marked") {
    const Outcome butterflies = tutti_command({"model", "--table", "rabenseifner-traff-2004"});
    CHECK(butterflies.exit_code == 0);
    CHECK(butterflies.says("2 + 0.2 + 0.02 = 2.22"));
    CHECK(tutti_command({"model", "--table", "traff-2023"}).exit_code == 0);
    const Outcome skips = tutti_command({"model", "--table", "traff-2024", "-t", "22"});
    CHECK(skips.exit_code == 0);
    CHECK(skips.says("11"));
    CHECK(tutti_command({"model", "--table", "nobody-1999"}).exit_code == 2);
}

TEST_CASE("model --cluster predicts, says so, and refuses what cannot be") {
    const Outcome fine = tutti_command({"model", "--cluster", "--nodes", "2048", "--bytes", "64K"});
    CHECK(fine.exit_code == 0);
    CHECK(fine.says("A model, nothing here has been measured: allreduce of 64 KiB"));
    CHECK(fine.says("   2048 "));
    const Outcome refused = tutti_command({"model", "--cluster", "--nodes", "1"});
    CHECK(refused.exit_code == 2);
    CHECK(refused.says("--nodes must be in 2.."));
}

TEST_CASE("model --traffic counts what crosses each level, beside the least") {
    const Outcome fine =
        tutti_command({"model", "--traffic", "allreduce", "-b", "64M", "-t", "128", "--levels", "2,8,8"});
    CHECK(fine.exit_code == 0);
    CHECK(fine.says("level 1, groups: 2, members of each: 64"));
    CHECK(fine.says("level 3, groups: 128, members of each: 1"));
    CHECK(fine.says("levels-shares                          6      64 MiB      64 MiB     128 MiB"));
    CHECK(fine.says("direct                                 1       4 GiB       4 GiB       8 GiB"));
    const Outcome word =
        tutti_command({"model", "--traffic", "allreduce", "-b", "8", "-t", "128", "--levels", "2,8,8"});
    CHECK(
        word.says("flat                                   1      32 KiB      32 KiB      64 KiB      4096"));
    CHECK(
        word.says("levels-leaders                         6         8 B         8 B        16 B         1"));
}

TEST_CASE("model --traffic refuses what is no tree") {
    const Outcome other = tutti_command({"model", "--traffic", "allreduce", "-t", "12", "--levels", "2,8"});
    CHECK(other.exit_code == 2);
    CHECK(other.says("--levels: 16 members, but --members are 12"));
    CHECK(tutti_command({"model", "--traffic", "allreduce", "-t", "12"}).exit_code == 2);
    CHECK(tutti_command({"model", "--traffic", "allreduce", "-t", "0", "--levels", "2,0"}).exit_code == 2);
    CHECK(tutti_command({"model", "--traffic", "nothing", "-t", "4", "--levels", "4"}).exit_code == 2);
}

TEST_CASE("model --traffic takes the levels of a machine") {
    const Outcome fine =
        tutti_command({"model", "--traffic", "allreduce", "-t", "128", "--machine", "epyc-7742-2s"});
    CHECK(fine.exit_code == 0);
    CHECK(fine.says("level 3, groups: 32, members of each: 4"));
    const Outcome many =
        tutti_command({"model", "--traffic", "allreduce", "-t", "300", "--machine", "epyc-7742-2s"});
    CHECK(many.exit_code == 2);
    CHECK(many.says("300 members do not fit on 256 CPUs"));
    CHECK(tutti_command(
              {"model", "--traffic", "allreduce", "-t", "8", "--machine", "epyc-7742-2s", "--levels", "8"})
              .exit_code == 2);
}

TEST_CASE("model --predict prints a time for each algorithm and size, and its ratio to the best") {
    const Outcome all = tutti_command(
        {"model", "--machine", "xeon-gold-6242-2s", "--predict", "allreduce", "-b", "8,64K", "-t", "32"});
    CHECK(all.exit_code == 0);
    CHECK(all.says("allreduce among 32 members on 2 x Intel Xeon Gold 6242"));
    CHECK(all.says("64 KiB"));
    CHECK(all.says("1.00"));
    CHECK(all.says("levels-shares"));
    const Outcome named = tutti_command({"model", "--machine", "xeon-gold-6242-2s", "--predict", "allreduce",
                                         "-b", "8", "-t", "32", "-a", "flat", "levels-leaders"});
    CHECK(named.exit_code == 0);
    CHECK(named.says("flat"));
    CHECK(named.says("levels-leaders"));
    CHECK_FALSE(named.says("ring"));
    CHECK(tutti_command({"model", "--machine", "xeon-gold-6242-2s", "--predict", "allreduce", "-b", "8", "-t",
                         "32", "-a", "flat", "levels-leaders"})
              .text == named.text);
}

TEST_CASE("model --predict takes barriers to have no bytes") {
    const Outcome barrier =
        tutti_command({"model", "--machine", "xeon-gold-6242-2s", "--predict", "barrier", "-t", "32"});
    CHECK(barrier.exit_code == 0);
    CHECK(barrier.says(" 0 B"));
    CHECK(barrier.says("dissemination"));
    CHECK(!barrier.says(" -\n"));
}

TEST_CASE("model --measured prints what was predicted beside what was measured") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "results.json";
    Point point = flat_allreduce(false);
    write_output(path, json_text(nlohmann::json::object(), "", std::array{point}));
    const auto compared = [&](const std::string& collective) {
        return tutti_command(
            {"model", "--machine", "ryzen-7950x", "--predict", collective, "-t", "2", "--measured", path});
    };
    CHECK(compared("all").exit_code == 0);
    CHECK(compared("all").says("median error"));
    CHECK(compared("all").says("flat"));
    CHECK(compared("all").says("predicted for AMD Ryzen 9 7950X"));
    CHECK(compared("all").says("measured on an unknown processor"));
    CHECK(compared("allreduce").text == compared("all").text);
    CHECK(compared("scan").exit_code == 2);
    CHECK(compared("scan").says("tutti bench -a all measures them"));
    CHECK(tutti_command({"model", "--measured", path}).exit_code == 2);
}

TEST_CASE("model --predict takes a list of algorithms") {
    const Outcome two = tutti_command(
        {"model", "--machine", "ryzen-7950x", "--predict", "allreduce", "-b", "8", "-a", "ring,tree"});
    CAPTURE(two.text);
    CHECK(two.exit_code == 0);
    CHECK(two.says("ring"));
    CHECK(two.says("tree"));
    CHECK_FALSE(two.says("flat"));
}

TEST_CASE("model --predict says what it does not know, and what there is") {
    const Outcome nowhere = tutti_command({"model", "--machine", "nowhere", "--predict", "allreduce"});
    CHECK(nowhere.exit_code == 2);
    CHECK(nowhere.says("\"nowhere\" is neither a file"));
    CHECK(nowhere.says("epyc-7742-2s, epyc-7773x"));
    const Outcome nothing = tutti_command(
        {"model", "--machine", "ryzen-7950x", "--predict", "allreduce", "-b", "8", "-a", "nothing"});
    CHECK(nothing.exit_code == 2);
    CHECK(nothing.says("there is no algorithm \"nothing\"; there are: \"direct\", \"flat\""));
    CHECK(tutti_command({"model", "--machine", "ryzen-7950x", "--predict", "dance"}).exit_code == 2);
    CHECK(tutti_command({"model", "--machine", "ryzen-7950x", "--predict", "scan", "-b", "8,x"}).exit_code ==
          2);
    CHECK(tutti_command({"model", "--machine", "ryzen-7950x", "--predict", "scan", "-t", "1"}).exit_code ==
          2);
    CHECK(tutti_command({"model", "--predict", "scan"}).exit_code == 2);
}

TEST_CASE("a barrier moves no bytes in the linear model either") {
    const Outcome barrier = tutti_command({"model", "barrier", "-t", "8"});
    CHECK(barrier.exit_code == 0);
    CHECK(!barrier.says("7 m"));
    CHECK(barrier.says("dissemination                            3           -           -           -       "
                       "    -     3.000 us"));
    const Outcome wrong = tutti_command({"model", "allreduc"});
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.says("did you mean allreduce?"));
}

TEST_CASE("model takes the number of members from what it is asked for") {
    const Outcome levels = tutti_command({"model", "--traffic", "allreduce", "--levels", "2,2"});
    CHECK(levels.exit_code == 0);
    CHECK(levels.says("level 2, groups: 4"));
    const Outcome machine =
        tutti_command({"model", "--predict", "broadcast", "--machine", "xeon-gold-6242-2s", "-b", "8"});
    CHECK(machine.exit_code == 0);
    CHECK(machine.says("broadcast among 64 members"));
}

TEST_CASE("model --measured says what the file has instead, and that it is of another machine") {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "results.json";
    Point point = flat_allreduce(true);
    nlohmann::json environment = {{"machine", {{"model", "AMD Ryzen 9 5950X 16-Core Processor"}}}};
    const auto compared = [&](const char* machine) {
        write_output(path, json_text(environment, "", std::array{point}));
        return tutti_command({"model", "--machine", machine, "--predict", "all", "--measured", path});
    };
    const Outcome in_place = compared("ryzen-7950x");
    CHECK(in_place.exit_code == 2);
    CHECK_MESSAGE(in_place.says("it has 1 in place; tutti bench -a all measures them"), in_place.text);
    point.problem.in_place = false;
    const Outcome other = compared("ryzen-7950x");
    CHECK_MESSAGE(other.says("2 members\nwarning: these are different machines"), other.text);
    environment = {{"machine", {{"model", "AMD Ryzen 9 7950X 16-Core Processor"}}}};
    const Outcome same = compared("ryzen-7950x");
    CHECK(same.exit_code == 0);
    CHECK(!same.says("warning"));
}

TEST_CASE("model refuses what would have no effect, and negative costs") {
    const auto refused = [](const std::vector<std::string>& words, const char* text) {
        std::vector<std::string> all{"model"};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = tutti_command(all);
        CHECK(outcome.exit_code == 2);
        CHECK_MESSAGE(outcome.says(text), outcome.text);
    };
    refused({"--machine", "ryzen-7950x", "--predict", "all", "--measured", "x", "-b", "8"}, "--bytes");
    refused({"--machine", "ryzen-7950x", "--predict", "all", "--measured", "x", "-a", "ring"}, "--algorithm");
    refused({"--alpha", "-1"}, "--alpha: -1 is not at least 0");
}
