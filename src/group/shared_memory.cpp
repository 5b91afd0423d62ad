#include "group/shared_memory.hpp"

#include "group/mailbox_pages.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::engine {

SharedMemory::SharedMemory(int members, const mailbox::StdWord& failed)
    : members_(members), failed_(failed), pages_(group_bytes(members)),
      mailbox_(mailbox_in(pages_.data(), members, mailbox::most_sets, failed)),
      statuses_(objects_in<MemberStatus>(pages_.data() + mailbox_bytes(members, mailbox::most_sets))),
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

} // namespace tutti::engine
