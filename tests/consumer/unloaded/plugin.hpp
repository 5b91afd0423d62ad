#pragma once

#include <tutti/tutti.hpp>

/// What the plug-in does for a member: a blocking call and a nonblocking one, with an operator of its own.
using Calls = void(tutti::Member& me);
/// What it does for a rank of an async group.
using Arrives = void(tutti::AsyncGroup& ranks, int rank);
