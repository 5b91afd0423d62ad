#include "call/call_log.hpp"

#include <algorithm>

namespace tutti::engine {

CallRecord::CallRecord(std::uint64_t number, std::uint64_t epoch, std::uint64_t points,
                       const CallSignature& signature)
    : words_{number, epoch, points} {
    std::ranges::copy(signature.packed(), words_.end() - CallSignature::words);
}

CallSignature CallRecord::signature() const {
    std::array<std::uint64_t, CallSignature::words> packed{};
    std::copy(words_.end() - CallSignature::words, words_.end(), packed.begin());
    return CallSignature::unpacked(packed);
}

CallRecord CallRecord::with_types(const CallSignature::Types* types) const {
    CallSignature moved = signature();
    moved.types = types;
    return {words_[0], words_[1], words_[2], moved};
}

void CallHistory::reach(std::uint64_t epoch) {
    last_ = empty() ? 0 : records_[size_ - 1].number_at(epoch);
}

CallSignature CallHistory::signature(std::uint64_t number) const {
    std::size_t index = size_ - 1;
    while (index > 0 && records_[index].number() > number) {
        --index;
    }
    return records_[index].signature();
}

std::uint64_t CallHistory::next_change(std::uint64_t number) const {
    for (std::size_t index = 0; index < size_; ++index) {
        if (records_[index].number() > number) {
            return records_[index].number();
        }
    }
    return last_ + 1;
}

template <std::size_t records>
void BasicCallLog<records>::add(const CallRecord& record) {
    const std::uint64_t version = version_.get();
    version_.publish(version + 1); // release, as is every store that follows: pairs with read()
    auto& shown = records_[version / 2 % records_.size()];
    for (std::size_t word = 0; word < CallRecord::words; ++word) {
        shown[word].publish(record[word]);
    }
    version_.publish(version + 2);
}

template <std::size_t records>
void BasicCallLog<records>::clear() {
    version_.publish(0);
}

template <std::size_t records>
std::optional<CallHistory> BasicCallLog<records>::read(std::uint64_t epoch) const {
    // Acquire, as is every load that follows: a reader that sees a word of a later record sees below that the
    // version has gone on.
    const std::uint64_t version = version_.observe();
    std::optional<CallHistory> history;
    if (version % 2 != 0) {
        return history;
    }
    history.emplace();
    const std::uint64_t written = version / 2;
    for (std::uint64_t index = written - std::min<std::uint64_t>(written, records_.size()); index < written;
         ++index) {
        CallRecord record;
        for (std::size_t word = 0; word < CallRecord::words; ++word) {
            record[word] = records_[index % records_.size()][word].observe();
        }
        history->add(record);
    }
    history->reach(epoch);
    if (version_.get() != version) {
        history.reset();
    }
    return history;
}

template class BasicCallLog<CallLog::most_records>;
template class BasicCallLog<ArrivalLog::most_records>;
template class BasicCallLog<StartLog::most_records>;

std::optional<std::uint64_t> first_difference(const CallHistory& one, const CallHistory& other) {
    if (one.empty() || other.empty()) {
        return std::nullopt;
    }
    const std::uint64_t last = std::min(one.last(), other.last());
    std::uint64_t number = std::max(one.first(), other.first());
    while (number <= last && one.signature(number) == other.signature(number)) {
        number = std::min(one.next_change(number), other.next_change(number));
    }
    return number <= last ? std::optional(number) : std::nullopt;
}

} // namespace tutti::engine
