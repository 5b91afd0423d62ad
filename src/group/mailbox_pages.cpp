#include "group/mailbox_pages.hpp"

#include "group/member_status.hpp"
#include "mailbox/zero_pages.hpp"
#include "plan/plan.hpp"

namespace tutti::engine {

std::size_t mailbox_bytes(int members, unsigned sets) {
    const auto slots = static_cast<std::size_t>(plan::slots_per_operation(members));
    const std::size_t set_bytes = slots * sizeof(mailbox::Slot) + mailbox::staging_bytes;
    return static_cast<std::size_t>(members) * (sets * set_bytes + sizeof(mailbox::Board));
}

/// Stages, which are the most strictly aligned, come first, then slots and boards.
mailbox::Mailbox mailbox_in(std::byte* pages, int members, unsigned sets, const mailbox::StdWord& failed) {
    const std::size_t all_sets = static_cast<std::size_t>(members) * sets;
    const int slots_per_operation = plan::slots_per_operation(members);
    auto* const stages = objects_in<mailbox::StagingBuffer>(pages);
    std::byte* const behind_stages = pages + all_sets * sizeof(mailbox::StagingBuffer);
    auto* const slots = objects_in<mailbox::Slot>(behind_stages);
    auto* const boards = objects_in<mailbox::Board>(
        behind_stages + all_sets * static_cast<std::size_t>(slots_per_operation) * sizeof(mailbox::Slot));
    return {slots, slots_per_operation, sets, stages, boards, failed};
}

std::size_t group_bytes(int members) {
    return mailbox_bytes(members, mailbox::most_sets) +
           static_cast<std::size_t>(members) * sizeof(MemberStatus);
}

} // namespace tutti::engine
