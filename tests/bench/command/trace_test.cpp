#include "../../test.hpp"
#include "mpirun/temporary_directory.hpp"
#include "support.hpp"

using tutti::bench::TemporaryDirectory;
using tutti::test::Outcome;
using tutti::test::tutti_command;

namespace {

std::string text_in(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("a predicted call is written, and drawn the same from the file") {
    const TemporaryDirectory directory;
    const std::string file = directory.path() / "call.jsonl";
    const std::string html = directory.path() / "call.html";
    const std::string again = directory.path() / "again.html";
    const Outcome predicted = tutti_command({"trace", "allreduce", "-t", "4", "-b", "1K", "-a", "circulant",
                                             "--machine", "epyc-7742-2s", "-o", file, "--html", html});
    CHECK(predicted.exit_code == 0);
    CHECK(predicted.says("allreduce (algorithm circulant) among 4 members"));
    CHECK(text_in(file).find("\"kind\":\"operation\",\"name\":\"allreduce (algorithm circulant)\"") !=
          std::string::npos);
    CHECK(tutti_command({"trace", file, "--html", again}).exit_code == 0);
    CHECK(!text_in(html).empty());
    CHECK(text_in(html) == text_in(again));
    const std::string perfetto = directory.path() / "call.pftrace";
    CHECK(tutti_command({"trace", file, "-o", perfetto}).exit_code == 0);
    CHECK(text_in(perfetto).find("combine") != std::string::npos);
}

TEST_CASE("of a call whose algorithm is not named, the one that is predicted to take least is traced") {
    const Outcome least = tutti_command({"trace", "barrier", "-t", "64", "--machine", "epyc-7742-2s"});
    CHECK(least.exit_code == 0);
    CHECK(!least.says("algorithm flat"));
    CHECK(tutti_command({"trace", "broadcast", "-a", "flat", "-t", "64", "--machine", "epyc-7742-2s"})
              .says("algorithm flat"));
}

TEST_CASE("a call is measured here, of which one is kept") {
    const TemporaryDirectory directory;
    const std::string file = directory.path() / "here.jsonl";
    const Outcome measured =
        tutti_command({"trace", "allreduce", "-t", "2", "-b", "64K", "-a", "ring", "-o", file});
    CHECK(measured.exit_code == 0);
    CHECK(measured.says("measured here"));
    CHECK(measured.says(": allreduce (algorithm ring) among 2 members"));
    const std::string text = text_in(file);
    CHECK(text.find("\"kind\":\"step\",\"name\":\"combine\"") != std::string::npos);
    CHECK(text.find("barrier") == std::string::npos);
    const std::string operation = "\"kind\":\"operation\"";
    const std::size_t first = text.find(operation);
    const std::size_t second = text.find(operation, first + 1);
    CHECK(second != std::string::npos);
    CHECK(text.find(operation, second + 1) == std::string::npos);
}

TEST_CASE("what cannot be traced is refused") {
    const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
        std::vector<std::string> all{"trace"};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = tutti_command(all);
        CHECK(outcome.exit_code == 2);
        CHECK_MESSAGE(outcome.says(text), outcome.text);
    };
    refused({"allreduce", "--machine", "nowhere"}, "--machine: ");
    refused({"allreduce", "-a", "none", "--machine", "epyc-7742-2s"}, "there is no algorithm \"none\"");
    refused({"allreduce", "-a", "none"}, "--algorithm");
    refused({"allreduce", "-t", "1", "--machine", "epyc-7742-2s"}, "--members");
    refused({"allreduce", "-b", "some", "--machine", "epyc-7742-2s"}, "--bytes");
    refused({"nothing", "--machine", "epyc-7742-2s"}, "nothing");
    refused({"allreduce", "barrier", "--machine", "epyc-7742-2s"}, "one word too many");
    refused({"allreduce", "--machine", "epyc-7742-2s", "-o", "call.txt"}, ".pftrace");
    refused({"allreduce", "-a", "hypercube", "-t", "3"},
            "--algorithm: allreduce hypercube is for powers of two, not for 3 members");
    refused({"nowhere.jsonl", "-t", "4"}, "--members: nowhere.jsonl has recorded calls");
    refused({"nowhere.jsonl", "-b", "8"}, "--bytes: nowhere.jsonl has recorded calls");
    refused({"nowhere.jsonl", "-a", "ring"}, "--algorithm: nowhere.jsonl has recorded calls");
    refused({"nowhere.jsonl", "--machine", "epyc-7742-2s"}, "--machine: nowhere.jsonl has recorded calls");
    refused({"nowhere.jsonl"}, "nowhere.jsonl is not there");
    const TemporaryDirectory directory;
    const std::string damaged = directory.path() / "damaged.jsonl";
    std::ofstream(damaged) << "{\"group\": 1";
    refused({damaged}, "line 1: it is no object of JSON");
}
