// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/detail/export.h>
#include <tutti/member.hpp>
#include <tutti/tutti.h>

namespace tutti::v0_1::c_api {

// Connects C++ and C code in one program.

/// Calls function(me, user), where `me` is the tutti_member of `member`. If the function returns a status
/// other than TUTTI_OK, throws the corresponding exception of the library, or an Error for a number of the
/// program's own.
TUTTI_API void call_as_member(Member& member, tutti_member_function function, void* user);

/// The member behind a C member; the reference is valid as long as `me`. Throws ArgumentError if `me` is not
/// a member of a group, or was changed by tutti_nonblocking() or a similar function.
TUTTI_API Member& member_of(const tutti_member& me);

} // namespace tutti::v0_1::c_api
