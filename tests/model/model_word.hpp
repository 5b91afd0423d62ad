#pragma once

#include "mailbox/slot.hpp"
#include "relacy_headers.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>

namespace tutti::model {

/// The memory orders of mailbox::StdWord. A test weakens one at a time.
struct Orders {
    rl::memory_order publish = rl::mo_release;
    rl::memory_order observe = rl::mo_acquire;
};

inline constexpr Orders as_written{};
inline constexpr Orders publish_relaxed{.publish = rl::mo_relaxed};
inline constexpr Orders observe_relaxed{.observe = rl::mo_relaxed};

/// The memory under put and get. Relaxed atomics, as in mailbox::StdWord; or plain memory, which requires
/// more: any two accesses of which one is a put must then be ordered by publish and observe alone. Relacy
/// executes loads in program order, so only plain words show that a put cannot overtake the gets of the value
/// that it replaces.
enum class Words { relaxed, plain };

/// How members look at words that others publish.
///
/// - all: every look is a load that relacy watches
/// - news: only a look that finds another value than the member's last one is, and it finds the latest. This
///   takes far fewer executions and hides no error: a look that finds nothing new does nothing, and one that
///   finds an older value does what it would have done earlier.
/// - none: no member looks, only the test itself
enum class Looks : std::uint8_t { all, news, none };

/// A word that members publish and look at.
template <class Value>
class Published {
public:
    static inline Looks looks = Looks::all;

    void store(const Value& value, rl::memory_order order) { value_.store(value, order, RL_INFO); }

    Value load(rl::memory_order order) const { return value_.load(order, RL_INFO); }

    Value look(rl::memory_order order) const {
        if (looks == Looks::all) {
            return load(order);
        }
        const Value latest = value_.debug_value();
        Value& seen = seen_[rl::ctx().current_thread()];
        if (looks == Looks::none || latest == seen) {
            return latest;
        }
        const FreshLook fresh;
        return seen = load(order);
    }

private:
    static constexpr std::size_t most_members = 4;

    rl::atomic<Value> value_{Value{}};
    mutable Value seen_[most_members]{};
};

/// mailbox::StdWord under relacy.
template <Orders orders, Words words>
class ModelWord {
public:
    void publish(std::uint64_t value) noexcept { value_.store(value, orders.publish); }
    std::uint64_t observe() const noexcept { return value_.look(orders.observe); }
    void put(std::uint64_t value) noexcept {
        if constexpr (words == Words::plain) {
            plain_(RL_INFO).store(value);
        } else {
            value_.store(value, rl::mo_relaxed);
        }
    }
    std::uint64_t get() const noexcept {
        if constexpr (words == Words::plain) {
            return plain_(RL_INFO).load();
        } else {
            return value_.load(rl::mo_relaxed);
        }
    }

private:
    Published<std::uint64_t> value_;
    rl::var<std::uint64_t> plain_{0};
};

template <Orders orders, Words words = Words::plain>
using Portable = mailbox::PortableCell<ModelWord<orders, words>>;

/// The two halves of a wide cell, which one store writes.
struct Both {
    std::uint64_t word = 0;
    std::uint64_t tag = 0;

    friend bool operator==(const Both&, const Both&) = default;
    friend std::ostream& operator<<(std::ostream& stream, const Both& both) {
        return stream << "(word " << both.word << ", tag " << both.tag << ")";
    }
};

/// mailbox::WideCell under relacy: its assembly cannot be driven, so this is a model of it. One store writes
/// both halves; each look reads one half, and the look at the word comes after the look at the tag. A plain
/// shadow of the word tells whether its accesses are ordered, and not merely lucky to be in one store with
/// the tag.
template <Orders orders>
class Wide {
public:
    void publish(std::uint64_t word, std::uint64_t tag) noexcept {
        shadow_(RL_INFO).store(word);
        both_.store({word, tag}, orders.publish);
    }

    std::uint64_t tag() const noexcept { return both_.look(orders.observe).tag; }

    std::uint64_t word() const noexcept {
        const std::uint64_t word = both_.load(rl::mo_relaxed).word;
        RL_ASSERT(word == shadow_(RL_INFO).load());
        return word;
    }

private:
    Published<Both> both_;
    rl::var<std::uint64_t> shadow_{0};
};

} // namespace tutti::model
