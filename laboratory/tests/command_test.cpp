// The subcommands of the laboratory: draw, model, verify, measure and info.
#include "bench/tests/command.hpp"
#include "machine/machine.hpp"
#include "report/results_file.hpp"
#include "terminal/output.hpp"
#include "tests/tuning/support.hpp"

#include <nlohmann/json.hpp>

#include <regex>

using namespace tutti::test;

TEST_CASE("draw writes a drawing of a schedule and the expression of a result") {
    expect(0, "draw allgather -a circulant -t 11", "<svg");
    expect(0, "draw reduce_scatter -a circulant -t 22 --expression 21", "x21 + x10 + (x15 + x4)");
    // What members store to others in a round is drawn after what they read.
    CHECK(expect(0, "draw allreduce -a direct -t 3 --format text").text ==
          "allreduce direct, 3 ranks\n"
          "round 0: 1 -> 0: blocks 0, combined\nround 0: 2 -> 0: blocks 0, combined\n"
          "round 0: 0 -> 1: blocks 1, combined\nround 0: 2 -> 1: blocks 1, combined\n"
          "round 0: 0 -> 2: blocks 2, combined\nround 0: 1 -> 2: blocks 2, combined\n"
          "round 0, results: 1 -> 0: blocks 1\nround 0, results: 2 -> 0: blocks 2\n"
          "round 0, results: 0 -> 1: blocks 0\nround 0, results: 2 -> 1: blocks 2\n"
          "round 0, results: 0 -> 2: blocks 0\nround 0, results: 1 -> 2: blocks 1\n");
}

TEST_CASE("the extension of a file says in which format to draw, and others are rejected") {
    const Place place;
    const auto drawn = [&](int exit_code, const std::string& name, const std::string& more = "") {
        return expect(exit_code, "draw scan -a ring -t 3 -o " + place / name + more);
    };
    for (const auto& [name, first] :
         std::map<std::string, std::string>{{"a.svg", "<svg"}, {"a.txt", "scan ring, 3 ranks"}}) {
        drawn(0, name);
        CHECK(content_of(place / name).starts_with(first));
    }
    drawn(0, "a", " --format text");
    CHECK(content_of(place / "a").starts_with("scan ring"));
    for (const char* more : {"", " --format svg"}) {
        CHECK(drawn(2, "a.png", more)
                  .says(".png is not a format that tutti draws in; there are svg (.svg) and text"));
        CHECK(content_of(place / "a.png").empty());
    }
    CHECK(drawn(2, "b.svg", " --format text").says(".svg is for svg, but --format says text"));
}

TEST_CASE("the figures of the documentation are what the commands beside them draw") {
    const std::filesystem::path docs = TUTTI_DOCS;
    // Figures drawn otherwise: from a table of a page, and by hand.
    std::set<std::string> shown{"measured.svg", "one-pass.svg", "one-call.svg", "levels.svg", "ways.svg"};
    for (const auto& page : {docs / "figures/README.md", docs / "research/machines.md"}) {
        std::ifstream lines(page);
        for (std::string line; std::getline(lines, line);) {
            std::smatch command;
            std::smatch file;
            if (std::regex_search(line, command, std::regex("`tutti draw ([^`]*)`")) &&
                std::regex_search(line, file, std::regex("\\]\\(([^)]*)\\)"))) {
                const std::filesystem::path figure = page.parent_path() / file[1].str();
                shown.insert(figure.filename());
                const bool is_same = content_of(figure) == tutti_command("draw " + command[1].str()).text;
                CHECK_MESSAGE(is_same, figure << " is not what `tutti draw " << command[1] << "` draws");
            }
        }
    }
    const auto figures = std::count_if(std::filesystem::directory_iterator(docs / "figures"), {},
                                       [](const auto& entry) { return entry.path().extension() == ".svg"; });
    CHECK(std::ssize(shown) == figures);
}

TEST_CASE("draw shows the levels of a machine and the CPU of each member") {
    const std::string ryzen = "draw --machine ryzen-7950x --format text ";
    expect(0, ryzen,
           "32 members on 32 CPUs, placement compact\n"
           "level 1: 2 L3 caches of 16 members; a line: 73 ns (68 to 73)\n"
           "level 2: 16 cores of 2 members; a line: 16 ns (10 to 21)\n"
           "level 3: 32 CPUs, a member each; a line: 5 ns (5 to 11)\n"
           "rank 0: socket 0, NUMA node 0, L3 0, core 0, CPU 0\n");
    expect(0, ryzen + "-t 12", "level 1: 2 L3 caches of 4 to 8 members; ",
           "rank 11: socket 0, NUMA node 0, L3 1, core 11, CPU 22\n");
    expect(0, ryzen + "-t 2 --placement scatter",
           "level 1: 2 L3 caches, a member each; a line: 73 ns (68 to 73)\n",
           "rank 1: socket 0, NUMA node 0, L3 1, core 8, CPU 16\n");
    expect(0, ryzen + "-t 2 --placement 3,7", "rank 0: socket 0, NUMA node 0, L3 0, core 1, CPU 3");
    expect(0, "draw broadcast -a levels-leaders --machine kunpeng-920 -t 64 --format text",
           "broadcast levels-leaders on levels of 2 x 32, 64 ranks, root 0\nround 0: 0 -> 32: blocks all");
}

TEST_CASE("draw rejects what it cannot draw") {
    expect(2, "draw", "collective: which one?");
    expect(2, "draw -a ring", "collective");
    expect(2, "draw allreduce", "--algorithm: which one? There are: ");
    expect(2, "draw allreduce -a hypercube -t 3",
           "--algorithm: allreduce hypercube is for powers of two, not for 3 members");
    expect(2, "draw allreduce -a ring --format text --layout circle",
           "--layout: only the SVG of a schedule has one");
    expect(2, "draw --machine ryzen-7950x --layout rows");
    expect(2, "draw --machine ryzen-7950x --placement foo", "--placement: 'foo'");
    expect(2, "draw --machine ryzen-7950x -t 33", "33 members do not fit on 32 CPUs");
    expect(2, "draw --machine ryzen-7950x -t 2 --placement 5",
           "placement 5 does not give each of 2 members a CPU");
    expect(2, "draw --machine ryzen-7950x -t 0");
    expect(2, "draw --machine epyc-7742", "there are: epyc-7742-2s, epyc-7773x,",
           "(did you mean epyc-7742-2s?)");
    CHECK_FALSE(expect(2, "draw --machine", "there are: epyc-7742-2s, epyc-7773x,").says("did you mean"));
    expect(2, "draw broadcast -a ring --machine kunpeng-920", "broadcast ring is the same on all machines");
}

TEST_CASE("model prints the papers' tables and costs") {
    expect(0, "model --table traff-2023");
    expect(0, "model --table traff-2024 -t 22", "11");
    expect(2, "model --table nobody-1999");
    expect(2, "model --alpha -1", "--alpha: -1 is not at least 0");
    expect(0, "model barrier -t 1", "\n1 member, m = ");
    CHECK_FALSE(expect(0, "model barrier -t 8",
                       "dissemination                            3           -           -           -       "
                       "    -     3.000 us")
                    .says("7 m"));
}

TEST_CASE("model --traffic counts what crosses each level, beside the least") {
    expect(0, "model --traffic allreduce -b 64M -t 128 --levels 2,8,8",
           "level 1, groups: 2, members of each: 64", "level 3, groups: 128, members of each: 1",
           "levels-shares                          6      64 MiB      64 MiB     128 MiB",
           "levels-direct                          2      64 MiB      64 MiB     128 MiB",
           "direct                                 1       4 GiB       4 GiB       8 GiB");
    expect(0, "model --machine epyc-7742-2s --predict allreduce -b 16K --levels 2,4,16 -a levels-shares",
           "allreduce among 128 members", "levels-shares                          18.");
    expect(0, "model --traffic allreduce -b 8 -t 128 --levels 2,8,8",
           "flat                                   1      32 KiB      32 KiB      64 KiB      4096",
           "levels-exchange                        3       512 B       512 B       1 KiB        64",
           "levels-leaders                         6         8 B         8 B        16 B         1");
    expect(0, "model --traffic allreduce --levels 2,2", "level 2, groups: 4");
    expect(0, "model --traffic allreduce -t 128 --machine epyc-7742-2s",
           "level 3, groups: 32, members of each: 4");
    expect(2, "model --traffic allreduce -t 300 --machine epyc-7742-2s",
           "300 members do not fit on 256 CPUs");
    expect(2, "model --traffic allreduce -t 12 --levels 2,8", "--levels: 16 members, but --members are 12");
    expect(2, "model --machine epyc-7742-2s --predict allreduce --levels 512",
           "512 members do not fit on 256 CPUs");
    expect(2, "model --traffic allreduce -t 12");
    expect(2, "model --traffic allreduce -t 0 --levels 2,0");
    expect(2, "model --traffic nothing -t 4 --levels 4");
}

TEST_CASE("model --predict prints a time for each algorithm and size, and its ratio to the best") {
    const std::string xeon = "model --machine xeon-gold-6242-2s --predict ";
    expect(0, xeon + "allreduce -b 8,64K -t 32", "allreduce among 32 members on 2 x Intel Xeon Gold 6242",
           "64 KiB", "1.00", "levels-shares");
    for (const char* names : {"flat levels-leaders", "flat,levels-leaders"}) {
        const Outcome named = expect(0, xeon + "allreduce -b 8 -t 32 -a " + names, "flat", "levels-leaders");
        CHECK_FALSE(named.says("ring"));
    }
    CHECK_FALSE(expect(0, xeon + "barrier -t 32", " 0 B", "dissemination").says(" -\n"));
    expect(0, xeon + "broadcast -b 8", "broadcast among 64 members");
    expect(2, xeon + "dance");
    expect(2, xeon + "scan -b 8,x");
    expect(2, xeon + "scan -t 1");
    expect(2, xeon + "allreduce -b 8 -a nothing",
           "there is no algorithm \"nothing\"; there are: \"direct\", \"flat\"");
    expect(2, xeon + "all --measured x -b 8", "--bytes");
    expect(2, xeon + "all --measured x -a ring", "--algorithm");
    expect(2, "model --machine nowhere --predict allreduce", "\"nowhere\" is neither a file",
           "epyc-7742-2s, epyc-7773x");
    expect(2, "model --predict allreduce", "--machine: which one?");
    expect(2, "model -a ring", "tutti: model: --algorithm requires --predict");
    expect(2, "model --machine epyc-7742-2s", "tutti: --machine: what of it? --predict or --traffic");
}

TEST_CASE("model --measured prints what was predicted beside what was measured") {
    const Place place;
    const std::string path = place / "results.json";
    tutti::bench::Point point = point_with(8, {1});
    point.algorithm = "flat";
    const auto compared = [&](int exit_code, const std::string& collective, const char* model = nullptr) {
        nlohmann::json environment = nlohmann::json::object();
        if (model != nullptr) {
            environment["machine"]["model"] = model;
        }
        tutti::bench::write_output(path, json_text(environment, std::array{point}));
        return expect(exit_code, "model --machine ryzen-7950x --predict " + collective + " --measured " +
                                     path + " -t 2");
    };
    const Outcome all = compared(0, "all");
    for (const char* part :
         {"median error", "flat", "predicted for AMD Ryzen 9 7950X", "measured on an unknown processor"}) {
        CHECK(all.says(part));
    }
    CHECK(compared(0, "allreduce").text == all.text);
    CHECK(compared(2, "scan").says("tutti bench -a all measures them"));
    CHECK(compared(0, "all", "AMD Ryzen 9 5950X 16-Core Processor")
              .says("2 members\nwarning: these are different machines"));
    CHECK_FALSE(compared(0, "all", "AMD Ryzen 9 7950X 16-Core Processor").says("warning"));
    point.problem.in_place = true;
    CHECK(compared(2, "all").says("separate vectors; tutti bench -a all measures them"));
    expect(2, "model --measured " + path);
}

TEST_CASE("verify proves the algorithms, and holds each against its closed forms") {
    CHECK_FALSE(expect(0, "verify -t 1:16", "all hold").says("differ"));
    const Outcome some =
        expect(0, "verify allreduce -t 3", "within: counts are at most what the closed forms say");
    CHECK(std::regex_search(some.text, std::regex("allreduce   hypercube[^\n]* 0       0  - ")));
    CHECK_FALSE(some.says("one root was taken"));
    expect(0, "verify barrier -t 1", "schedules for 1 member, and");
    expect(0, "verify broadcast -a tree -t 129", "of more than 128 members one root was taken, and one form");
    expect(2, "verify allreduce -a hypercube -t 3",
           "--members: hypercube is for powers of two, not for 3: there is nothing to prove");
    expect(2, "verify -t 5:1", "--members: \"5:1\" runs backwards; write 1:5");
    expect(2, "verify --algorithm magic", "circulant");
    expect(2, "verify gossip", "collective: \"gossip\"");
}

TEST_CASE("measure writes a profile, and prints what it says") {
    const Place place;
    const std::string lines = place / "lines.json";
    const Outcome outcome = tutti_command("measure -o " + lines + " --seconds 0.2 -q");
    // A time of a millisecond instead of nanoseconds is not written.
    if (tutti::machine::here().pus.size() < 2 || outcome.says("other programs have disturbed it")) {
        CHECK(outcome.exit_code == 4);
        return;
    }
    CHECK_MESSAGE(outcome.exit_code == 0, outcome.text);
    CHECK(outcome.says("\nmemory          read     written      copied\ncore "));
    CHECK(outcome.says("an allreduce of 8 B between the two nearest cores"));
    CHECK(outcome.says("wrote " + lines));
    CHECK(content_of(lines).starts_with("{\"format\": \"tutti-line-profile 2\",\n"));
    CHECK(mentions(content_of(lines), "\"one-way-ns\": [\n[],\n["));
}

TEST_CASE("measure rejects what cannot be, before it measures") {
    const Place place;
    const std::string measure = "measure -o " + place / "lines.json";
    expect(2, "measure -o " + place / "none/lines.json", "--output: cannot write");
    expect(2, measure + " --seconds 0", "--seconds: 0 is not above 0");
    expect(2, measure + " --seconds nan", "--seconds");
}

TEST_CASE("info lists every algorithm, as the pages do") {
    const Outcome table = expect(0, "info --algorithms");
    const Outcome markdown = expect(0, "info --algorithms --markdown");
    for (const tutti::Collective collective : tutti::detail::all_collectives) {
        const std::string name(to_string(collective));
        CHECK(table.says("\n" + name + " "));
        CHECK(markdown.says("| " + name + " |"));
    }
    CHECK_MESSAGE(
        mentions(content_of(TUTTI_DOCS "/research/algorithms-table.md"), markdown.text),
        "docs/research/algorithms-table.md is not what `tutti info --algorithms --markdown` prints");
    const Outcome names = expect(0, "info --algorithms --markdown --names");
    CHECK_MESSAGE(mentions(content_of(TUTTI_DOCS "/algorithms.md"), names.text),
                  "docs/algorithms.md is not what `tutti info --algorithms --markdown --names` prints");
}

TEST_CASE("info --why explains every collective, type and way of calling, here and elsewhere") {
    for (const tutti::Collective collective : tutti::detail::all_collectives) {
        const Outcome why = expect(0, "info --why " + std::string(to_string(collective)) + " -t 5 -b 32");
        CHECK(occurrences(why.text, "  chosen\n") == 1);
    }
    expect(0, "info --why allreduce -t 4 -b 64M -d u8 -o bxor --in-place",
           "of u8 with bxor in place among 4 members", "the built-in choice for long vectors");
    expect(0, "info --machine epyc-7742-2s --why allreduce -t 128 -b 8",
           "among 128 members on 256 CPUs, in 32 L3 groups",
           "chosen:       levels-exchange, the built-in choice for members that are many");
    expect(0, "info --machine graviton2 --why allreduce -t 4 -b 8",
           "chosen:       flat, the built-in choice for what the mailbox carries");
    expect(0, "info --why allreduce -b 0", "allreduce of 8 B of f64");
    expect(0, "info --why barrier -t 1", "among 1 member on ");
}

TEST_CASE("info --why shows what a program has learnt, and what a group would try then") {
    const Place place;
    const std::string path = place / "learnt.txt";
    const auto direct = row_of(tutti::Collective::allreduce, "direct");
    tutti::tuning::Table table = small_table();
    table.entries = {{{tutti::Collective::allreduce, tutti::tuning::Operands::exact, 3, 1, 1U << 20U},
                      {{direct, 300, tutti::tuning::Stores::non_temporal}, {direct, 400}}}};
    std::ofstream(path) << tutti::tuning::to_text(table);
    setenv("TUTTI_TUNING", path.c_str(), 1);
    const std::string here = "info --why allreduce -t 3 -d i32 --placement " +
                             std::to_string(tutti::tuning::this_machine().os_indices().front()) + " -b ";
    const Outcome why = expect(
        0, here + "1M", "chosen:       direct/non-temporal, it is the choice of the table's nearest entry",
        "measured:     direct/non-temporal 300.0 us, direct 400.0 us",
        "then tries:   direct/non-temporal (measured), ", "one call each, 3 more",
        "cannot serve: is for powers of two, not for 3 members");
    CHECK(occurrences(why.text, "  chosen\n") == 1);
    CHECK_FALSE(why.says("not in table"));
    CHECK_FALSE(expect(0, here + "4K").says("then tries: "));
    expect(0, here + "64M", "not in table: it has nothing near allreduce of 64 MiB among 3 members");
    expect(0, "info --why allreduce -t 3 -b 4K", "only by name: combines in another order",
           "choices from: file " + path);
    unsetenv("TUTTI_TUNING");
}

TEST_CASE("info --why names the option that is wrong, and says what would work") {
    expect(2, "info --why allgossip", "is no collective; there are: barrier");
    expect(2, "info --why allreduce -t 0", "--members: 0 is not in 1..1024");
    expect(2, "info --why allreduce --placement 99999", "--placement");
    expect(2, "info --why allreduce --placement foo", "tutti: --placement: 'foo'");
    expect(2, "info --why allreduce -d f64 -o bxor", "--why");
    expect(2, "info --why allreduce -o foo", "tutti: --op: \"foo\" is no operator");
    expect(2, "info --why allreduce -d foo", "tutti: --type: \"foo\" is no element type");
    expect(2, "info --why allreduce -b 1.5M", "tutti: --bytes: ");
    expect(2, "info --machine nothing-such --why barrier", "there are: epyc-7742-2s");
    expect(2, "info --machine graviton2 --why barrier -t 65", "--machine: 65 members do not fit on 64 CPUs");
    expect(2, "info -t 3", "--why");
}
