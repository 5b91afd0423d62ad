#include "execute/select.hpp"

#include "algorithm/registry.hpp"
#include "mailbox/slot.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace tutti::execute {

using algorithm::Algorithm;
using algorithm::OperatorNeeds;
using detail::Kind;
using schedule::Collective;
using schedule::Form;

namespace {

std::size_t index_of(const Algorithm* row) {
    if (row == nullptr) {
        throw std::logic_error("select: a default algorithm is not registered");
    }
    return static_cast<std::size_t>(row - algorithm::registry().data());
}

/// The default rows of a collective: for messages that are carried, for vectors that fit into the caches, and
/// for all others. An allgather in cache is pulled: lines that a member stores into another's cache have to
/// come from there first (2 to 8 members, 1 to 4 MiB: pushing takes 0.9 to 3 times as long, depending on how
/// far apart the CPUs are). Past the caches it is pushed with streaming stores: 0.6 to 0.9 times as long as
/// pulling with them, because every block is read from memory once.
struct Defaults {
    std::size_t carried;
    std::size_t cached;
    std::size_t beyond_caches;
};

const Defaults& defaults(Kind kind) {
    static const auto table = [] {
        const auto rows = [](Collective collective, const char* carried, const char* cached,
                             const char* beyond) {
            return Defaults{index_of(algorithm::find(collective, carried)),
                            index_of(algorithm::find(collective, cached)),
                            index_of(algorithm::find(collective, beyond))};
        };
        return std::array{rows(Collective::barrier, "direct", "direct", "direct"),
                          rows(Collective::allreduce, "flat", "direct", "direct"),
                          rows(Collective::reduce_scatter, "direct", "direct", "direct"),
                          rows(Collective::allgather, "flat", "flat", "direct")};
    }();
    return table[static_cast<std::size_t>(kind)];
}

/// Any order of operands gives the same bits: integers, which wrap, under the library's own operators.
bool is_exact(const detail::Call& call) {
    return call.type < Type::f32 && call.op != Operator::callable;
}

bool takes_operator(const Algorithm& row, const detail::Call& call) {
    return row.needs != OperatorNeeds::exact || is_exact(call);
}

/// The longest message that a row carries. Where every member sends one message only it may go over the
/// stage, as long as what a member reads of all stages stays small: two exchanges and half the traffic are
/// better then.
std::size_t longest_carried_bytes(const Algorithm& row, int members) {
    if (row.counts(members).rounds > 1) {
        return mailbox::carried_bytes;
    }
    constexpr std::size_t most_read_bytes = std::size_t{32} << 10U;
    const std::size_t share_bytes = most_read_bytes / static_cast<std::size_t>(members);
    return std::max(mailbox::carried_bytes, std::min(mailbox::stage_bytes, share_bytes));
}

Form form_of(const Algorithm& row, const detail::Call& call, const CallSize& size) {
    const bool fits = row.carries && call.counts.empty() &&
                      (!row.pulls || size.message_bytes <= longest_carried_bytes(row, size.members));
    return fits ? Form::carried : size.in_place ? Form::in_place : Form::separate;
}

/// Throws unless `row` can serve the call, naming the reason and the rows that can.
void require(const Algorithm& row, const detail::Call& call, const CallSize& size) {
    const auto serves = [&](const Algorithm& any) {
        return takes_operator(any, call) && algorithm::takes(any, form_of(any, call, size));
    };
    if (serves(row)) {
        return;
    }
    std::string others;
    for (const Algorithm& other : algorithm::registry()) {
        if (other.collective == row.collective && serves(other)) {
            others += (others.empty() ? "" : ", ") + std::string(other.name);
        }
    }
    const std::string reason = takes_operator(row, call)
                                   ? "cannot work in place on messages of more than " +
                                         std::to_string(longest_carried_bytes(row, size.members)) + " bytes"
                                   : "needs a " + std::string(to_string(row.needs)) + " operator, which " +
                                         std::string(to_string(call.op)) + " on " +
                                         std::string(to_string(call.type)) + " is not";
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) +
                        "\" " + reason + "; these would work: " + others);
}

} // namespace

Collective collective_of(Kind kind) {
    switch (kind) {
    case Kind::barrier:
        return Collective::barrier;
    case Kind::allreduce:
        return Collective::allreduce;
    case Kind::reduce_scatter:
        return Collective::reduce_scatter;
    case Kind::allgather:
        return Collective::allgather;
    }
    throw std::logic_error("select: unknown kind of call");
}

Selection select(const detail::Call& call, const CallSize& size) {
    if (!call.algorithm.empty()) {
        const Collective collective = collective_of(call.kind);
        const Algorithm* row = algorithm::find(collective, call.algorithm);
        if (row == nullptr) {
            throw ArgumentError(std::string(to_string(collective)) + ": there is no algorithm \"" +
                                std::string(call.algorithm) +
                                "\"; there are: " + algorithm::names(collective));
        }
        require(*row, call, size);
        return {index_of(row), form_of(*row, call, size)};
    }
    const Defaults& rows = defaults(call.kind);
    const Form small = form_of(algorithm::registry()[rows.carried], call, size);
    if (small == Form::carried) {
        return {rows.carried, small};
    }
    const std::size_t row = size.beyond_caches ? rows.beyond_caches : rows.cached;
    return {row, form_of(algorithm::registry()[row], call, size)};
}

} // namespace tutti::execute
