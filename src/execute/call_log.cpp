#include "execute/call_log.hpp"

#include <algorithm>

namespace tutti::execute {

void CallHistory::reach(std::uint64_t epoch) {
    last_ = empty() ? 0 : records_[size_ - 1].place.number_at(epoch);
}

const Claim& CallHistory::claim(std::uint64_t number) const {
    std::size_t index = size_ - 1;
    while (index > 0 && records_[index].place.number > number) {
        --index;
    }
    return records_[index].claim;
}

std::uint64_t CallHistory::next_change(std::uint64_t number) const {
    for (std::size_t index = 0; index < size_; ++index) {
        if (records_[index].place.number > number) {
            return records_[index].place.number;
        }
    }
    return last_ + 1;
}

template <std::size_t records>
void BasicCallLog<records>::add(const CallPlace& place, const Claim& claim) {
    const std::uint64_t version = version_.get();
    version_.publish(version + 1); // release, as is every store that follows: pairs with read()
    std::array<std::uint64_t, record_words> words{place.number, place.epoch, place.points};
    std::ranges::copy(claim.packed(), words.begin() + (record_words - Claim::words));
    auto& record = records_[version / 2 % records_.size()];
    for (std::size_t i = 0; i < record_words; ++i) {
        record[i].publish(words[i]);
    }
    version_.publish(version + 2);
}

template <std::size_t records>
void BasicCallLog<records>::clear() {
    version_.publish(0);
}

template <std::size_t records>
std::optional<CallHistory> BasicCallLog<records>::read(std::uint64_t epoch) const {
    // Acquire, as is every load that follows: whoever sees a word of a later record sees below that the
    // version has gone on.
    const std::uint64_t version = version_.observe();
    if (version % 2 != 0) {
        return std::nullopt;
    }
    CallHistory history;
    const std::uint64_t written = version / 2;
    for (std::uint64_t index = written - std::min<std::uint64_t>(written, records_.size()); index < written;
         ++index) {
        std::array<std::uint64_t, record_words> words{};
        std::ranges::transform(records_[index % records_.size()], words.begin(),
                               [](const mailbox::StdWord& word) { return word.observe(); });
        std::array<std::uint64_t, Claim::words> claim{};
        std::copy(words.end() - Claim::words, words.end(), claim.begin());
        history.add({{words[0], words[1], words[2]}, Claim::unpacked(claim)});
    }
    history.reach(epoch);
    return version_.get() == version ? std::optional(history) : std::nullopt;
}

template class BasicCallLog<CallLog::most_records>;
template class BasicCallLog<StartLog::most_records>;

std::optional<std::uint64_t> first_difference(const CallHistory& one, const CallHistory& other) {
    if (one.empty() || other.empty()) {
        return std::nullopt;
    }
    const std::uint64_t last = std::min(one.last(), other.last());
    std::uint64_t number = std::max(one.first(), other.first());
    while (number <= last && one.claim(number) == other.claim(number)) {
        number = std::min(one.next_change(number), other.next_change(number));
    }
    return number <= last ? std::optional(number) : std::nullopt;
}

} // namespace tutti::execute
