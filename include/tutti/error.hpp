#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/detail/standard.hpp>

#include <stdexcept>

namespace tutti {

/// Base of everything the library throws.
class TUTTI_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An argument of this member's call is wrong; the message names it and what would work. Nothing has been
/// sent: the other members still wait for this one, which may call again with correct arguments.
class TUTTI_API ArgumentError : public Error {
public:
    using Error::Error;
};

/// The members of a group are in different calls, or in the same one with different arguments. Every member
/// of the group is released.
class TUTTI_API MismatchError : public Error {
public:
    using Error::Error;
};

/// Thrown on the members that are released because another one failed; the message carries that failure.
class TUTTI_API Aborted : public Error {
public:
    using Error::Error;
};

/// A call of some member has waited longer than its deadline: its own (Options::deadline), or that of its
/// group, rendezvous or cluster. All members are released; the message says who is where.
class TUTTI_API TimeoutError : public Error {
public:
    using Error::Error;
};

} // namespace tutti
