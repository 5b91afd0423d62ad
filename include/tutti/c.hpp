#pragma once

#include <tutti/detail/export.hpp>
#include <tutti/member.hpp>
#include <tutti/tutti.h>

namespace tutti::c {

// Between C++ and C, where one program has parts in both.

/// Calls function(me, user), where `me` calls as `member`, and throws what the function means by what it
/// returns: the library's own exceptions, or an Error for a number of the program's own.
TUTTI_API void call_as_member(Member& member, tutti_member_function function, void* user);

/// The member that a caller is, which lasts as long as that. Throws ArgumentError where it is none, or has
/// been made to call in another way.
TUTTI_API Member& member_of(const tutti_caller& me);

} // namespace tutti::c
