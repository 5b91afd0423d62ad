// Random interleavings of the runner.

#include "../test.hpp"
#include "interleaving.hpp"
#include "mailbox/mailbox.hpp"
#include "plan/plan.hpp"
#include "run/word_exchange.hpp"
#include "schedule/synchronise.hpp"

namespace tutti::test {

namespace {

using algorithm::Algorithm;

constexpr int most_ranks = 5;
constexpr long interleavings_of_row = reduced ? 1'000 : 10'000;
/// Those of PCT.
constexpr long priorities_of_row = reduced ? 100 : 1'000;
constexpr std::size_t most_in_flight = 8;
/// How often a program is run before there is another.
constexpr long runs_per_program = 25;

/// The calls between the calls of a row: some that make everybody wait for everybody and some that do not, by
/// way of the mailbox and not.
Calls others(int ranks) {
    Calls calls;
    for (const auto& [collective, name] : {std::pair{Collective::barrier, "dissemination"},
                                           {Collective::broadcast, "flat"},
                                           {Collective::reduce, "flat"},
                                           {Collective::allreduce, "flat"},
                                           {Collective::allreduce, "direct"},
                                           {Collective::scan, "direct"}}) {
        for (auto& call : calls_of(*algorithm::find(collective, name), ranks)) {
            calls.push_back(std::move(call));
        }
    }
    return calls;
}

Program draw(const Calls& calls, const Calls& between, int ranks, std::size_t operations, Random& random) {
    Program program(ranks);
    for (std::size_t operation = 0; operation < operations; ++operation) {
        const Calls& from = operation != operations / 2 && random.one_in(4) ? between : calls;
        program.add(*from[random.below(from.size())]);
    }
    program.finish();
    return program;
}

/// So many interleavings of the row among `ranks` members; half of them of depth 2 and of 3 if they are
/// PCT's.
void interleave(const Algorithm& row, int ranks, long interleavings, bool by_priorities) {
    const Calls calls = calls_of(row, ranks);
    const Calls between = others(ranks);
    constexpr unsigned more = 6; // of which operations that synchronise use four
    Interleaving few_sets(ranks, 2);
    Interleaving more_sets(ranks, more);
    Interleaving in_flight(ranks, 2, most_in_flight);
    for (std::uint64_t seed = 1; interleavings > 0; ++seed) {
        Random random(seed);
        const bool are_in_flight = seed % 8 == 1;
        const bool has_few = seed % 2 == 0;
        Interleaving& interleaving = are_in_flight ? in_flight : has_few ? few_sets : more_sets;
        // The first set is used again, and once more where there are few; in some channels in flight.
        const std::size_t operations = are_in_flight ? 2 * most_in_flight + 3 : has_few ? 5 : more + 2;
        Program program = draw(calls, between, ranks, operations, random);
        if (!are_in_flight) { // as members do that try algorithms
            const std::size_t at = 1 + random.below(operations - 1);
            interleaving.meet(at, random.below(at));
        }
        for (long run = 0; run < runs_per_program && interleavings > 0; ++run, --interleavings) {
            const unsigned depth = by_priorities ? 2 + static_cast<unsigned>(run % 2) : 0;
            const Outcome outcome = interleaving.run(program, random, depth);
            REQUIRE_MESSAGE(outcome.what == Outcome::What::fine, Interleaving::text(program, outcome),
                            program.name());
        }
    }
}

} // namespace

TEST_CASE("a member that enters a call wakes the others once, also if it publishes at once") {
    struct Bell {
        int rings = 0;
        void notify_if_needed() noexcept { ++rings; }
    };
    using RungMailbox = mailbox::BasicMailbox<mailbox::Slot, mailbox::StdWord, Bell>;
    constexpr int ranks = 2;
    constexpr unsigned sets = 2;
    const int slots_of_operation = plan::slots_per_operation(ranks);
    for (const Collective collective : {Collective::allgather, Collective::broadcast, Collective::reduce}) {
        for (const auto& call : calls_of(*algorithm::find(collective, "flat"), ranks)) {
            for (const bool must_wait : {false, true}) {
                std::vector<mailbox::Slot> slots(ranks * sets * static_cast<std::size_t>(slots_of_operation));
                std::vector<mailbox::StagingBuffer> stages(ranks * sets);
                std::vector<RungMailbox::Board> boards(ranks);
                const mailbox::StdWord failed;
                const RungMailbox mailbox(slots.data(), slots_of_operation, sets, stages.data(),
                                          boards.data(), failed);
                Program program = Program::repeated(*call, 1);
                run::Cursor cursor;
                cursor.must_wait_for_slots = must_wait;
                run::Bindings bindings;
                bindings.reserve(call->prepared(0));
                bindings.bind(call->prepared(0), program.input(0, 0), program.output(0, 0),
                              call->order_operator().state);
                run::Runner<RungMailbox> runner(mailbox, cursor, call->prepared(0), bindings);
                runner.advance(1);
                CHECK_MESSAGE(boards.front().event.rings == 1, call->name());
            }
        }
    }
}

TEST_CASE("every row keeps its promises in random interleavings of its calls") {
    for (const Algorithm& row : algorithm::registry()) {
        std::vector<int> sizes(most_ranks);
        std::iota(sizes.begin(), sizes.end(), 1);
        std::erase_if(sizes, [&](int ranks) { return !takes(row, ranks); });
        for (const int ranks : sizes) {
            interleave(row, ranks, interleavings_of_row / std::ssize(sizes), false);
            interleave(row, ranks, priorities_of_row / std::ssize(sizes), true);
        }
    }
}

} // namespace tutti::test

namespace tutti::run {

namespace {

TEST_CASE("an exchange that has gone on is that of the next operation") {
    constexpr int members = 3;
    const auto synchronised = schedule::synchronise(
        algorithm::find(Collective::allreduce, "flat")->make(members, 0), schedule::Protocol::eager);
    for (unsigned sets = 2; sets <= mailbox::most_sets; ++sets) {
        for (int rank = 0; rank < members; ++rank) {
            Prepared prepared;
            prepared.owned_plan = std::make_shared<const OwnPlan>(plan::compile(synchronised, rank));
            prepared.plan = &prepared.owned_plan->plan;
            prepared.digests = {.digest = 0x123456789abcdef, .fingerprint = 0xabcde};
            prepared.synchronises = true;
            prepared.set_words(sizeof(std::uint64_t));
            REQUIRE(prepared.exchanges_words);

            std::vector<mailbox::Slot> slots(static_cast<std::size_t>(members) * sets * 2);
            std::vector<mailbox::Board> boards(members);
            const mailbox::StdWord failed;
            const mailbox::Mailbox mailbox(slots.data(), 2, sets, nullptr, boards.data(), failed);
            Cursor cursor;
            cursor.history = 0xfedcba9876543210;
            WordExchange<mailbox::Mailbox> next(mailbox, cursor, prepared);
            for (unsigned operation = 0; operation < 2 * sets; ++operation) {
                next.prepare_next(cursor);
                CHECK_FALSE(next.is_at(cursor));
                cursor.go_to_next(prepared, mailbox);
                CHECK(next.is_at(cursor));
                CHECK(next == WordExchange<mailbox::Mailbox>(mailbox, cursor, prepared));
                CHECK_FALSE(cursor.must_wait_for_slots);
            }
        }
    }
}

} // namespace

} // namespace tutti::run
