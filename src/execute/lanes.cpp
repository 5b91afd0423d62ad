#include "execute/lanes.hpp"

#include "execute/mailbox_pages.hpp"

#include <type_traits>

namespace tutti::execute {

namespace {

/// An operation's messages may still be read when the next one on its lane starts: one set for each.
constexpr unsigned lane_sets = 2;

static_assert(std::is_trivially_destructible_v<Starts>, "they live in pages that are just given back");

} // namespace

Lane::Lane(int members, const mailbox::StdWord& failed, mailbox::Doorbell& bell)
    : pages_(mailbox_bytes(members, lane_sets)),
      mailbox_(mailbox_in(pages_.data(), members, lane_sets, failed), bell) {}

Lanes::Lanes(int members, const mailbox::StdWord& failed)
    : members_(members), failed_(failed),
      starts_pages_(2 * static_cast<std::size_t>(members) * sizeof(Starts)),
      starts_(reinterpret_cast<Starts*>(starts_pages_.data())) {}

Lane& Lanes::started(std::size_t index) {
    const std::scoped_lock lock(mutex_);
    if (started_[index] == nullptr) {
        started_[index] = std::make_unique<Lane>(members_, failed_, bell_);
    }
    return *started_[index];
}

Lane& Lanes::prepared(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Lane>& lane = prepared_[number].lane;
    if (lane == nullptr) {
        lane = std::make_unique<Lane>(members_, failed_, bell_);
    }
    return *lane;
}

void Lanes::drop_prepared(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    const auto found = prepared_.find(number);
    if (++found->second.dropped == members_) {
        prepared_.erase(found);
    }
}

} // namespace tutti::execute
