#include "explore.hpp"
#include "model_slot.hpp"

#include <cstdint>

namespace tutti::model {

namespace {

/// An exchange of words that travel in the slots, several times back to back. Nobody says that it has read
/// them: the slots of an operation are used again by the operation after the next, which nobody enters before
/// everybody has left the one before.
///
/// `looked_at` is the number of cells that a reader makes sure of before it takes all words.
template <class Cell, int members, int operations, int words, Waits waits = Waits::parks,
          unsigned parities = 2, int looked_at = words>
struct Carried
    : rl::test_suite<Carried<Cell, members, operations, words, waits, parities, looked_at>, members> {
    ModelSlot<Cell, waits> slots[std::size_t{members}][parities];

    static std::uint64_t value(int member, unsigned operation, int word) {
        return 100 * (operation + 1) + 10 * static_cast<std::uint64_t>(member) +
               static_cast<std::uint64_t>(word);
    }

    void thread(unsigned index) {
        const int member = static_cast<int>(index);
        for (unsigned operation = 0; operation < operations; ++operation) {
            const std::uint64_t epoch = 1 + operation;
            std::uint64_t mine[std::size_t{words}];
            for (int word = 0; word < words; ++word) {
                mine[word] = value(member, operation, word);
            }
            slots[member][operation % parities].publish(epoch, mine, words);
            for (int step = 1; step < members; ++step) {
                const int peer = (member + step) % members;
                auto& theirs = slots[peer][operation % parities];
                theirs.await(epoch, looked_at);
                for (int word = 0; word < words; ++word) {
                    RL_ASSERT(theirs.word(word) == value(peer, operation, word));
                }
            }
        }
    }
};

using AsWritten = Portable<as_written>;

} // namespace

TEST_CASE("carried words, two members") {
    passes<Carried<AsWritten, 2, 2, 1, Waits::spins>>("carried, 2 members, 2 operations, 1 word, spinning");
    passes<Carried<AsWritten, 2, 4, 1>>("carried, 2 members, 4 operations, 1 word");
    passes<Carried<AsWritten, 2, 4, 2>>("carried, 2 members, 4 operations, 2 words", {6});
    passes<Carried<Portable<as_written, Words::relaxed>, 2, 3, 1>>(
        "carried, 2 members, 3 operations, 1 word, relaxed words", {5});
    passes<Carried<Wide<as_written>, 2, 4, 1>>("carried, 2 members, 4 operations, 1 word, wide cells", {6});
    passes<Carried<Wide<as_written>, 2, 3, 2>>("carried, 2 members, 3 operations, 2 words, wide cells", {4});
}

TEST_CASE("carried words, three members") {
    passes<Carried<AsWritten, 3, 2, 1>>("carried, 3 members, 2 operations, 1 word", {3});
    passes<Carried<AsWritten, 3, 3, 2>>("carried, 3 members, 3 operations, 2 words", {2});
    passes<Carried<AsWritten, 3, 4, 1>>("carried, 3 members, 4 operations, 1 word", {2});
    passes<Carried<Wide<as_written>, 3, 3, 1>>("carried, 3 members, 3 operations, 1 word, wide cells", {2});
}

TEST_CASE("carried words need the release and the acquire") {
    caught<Carried<Portable<publish_relaxed>, 2, 1, 1>>("carried, publish relaxed",
                                                        rl::test_result_data_race);
    caught<Carried<Portable<observe_relaxed>, 2, 1, 1>>("carried, observe relaxed",
                                                        rl::test_result_data_race);
    caught<Carried<Portable<publish_relaxed, Words::relaxed>, 2, 1, 1>>(
        "carried, publish relaxed, relaxed words", rl::test_result_user_assert_failed);
    caught<Carried<Portable<observe_relaxed, Words::relaxed>, 2, 1, 1>>(
        "carried, observe relaxed, relaxed words", rl::test_result_user_assert_failed);
    caught<Carried<Wide<publish_relaxed>, 2, 1, 1>>("carried, publish relaxed, wide cells",
                                                    rl::test_result_data_race);
    caught<Carried<Wide<observe_relaxed>, 2, 1, 1>>("carried, observe relaxed, wide cells",
                                                    rl::test_result_data_race);
}

TEST_CASE("carried words need two sets of slots") {
    caught<Carried<AsWritten, 2, 2, 1, Waits::parks, 1>>("carried, one set of slots",
                                                         rl::test_result_user_assert_failed);
    caught<Carried<Wide<as_written>, 2, 2, 1, Waits::parks, 1>>("carried, one set of slots, wide cells",
                                                                rl::test_result_user_assert_failed);
}

// The first cell is written last, so it vouches for the others: their own releases and the looks at their
// tags could go. They stay, since the others are the same cells written in the same way, and cost nothing on
// x86.
TEST_CASE("the first cell vouches for the others") {
    passes<Carried<AsWritten, 2, 3, 2, Waits::parks, 2, 1>>(
        "carried, 2 members, 3 operations, 2 words, one look");
}

} // namespace tutti::model
