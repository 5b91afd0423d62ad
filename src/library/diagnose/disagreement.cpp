#include "diagnose/disagreement.hpp"

#include "algorithm/registry.hpp"
#include "group/shared_memory.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace tutti::library {

namespace {

std::string named(int member) {
    return "member " + std::to_string(member);
}

/// The last operations of the two, of those that differ each one's own, and the first of these marked;
/// nothing if it is the only one.
std::string side_by_side(const Caller& own, const Caller& theirs, std::uint64_t difference) {
    constexpr std::uint64_t most_lines = 16;
    constexpr std::uint64_t most_after = 4;
    const std::uint64_t first_known = std::max(own.calls->first(), theirs.calls->first());
    const std::uint64_t last_known = std::max(own.calls->last(), theirs.calls->last());
    if (first_known == last_known) {
        return "";
    }
    const std::uint64_t last = std::min(last_known, difference + most_after);
    const std::uint64_t first = std::max(first_known, last - std::min(last, most_lines - 1));
    std::string text;
    for (std::uint64_t number = first; number <= last;) {
        // Those that are repeated share a line, before the difference.
        std::uint64_t end = number + 1;
        while (end < difference && own.calls->signature(end) == own.calls->signature(number)) {
            ++end;
        }
        const std::string numbers =
            std::to_string(number) + (end > number + 1 ? "-" + std::to_string(end - 1) : "");
        const auto line = [&](const std::string& who, const CallHistory& calls) {
            text.append(number == difference ? "\n> " : "\n  ").append(numbers).append(" ").append(who);
            text.append(": ").append(calls.signature(number).describe());
        };
        if (number < difference) {
            line("both", *own.calls);
        } else {
            for (const Caller& each : {own, theirs}) {
                if (each.knows(number)) {
                    line(each.name(), *each.calls);
                }
            }
        }
        number = end;
    }
    return text;
}

/// A difference that descriptions do not show.
std::string hidden_difference(const CallSignature& one, const CallSignature& other) {
    if (one.counts != other.counts && one.counts != 0 && other.counts != 0 && one.name() == other.name()) {
        return one.is_among_neighbors() ? ", and their graphs differ" : ", and their counts differ";
    }
    return one.describe() == other.describe() ? ", and their operators are different functions" : "";
}

} // namespace

const Words& words_of(Sequence sequence) {
    static constexpr std::array<Words, 3> words{{{"", "calls", "calling"},
                                                 {"started ", "starts", "starting"},
                                                 {"prepared ", "prepares", "preparing"}}};
    return words[static_cast<std::size_t>(sequence)];
}

std::optional<std::string> difference(Sequence sequence, const Caller& own, const Caller& theirs) {
    const std::optional<std::uint64_t> number = first_difference(*own.calls, *theirs.calls);
    if (!number) {
        return std::nullopt;
    }
    return text_of_signatures(sequence, own.rank, theirs.rank, *number, own.calls->signature(*number),
                              theirs.calls->signature(*number), own.noun) +
           side_by_side(own, theirs, *number);
}

std::optional<std::string> difference(const Histories& histories, Sequence sequence, int member, int other) {
    const std::optional<CallHistory> own = histories(sequence, member);
    const std::optional<CallHistory> theirs = histories(sequence, other);
    return own && theirs ? difference(sequence, {member, &*own}, {other, &*theirs}) : std::nullopt;
}

std::string disagreement(const SharedMemory& memory, Sequence sequence, int member, int other) {
    const auto histories = [&memory](Sequence of, int whose) { return history_of(memory, of, whose); };
    // The other may be writing its log, and may go on to do so.
    constexpr int most_looks = 100;
    for (int look = 0; look < most_looks; ++look) {
        if (std::optional<std::string> text = difference(histories, sequence, member, other)) {
            return *text;
        }
        std::this_thread::yield();
    }
    const std::string both = "members " + std::to_string(member) + " and " + std::to_string(other);
    // Relaxed: the words of the mailbox have ordered it.
    if (sequence == Sequence::blocking && memory.status(member).region.load(std::memory_order_relaxed) !=
                                              memory.status(other).region.load(std::memory_order_relaxed)) {
        return both + " make this call in different regions: a member has left and joined again before the "
                      "other has left; all members must make the same calls in each region";
    }
    const std::optional<CallHistory> own = histories(sequence, member);
    const std::optional<CallHistory> theirs = histories(sequence, other);
    if (own && theirs && own->last() != theirs->last()) {
        return both + " have made different calls, " + std::to_string(own->last()) + " and " +
               std::to_string(theirs->last()) + " of them: all members must make the same calls";
    }
    const bool are_complete =
        own && theirs && !own->empty() && !theirs->empty() && own->first() == 1 && theirs->first() == 1;
    if (are_complete && sequence == Sequence::persistent) {
        return both + " have prepared the same calls, but started them different numbers "
                      "of times: all members must start each prepared call equally often";
    }
    if (are_complete && sequence == Sequence::nonblocking) {
        return both + " have started the same calls, but in a different order relative to "
                      "their blocking calls: all members must make the same calls in the "
                      "same order";
    }
    return both + " have made different calls, further back than the last " +
           std::to_string(sequence == Sequence::blocking ? CallLog::most_records : StartLog::most_records) +
           " that differ from the one before: all members must "
           "make the same calls";
}

std::optional<std::string> absence(const Histories& histories, Sequence sequence, int member, int other) {
    const std::optional<CallHistory> own = histories(sequence, member);
    const std::optional<CallHistory> theirs = histories(sequence, other);
    if (!own || own->empty() || !theirs || theirs->last() >= own->last()) {
        return std::nullopt;
    }
    const Words& words = words_of(sequence);
    const std::uint64_t number =
        sequence == Sequence::blocking ? own->last() : std::max(theirs->last() + 1, own->first());
    return named(member) + " is in " + words.adjective + "operation " + std::to_string(number) + ", " +
           own->signature(number).describe() + ", but " + named(other) + " has returned without " +
           words.doing + " it: all members must make the same calls";
}

std::optional<std::string> other_order(const Histories& histories, Sequence sequence, int member, int other) {
    if (sequence == Sequence::persistent) {
        return std::nullopt;
    }
    const Sequence first = sequence == Sequence::blocking ? Sequence::nonblocking : Sequence::blocking;
    // This member is in the last call of `sequence`, and has not made the next one of the other sequence. The
    // other member has made that one: looked at first, since it goes on meanwhile.
    const std::optional<CallHistory> own_first = histories(first, member);
    const std::optional<CallHistory> their_first = histories(first, other);
    const std::optional<CallHistory> own = histories(sequence, member);
    const std::optional<CallHistory> theirs = histories(sequence, other);
    if (!own_first || !their_first || !own || !theirs || own->empty() ||
        their_first->last() <= own_first->last() || theirs->last() >= own->last()) {
        return std::nullopt;
    }
    const auto call = [](int caller, Sequence of, const CallSignature& signature) {
        return named(caller) + " " + words_of(of).does + " " + signature.describe() + " first";
    };
    const std::uint64_t next = std::max(own_first->last() + 1, their_first->first());
    return "members " + std::to_string(member) + " and " + std::to_string(other) +
           " make calls in another order: " + call(member, sequence, own->signature(own->last())) + ", but " +
           call(other, first, their_first->signature(next)) +
           ": all members must make the same calls in the same order, blocking and nonblocking calls alike";
}

std::optional<std::string> wait_for_edge(const SharedMemory& memory, Sequence sequence, std::uint64_t number,
                                         int member, int other) {
    Channels* const channels = memory.channels_if_any();
    if (channels == nullptr) {
        return std::nullopt;
    }
    channels->show(member, {sequence, number, other});
    // First: the calls of the other before it came to wait are then seen below.
    const WaitForEdge theirs = channels->wait_for_edge(other);
    if (theirs.number == 0 || theirs.waits_for != member || theirs.sequence == sequence) {
        return std::nullopt;
    }
    const std::optional<CallHistory> own = history_of(memory, sequence, member);
    const std::optional<CallHistory> their_same = history_of(memory, sequence, other);
    const std::optional<CallHistory> their = history_of(memory, theirs.sequence, other);
    const std::optional<CallHistory> own_same = history_of(memory, theirs.sequence, member);
    if (!own || !their_same || !their || !own_same || their_same->last() >= number ||
        own_same->last() >= theirs.number || own->empty() || own->first() > number || their->empty() ||
        their->first() > theirs.number) {
        return std::nullopt;
    }
    return "members " + std::to_string(member) + " and " + std::to_string(other) +
           " wait for each other: " + named(member) + " " + words_of(sequence).does + " " +
           own->signature(number).describe() + ", but " + named(other) + " " +
           words_of(theirs.sequence).does + " " + their->signature(theirs.number).describe() +
           ": all members must make the same calls in the same form "
           "(blocking, nonblocking or persistent)";
}

std::string text_of_signatures(Sequence sequence, int member, int other, std::uint64_t number,
                               const CallSignature& own, const CallSignature& theirs,
                               const std::string& noun) {
    const Words& words = words_of(sequence);
    const std::string does = std::string(" ") + words.does + " ";
    const std::string place =
        number == 0 ? "" : " at " + std::string(words.adjective) + "operation " + std::to_string(number);
    const std::string first = " " + std::to_string(member);
    const std::string second = " " + std::to_string(other);
    return noun + (noun.ends_with('s') ? "es" : "s") + first + " and" + second + " differ" + place + ": " +
           noun + first + does + own.describe() + ", but " + noun + second + does + theirs.describe() +
           hidden_difference(own, theirs) + ": all members must make the same call with the same arguments";
}

std::string text_of_vectors(run::Fault fault, int member, int peer, const std::string& call) {
    const char* const what =
        fault == run::Fault::shared_output
            ? "`out` is not the same memory: shared() takes the vector that all members share"
        : fault == run::Fault::both_write
            ? "they write to the same memory: each needs a vector of its own for the result; allreduce and "
              "allgather take one for all as tutti::shared(out)"
            : "one writes to memory that the other reads: no member's result may "
              "overlap another member's "
              "vectors";
    return "members " + std::to_string(member) + " and " + std::to_string(peer) + " call " + call + ", but " +
           what;
}

std::string text_of_counts(const CallSignature& signature, int member, int peer,
                           const run::DifferingBlock& block) {
    const Collective collective = algorithm::registry()[signature.row].collective;
    const auto count = [](const char* list, std::size_t index, int of, std::size_t elements) {
        return std::string(list) + "[" + std::to_string(index) + "] of " + named(of) + " is " +
               std::to_string(elements);
    };
    const auto length = [](int of, std::size_t elements) {
        return ", but `block` of " + named(of) + " has " + std::to_string(elements) +
               (elements == 1 ? " element" : " elements");
    };
    const std::string text = std::string(signature.name()) + ": ";
    const detail::CollectiveTraits& traits = detail::traits_of(collective);
    if (traits.scatters()) { // `peer` is the root
        return text + count("counts", block.number_of_sender, peer, block.sent) +
               length(member, block.expected);
    }
    if (traits.gathers()) {
        return text + count("counts", block.number_of_receiver, member, block.expected) +
               length(peer, block.sent);
    }
    return text +
           count(signature.in_place ? "counts" : "recv_counts", block.number_of_receiver, member,
                 block.expected) +
           ", but " +
           count(signature.in_place ? "counts" : "send_counts", block.number_of_sender, peer, block.sent);
}

} // namespace tutti::library
