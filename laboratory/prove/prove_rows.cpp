#include "prove/prove_rows.hpp"

#include "cost/count.hpp"
#include "machine/pinning.hpp"
#include "verify/verify.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <random>

namespace tutti::laboratory {

namespace {

using algorithm::Algorithm;
using algorithm::Bound;
using algorithm::CostTerms;
using schedule::Move;
using schedule::Protocol;
using schedule::Schedule;

constexpr int root_kinds = 4;

std::string in_words(const CostTerms& terms, long scratch) {
    return fmt::format("{} rounds, {} blocks, {} reductions, {} blocks of scratch", terms.rounds,
                       terms.blocks, terms.reductions, scratch);
}

/// "gather ring, 8 ranks, root 3"
std::string subject(const Algorithm& row, int ranks, int root) {
    return fmt::format(
        "{} {}, {} ranks{}", to_string(row.collective), row.name, ranks,
        has_root(row) ? fmt::format(", {} {}", detail::traits_of(row.collective).number_name(), root) : "");
}

/// The memory for proofs that run side by side: half of the free memory.
class Memory {
public:
    /// While it lives, so many bytes are in use.
    class Lease {
    public:
        /// Waits until the bytes are free, or nobody else uses any.
        Lease(Memory& memory, double bytes) : memory_(memory), bytes_(bytes) {
            std::unique_lock lock(memory_.mutex_);
            memory_.freed_.wait(
                lock, [&] { return memory_.used_ == 0 || memory_.used_ + bytes_ <= memory_.bytes_; });
            memory_.used_ += bytes_;
        }
        ~Lease() {
            const std::scoped_lock lock(memory_.mutex_);
            memory_.used_ -= bytes_;
            memory_.freed_.notify_all();
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

    private:
        Memory& memory_;
        double bytes_;
    };

    double bytes() const { return bytes_; }

private:
    double bytes_ =
        0.5 * static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    std::mutex mutex_;
    std::condition_variable freed_;
    double used_ = 0;
};

/// All that one (row, ranks) comes to.
class Examination {
public:
    Examination(const Algorithm& row, int ranks, Memory& memory) : ranks_(ranks), memory_(memory) {
        found_.row = &row;
        if (!takes(row, ranks)) {
            return;
        }
        found_.ranks = 1;
        found_.is_sampled = has_root(row) && ranks > all_up_to;
        for (const int root : roots_of(row, ranks)) {
            try {
                examine(root);
            } catch (const std::exception& error) {
                ++found_.violations;
                say(root, error.what());
            }
        }
    }

    const Verdict& found() const { return found_; }

private:
    /// The schedules of a rooted collective are mostly one schedule, with the members renamed so that another
    /// is the root. These are compared with one that has been proved.
    void examine(int root) {
        Schedule schedule = found_.row->make(ranks_, root);
        if (proved_ && is_renamed(schedule)) {
            check_counts(proved_tally_, root);
            found_.renamed += forms_to_prove(*found_.row, schedule).size();
            return;
        }
        const cost::Tally tally = cost::tally(schedule);
        check_counts(tally, root);
        if (prove(schedule, root) && !proved_) {
            proved_ = std::move(schedule);
            proved_tally_ = tally;
        }
    }

    /// Renaming does not keep the order of the ranks.
    bool is_renamed(const Schedule& schedule) const {
        const schedule::Translation rename(schedule::Symmetry::rotation, ranks_, schedule.blocks(),
                                           schedule.root() - proved_->root());
        return found_.row->order <= algorithm::Order::same &&
               detail::traits_of(schedule.collective()).is_rooted() &&
               schedule::is_renamed(*proved_, schedule, rename);
    }

    /// Whether the schedule was looked at and nothing is wrong with it.
    bool prove(Schedule& schedule, int root) {
        const std::size_t violations = found_.violations;
        const double bytes = proof_bytes(schedule);
        if (bytes > memory_.bytes()) {
            ++found_.too_large;
            say(root, fmt::format("not proved, which takes {:.0f} GB", bytes * 1e-9));
            return false;
        }
        const Memory::Lease lease(memory_, bytes);
        const std::vector<Protocol> protocols = forms_to_prove(*found_.row, schedule);
        found_.is_sampled = found_.is_sampled || protocols.size() < protocols_of(*found_.row).size();
        for (const Protocol protocol : protocols) {
            schedule::Synchronised plan = synchronise(std::move(schedule), protocol);
            const verify::Report report =
                verify::verify(plan, verify::requirement_of(*found_.row, plan.schedule.ranks()));
            schedule = std::move(plan.schedule);
            ++found_.proofs;
            found_.violations += report.total();
            for (const verify::Violation& violation : report.violations()) {
                say(root,
                    fmt::format("{}: {}: {}", name_of(protocol), to_string(violation.kind), violation.text));
            }
        }
        return found_.violations == violations;
    }

    void check_counts(const cost::Tally& tally, int root) {
        const Algorithm& row = *found_.row;
        const CostTerms expected = row.cost(ranks_, root);
        const long scratch = row.scratch(ranks_, root);
        if (!agrees(tally.most(), expected, row.bound) || tally.most_scratch() > scratch) {
            ++found_.miscounts;
            say(root, fmt::format("counted {}; the closed forms say {}",
                                  in_words(tally.most(), tally.most_scratch()), in_words(expected, scratch)));
        }
    }

    /// About what a proof takes: the moves, what follows from them, and tables of a fixed size.
    static double proof_bytes(const Schedule& schedule) {
        constexpr double bytes_for_each_move = 160;
        return 1e8 + bytes_for_each_move * static_cast<double>(schedule.moves());
    }

    void say(int root, const std::string& text) {
        found_.texts.push_back(subject(*found_.row, ranks_, root) + ": " + text);
    }

    int ranks_;
    Memory& memory_;
    Verdict found_;
    std::optional<Schedule> proved_;
    cost::Tally proved_tally_;
};

void add(const Verdict& found, Verdict& verdict) {
    constexpr std::size_t kept_texts = 8;
    verdict.ranks += found.ranks;
    verdict.proofs += found.proofs;
    verdict.renamed += found.renamed;
    verdict.violations += found.violations;
    verdict.miscounts += found.miscounts;
    verdict.too_large += found.too_large;
    verdict.is_sampled = verdict.is_sampled || found.is_sampled;
    for (const std::string& text : found.texts) {
        if (verdict.texts.size() < kept_texts) {
            verdict.texts.push_back(text);
        }
    }
}

/// The proofs of one row for one number of ranks.
struct ProofTask {
    std::size_t row = 0;
    int ranks = 0;
};

/// Large ones first, so that they are not left for the end.
std::vector<ProofTask> tasks_of(std::size_t rows, std::span<const int> ranks) {
    std::vector<int> largest_first(ranks.begin(), ranks.end());
    std::ranges::sort(largest_first, std::greater());
    std::vector<ProofTask> tasks;
    tasks.reserve(rows * largest_first.size());
    for (const int size : largest_first) {
        for (std::size_t row = 0; row < rows; ++row) {
            tasks.push_back({row, size});
        }
    }
    return tasks;
}

/// Every proof fills tables of some 100 MB. Giving them back to the system and asking for them again takes a
/// third of the time.
void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

} // namespace

std::vector<Protocol> protocols_of(const Algorithm& row) {
    std::vector<Protocol> protocols;
    for (const auto protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
        if (algorithm::takes(row, protocol)) {
            protocols.push_back(protocol);
        }
    }
    return protocols;
}

std::vector<Protocol> forms_to_prove(const Algorithm& row, const Schedule& schedule) {
    const std::vector<Protocol> protocols = protocols_of(row);
    if (schedule.symmetry().translates() || schedule.ranks() <= all_up_to) {
        return protocols;
    }
    return {protocols[static_cast<std::size_t>(schedule.ranks() / root_kinds) % protocols.size()]};
}

std::string name_of(Protocol protocol) {
    switch (protocol) {
    case Protocol::zero_copy:
        return "separate";
    case Protocol::in_place:
        return "in place";
    case Protocol::eager:
        return "carried";
    }
    return "unknown";
}

std::vector<int> roots_of(const Algorithm& row, int ranks) {
    if (!has_root(row)) {
        return {0};
    }
    std::vector<int> roots;
    if (ranks <= all_up_to) {
        for (int root = 0; root < ranks; ++root) {
            roots.push_back(root);
        }
        return roots;
    }
    std::mt19937 random(static_cast<unsigned>(ranks));
    const auto any = static_cast<int>(random() % static_cast<unsigned>(ranks));
    return {
        std::array<int, root_kinds>{0, ranks - 1, any, any}[static_cast<std::size_t>(ranks % root_kinds)]};
}

bool agrees(const CostTerms& counted, const CostTerms& expected, Bound bound) {
    const auto within = [&](long count, long closed_form, Bound at_most_from) {
        return bound >= at_most_from ? count <= closed_form : count == closed_form;
    };
    return within(counted.rounds, expected.rounds, Bound::all) &&
           within(counted.blocks, expected.blocks, Bound::volume) &&
           within(counted.reductions, expected.reductions, Bound::reductions);
}

std::vector<Verdict> prove_rows(std::span<const Algorithm* const> rows, std::span<const int> ranks,
                                const std::function<void(const Algorithm& row, int ranks)>& on_done) {
    keep_freed_memory();
    std::vector<Verdict> verdicts(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        verdicts[row].row = rows[row];
    }
    const std::vector<ProofTask> tasks = tasks_of(rows.size(), ranks);
    Memory memory;
    std::atomic<std::size_t> next = 0; // only counts: the tasks were there before the workers
    std::mutex mutex;
    const auto work = [&] {
        for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed); i < tasks.size();
             i = next.fetch_add(1, std::memory_order_relaxed)) {
            const Algorithm& row = *rows[tasks[i].row];
            const Examination examination(row, tasks[i].ranks, memory);
            const std::scoped_lock lock(mutex);
            add(examination.found(), verdicts[tasks[i].row]);
            on_done(row, tasks[i].ranks);
        }
    };
    tbb::parallel_for(0, machine::allowed_pus(), [&](int /*worker*/) { work(); });
    return verdicts;
}

} // namespace tutti::laboratory
