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

namespace tutti::execute {

/// What a member shows of the calls that it has started, or prepared.
struct alignas(paired_lines_bytes) Starts {
    StartLog log;
    /// How many there have been.
    mailbox::StdWord count;
    /// Of those started: a Standstill of the member's, in whichever sequence.
    mailbox::StdWord standstill;
};

/// A member that can do nothing before another one has made a call. It is true until that has made it, so
/// that nobody takes it back.
struct Standstill {
    Sequence sequence = Sequence::blocking;
    std::uint64_t number = 0;
    int waits_for = 0;
};

/// A mailbox for one operation at a time: operations that are in flight together have a lane each, so that
/// none waits for another.
class Lane {
public:
    /// `failed` is not 0 once the group has failed; `bell` rings whenever a member shows something.
    Lane(int members, const mailbox::StdWord& failed, mailbox::Doorbell& bell);

    const mailbox::LaneMailbox& mailbox() const { return mailbox_; }

private:
    ZeroPages pages_;
    mailbox::LaneMailbox mailbox_;
};

/// The lanes of a group, each made on first use.
class Lanes {
public:
    /// Started operations take these in turn, whatever becomes of those before.
    static constexpr std::size_t in_turn = 64;

    Lanes(int members, const mailbox::StdWord& failed);

    Lane& started(std::size_t index);

    /// The lane of the operation that every member has prepared as its `number`-th, which lasts until all
    /// have dropped it.
    Lane& prepared(std::uint64_t number);
    void drop_prepared(std::uint64_t number);

    Starts& starts(Sequence sequence, int member) const {
        return starts_[2 * member + (sequence == Sequence::prepared ? 1 : 0)];
    }

    /// By the member.
    void show(int member, const Standstill& standstill);
    /// The last one that a member has shown, of number 0 if none.
    Standstill standstill(int member) const;

    /// Rings whenever a member shows something in any lane.
    mailbox::Doorbell& bell() { return bell_; }

private:
    struct Prepared {
        std::unique_ptr<Lane> lane;
        int dropped = 0;
    };

    int members_;
    const mailbox::StdWord& failed_;
    alignas(paired_lines_bytes) mailbox::Doorbell bell_;
    alignas(paired_lines_bytes) std::mutex mutex_;
    std::array<std::unique_ptr<Lane>, in_turn> started_;
    std::map<std::uint64_t, Prepared> prepared_;
    ZeroPages starts_pages_;
    Starts* starts_;
};

} // namespace tutti::execute
