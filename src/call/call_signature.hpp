#pragma once

#include "call/arguments.hpp"
#include "run/digests.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>

namespace tutti::engine {

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

} // namespace tutti::engine
