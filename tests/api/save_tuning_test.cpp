// Learnt choices of groups, saved at the end of a program or on its request.

#include "support.hpp"

#include <unistd.h>

using namespace tutti;
using test::mentions;
using test::thrown_by;

namespace {

/// A folder that is gone at the end of the test.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("tutti_save_tuning_test." + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    Folder(Folder&&) = delete;
    Folder& operator=(Folder&&) = delete;

    std::string path(const char* name) const { return path_ / name; }
    std::string text(const char* name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::filesystem::path path_;
};

/// Runs a test case of this program with `environment`; its exit code. Messages go to "messages" in the
/// folder.
int run_again(const Folder& folder, const std::string& environment, const std::string& test_case) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    return std::system(("cd '" + folder.path("") + "'; " + environment + " '" + self +
                        "' --no-skip --test-case='" + test_case + "' > /dev/null 2> messages")
                           .c_str());
}

constexpr const char* learns = "program that learns";

void learn(int members) {
    Team team(members, {.placement = "none", .group = {.tuning = "on"}});
    team.run([](Member& me) {
        std::vector<int> values(8192, 1);
        for (int call = 0; call < 40; ++call) {
            me.allreduce(values, sum);
        }
    });
}

} // namespace

TEST_CASE("program that learns" * doctest::skip()) {
    learn(2);
    learn(3);
    std::filesystem::current_path("/");
}

TEST_CASE("program that has a file of what it learnt" * doctest::skip()) {
    CHECK(mentions(Group(2, {.tuning = "on"}).tuning(), "file tuned, then"));
    CHECK(mentions(Group(2).tuning(), "file tuned"));
    CHECK(Group(2, {.tuning = "off"}).tuning() == "built-in choice");
}

TEST_CASE(
    "the environment names a file to which a program saves what it has learnt, and from which it begins") {
    const Folder folder;
    REQUIRE(run_again(folder, "TUTTI_TUNING_SAVE=tuned", learns) == 0);
    const std::string text = folder.text("tuned");
    CHECK(text.starts_with("tutti-tuning "));
    for (const char* entry : {"\nallreduce exact 2 ", "\nallreduce exact 3 "}) {
        CHECK_MESSAGE(mentions(text, entry), text);
    }
    CHECK(folder.text("messages").empty());
    CHECK(run_again(folder, "TUTTI_TUNING_SAVE=tuned", "program that has a file of what it learnt") == 0);
    CHECK(folder.text("tuned") == text);
    CHECK(run_again(folder, "TUTTI_TUNING=tuned", learns) == 0);
    CHECK(folder.text("messages").empty());
}

TEST_CASE("a file that cannot be saved is reported at the start, and the variable is named") {
    const Folder folder;
    CHECK(run_again(folder, "TUTTI_TUNING_SAVE=/nonesuch/tuned", learns) == 0);
    CHECK(folder.text("messages") ==
          "tutti: TUTTI_TUNING_SAVE: /nonesuch/tuned cannot be saved: No such file "
          "or directory; name another file\n");
    std::ofstream(folder.path("letter")) << "to a friend\n";
    CHECK(run_again(folder, "TUTTI_TUNING_SAVE=letter", learns) == 0);
    CHECK(mentions(folder.text("messages"), "tutti: TUTTI_TUNING_SAVE: "));
    CHECK(mentions(folder.text("messages"), "letter cannot be saved: line 1: this is not a tuning file"));
    CHECK(folder.text("letter") == "to a friend\n");
}

TEST_CASE("a program that learns nothing writes no file") {
    const Folder folder;
    CHECK(run_again(folder, "TUTTI_TUNING_SAVE=tuned", "program that has no file") == 0);
    CHECK(!std::filesystem::exists(folder.path("tuned")));
}

TEST_CASE("program that has no file" * doctest::skip()) {
    CHECK(Group(2, {.tuning = "off"}).tuning() == "built-in choice");
}

TEST_CASE("save_tuning names its argument and what is wrong with it") {
    const Folder folder;
    std::ofstream(folder.path("letter")) << "to a friend\n";
    const auto refusal = [](const std::string& path) {
        const test::Thrown thrown = thrown_by([&] { save_tuning(path); });
        CHECK(thrown.kind == test::Thrown::Kind::argument);
        return thrown.text;
    };
    CHECK(refusal("") == "save_tuning: `path` \"\" is not written: it is empty: name a file");
    CHECK(refusal("/nonesuch/tuned") ==
          "save_tuning: `path` \"/nonesuch/tuned\" is not written: No such file or directory");
    CHECK(mentions(refusal(folder.path("letter")), "this is not a tuning file"));
    CHECK(mentions(refusal("/dev/null"), "not a regular file"));
    learn(2);
    save_tuning(folder.path("tuned"));
    CHECK(mentions(folder.text("tuned"), "\nallreduce exact 2 "));
}
