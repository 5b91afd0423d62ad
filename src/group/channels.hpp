#pragma once

#include "cache_line.hpp"
#include "call/call_log.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/zero_pages.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace tutti::engine {

/// The part of its nonblocking calls, or of its persistent ones, that a member shows.
struct alignas(paired_lines_bytes) Starts {
    StartLog log;
    /// How many there have been.
    mailbox::StdWord count;
    /// For nonblocking calls: how many there were when the member last looked at its operations.
    mailbox::StdWord looked;
    /// For nonblocking calls: a WaitForEdge of the member, in whichever sequence.
    mailbox::StdWord wait_for_edge;
};

/// A member that can do nothing before another member has made a call. This holds until that call is made, so
/// it is never withdrawn.
struct WaitForEdge {
    Sequence sequence = Sequence::blocking;
    std::uint64_t number = 0;
    int waits_for = 0;
};

/// A mailbox for one operation at a time: operations that are outstanding together have a channel each, so
/// that none waits for another.
class Channel {
public:
    /// `failed` is not 0 once the group has failed; `event` is notified whenever a member shows something.
    Channel(int members, const mailbox::StdWord& failed, mailbox::EventCount& event);

    const mailbox::ChannelMailbox& mailbox() const { return mailbox_; }

private:
    ZeroPages pages_;
    mailbox::ChannelMailbox mailbox_;
};

/// The channels of a group, each made on first use.
class Channels {
public:
    /// Nonblocking operations take these in turn, whatever becomes of those before.
    static constexpr std::size_t in_turn = 64;

    Channels(int members, const mailbox::StdWord& failed);

    Channel& nonblocking(std::size_t index);

    /// The channel of the operation that every member has prepared as its `number`-th, which lasts until all
    /// have dropped it.
    Channel& persistent(std::uint64_t number);
    void drop_persistent(std::uint64_t number);

    Starts& starts(Sequence sequence, int member) const {
        return starts_[2 * member + (sequence == Sequence::persistent ? 1 : 0)];
    }

    /// By the member.
    void show(int member, const WaitForEdge& wait_for_edge);
    /// The last one that a member has shown, of number 0 if none.
    WaitForEdge wait_for_edge(int member) const;

    /// Notified when a member publishes something in any channel.
    mailbox::EventCount& event() { return event_; }

private:
    struct PersistentChannel {
        std::unique_ptr<Channel> channel;
        int dropped = 0;
    };

    int members_;
    const mailbox::StdWord& failed_;
    alignas(paired_lines_bytes) mailbox::EventCount event_;
    alignas(paired_lines_bytes) std::mutex mutex_;
    std::array<std::unique_ptr<Channel>, in_turn> nonblocking_;
    std::map<std::uint64_t, PersistentChannel> persistent_;
    ZeroPages starts_pages_;
    Starts* starts_;
};

} // namespace tutti::engine
