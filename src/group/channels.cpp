#include "group/channels.hpp"

#include "group/mailbox_pages.hpp"
#include "plan/plan.hpp"

#include <tutti/detail/bit_field.hpp>

namespace tutti::engine {

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
    const std::scoped_lock lock(mutex_);
    const auto found = persistent_.find(number);
    if (++found->second.dropped == members_) {
        persistent_.erase(found);
    }
}

} // namespace tutti::engine
