#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <utility>

namespace tutti::engine {

/// The latest values, up to so many bytes in all: the values that have not been used for the longest time are
/// dropped when others come. The last one stays however large it is.
template <class Name, class Value>
class Recent {
public:
    explicit Recent(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// The value of that name, or null. Lasts until another one is kept.
    const Value* find(const Name& name) {
        const auto known = known_.find(name);
        if (known == known_.end()) {
            return nullptr;
        }
        entries_.splice(entries_.begin(), entries_, known->second);
        return &entries_.front().value;
    }

    /// Keeps a value of a name that is not known, which takes so many bytes.
    const Value& keep(const Name& name, Value value, std::size_t bytes) {
        entries_.push_front({name, std::move(value), bytes});
        try {
            known_.emplace(name, entries_.begin());
        } catch (...) {
            entries_.pop_front();
            throw;
        }
        bytes_ += bytes;
        while (bytes_ > most_bytes_ && entries_.size() > 1) {
            bytes_ -= entries_.back().bytes;
            known_.erase(entries_.back().name);
            entries_.pop_back();
        }
        return entries_.front().value;
    }

private:
    struct Entry {
        Name name;
        Value value;
        std::size_t bytes;
    };

    std::size_t most_bytes_;
    std::size_t bytes_ = 0;
    /// The one used last comes first.
    std::list<Entry> entries_;
    std::map<Name, typename std::list<Entry>::iterator> known_;
};

} // namespace tutti::engine
