#pragma once

#include "mailbox/mailbox.hpp"

#include <cstddef>

namespace tutti::engine {

/// Bytes of the staging buffers, slots and boards of a mailbox: O(members log members).
std::size_t mailbox_bytes(int members, unsigned sets);

/// A mailbox in that many zero bytes, which equal the results of constructors, at the start of a page:
/// nothing touches them before their members do.
mailbox::Mailbox mailbox_in(std::byte* pages, int members, unsigned sets, const mailbox::StdWord& failed);

/// Bytes of staging buffers, slots, boards and statuses of a group: O(members log members).
std::size_t group_bytes(int members);

} // namespace tutti::engine
