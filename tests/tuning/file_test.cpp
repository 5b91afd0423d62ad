// Tuning files: what they say, and files that are damaged, forged or mutated.

#include "support.hpp"

#include <sys/stat.h>

using namespace tutti;
using namespace tutti::test;

namespace {

std::string refusal_of_text(const std::string& text) {
    return message_of([&] { tuning::parse(text); });
}

/// The text with one to three changes of kinds in which files come to be wrong.
std::string mutated(std::string text, std::mt19937& random) {
    const auto place = [&] { return random() % text.size(); };
    const auto word_at = [&](std::size_t at) {
        const std::size_t start = text.find_last_of(" \n", at) + 1;
        return std::pair{start, text.find_first_of(" \n", start) - start};
    };
    for (std::size_t change = 1 + random() % 3; change > 0 && !text.empty(); --change) {
        const std::size_t at = place();
        switch (random() % 4) {
        case 0:
            text[at] = "0123456789 -.eE\n\xFF"[random() % 17];
            break;
        case 1:
            text.erase(at, 1 + random() % 40);
            break;
        case 2:
            text.insert(at, text.substr(place(), 1 + random() % 200));
            break;
        default: // a word becomes another one
            const auto [other, other_length] = word_at(place());
            const std::string word = text.substr(other, other_length);
            const auto [start, length] = word_at(at);
            text.replace(start, length, word);
            break;
        }
    }
    return text;
}

/// Whether the text is refused; if not, it must be the text of the table that it makes.
bool is_refused(const std::string& text) {
    tuning::Table table;
    if (!message_of([&] { table = tuning::parse(text); }).empty()) {
        return true;
    }
    for (const tuning::Entry& entry : table.entries) {
        for (const tuning::Measured& measured : entry.measured) {
            const algorithm::Algorithm& row = algorithm::registry()[measured.row];
            CHECK(tuning::may_choose(row, entry.point.operands, entry.point.members));
        }
    }
    CHECK(tuning::parse(tuning::to_text(table)) == table);
    return false;
}

} // namespace

TEST_CASE("a table is what its text says, to the last bit of its times") {
    const tuning::Table table = small_table();
    CHECK(tuning::parse(tuning::to_text(table)) == table);
}

TEST_CASE("entries can be of calls in place, and have ways to store") {
    tuning::Table table = small_table();
    table.entries.resize(1);
    const auto direct = row_of(Collective::allreduce, "direct");
    const tuning::Point separate{Collective::allreduce, tuning::Operands::exact, 2, 1, 65536};
    tuning::Point in_place = separate;
    in_place.in_place = true;
    table.entries.push_back({separate,
                             {{direct, 1, tuning::Stores::non_temporal},
                              {direct, 2, tuning::Stores::cached},
                              {direct, 3, tuning::Stores::string_moves},
                              {direct, 4}}});
    table.entries.push_back({in_place, {{direct, 5}}});
    const std::string text = tuning::to_text(table);
    const std::string first =
        "allreduce exact 2 1 65536 direct/non-temporal 1 direct/cached 2 direct/string-moves 3 direct 4\n";
    const std::string second = "allreduce exact 2 1 65536/in-place direct 5\n";
    CHECK(mentions(text, first + second));
    CHECK(tuning::parse(text) == table);
    const auto forged = [&](const std::string& from, const std::string& to) {
        return refusal_of_text(with_right_end(replaced(text, from, to)));
    };
    CHECK(mentions(forged("direct/cached", "direct/magic"), "way to store \"magic\" is unknown"));
    CHECK(mentions(forged("direct/cached", "direct/"), "way to store \"\" is unknown"));
    CHECK(mentions(forged("direct/cached", "direct/non-temporal"), "twice"));
    CHECK(mentions(forged("65536/in-place", "65536/elsewhere"), "bytes \"65536/elsewhere\""));
    CHECK(mentions(forged("65536/in-place", "/in-place"), "bytes \"\""));
    CHECK(mentions(forged(first + second, second + first), "ascending"));
}

TEST_CASE("a file that is cut short anywhere, or goes on behind its last line, is refused") {
    const std::string text = tuning::to_text(small_table());
    for (std::size_t length = 0; length < text.size(); ++length) {
        CHECK_MESSAGE(!refusal_of_text(text.substr(0, length)).empty(), length);
    }
    CHECK(mentions(refusal_of_text(""), "words are missing"));
    CHECK(mentions(refusal_of_text(text.substr(0, text.size() / 2)), "damaged"));
    CHECK(mentions(refusal_of_text(text + "\n"), "damaged"));
}

TEST_CASE("a file in which one bit is flipped is refused") {
    const std::string text = tuning::to_text(small_table());
    for (std::size_t at = 0; at < text.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string flipped = text;
            flipped[at] = static_cast<char>(static_cast<unsigned char>(flipped[at]) ^ (1U << bit));
            CHECK_MESSAGE(!refusal_of_text(flipped).empty(), at, " ", bit);
        }
    }
}

TEST_CASE("a forged file with a right checksum is refused for what it says") {
    const std::string text = tuning::to_text(small_table());
    const std::string line = "allreduce exact 2 1 64 circulant 0.25 direct 0.3333333333333333\n";
    struct Forgery {
        const char* line;
        const char* refusal;
    };
    const std::vector<Forgery> forgeries{
        {"allreduce exact 2 1 64 magic 0.25\n", "no algorithm \"magic\""},
        {"allreduce exact 2 1 64 pairwise 0.25\n", "no algorithm \"pairwise\" for allreduce"},
        {"allgossip exact 2 1 64 circulant 0.25\n", "collective \"allgossip\" is unknown"},
        {"allreduce quick 2 1 64 circulant 0.25\n", "operands \"quick\" is unknown"},
        {"allreduce ordered 2 1 64 circulant 0.25\n", "cannot be chosen for ordered operands"},
        {"allreduce exact 3 1 64 butterfly 0.25\n", "cannot be chosen for exact operands of 3 members"},
        {"allreduce exact 1 1 64 circulant 0.25\n", "members \"1\" is not a number from 2"},
        {"allreduce exact 99999999999999999999999 1 64 circulant 0.25\n", "members \"99999999999"},
        {"allreduce exact 2 3 64 circulant 0.25\n", "L3 groups \"3\" is not a number from 1 to 2"},
        {"allreduce exact 2 1 18446744073709551615 circulant 0.25\n", "bytes \"18446744073709551615\""},
        {"allreduce exact 2 1 64 circulant nan\n", "time \"nan\""},
        {"allreduce exact 2 1 64 circulant -1\n", "time \"-1\""},
        {"allreduce exact 2 1 64 circulant 1e300\n", "time \"1e300\""},
        {"allreduce exact 2 1 64 circulant 1x\n", "time \"1x\""},
        {"allreduce exact 2 1 64 circulant\n", "words are missing"},
        {"allreduce exact 2 1 64 \n", "an empty word"},
        {"allreduce exact 2 1 64 circulant 0.25 circulant 0.5\n", "twice"},
        {"allreduce exact 4 1 1024 circulant 0.25\n", "ascending"},
        {"allreduce ordered 2 1 64 direct 0.25\n", "ascending"},
    };
    for (const Forgery& forgery : forgeries) {
        const std::string refusal = refusal_of_text(with_right_end(replaced(text, line, forgery.line)));
        CHECK_MESSAGE(mentions(refusal, forgery.refusal), forgery.line, ": ", refusal);
    }
    CHECK(refusal_of_text(with_right_end(replaced(text, line, ""))).empty());
}

TEST_CASE("heads of other files are refused") {
    const std::string text = tuning::to_text(small_table());
    const auto forged = [&](const char* part, const char* other) {
        return refusal_of_text(with_right_end(replaced(text, part, other)));
    };
    CHECK(mentions(forged("tutti-tuning 10", "{\"schema\": 1}"), "this is not a tuning file"));
    CHECK(mentions(forged("tutti-tuning 10", "tutti-tuning 1"),
                   "version 1, and this library reads version 10: delete the file"));
    CHECK(mentions(forged("library ", "librarian "), "begins with \"library\""));
    CHECK(mentions(forged("\ncpus ", "\nseats "), "begins with \"cpus\""));
    CHECK(mentions(forged("\nl2 ", "\nl3 "), "begins with \"l2\""));
    CHECK(mentions(refusal_of_text(std::string(1'000'000, '[')), "this is not a tuning file"));
    CHECK(mentions(refusal_of_text(std::string(1'000'000, '[') + "\n"), "this is not a tuning file"));
    CHECK(mentions(refusal_of_text("tutti-tuning 10\n" + std::string(100, '\0') + "\nend 0 0\n"),
                   "not a text file"));
}

TEST_CASE("a message quotes no more of a hostile file than a reader can use") {
    const std::string text = tuning::to_text(small_table());
    const std::string refusal =
        refusal_of_text(with_right_end(replaced(text, "circulant", std::string(100'000, 'x'))));
    CHECK(mentions(refusal, "no algorithm \"xxxx"));
    CHECK(refusal.size() < 200);
}

TEST_CASE("only regular files of a sound length are read") {
    const Directory directory;
    const auto refused = [](const std::string& path) { return message_of([&] { tuning::read_file(path); }); };
    CHECK(tuning::read_file(directory.file("good", "text")) == "text");
    CHECK(mentions(refused(directory.path("missing")), "No such file"));
    CHECK(mentions(refused(directory.path("")), "not a regular file"));
    CHECK(mentions(refused("/dev/zero"), "not a regular file"));
    REQUIRE(mkfifo(directory.path("pipe").c_str(), 0600) == 0);
    CHECK(mentions(refused(directory.path("pipe")), "not a regular file"));
    const std::string huge = directory.file("huge", "");
    std::filesystem::resize_file(huge, std::uintmax_t{8} << 30U); // sparse
    CHECK(mentions(refused(huge), "longer than"));
    CHECK(refused(directory.file("longest", std::string(tuning::most_file_bytes, 'x'))).empty());
    CHECK(mentions(refused(directory.file("long", std::string(tuning::most_file_bytes + 1, 'x'))), "longer"));
    const std::string secret = directory.file("secret", "text");
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    if (geteuid() != 0) { // who may read everything
        CHECK(mentions(refused(secret), "Permission denied"));
    }
    std::filesystem::create_symlink(directory.path("loop"), directory.path("loop"));
    CHECK(mentions(refused(directory.path("loop")), "symbolic links"));
}

TEST_CASE("whatever happens to a file, it is refused or makes a sound table") {
    constexpr unsigned seed = 20240917;
    constexpr int mutants = 20'000;
    MESSAGE("seed ", seed);
    const std::string text = tuning::to_text(small_table());
    std::mt19937 random(seed);
    int changed = 0;
    int refused = 0;
    int sound = 0;
    for (int i = 0; i < mutants; ++i) {
        const std::string mutant = mutated(text, random);
        changed += mutant != text ? 1 : 0;
        refused += is_refused(mutant) ? 1 : 0;
        // A forger sets the checksum right.
        sound += mutant.rfind("\nend ") != std::string::npos && !is_refused(with_right_end(mutant)) ? 1 : 0;
    }
    CHECK(refused == changed);
    // Else the reader behind the checksum has not been tried.
    CHECK(sound > mutants / 100);
    CHECK(sound < mutants / 2);
}
