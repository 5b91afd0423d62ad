#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "mailbox/mailbox.hpp"
#include "plan/plan.hpp"
#include "run/word_exchange.hpp"
#include "schedule/synchronise.hpp"

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
            REQUIRE(prepared.plan->exchanges_once);

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
                cursor.go_to_next(prepared, sets);
                CHECK(next.is_at(cursor));
                CHECK(next == WordExchange<mailbox::Mailbox>(mailbox, cursor, prepared));
                CHECK_FALSE(cursor.must_wait_for_slots);
            }
        }
    }
}

} // namespace

} // namespace tutti::run
