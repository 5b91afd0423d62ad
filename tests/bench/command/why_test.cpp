#include "../../tuning/support.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

using tutti::bench::TemporaryDirectory;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

/// A path in a directory that is gone at the end of the test.
class Place {
public:
    explicit Place(const char* name) : path_(directory_.path() / name) {}
    ~Place() { unsetenv("TUTTI_TUNING"); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const std::string& path() const { return path_; }
    void name_in_environment() const { setenv("TUTTI_TUNING", path_.c_str(), 1); }

    std::string text() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& text) const { std::ofstream(path_) << text; }

private:
    TemporaryDirectory directory_;
    std::string path_;
};

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

} // namespace

TEST_CASE("info --why tells what would be chosen on a machine that is elsewhere") {
    const Outcome short_call =
        tutti_command({"info", "--machine", "epyc-7742-2s", "--why", "allreduce", "-t", "128", "-b", "8"});
    CHECK(short_call.says("among 128 members on 256 CPUs, in 32 L3 groups"));
    CHECK(short_call.says("chosen:       levels-exchange, the built-in choice for members that are many"));
    const Outcome few =
        tutti_command({"info", "--machine", "graviton2", "--why", "allreduce", "-t", "4", "-b", "8"});
    CHECK(few.says("chosen:       flat, the built-in choice for what the mailbox carries"));
}

TEST_CASE("info --why shows what a program has learnt, and what a group would try then") {
    const Place place("learnt.txt");
    const auto direct = tutti::test::row_of(tutti::Collective::allreduce, "direct");
    tutti::tuning::Table table = tutti::test::small_table();
    table.entries = {{{tutti::Collective::allreduce, tutti::tuning::Operands::exact, 3, 1, 1U << 20U},
                      {{direct, 300, tutti::tuning::Stores::non_temporal}, {direct, 400}}}};
    place.write(tutti::tuning::to_text(table));
    place.name_in_environment();
    const std::string cpu = std::to_string(tutti::tuning::this_machine().os_indices().front());
    const auto why_of = [&](const char* bytes) {
        return tutti_command(
            {"info", "--why", "allreduce", "-t", "3", "-b", bytes, "-d", "i32", "--placement", cpu});
    };
    const Outcome why = why_of("1M");
    CHECK_MESSAGE(why.exit_code == 0, why.text);
    CHECK_MESSAGE(
        why.says("chosen:       direct/non-temporal, it is the choice of the table's nearest entry"),
        why.text);
    CHECK_MESSAGE(why.says("measured:     direct/non-temporal 300.0 us, direct 400.0 us"), why.text);
    CHECK_MESSAGE(why.says("then tries:   direct/non-temporal (file), "), why.text);
    CHECK_MESSAGE(why.says("3 calls each"), why.text);
    CHECK(!why_of("4K").says("then tries: "));
    CHECK(occurrences(why.text, "  chosen\n") == 1);
    CHECK(why.says("cannot serve: is for powers of two, not for 3 members"));
    CHECK(!why.says("not in table"));
    CHECK(why_of("64M").says("not in table: it has nothing near allreduce of 64 MiB among 3 members"));
    const Outcome ordered = tutti_command({"info", "--why", "allreduce", "-t", "3", "-b", "4K"});
    CHECK(ordered.says("only by name: combines in another order"));
    CHECK(ordered.says("choices from: file " + place.path()));
}

TEST_CASE("a file that is refused is reported once, and the command goes on") {
    const Place place("damaged.txt");
    place.write("tutti-tuning 10\nlibrary 0\n");
    place.name_in_environment();
    const Outcome bench =
        tutti_command({"bench", "allreduce", "-b", "8", "-e", "8", "-t", "2,3", "--seconds", "0.01", "-q"});
    CHECK(bench.exit_code == 0);
    CHECK(occurrences(bench.text, "tutti: TUTTI_TUNING: tuning file " + place.path() +
                                      " is refused: it is damaged") == 1);
}

TEST_CASE("why explains every collective, type and way of calling") {
    for (const char* collective : {"barrier", "broadcast", "reduce", "reduce_scatter", "allgather", "gather",
                                   "scatter", "alltoall", "scan", "exscan", "shift"}) {
        const Outcome why = tutti_command({"info", "--why", collective, "-t", "5", "-b", "32"});
        CHECK_MESSAGE(why.exit_code == 0, collective);
        CHECK_MESSAGE(occurrences(why.text, "  chosen\n") == 1, collective);
    }
    const Outcome in_place = tutti_command(
        {"info", "--why", "allreduce", "-t", "4", "-b", "64M", "-d", "u8", "-o", "bxor", "--in-place"});
    CHECK(in_place.says("of u8 with bxor in place among 4 members"));
    CHECK(in_place.says("the built-in choice for long vectors"));
}

TEST_CASE("why says what would work") {
    const auto refused = [&](std::vector<std::string> arguments, const char* part) {
        const Outcome outcome = tutti_command(std::move(arguments));
        CHECK_MESSAGE(outcome.exit_code == 2, outcome.text);
        CHECK_MESSAGE(outcome.says(part), outcome.text);
    };
    refused({"info", "--why", "allgossip"}, "is no collective; there are: barrier");
    refused({"info", "--why", "allreduce", "-t", "0"}, "--members: 0 is not in 1..1024");
    refused({"info", "--why", "allreduce", "--placement", "99999"}, "--placement");
    refused({"info", "--why", "allreduce", "-d", "f64", "-o", "bxor"}, "--why");
    refused({"info", "--machine", "nothing-such", "--why", "barrier"}, "there are: epyc-7742-2s");
    refused({"info", "--machine", "graviton2", "--why", "barrier", "-t", "65"},
            "--machine: 65 members do not fit on 64 CPUs");
    refused({"info", "-t", "3"}, "--why");
}
