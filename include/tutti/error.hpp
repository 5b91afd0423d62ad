// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/collective.hpp>
#include <tutti/detail/export.h>
#include <tutti/source_line.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tutti::v0_1 {

/// The call that an error has ended, and the other member that is involved. `rank`, `operation`, `collective`
/// and `where` describe the call of the member that throws; each class of errors states its fields. Ranks are
/// those of the group in which the call was made. Ranks that are not bound to threads have no member that
/// throws: the class of their requests states the fields.
struct ErrorContext {
    /// The member whose call has ended; -1: unknown, or the error is not about a call of a member.
    int rank = -1;
    /// The other member; -1: unknown, or there is none. Each class of errors states which member it is.
    int peer = -1;
    /// The number of the call, as in roll calls: it counts from 1, separately for blocking, nonblocking and
    /// persistent calls. 0: unknown, or the call was rejected before it began, such as a blocking call after
    /// the failure of the group. If an error ends several outstanding calls of a member, all their requests
    /// throw the same error: with the fields of the call that detected it, or of the oldest one.
    std::uint64_t operation = 0;
    /// Empty: unknown, or the call is no collective, such as split() or join().
    std::optional<Collective> collective = {};
    /// The source line of the call (Options::where). Without a file if it is unknown, as in some other
    /// languages. Its file name is valid as long as the code that made the call is loaded.
    SourceLine where = {};
};

namespace detail {
class ErrorAccess;
}

/// Base class of all exceptions that the library itself throws. Copies never throw, because an exception may
/// be rethrown on several threads.
///
/// An Error of no derived class has `rank` if a member threw it, and the fields of the call if it was thrown
/// from a call. If ranks were never joined (GroupOptions::join_timeout), `peer` is the lowest of these ranks.
class TUTTI_API Error : public std::runtime_error {
public:
    /// An error with this text and these fields, which an operator of a program may throw as well.
    explicit Error(const std::string& text, const ErrorContext& context = {})
        : std::runtime_error(text), context_(context) {}

    /// The fields of the error. An Error that an operator throws without a rank gets those of its call.
    const ErrorContext& context() const noexcept { return context_; }

private:
    friend class detail::ErrorAccess;

    ErrorContext context_;
};
static_assert(std::is_trivially_copyable_v<ErrorContext> && std::is_nothrow_copy_constructible_v<Error>);

/// An argument of this member's call is wrong; the message names the argument and its valid values. Nothing
/// has been sent. The other members still wait for this member, which may call again with correct arguments.
///
/// Fields, if a collective call of a member or rank was rejected: `rank`, `collective`, `where`. Otherwise,
/// and if the interface for C has rejected the argument: none.
class TUTTI_API ArgumentError : public Error {
public:
    /// The constructor of Error.
    using Error::Error;
};

/// The members have compared their arguments, and some are wrong or do not fit together: for example, only
/// one end names an edge of Member::neighbors(). In contrast to an ArgumentError, every member throws it, so
/// that no member waits. The group can still be used.
///
/// Fields: none.
class TUTTI_API CombinationError : public Error {
public:
    /// The constructor of Error.
    using Error::Error;
};

/// The members of a group are in different calls, or in the same call with different arguments. The call
/// fails on every member of the group: the members that detect the difference throw MismatchError, and the
/// others throw Aborted. The first member that detects it adds the last calls and a roll call to the message;
/// the messages of all others have one line.
///
/// Fields: all of them; `peer` is the member whose call differs, or -1 for a member of another process,
/// except if blocks have different lengths. In a split, `rank` and `where` only. From Team::run: none; the
/// message names the members.
class TUTTI_API MismatchError : public Error {
public:
    /// The constructor of Error.
    using Error::Error;
};

/// Thrown on a member whose call ends because another member failed; the message has the other member's
/// failure.
///
/// Fields: all of the call that ends; `peer` is the member that failed, or -1 if it failed in the group of
/// which this group was made, or in another process. From join(): `rank` and `peer` only.
class TUTTI_API Aborted : public Error {
public:
    /// The constructor of Error.
    using Error::Error;
};

/// A call of some member has waited longer than its timeout: the call's own (Options::timeout), or that of
/// its group. The call fails on all members; the message lists where each member is.
///
/// Fields: all of the call that ends; `peer` is the member for which the timed-out call waited at last, on
/// all members. It equals `rank` on the late member itself, and is -1 if another process was late.
class TUTTI_API TimeoutError : public Error {
public:
    /// The constructor of Error.
    using Error::Error;
};

} // namespace tutti::v0_1
