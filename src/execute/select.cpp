#include "execute/select.hpp"

#include "mailbox/slot.hpp"
#include "tuning/load.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace tutti::execute {

using algorithm::Algorithm;
using schedule::Collective;
using schedule::Form;

namespace {

std::size_t index_of(const Algorithm* row) {
    if (row == nullptr) {
        throw std::logic_error("select: a default algorithm is not registered");
    }
    return static_cast<std::size_t>(row - algorithm::registry().data());
}

/// The default rows of a collective: for messages that are carried, for vectors in the L2 caches of two CPUs,
/// for others that fit into the caches, and for all others.
///
/// Lines that a member stores into another's cache have to come from there first. An allgather in cache is
/// therefore pulled (2 to 8 members, 1 to 4 MiB: pushing takes 0.9 to 3 times as long, depending on how far
/// apart the CPUs are). Past the caches it is pushed with streaming stores: 0.6 to 0.9 times as long as
/// pulling with them, because every block is read from memory once.
///
/// Where members combine, pulling means that each one does alone what they could share. On two CPUs that is
/// still less than the stores cost as long as the vectors are in their L2 caches. Pulled over pushed, 8 KiB
/// to 128 KiB: 2 members 0.4-0.9 (exscan of 8 KiB 1.1), 4 members 0.7-0.95 (exscan 0.7-1.3); where the CPUs
/// are far apart down to 0.3. 8 members: 0.4-2.3, depending on that only; past the L2 caches 1.3-10. More
/// CPUs share more, so that this is for two. A reduction of up to 4 KiB is better pulled by any number of
/// members on two CPUs (0.7-0.9). Gathers of blocks from 16 KiB on: 0.4-1.05; of smaller ones pushing takes
/// half as long, since the root waits for all at once.
struct Defaults {
    std::size_t carried;
    std::size_t in_l2;
    std::size_t in_l3;
    std::size_t in_memory;
    /// Among two members, as `in_l2`. A scan is a copy and one operation then: 0.5-0.8 of `flat`.
    std::size_t in_l2_of_two;
    /// The shortest messages for which those in L2 are the choice.
    std::size_t least_l2_bytes = 0;
};

const Defaults& defaults(Collective collective) {
    static const auto table = [] {
        std::array<Defaults, schedule::collective_count> rows{};
        const auto row = [](Collective each, const char* name) {
            return index_of(algorithm::find(each, name));
        };
        const auto of = [&](Collective each) -> Defaults& { return rows[static_cast<std::size_t>(each)]; };
        for (int i = 0; i < schedule::collective_count; ++i) {
            const auto each = static_cast<Collective>(i);
            const std::size_t direct = row(each, "direct");
            of(each) = {direct, direct, direct, direct, direct};
        }
        using enum Collective;
        for (const Collective each : {allreduce, scan, exscan, allgather}) {
            of(each).carried = row(each, "flat");
        }
        for (const Collective each : {reduce, allreduce, scan, exscan, allgather, gather}) {
            of(each).in_l2 = of(each).in_l2_of_two = row(each, "flat");
        }
        of(scan).in_l2_of_two = row(scan, "ring");
        of(allgather).in_l3 = row(allgather, "flat");
        of(gather).least_l2_bytes = std::size_t{16} << 10U;
        return rows;
    }();
    return table[static_cast<std::size_t>(collective)];
}

/// From how many bytes on an operation writes past the caches: those that do not fit. Measured on 32 MiB of
/// L3: time of writing past them over plain stores 1.2-1.9 at half the L3, 0.6-1.1 at the L3, 0.6-0.7 at
/// twice the L3.
std::size_t stream_threshold_bytes() {
    static const std::size_t l3_bytes = tuning::this_machine().l3_bytes;
    constexpr std::size_t without_l3_bytes = std::size_t{32} << 20U;
    return l3_bytes != 0 ? l3_bytes : without_l3_bytes;
}

std::size_t l2_bytes() {
    static const std::size_t detected = tuning::this_machine().l2_bytes;
    constexpr std::size_t without_l2_bytes = std::size_t{1} << 20U;
    return detected != 0 ? detected : without_l2_bytes;
}

/// The CPUs that members keep busy.
int busy_cpus(int members, int cpus) {
    return std::min(members, cpus);
}

/// Any order of operands gives the same bits: integers, which wrap, under the library's own operators.
bool is_exact(const detail::Call& call) {
    return call.type < Type::f32 && call.op != Operator::callable;
}

} // namespace

std::size_t touched_bytes(detail::Kind kind, std::size_t total_bytes, int members) {
    const auto vectors = static_cast<std::size_t>(members);
    switch (kind) {
    case detail::Kind::allreduce:
    case detail::Kind::alltoall:
    case detail::Kind::scan:
    case detail::Kind::exscan:
    case detail::Kind::shift:
        return 2 * vectors * total_bytes;
    case detail::Kind::gather:
    case detail::Kind::scatter:
        return 2 * total_bytes;
    default:
        return (vectors + 1) * total_bytes;
    }
}

bool exceeds_caches(std::size_t bytes) {
    return bytes >= stream_threshold_bytes();
}

Fit fit_of(std::size_t touched_bytes, int members, int cpus) {
    if (exceeds_caches(touched_bytes)) {
        return Fit::memory;
    }
    const auto caches = static_cast<std::size_t>(busy_cpus(members, cpus));
    return touched_bytes <= caches * l2_bytes() ? Fit::l2 : Fit::l3;
}

tuning::Operands operands_of(const detail::Call& call) {
    if (!reduces(collective_of(call.kind))) {
        return tuning::Operands::moved;
    }
    return is_exact(call) && call.commutative && !call.serial ? tuning::Operands::exact
                                                              : tuning::Operands::serial;
}

std::string refusal(const Algorithm& row, const detail::Call& call, int members) {
    if (!takes(row, members)) {
        return "is for powers of two, not for " + std::to_string(members) + " members";
    }
    if (call.received != nullptr && !row.forms.one_hop) {
        return "passes blocks on through members that do not know their counts";
    }
    if (row.order == algorithm::Order::any && !is_exact(call)) {
        return "needs an operator that gives the same bits in any order, which " +
               std::string(to_string(call.op)) + " on " + std::string(to_string(call.type)) + " does not";
    }
    const bool keeps_rank_order = row.order == algorithm::Order::rank ||
                                  row.order == algorithm::Order::serial ||
                                  row.order == algorithm::Order::none;
    if (!call.commutative && !keeps_rank_order) {
        return "does not keep the order of the ranks, which an operator that is not commutative needs";
    }
    if (call.serial && row.order != algorithm::Order::serial && row.order != algorithm::Order::none) {
        return "does not combine from the left as order serial asks";
    }
    return {};
}

namespace {

/// The longest message that a row carries. Where every member sends one message only it may go over the
/// stage, as long as what a member reads of all stages stays small: two exchanges and half the traffic are
/// better then. Two members with a CPU each exchange at little cost, but copy as others do (carried over
/// pulled: 0.8 at 1 KiB, 1.0 at 2 KiB, 1.2-2.0 at 4 KiB).
std::size_t longest_carried_bytes(const Algorithm& row, const CallSize& size) {
    if (row.counts(size.members, 0).rounds > 1) {
        return mailbox::carried_bytes;
    }
    constexpr std::size_t most_of_two_bytes = std::size_t{2} << 10U;
    constexpr std::size_t most_read_bytes = std::size_t{32} << 10U;
    const std::size_t share_bytes = size.members == 2 && size.cpus >= 2
                                        ? most_of_two_bytes
                                        : most_read_bytes / static_cast<std::size_t>(size.members);
    return std::max(mailbox::carried_bytes, std::min(mailbox::stage_bytes, share_bytes));
}

/// Throws unless `row` can serve the call, naming the reason and the rows that can.
void require(const Algorithm& row, const detail::Call& call, const CallSize& size) {
    const std::string reason = refusal(row, call, size.members);
    if (reason.empty()) {
        return;
    }
    std::string others;
    for (const Algorithm& other : algorithm::registry()) {
        if (other.collective == row.collective && refusal(other, call, size.members).empty()) {
            others += (others.empty() ? "" : ", ") + std::string(other.name);
        }
    }
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" " + reason + "; these would work: " + others);
}

} // namespace

Collective collective_of(detail::Kind kind) {
    static_assert(static_cast<int>(detail::Kind::barrier) == static_cast<int>(Collective::barrier) &&
                      static_cast<int>(detail::Kind::shift) == static_cast<int>(Collective::shift),
                  "kinds of calls and collectives are listed in the same order");
    return static_cast<Collective>(kind);
}

Form form_of(std::size_t index, const detail::Call& call, const CallSize& size) {
    const Algorithm& row = algorithm::registry()[index];
    const bool fits = row.forms.carried && call.counts == nullptr &&
                      (!row.forms.pulled || size.message_bytes <= longest_carried_bytes(row, size));
    if (fits) {
        return Form::carried;
    }
    return size.in_place && row.forms.in_place ? Form::in_place : Form::separate;
}

const tuning::Entry* entry_for(const detail::Call& call, const CallSize& size,
                               const tuning::Choices& choices) {
    return call.counts != nullptr
               ? nullptr
               : choices.entry(collective_of(call.kind), operands_of(call), size.total_bytes);
}

namespace {

Selection named_selection(Collective collective, const detail::Call& call, const CallSize& size) {
    const Algorithm* row = algorithm::find(collective, call.algorithm);
    if (row == nullptr) {
        throw ArgumentError(std::string(to_string(collective)) + ": there is no algorithm \"" +
                            std::string(call.algorithm) + "\"; there are: " + algorithm::names(collective));
    }
    require(*row, call, size);
    return {index_of(row), form_of(index_of(row), call, size), Reason::named};
}

/// Whether a row for vectors in L2 caches is the choice.
bool serves_in_l2(std::size_t row, const Defaults& rows, const CallSize& size) {
    constexpr int most_cpus = 2;
    constexpr int most_members = 4;
    constexpr std::size_t most_bytes_of_many = std::size_t{4} << 10U;
    const bool copies_input = size.in_place && !algorithm::registry()[row].forms.in_place;
    return size.fit == Fit::l2 && busy_cpus(size.members, size.cpus) <= most_cpus && !copies_input &&
           (size.members <= most_members || size.total_bytes <= most_bytes_of_many) &&
           size.message_bytes >= rows.least_l2_bytes;
}

Selection built_in_selection(Collective collective, const detail::Call& call, const CallSize& size) {
    const Defaults& rows = defaults(collective);
    if (form_of(rows.carried, call, size) == Form::carried) {
        return {rows.carried, Form::carried, Reason::carried};
    }
    if (const std::size_t row = size.members == 2 ? rows.in_l2_of_two : rows.in_l2;
        serves_in_l2(row, rows, size)) {
        return {row, form_of(row, call, size), Reason::in_l2};
    }
    const bool in_memory = size.fit == Fit::memory;
    const std::size_t row = in_memory ? rows.in_memory : rows.in_l3;
    return {row, form_of(row, call, size), in_memory ? Reason::in_memory : Reason::in_l3};
}

} // namespace

Selection select(const detail::Call& call, const CallSize& size, const tuning::Choices& choices) {
    const Collective collective = collective_of(call.kind);
    if (!call.algorithm.empty()) {
        return named_selection(collective, call, size);
    }
    const Selection built_in = built_in_selection(collective, call, size);
    const tuning::Entry* const entry = entry_for(call, size, choices);
    if (entry == nullptr) {
        return built_in;
    }
    const std::size_t row = entry->measured.front().row;
    const Form form = form_of(row, call, size);
    const bool only_here_copies = size.in_place && form == Form::separate && built_in.form != Form::separate;
    if (only_here_copies || !refusal(algorithm::registry()[row], call, size.members).empty()) {
        return built_in;
    }
    return {row, form, Reason::measured};
}

} // namespace tutti::execute
