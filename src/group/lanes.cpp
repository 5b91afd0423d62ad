#include "group/lanes.hpp"

#include "group/mailbox_pages.hpp"

#include <type_traits>

namespace tutti::execute {

namespace {

/// An operation's messages may still be read when the next one on its lane starts: one set for each.
constexpr unsigned lane_sets = 2;

/// Of the word that shows a standstill: a group has at most 65535 members.
constexpr unsigned member_bits = 16;
constexpr unsigned sequence_bits = 2;

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

void Lanes::show(int member, const Standstill& standstill) {
    const auto sequence = static_cast<std::uint64_t>(standstill.sequence);
    const auto other = static_cast<std::uint64_t>(standstill.waits_for);
    // Release: who sees it sees all calls that the member has made before.
    starts(Sequence::started, member)
        .standstill.publish((standstill.number << sequence_bits | sequence) << member_bits | other);
}

Standstill Lanes::standstill(int member) const {
    const std::uint64_t word = starts(Sequence::started, member).standstill.observe(); // pairs with show()
    const std::uint64_t call = word >> member_bits;
    return {static_cast<Sequence>(call & ((1U << sequence_bits) - 1)), call >> sequence_bits,
            static_cast<int>(word & ((1U << member_bits) - 1))};
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
