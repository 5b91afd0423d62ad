#include "group/mailbox_pages.hpp"

#include "group/presence.hpp"
#include "plan/plan.hpp"

#include <type_traits>

namespace tutti::execute {

static_assert(std::is_trivially_destructible_v<mailbox::Board> &&
                  std::is_trivially_destructible_v<mailbox::Slot>,
              "they live in pages that are just given back");

std::size_t mailbox_bytes(int members, unsigned sets) {
    const auto slots = static_cast<std::size_t>(plan::slots_per_operation(members));
    const std::size_t set_bytes = slots * sizeof(mailbox::Slot) + mailbox::stage_bytes;
    return static_cast<std::size_t>(members) * (sets * set_bytes + sizeof(mailbox::Board));
}

/// Stages, which are the most strictly aligned, come first, then slots and boards.
mailbox::Mailbox mailbox_in(std::byte* pages, int members, unsigned sets, const mailbox::StdWord& failed) {
    const std::size_t all_sets = static_cast<std::size_t>(members) * sets;
    const int slots_per_operation = plan::slots_per_operation(members);
    auto* const stages = reinterpret_cast<mailbox::Stage*>(pages);
    auto* const slots = reinterpret_cast<mailbox::Slot*>(stages + all_sets);
    auto* const boards =
        reinterpret_cast<mailbox::Board*>(slots + all_sets * static_cast<std::size_t>(slots_per_operation));
    return {slots, slots_per_operation, sets, stages, boards, failed};
}

std::size_t group_bytes(int members) {
    return mailbox_bytes(members, mailbox::most_sets) + static_cast<std::size_t>(members) * sizeof(Presence);
}

} // namespace tutti::execute
