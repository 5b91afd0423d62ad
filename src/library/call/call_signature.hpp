#pragma once

#include "call/arguments.hpp"
#include "mailbox/slot.hpp"
#include "schedule/synchronise.hpp"
#include "wait/wait_timer.hpp"

#include <tutti/detail/types.hpp>

#include <array>
#include <optional>
#include <span>
#include <typeinfo>

namespace tutti::library {

/// The part of a member's call that must be the same on all members; otherwise they disagree.
struct CallSignature {
    /// The types of elements and operators that are not the library's own, as the name of a template of them.
    /// Lasts until the end of the process: calls are logged with it, and the type_info that it is made from
    /// is gone when the program unloads the shared library that has made the call.
    class Types {
    public:
        /// One object for all type_infos that are equal. Null for null. Throws std::bad_alloc.
        static const Types* of(const std::type_info* types);
        /// Those of another process, as its text() says.
        TUTTI_COMPONENT_API static const Types* of_text(const std::string& text);

        /// The hash of the name: the same in all processes.
        std::size_t hash() const { return hash_; }
        /// "<double, Farthest>"
        TUTTI_COMPONENT_API std::string text() const;

    private:
        Types(std::size_t hash, const char* name, const char* own, const Types* next)
            : hash_(hash), name_(name), own_(own), next_(next) {}
        bool is(std::size_t hash, const char* name, const char* own) const;
        static const Types* named(const char* name, const char* own);
        static const Types* found(const Types* first, std::size_t hash, const char* name, const char* own);

        std::size_t hash_;
        std::string name_;
        /// Distinguishes a type from others of the same name; null if nothing does.
        const char* own_;
        const Types* next_;
    };

    /// The algorithm, as its row in the registry, and the protocol by which it is executed.
    std::size_t row = 0;
    schedule::Protocol protocol = schedule::Protocol::zero_copy;
    Type type = Type::other;
    Operator op = Operator::callable;
    bool in_place = false;
    bool serial = false;
    /// The output is one vector for all members.
    bool shared_output = false;
    /// Only the sender and the receiver of a block know of it; among such calls, whether the counts are at
    /// the root.
    bool has_private_counts = false;
    bool counts_at_root = false;
    /// Part of a split.
    bool splits = false;
    /// Carried out in passes over all vectors. The row then only identifies the collective.
    bool in_passes = false;
    /// The root of a rooted collective, the distance of a shift, else 0.
    std::uint32_t root = 0;
    /// The size of the whole vector, and of an element of it.
    std::uint64_t bytes = 0;
    std::uint64_t element_bytes = 1;
    /// A digest of irregular counts, or of the graph of an all-to-all among neighbours; 0 for equal blocks
    /// and where every member has counts of its own.
    std::uint64_t counts = 0;
    /// The address of the operator, if it is a pointer to a function.
    std::uint64_t function = 0;
    /// The types of elements and operators that are not the library's own; null if there is no such
    /// information.
    const Types* types = nullptr;

    /// The digests that members compare. The fingerprints of signatures that differ in nothing but the size
    /// of their messages, below 2^20, or in nothing but the root, are different.
    TUTTI_COMPONENT_API run::Digests digests(std::size_t message_bytes) const;

    bool is_among_neighbors() const { return has_private_counts && counts != 0; }

    /// The name of the collective.
    std::string_view name() const;

    /// The collective that errors name: none for a part of a split.
    std::optional<Collective> collective() const;

    /// "broadcast (algorithm flat) of 8 bytes of f64 from root 2"
    TUTTI_COMPONENT_API std::string describe() const;

    /// In words that can be shown to other threads.
    static constexpr int words = 6;
    std::array<std::uint64_t, words> packed() const;
    static CallSignature unpacked(const std::array<std::uint64_t, words>& packed);

    TUTTI_COMPONENT_API friend bool operator==(const CallSignature& a, const CallSignature& b);
};

/// The signature of a call of this shape and by this row of the registry. `root` is its root, or the distance
/// of a shift, else 0.
CallSignature signature_of(const detail::Call& call, const Shape& shape, std::size_t row, int root);

/// The same if no algorithm is chosen.
TUTTI_COMPONENT_API CallSignature signature_of(const detail::Call& call, const Shape& shape);

/// A digest of irregular counts that is never 0, which stands for equal blocks.
std::uint64_t digest(std::span<const std::size_t> counts);

/// A call that differs from the one before, in words that can be shown to others: its place among all calls
/// of a member and its signature. It was repeated until the next such call.
class CallRecord {
public:
    static constexpr std::size_t words = 3 + CallSignature::words;

    CallRecord() = default;
    /// The number and the epoch of the operation in which the call was made first, and by how much each such
    /// operation made the epoch grow. Operations count from 1.
    TUTTI_COMPONENT_API CallRecord(std::uint64_t number, std::uint64_t epoch, std::uint64_t points,
                                   const CallSignature& signature);

    std::uint64_t number() const { return words_[0]; }
    std::uint64_t points() const { return words_[2]; }
    /// The number of the operation at an epoch, if the call was repeated until then.
    std::uint64_t number_at(std::uint64_t epoch) const {
        return epoch <= words_[1] ? number() : number() + (epoch - words_[1]) / points();
    }
    TUTTI_COMPONENT_API CallSignature signature() const;
    /// The same call with these types.
    TUTTI_COMPONENT_API CallRecord with_types(const CallSignature::Types* types) const;

    std::uint64_t& operator[](std::size_t word) { return words_[word]; }
    std::uint64_t operator[](std::size_t word) const { return words_[word]; }

private:
    std::array<std::uint64_t, words> words_;
};

/// A copy of a member's log as another member has read it: its latest records in order, and the operation up
/// to which they are known to be complete.
class CallHistory {
public:
    /// The length of the longest log.
    static constexpr std::size_t most_records = 128;

    /// Clears no record: most histories are short, and a waiting member reads many.
    CallHistory() noexcept {} // NOLINT(modernize-use-equals-default): that one would clear them

    void add(const CallRecord& record) { records_[size_++] = record; }
    TUTTI_COMPONENT_API void reach(std::uint64_t epoch);

    std::span<const CallRecord> records() const { return std::span(records_).first(size_); }
    bool empty() const { return size_ == 0; }
    /// The first and the last operation that it covers.
    std::uint64_t first() const { return records_[0].number(); }
    std::uint64_t last() const { return last_; }
    TUTTI_COMPONENT_API CallSignature signature(std::uint64_t number) const;
    /// The last operation, with its own number; of number 0 if the history is empty.
    TUTTI_COMPONENT_API CallRecord last_call() const;
    /// The next operation after `number` in which another call was made, if that is known: else a later one.
    std::uint64_t next_change(std::uint64_t number) const;

private:
    std::array<CallRecord, most_records> records_;
    std::size_t size_ = 0;
    std::uint64_t last_ = 0;
};

/// The latest calls of one member. The member writes when it makes a call that differs from the one before,
/// so calls that are repeated cost nothing; any other member reads at any time.
template <std::size_t records>
class BasicCallLog {
public:
    static constexpr std::size_t most_records = records;
    static_assert(most_records <= CallHistory::most_records);

    /// By its member, or while that is in no call.
    TUTTI_COMPONENT_API void add(const CallRecord& record);
    void clear();

    /// The history of a member whose call, current or last, is known to have been at least at `epoch`. Empty
    /// while the member writes.
    TUTTI_COMPONENT_API std::optional<CallHistory> read(std::uint64_t epoch) const;

private:
    /// Odd while the member writes, else twice the records that it has written.
    mailbox::StdWord version_;
    std::array<std::array<mailbox::StdWord, CallRecord::words>, most_records> records_;
};

/// The log of blocking calls: each is complete before the next, so few records suffice to find the two that
/// differ.
using CallLog = BasicCallLog<16>;
/// The log of arrivals, of which only the last is reported.
using ArrivalLog = BasicCallLog<2>;
/// The log of nonblocking operations, of which many are outstanding at a time.
using StartLog = BasicCallLog<CallHistory::most_records>;

/// The numbered calls of a member in a log, for others to read at any time.
template <class Log>
class ShownCalls {
public:
    /// By the member: its `number`-th call, whose signature has this digest.
    void show(std::uint64_t number, const CallSignature& signature, std::uint64_t digest) {
        if (number == 1 || digest != digest_) {
            digest_ = digest;
            log_.add({number, number, 1, signature});
        }
        number_.publish(number); // release: pairs with read() and seen()
    }
    /// The last call: by the member, or after something that orders it.
    std::uint64_t number() const { return number_.get(); }
    std::uint64_t digest() const { return digest_; }

    /// By any thread. Acquire: pairs with show(); the records up to that call came before.
    std::uint64_t seen() const { return number_.observe(); }
    std::optional<CallHistory> read() const { return log_.read(seen()); }

private:
    Log log_;
    std::uint64_t digest_ = 0;
    mailbox::StdWord number_;
};

/// The first operation in both histories in which the two members have made different calls.
std::optional<std::uint64_t> first_difference(const CallHistory& one, const CallHistory& other);

} // namespace tutti::library
