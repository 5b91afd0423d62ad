#pragma once

#include "../std.hpp"
#include "mailbox/mailbox.hpp"

namespace tutti::test {

/// Lets other members go on while one is in the middle of something.
class Interrupts {
public:
    virtual void interrupt() noexcept = 0;

protected:
    ~Interrupts() = default;
};

/// The visibility of the words of a mailbox, on one thread: every publication has its number, and a member
/// sees everything up to some number and nothing after that. So a publication becomes visible late, and to
/// every member at another time, but never before its publisher's earlier actions and sights: as with release
/// and acquire.
struct Sight {
    /// The number of the last thing published.
    static inline std::uint64_t now = 0;
    /// Up to where the member sees that is at work.
    static inline std::uint64_t horizon = 0;
    /// Asked after everything that is published, and after every look.
    static inline Interrupts* interrupts = nullptr;
};

/// The value of a word, and the one before the last write, for members that do not see the latter yet.
class Delayed {
public:
    void publish(std::uint64_t value) noexcept {
        before_ = value_;
        number_before_ = number_;
        value_ = value;
        number_ = ++Sight::now;
        Sight::interrupts->interrupt();
    }

    std::uint64_t observe() const noexcept {
        const std::uint64_t seen = look();
        Sight::interrupts->interrupt();
        return seen;
    }

private:
    std::uint64_t look() const noexcept {
        if (number_ <= Sight::horizon) {
            return value_;
        }
        if (number_before_ > Sight::horizon) { // nothing older is kept
            Sight::horizon = number_before_;
        }
        return before_;
    }

    std::uint64_t value_ = 0;
    std::uint64_t before_ = 0;
    std::uint64_t number_ = 0;
    std::uint64_t number_before_ = 0;
};

/// mailbox::PortableCell so. The word is the latest one, whichever tag is seen: nothing but the rule of reuse
/// keeps a reader from seeing one that came later.
class DelayedCell {
public:
    void publish(std::uint64_t word, std::uint64_t tag) noexcept {
        word_ = word;
        tag_.publish(tag);
    }
    std::uint64_t tag() const noexcept { return tag_.observe(); }
    std::uint64_t word() const noexcept { return word_; }

private:
    std::uint64_t word_ = 0;
    Delayed tag_;
};

/// Nobody sleeps.
struct NoBell {
    void notify_if_needed() noexcept {}
};

using DelayedMailbox = mailbox::BasicMailbox<mailbox::BasicSlot<DelayedCell>, Delayed, NoBell>;

} // namespace tutti::test
