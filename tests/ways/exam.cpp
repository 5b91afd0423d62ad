#include "exam.hpp"

namespace tutti::test {

namespace {

std::uint64_t digest_of(std::span<const std::byte> bytes) {
    std::uint64_t digest = 0xcbf29ce484222325;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof word) {
        std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
        digest = (digest ^ word) * 0x100000001b3;
        digest ^= digest >> 29U;
    }
    return digest;
}

} // namespace

std::string Job::describe() const {
    return shape.describe() + ", " + (algorithm.empty() ? "by default" : std::string(algorithm));
}

/// A call and its vectors.
struct Exam::Examined {
    std::size_t number;
    Job job;
    Vectors<std::byte> vectors;
    std::vector<std::byte> in_before, out_before;
    std::string problem = {};
    std::unique_ptr<Underway> underway = {};

    WayCall call(const ElementType& elements, const std::vector<std::byte>& in,
                 std::vector<std::byte>& out) const {
        return call_of(job.shape, vectors, elements, in, out,
                       {.algorithm = job.algorithm, .order = job.order});
    }
};

std::string Exam::run(Ranks& ranks, std::span<const Job> jobs, std::size_t outstanding) {
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<std::string> problems(size);
    digests_.assign(size, {});
    ranks.run([&](WayCaller& me) {
        const auto rank = static_cast<std::size_t>(me.rank());
        digests_[rank].resize(jobs.size());
        std::mt19937 random(static_cast<unsigned>(rank));
        std::vector<std::unique_ptr<Examined>> underway;
        const auto finish_one = [&] {
            std::swap(underway[random() % underway.size()], underway.back());
            Examined& call = *underway.back();
            const std::string problem = finish(call, digests_[rank][call.number]);
            if (!problem.empty() && problems[rank].empty()) {
                problems[rank] = jobs[call.number].describe() + ", " + std::to_string(size) +
                                 " members, member " + std::to_string(rank) + ": " + problem;
            }
            underway.pop_back();
        };
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            underway.push_back(begin(me, jobs[i], i));
            if (underway.size() == outstanding) {
                finish_one();
            }
        }
        while (!underway.empty()) {
            finish_one();
        }
    });
    const auto found = std::ranges::find_if(problems, [](const auto& problem) { return !problem.empty(); });
    return found != problems.end() ? *found : different_digests(jobs);
}

std::string Exam::different_digests(std::span<const Job> jobs) const {
    const auto is_here = [](const auto& digests) { return !digests.empty(); };
    const auto first = std::ranges::find_if(digests_, is_here);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (const auto& digests : digests_) {
            if (is_here(digests) && has_no_padding_ && jobs[i].shape.traits().is_same_for_all() &&
                !jobs[i].shape.displaced && digests[i] != (*first)[i]) {
                return jobs[i].describe() + ": not the same bits on every member";
            }
        }
    }
    return {};
}

/// A persistent call is made once as it was prepared, once with other buffers, if it can be, and once more
/// with its own, for which finish() waits.
std::unique_ptr<Exam::Examined> Exam::begin(WayCaller& me, Job job, std::size_t number) const {
    job.shape.in_place |= job.in_place_on_some && me.rank() % 2 != 0;
    Vectors<std::byte> vectors = vectors_(static_cast<std::size_t>(me.rank()), job.shape, job.association);
    auto made = std::make_unique<Examined>(Examined{number, job, vectors, vectors.in, vectors.out});
    Examined& call = *made;
    call.underway = me.begin(call.call(elements_, call.vectors.in, call.vectors.out));
    if (call.underway->restart() == Restart::never) {
        return made;
    }
    call.underway->wait();
    if (call.underway->restart() == Restart::with_any) {
        std::vector<std::byte> in = call.in_before;
        std::vector<std::byte> out = call.out_before;
        call.underway->start(call.call(elements_, in, out));
        call.underway->wait();
        const std::string problem = compare(out, call);
        call.problem = problem.empty() ? "" : "on other vectors: " + problem;
    }
    call.vectors.out = call.out_before;
    call.underway->start(call.call(elements_, call.vectors.in, call.vectors.out));
    return made;
}

std::string Exam::finish(Examined& call, std::uint64_t& digest) const {
    call.underway->wait();
    const auto out = std::span(call.vectors.out).subspan(call.vectors.lead * elements_.bytes);
    digest = digest_of(out.first(out.size() - elements_.bytes));
    if (!call.problem.empty()) {
        return call.problem;
    }
    return call.vectors.in == call.in_before ? compare(call.vectors.out, call) : "touches its input";
}

std::string Exam::compare(std::span<const std::byte> found, const Examined& call) const {
    const std::vector<std::byte>& expected = call.vectors.expected;
    if (!call.job.has_reference || std::ranges::equal(found, expected)) {
        return {};
    }
    const auto lead = static_cast<std::ptrdiff_t>(call.vectors.lead);
    for (std::size_t i = 0; i < found.size(); i += elements_.bytes) {
        if (!is_same_(found.data() + i, expected.data() + i)) {
            return "element " + std::to_string(static_cast<std::ptrdiff_t>(i / elements_.bytes) - lead) +
                   " of " + std::to_string(found.size() / elements_.bytes - call.vectors.lead - 1) +
                   " is wrong";
        }
    }
    return {};
}

} // namespace tutti::test
