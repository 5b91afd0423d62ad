// Ways to store, and the kinds of calls that groups explore.

#include "../test.hpp"
#include "choose/exploration.hpp"
#include "choose/select.hpp"

using namespace tutti;
using library::StorePolicy;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// With the profile of the family: of eight CPUs with a core and an L2 cache each, and one L3.
StorePolicy caches_of(const char* model, std::size_t l2_bytes, std::size_t l3_bytes, int family = 0) {
    machine::Machine machine;
    for (int cpu = 0; cpu < 8; ++cpu) {
        machine.pus.push_back({.os_index = cpu, .core = cpu, .smt = 0, .l2 = cpu, .l3 = 0});
    }
    machine.l2_bytes = l2_bytes;
    machine.l3_bytes = l3_bytes;
    machine.model = model;
    machine.vendor = machine.model.starts_with("AMD") ? "AuthenticAMD" : "GenuineIntel";
    machine.family = family;
    return {machine, machine::family_thresholds(machine)};
}

detail::Call sum_of_doubles(Collective collective) {
    return {
        .collective = collective, .type = Type::f64, .op = Operator::sum, .element_bytes = sizeof(double)};
}

} // namespace

TEST_CASE("an operation touches the vectors that its members have") {
    CHECK(library::touched_bytes(Collective::allreduce, 100, 4) == 800);
    CHECK(library::touched_bytes(Collective::reduce, 100, 4) == 500);
    CHECK(library::touched_bytes(Collective::gather, 100, 4) == 200);
}

TEST_CASE("where lines come back one by one, only the shortest vectors of others are written through") {
    const StorePolicy caches = caches_of("AMD EPYC", 1 * mib, 32 * mib);
    CHECK_FALSE(caches.streams_to_others(8 * kib, 2));
    CHECK(caches.streams_to_others(16 * kib, 2));
    CHECK_FALSE(caches.streams_to_own(Collective::alltoall, 31 * mib, 8));
    CHECK(caches.streams_to_own(Collective::alltoall, 32 * mib, 8));
    CHECK_FALSE(caches.pushes(31 * mib));
    CHECK(caches.pushes(32 * mib));
    CHECK(caches.pulls_between_two(16 * kib));
    CHECK_FALSE(caches.pulls_between_two(17 * kib));
}

TEST_CASE(
    "inputs stay unread where the next store to a line that others have read is known to cost something") {
    const algorithm::Algorithm& push = *algorithm::find(Collective::alltoall, "push");
    const algorithm::Algorithm& direct = *algorithm::find(Collective::alltoall, "direct");
    const StorePolicy caches = caches_of("AMD EPYC", 1 * mib, 32 * mib);
    library::Selection::Input size{.message_bytes = 16 * kib, .members = 2};
    for (const auto& [cpus, least] : {std::pair{2, 16 * kib}, std::pair{1, 128 * kib}}) {
        size.cpus = cpus;
        size.touched_bytes = least - 1;
        CHECK_FALSE(caches.leaves_unread(size));
        CHECK(caches.rewrite_ns(direct, size) == 0);
        size.touched_bytes = least;
        CHECK(caches.leaves_unread(size));
    }
    CHECK(caches.rewrite_ns(push, size) == 0);
    CHECK(caches.rewrite_ns(direct, size) == 256 * caches.profile().plain_line_ns);
    const StorePolicy unknown = caches_of("Intel Xeon", 2 * mib, 480 * mib);
    CHECK_FALSE(unknown.leaves_unread(size));
    CHECK(unknown.rewrite_ns(direct, size) == 0);
}

TEST_CASE("where string moves take lines over, others' vectors are moved until the L3 is full") {
    const StorePolicy caches = caches_of("AMD EPYC", 1 * mib, 32 * mib, 26);
    CHECK_FALSE(caches.moves_to_others(15 * kib, 2));
    CHECK(caches.moves_to_others(16 * kib, 2));
    CHECK_FALSE(caches.streams_to_others(31 * mib, 2));
    CHECK_FALSE(caches.moves_to_others(32 * mib, 2));
    CHECK(caches.streams_to_others(32 * mib, 2));
    CHECK_FALSE(caches.pushes(2 * mib));
    CHECK(caches.pushes(3 * mib));
}

TEST_CASE(
    "two members that combine store past the caches where the profile says so, however cheap moves are") {
    const StorePolicy zen5 = caches_of("AMD EPYC", 1 * mib, 32 * mib, 26);
    CHECK(zen5.moves_to_others(16 * kib, 2));
    CHECK_FALSE(zen5.streams_combined(Collective::reduce, 15 * kib, 2));
    CHECK(zen5.streams_combined(Collective::reduce, 16 * kib, 2));
    CHECK(zen5.streams_combined(Collective::scan, 16 * kib, 3));
    CHECK_FALSE(zen5.streams_combined(Collective::reduce, 16 * kib, 3));
    CHECK_FALSE(zen5.streams_combined(Collective::exscan, 16 * kib, 2)); // nothing is combined
    CHECK_FALSE(zen5.streams_combined(Collective::broadcast, 16 * kib, 2));
    machine::Thresholds measured = zen5.profile();
    measured.stream_combined_bytes = 0;
    CHECK_FALSE(StorePolicy(machine::Machine{}, measured).streams_combined(Collective::reduce, 1 * mib, 2));
}

TEST_CASE("the cheapest way to write a line of another CPU is taken, past the caches if that gains a fifth") {
    const auto caches = [](double plain_ns, double moved_ns, double streamed_ns) {
        machine::Thresholds profile = machine::family_thresholds(machine::Machine{});
        profile.plain_line_ns = plain_ns;
        profile.moved_line_ns = moved_ns;
        profile.streamed_line_ns = streamed_ns;
        return StorePolicy(machine::Machine{}, profile);
    };
    CHECK(caches(8, 2, 1.7).moves_to_others(1 * mib, 2));
    CHECK(caches(8, 2, 1.5).streams_to_others(1 * mib, 2));
    CHECK_FALSE(caches(8, 2, 1.5).moves_to_others(1 * mib, 2));
    CHECK(caches(8, 0, 1.5).streams_to_others(1 * mib, 2)); // nobody knows of moves
    CHECK_FALSE(caches(2, 3, 1.9).moves_to_others(1 * mib, 2));
    CHECK_FALSE(caches(10.5, 9.7, 9.2).moves_to_others(1 * mib, 2)); // no gain worth it
    CHECK_FALSE(caches(2, 3, 1.9).streams_to_others(1 * mib, 2));
    CHECK_FALSE(caches(0, 1, 1).moves_to_others(1 * mib, 2)); // nobody knows of anything
}

TEST_CASE("where the L2 caches are large, they and not the L3 are the caches") {
    const StorePolicy caches = caches_of("Intel Xeon", 2 * mib, 480 * mib);
    CHECK_FALSE(caches.streams_to_own(Collective::alltoall, 9 * mib, 2));
    CHECK(caches.streams_to_own(Collective::alltoall, 10 * mib, 2));
    CHECK_FALSE(caches.streams_to_own(Collective::alltoall, 10 * mib, 4));
    CHECK(caches.streams_to_own(Collective::alltoall, 40 * mib, 64)); // of eight caches
    CHECK_FALSE(caches.streams_to_own(Collective::reduce, 5 * mib, 2));
    CHECK(caches.streams_to_own(Collective::reduce, 6 * mib, 2));
    CHECK_FALSE(caches.streams_to_own(Collective::broadcast, 23 * mib, 2));
    CHECK(caches.streams_to_own(Collective::broadcast, 24 * mib, 2));
    CHECK_FALSE(caches.streams_to_others(5 * mib, 2));
    CHECK(caches.streams_to_others(6 * mib, 2));
    CHECK(caches.pushes(4 * mib));
    CHECK_FALSE(caches.pushes(3 * mib));
    CHECK(caches.fetches_results(512 * kib, 4, 2));
    CHECK(caches.fetches_results(5 * mib, 4, 2));
    CHECK_FALSE(caches.fetches_results(512 * kib, 3, 2));
    CHECK_FALSE(caches.fetches_results(511 * kib, 4, 2));
    CHECK_FALSE(caches.fetches_results(6 * mib, 4, 2)); // they are streamed
    CHECK(caches.pulls_between_two(256 * kib));
    CHECK_FALSE(caches.pulls_between_two(257 * kib));
}

TEST_CASE("small L2 caches do not count, and a machine that tells of no L3 has one all the same") {
    const StorePolicy small = caches_of("Intel Core", 256 * kib, 8 * mib);
    CHECK_FALSE(small.streams_to_own(Collective::alltoall, 7 * mib, 8));
    CHECK(small.streams_to_own(Collective::alltoall, 8 * mib, 8));
    CHECK_FALSE(small.streams_to_others(128 * kib, 2));
    const StorePolicy client = caches_of("Intel Core", 2 * mib, 36 * mib);
    CHECK_FALSE(client.streams_to_others(12 * mib, 2));
    CHECK_FALSE(client.pushes(1 * mib));
    const StorePolicy unknown(machine::Machine{}, machine::family_thresholds(machine::Machine{}));
    CHECK_FALSE(unknown.streams_to_own(Collective::alltoall, 1 * mib, 2));
    CHECK(unknown.streams_to_own(Collective::alltoall, 32 * mib, 2));
    CHECK(unknown.pushes(32 * mib));
}

TEST_CASE("members that occupy several L3 caches fill all of them") {
    const StorePolicy caches = caches_of("AMD EPYC", 1 * mib, 32 * mib);
    CHECK_FALSE(caches.streams_to_own(Collective::alltoall, 63 * mib, 8, 2));
    CHECK(caches.streams_to_own(Collective::alltoall, 64 * mib, 8, 2));
    CHECK_FALSE(caches.pushes(127 * mib, 4));
    CHECK(caches.pushes(128 * mib, 4));
    const StorePolicy client = caches_of("Intel Core", 2 * mib, 36 * mib);
    CHECK_FALSE(client.streams_to_others(71 * mib, 2, 2));
    CHECK(client.streams_to_others(72 * mib, 2, 2));
    const StorePolicy small_l3 = caches_of("Intel Xeon", 2 * mib, 8 * mib);
    CHECK(small_l3.streams_to_own(Collective::alltoall, 8 * mib, 8, 1));
    CHECK_FALSE(small_l3.streams_to_own(Collective::alltoall, 15 * mib, 8, 2));
    CHECK(small_l3.streams_to_own(Collective::alltoall, 16 * mib, 8, 2));
    CHECK(small_l3.streams_to_own(Collective::alltoall, 48 * mib, 8, 8)); // the L2 caches are full before
}

TEST_CASE("candidates that store to others do so in different ways, in broadcasts as well") {
    for (const Collective collective : {Collective::broadcast, Collective::gather, Collective::scan}) {
        detail::Call call = sum_of_doubles(collective);
        call.in_place = collective == Collective::broadcast;
        const std::size_t bytes = std::size_t{4} << 20U;
        const library::Selection::Input size{.message_bytes = bytes,
                                             .total_bytes = bytes,
                                             .touched_bytes = library::touched_bytes(collective, bytes, 2),
                                             .in_place = call.in_place,
                                             .members = 2,
                                             .cpus = 2};
        const auto all = library::candidates(call, size, {}, library::TrialTimes::most_candidates);
        const std::size_t direct = algorithm::index_of(*algorithm::find(collective, "direct"));
        std::vector<library::WaysToStore> ways;
        for (const library::Selection& each : all) {
            if (each.row == direct) {
                ways.push_back(library::StorePolicy::here().ways_to_store(each.stores, collective, size));
                CHECK(std::ranges::count(ways, ways.back()) == 1);
            }
        }
        const bool try_plain = !library::StorePolicy::here().leaves_unread(size);
        CHECK(std::ranges::count(ways, library::WaysToStore{}) == (try_plain ? 1 : 0)); // through the caches
        CHECK(ways.size() >= 2);
    }
}

TEST_CASE(
    "what needs one pass is explored apart from what does not, and does not become an entry of a table") {
    const auto kind_of = [](Type type, Operator op) {
        const detail::Call call{.collective = Collective::allreduce, .type = type, .op = op};
        const std::size_t bytes = std::size_t{1} << 20U;
        return *library::explored_kind(call, {.message_bytes = bytes, .total_bytes = bytes, .members = 4});
    };
    const library::Learnt::Kind rounded = kind_of(Type::bf16, Operator::sum);
    CHECK(rounded != kind_of(Type::f32, Operator::sum));
    CHECK(rounded == kind_of(Type::f16, Operator::prod));
    CHECK(kind_of(Type::bf16, Operator::max) == kind_of(Type::f32, Operator::max));
    // A scan of 16-bit numbers copies its first operand, and that of an operator which accumulates does not.
    detail::Call scan{.collective = Collective::scan, .type = Type::bf16, .op = Operator::sum};
    const library::Selection::Input size{.message_bytes = 20000, .total_bytes = 20000, .members = 2};
    const auto copies = library::explored_kind(scan, size);
    scan.type = Type::f32;
    scan.op = Operator::callable;
    scan.one_pass_operator = true;
    CHECK(library::explored_kind(scan, size) != copies);
    CHECK_FALSE(library::Learnt{.kind = rounded, .entry = {}}.has_entry());
    CHECK(library::Learnt{.kind = kind_of(Type::f32, Operator::sum), .entry = {}}.has_entry());
}
