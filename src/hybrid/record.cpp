#include "hybrid/record.hpp"

#include "mixed.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace tutti::hybrid {

namespace {

std::uint64_t digest_with(std::uint64_t digest, const Signature& signature) {
    std::array<std::uint64_t, sizeof(Signature) / sizeof(std::uint64_t)> words;
    static_assert(sizeof(words) == sizeof(Signature));
    std::memcpy(words.data(), &signature, sizeof(signature));
    for (const std::uint64_t word : words) {
        digest = mixed(digest, word);
    }
    return digest;
}

std::string both(int process, const Signature& own, int peer, const Signature& theirs) {
    return "process " + std::to_string(process) + " in " + to_string(own) + "; process " +
           std::to_string(peer) + " in " + to_string(theirs);
}

} // namespace

void Record::add(const Signature& signature) {
    const std::uint64_t digest = digest_with(last().digest, signature);
    newest_ = (newest_ + 1) % most_entries;
    entries_[newest_] = {signature, digest};
}

const Record::Entry* Record::find(std::uint64_t call) const {
    const auto found =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.signature.call == call; });
    return found == entries_.end() ? nullptr : &*found;
}

Record::Summary Record::summary() const {
    Summary summary;
    for (std::size_t i = 0; i < summary.size(); ++i) {
        summary[i] = entries_[(newest_ + most_entries + 1 + i - summary.size()) % most_entries];
    }
    return summary;
}

void compare(const Record& own, int process, const Record::Summary& theirs, int peer) {
    constexpr const char* start = "the processes are in different calls: ";
    const Signature* earlier = nullptr;
    for (const Record::Entry& entry : theirs) {
        const Record::Entry* const same =
            entry.signature.call != 0 ? own.find(entry.signature.call) : nullptr;
        if (same == nullptr) {
            continue;
        }
        if (same->signature != entry.signature) {
            throw MismatchError(start + both(process, same->signature, peer, entry.signature));
        }
        if (same->digest != entry.digest) {
            earlier = &same->signature;
        }
    }
    if (earlier != nullptr) {
        throw MismatchError(start + ("both are in " + to_string(*earlier)) + ", but processes " +
                            std::to_string(process) + " and " + std::to_string(peer) +
                            " were in different ones before, which neither waited for the other to notice");
    }
}

} // namespace tutti::hybrid
