#include "choose/learnt.hpp"

#include "algorithm/registry.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace tutti::engine {

namespace {

/// Four digits: more would be noise.
std::string text_of_us(double us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g us", us);
    return text.data();
}

std::string text_of(const Learnt::Candidate& candidate) {
    const Selection& selection = candidate.selection;
    return tuning::name_of(algorithm::registry()[selection.row], selection.stores) + " (" +
           std::string(source_of(selection.reason)) + ") " + text_of_us(candidate.us);
}

} // namespace

tuning::Entry Learnt::entry() const {
    tuning::Entry entry{point, {}};
    for (const Candidate& candidate : candidates) {
        entry.measured.push_back({candidate.selection.row, candidate.us, candidate.selection.stores});
    }
    std::stable_sort(
        entry.measured.begin() + 1, entry.measured.end(),
        [](const tuning::Measured& one, const tuning::Measured& other) { return one.us < other.us; });
    return entry;
}

std::string Learnt::text() const {
    std::string text = std::string(to_string(point.collective)) + " " +
                       std::string(to_string(point.operands)) + " of " + std::to_string(point.bytes) +
                       " bytes" + (kind.in_place ? " in place" : "") + (kind.serial ? " from the left" : "") +
                       (kind.commutative ? "" : ", which does not commute") +
                       (kind.in_one_pass ? ", in one pass" : "") + ": ";
    for (const Candidate& candidate : candidates) {
        text += text_of(candidate) + "; ";
    }
    return text + "tried in " + std::to_string(tried_calls) + " calls, which lost " + text_of_us(lost_us);
}

void LearntByGroup::put(Learnt learnt) {
    const std::scoped_lock lock(mutex_);
    of_kinds_.insert_or_assign(learnt.kind, std::move(learnt));
}

void LearntByGroup::clear() {
    const std::scoped_lock lock(mutex_);
    of_kinds_.clear();
}

std::vector<Learnt> LearntByGroup::all() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Learnt> all;
    all.reserve(of_kinds_.size());
    for (const auto& [kind, learnt] : of_kinds_) {
        all.push_back(learnt);
    }
    return all;
}

} // namespace tutti::engine
