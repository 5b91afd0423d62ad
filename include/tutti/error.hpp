#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/standard.hpp>

#include <stdexcept>

namespace tutti {

/// Base class of all exceptions that the library itself throws.
class TUTTI_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An argument of this member's call is wrong; the message names the argument and its valid values. Nothing
/// has been sent. The other members still wait for this member, which may call again with correct arguments.
class TUTTI_API ArgumentError : public Error {
public:
    using Error::Error;
};

/// The members of a group are in different calls, or in the same call with different arguments. The call
/// fails on every member of the group.
class TUTTI_API MismatchError : public Error {
public:
    using Error::Error;
};

/// Thrown on a member whose call ends because another member failed; the message has the other member's
/// failure.
class TUTTI_API Aborted : public Error {
public:
    using Error::Error;
};

/// A call of some member has waited longer than its timeout: the call's own (Options::timeout), or that of
/// its group, async group or cluster. The call fails on all members; the message lists where each member is.
class TUTTI_API TimeoutError : public Error {
public:
    using Error::Error;
};

} // namespace tutti
