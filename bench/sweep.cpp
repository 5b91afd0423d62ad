#include "sweep.hpp"

#include "cost/count.hpp"
#include "machine/pinning.hpp"
#include "verify/verify.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace tutti::bench {

namespace {

using algorithm::Algorithm;
using algorithm::Counts;

/// What one (row, ranks) came to.
struct Finding {
    std::size_t violations = 0;
    bool miscounted = false;
    std::vector<std::string> texts;
};

std::string in_words(const Counts& counts) {
    return fmt::format("{} rounds, {} blocks, {} reductions", counts.rounds, counts.blocks,
                       counts.reductions);
}

bool agrees(const Counts& counted, const Counts& expected, bool reductions_at_most) {
    return counted.rounds == expected.rounds && counted.blocks == expected.blocks &&
           (reductions_at_most ? counted.reductions <= expected.reductions
                               : counted.reductions == expected.reductions);
}

void check_counts(const Algorithm& row, const schedule::Schedule& schedule, Finding& finding) {
    const Counts expected = row.counts(schedule.ranks());
    // Where members resemble each other, one stands for all.
    const int last = schedule.symmetry() == schedule::Symmetry::rotation ? 0 : schedule.ranks() - 1;
    for (int rank = 0; rank <= last; ++rank) {
        const Counts counted = cost::count(schedule, rank);
        if (!agrees(counted, expected, row.reductions_at_most)) {
            finding.miscounted = true;
            finding.texts.push_back(
                fmt::format("{} {}, {} ranks, rank {}: counted {}; the closed form says {}{}",
                            to_string(row.collective), row.name, schedule.ranks(), rank, in_words(counted),
                            row.reductions_at_most ? "at most " : "", in_words(expected)));
            return;
        }
    }
}

Finding examine(const Algorithm& row, int ranks) {
    Finding finding;
    try {
        const schedule::Schedule schedule = row.make(ranks);
        check_counts(row, schedule, finding);
        for (const schedule::Form form : forms_of(row)) {
            const verify::Report report =
                verify::verify(schedule::synchronise(schedule, form), verify::requirement_of(row));
            finding.violations += report.total();
            for (const verify::Violation& violation : report.violations()) {
                finding.texts.push_back(fmt::format("{} {}, {} ranks, {}: {}: {}", to_string(row.collective),
                                                    row.name, ranks, name_of(form), to_string(violation.kind),
                                                    violation.text));
            }
        }
    } catch (const std::exception& error) {
        ++finding.violations;
        finding.texts.push_back(
            fmt::format("{} {}, {} ranks: {}", to_string(row.collective), row.name, ranks, error.what()));
    }
    return finding;
}

void add(const Finding& finding, Verdict& verdict) {
    constexpr std::size_t kept_texts = 8;
    ++verdict.ranks;
    verdict.violations += finding.violations;
    verdict.miscounts += finding.miscounted ? 1U : 0U;
    for (const std::string& text : finding.texts) {
        if (verdict.texts.size() < kept_texts) {
            verdict.texts.push_back(text);
        }
    }
}

} // namespace

std::vector<schedule::Form> forms_of(const Algorithm& row) {
    std::vector<schedule::Form> forms;
    for (const auto form : {schedule::Form::separate, schedule::Form::in_place, schedule::Form::carried}) {
        if (algorithm::takes(row, form)) {
            forms.push_back(form);
        }
    }
    return forms;
}

std::string name_of(schedule::Form form) {
    switch (form) {
    case schedule::Form::separate:
        return "separate";
    case schedule::Form::in_place:
        return "in place";
    case schedule::Form::carried:
        return "carried";
    }
    return "unknown";
}

std::vector<Verdict> sweep(std::span<const Algorithm* const> rows, std::span<const int> ranks,
                           const std::function<void(const Algorithm& row, int ranks)>& on_done) {
    std::vector<int> largest_first(ranks.begin(), ranks.end());
    std::ranges::sort(largest_first, std::greater());
    std::vector<Verdict> verdicts;
    for (const Algorithm* row : rows) {
        verdicts.push_back({.row = row, .ranks = 0, .violations = 0, .miscounts = 0, .texts = {}});
    }
    const std::size_t jobs = rows.size() * largest_first.size();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    // Workers take the jobs in order, so that the long ones are not left for the end.
    const auto work = [&] {
        for (std::size_t job = next++; job < jobs; job = next++) {
            const std::size_t row = job % rows.size();
            const int size = largest_first[job / rows.size()];
            const Finding finding = examine(*rows[row], size);
            const std::scoped_lock lock(mutex);
            add(finding, verdicts[row]);
            on_done(*rows[row], size);
        }
    };
    tbb::parallel_for(0, machine::allowed_pus(), [&](int /*worker*/) { work(); });
    return verdicts;
}

} // namespace tutti::bench
