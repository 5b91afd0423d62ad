#pragma once

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

/// The plug-in's work for a member: a blocking call and a nonblocking one, with an operator of its own.
using Calls = void(tutti::Member& me);
/// Its work for a rank of an async group.
using Arrives = void(tutti::AsyncGroup& ranks, int rank);
