#include "group/shared_memory.hpp"

#include "plan/plan.hpp"

#include <tutti/detail/types.hpp>

#include <algorithm>

namespace tutti::library {

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

static unsigned sets_of(int members) {
    return members <= 64 ? mailbox::most_sets : mailbox::most_synchronised_sets;
}

std::size_t group_bytes(int members) {
    return mailbox_bytes(members, sets_of(members)) +
           static_cast<std::size_t>(members) * sizeof(MemberStatus);
}

namespace {

/// An operation's messages may still be read when the next one on its channel starts: one set for each.
constexpr unsigned channel_sets = 2;

/// The fields of the word that shows a wait-for edge.
constexpr detail::BitField waits_for_field{0, 16};
constexpr detail::BitField sequence_field{waits_for_field.end(), 2};
constexpr detail::BitField number_field{sequence_field.end(), 46};
static_assert(waits_for_field.holds(plan::most_members - 1));
static_assert(sequence_field.holds(sequence_count - 1));
static_assert(number_field.end() == 64);

} // namespace

Channel::Channel(int members, const mailbox::StdWord& failed, mailbox::EventCount& event)
    : pages_(mailbox_bytes(members, channel_sets)),
      mailbox_(mailbox_in(pages_.data(), members, channel_sets, failed), event) {}

Channels::Channels(int members, const mailbox::StdWord& failed)
    : members_(members), failed_(failed),
      starts_pages_(2 * static_cast<std::size_t>(members) * sizeof(Starts)),
      starts_(objects_in<Starts>(starts_pages_.data())) {}

Channel& Channels::nonblocking(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    if (nonblocking_[index] == nullptr) {
        nonblocking_[index] = std::make_unique<Channel>(members_, failed_, event_);
    }
    return *nonblocking_[index];
}

void Channels::show(int member, const WaitForEdge& wait_for_edge) {
    const std::uint64_t word = waits_for_field.in_word(static_cast<std::uint64_t>(wait_for_edge.waits_for)) |
                               sequence_field.in_word(static_cast<std::uint64_t>(wait_for_edge.sequence)) |
                               number_field.in_word(wait_for_edge.number);
    // Release: a thread that sees it sees all calls that the member has made before.
    starts(Sequence::nonblocking, member).wait_for_edge.publish(word);
}

WaitForEdge Channels::wait_for_edge(int member) const {
    const std::uint64_t word =
        starts(Sequence::nonblocking, member).wait_for_edge.observe(); // pairs with show()
    return {static_cast<Sequence>(sequence_field.of(word)), number_field.of(word),
            static_cast<int>(waits_for_field.of(word))};
}

Channel& Channels::persistent(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Channel>& channel = persistent_[number].channel;
    if (channel == nullptr) {
        channel = std::make_unique<Channel>(members_, failed_, event_);
    }
    return *channel;
}

void Channels::drop_persistent(std::uint64_t number) {
    if (!mutex_.is_usable()) {
        return;
    }
    const std::scoped_lock lock(mutex_);
    const auto found = persistent_.find(number);
    if (++found->second.dropped == members_) {
        persistent_.erase(found);
    }
}

SharedMemory::SharedMemory(int members, const mailbox::StdWord& failed)
    : members_(members), failed_(failed), pages_(group_bytes(members)),
      mailbox_(mailbox_in(pages_.data(), members, sets_of(members), failed)),
      statuses_(objects_in<MemberStatus>(pages_.data() + mailbox_bytes(members, sets_of(members)))),
      last_cpus_(members + 1) {}

Channels& SharedMemory::channels() {
    const auto lock = hold_channels();
    if (channels_ == nullptr) {
        channels_ = std::make_unique<Channels>(members_, failed_);
        channels_shown_.store(channels_.get(),
                              std::memory_order_release); // release: pairs with channels_if_any()
    }
    return *channels_;
}

void SharedMemory::drop_channels() {
    const auto lock = hold_channels();
    channels_shown_.store(nullptr, std::memory_order_relaxed); // nobody is in a call
    channels_ = nullptr;
}

void SharedMemory::notify_all() {
    for (mailbox::Board& board : boards()) {
        board.event.notify();
    }
    if (Channels* const channels = channels_if_any()) {
        channels->event().notify();
    }
}

void SharedMemory::leave_for_good(int member) {
    any_left_for_good_.store(true, std::memory_order_relaxed);
    // Release: pairs with has_left_for_good().
    status(member).left_for_good.store(true, std::memory_order_release);
    notify_of_leaving(member);
}

std::int64_t SharedMemory::enter_region(int member) {
    MemberStatus& own = status(member);
    // Acquire: pairs with leave_region() of the thread that was the member before.
    std::int64_t left = own.left_region.load(std::memory_order_acquire);
    const std::int64_t next = left + 1;
    // Relaxed: of two threads that want to be the member, one fails.
    return own.region.compare_exchange_strong(left, next, std::memory_order_relaxed) ? next : 0;
}

void SharedMemory::leave_region(int member) {
    MemberStatus& own = status(member);
    // Release: pairs with has_left_region_of(), enter_region() and is_deserted(). The member's own thread has
    // written the region.
    own.left_region.store(own.region.load(std::memory_order_relaxed), std::memory_order_release);
    notify_of_leaving(member);
}

bool SharedMemory::is_deserted() const {
    // Acquire: pairs with leave_region().
    return std::ranges::all_of(std::span(statuses_, static_cast<std::size_t>(members_)),
                               [](const auto& each) {
                                   return each.left_region.load(std::memory_order_acquire) ==
                                          each.region.load(std::memory_order_relaxed);
                               });
}

void SharedMemory::notify_of_leaving(int member) {
    board(member).event.notify_if_needed();
    if (Channels* const channels = channels_if_any()) {
        channels->event().notify_if_needed();
    }
}

void SharedMemory::expect_all() {
    if (!any_left_for_good_.load(std::memory_order_relaxed)) {
        return;
    }
    any_left_for_good_.store(false, std::memory_order_relaxed);
    for (int member = 0; member < members_; ++member) {
        if (status(member).left_for_good.load(std::memory_order_relaxed)) {
            status(member).left_for_good.store(false, std::memory_order_relaxed);
        }
    }
}

std::optional<CallHistory> history_of(const SharedMemory& memory, Sequence sequence, int member) {
    if (sequence == Sequence::blocking) {
        // Acquire: pairs with the release of a member that enters; its record of that call came before.
        const std::uint64_t progress = memory.board(member).progress.observe();
        return memory.status(member).log.read(progress / 2);
    }
    const Channels* const channels = memory.channels_if_any();
    if (channels == nullptr) {
        return CallHistory();
    }
    return channels->starts(sequence, member).calls.read();
}

std::uint64_t last_blocking(const SharedMemory& memory, int member) {
    const std::optional<CallHistory> own = history_of(memory, Sequence::blocking, member);
    return own ? own->last() : 0;
}

} // namespace tutti::library
