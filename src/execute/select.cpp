#include "execute/select.hpp"

#include "algorithm/registry.hpp"
#include "mailbox/slot.hpp"

#include <tutti/error.hpp>

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

/// The default rows of a collective: for messages inside a slot, and for all others.
struct Defaults {
    std::size_t carried;
    std::size_t pulled;
};

const Defaults& defaults(Kind kind) {
    static const auto table = [] {
        const auto pair = [](Collective collective, const char* carried, const char* pulled) {
            return Defaults{index_of(algorithm::find(collective, carried)),
                            index_of(algorithm::find(collective, pulled))};
        };
        return std::array{pair(Collective::barrier, "direct", "direct"), pair(Collective::allreduce, "flat", "direct"),
                          pair(Collective::reduce_scatter, "direct", "direct"),
                          pair(Collective::allgather, "flat", "direct")};
    }();
    return table[static_cast<std::size_t>(kind)];
}

/// Any order of operands gives the same bits: integers, which wrap, under the library's own operators.
bool is_exact(const detail::Call& call) { return call.type < Type::f32 && call.op != Operator::callable; }

bool takes_operator(const Algorithm& row, const detail::Call& call) {
    return row.needs != OperatorNeeds::exact || is_exact(call);
}

bool fits_into_slot(const detail::Call& call, std::size_t message_bytes) {
    return message_bytes <= mailbox::carried_bytes && call.counts.empty();
}

bool takes_size(const Algorithm& row, bool fits) { return row.pulls || fits; }

/// Throws unless `row` can serve the call, naming the reason and the rows that can.
void require(const Algorithm& row, const detail::Call& call, bool fits) {
    std::string reason;
    if (!takes_operator(row, call)) {
        reason = "needs a " + std::string(to_string(row.needs)) + " operator, which " +
                 std::string(to_string(call.op)) + " on " + std::string(to_string(call.type)) + " is not";
    } else if (!takes_size(row, fits)) {
        reason = "takes only equal blocks and messages of at most " + std::to_string(mailbox::carried_bytes) + " bytes";
    } else {
        return;
    }
    std::string others;
    for (const Algorithm& other : algorithm::registry()) {
        if (other.collective == row.collective && takes_operator(other, call) && takes_size(other, fits)) {
            others += (others.empty() ? "" : ", ") + std::string(other.name);
        }
    }
    throw ArgumentError(std::string(to_string(row.collective)) + ": algorithm \"" + std::string(row.name) + "\" " +
                        reason + "; these would work: " + others);
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

Selection select(const detail::Call& call, std::size_t message_bytes, bool in_place) {
    const bool fits = fits_into_slot(call, message_bytes);
    std::size_t row = fits ? defaults(call.kind).carried : defaults(call.kind).pulled;
    if (!call.algorithm.empty()) {
        const Collective collective = collective_of(call.kind);
        const Algorithm* named = algorithm::find(collective, call.algorithm);
        if (named == nullptr) {
            throw ArgumentError(std::string(to_string(collective)) + ": there is no algorithm \"" +
                                std::string(call.algorithm) + "\"; there are: " + algorithm::names(collective));
        }
        require(*named, call, fits);
        row = index_of(named);
    }
    const bool carried = algorithm::registry()[row].carries && fits;
    return {row, carried ? Form::carried : in_place ? Form::in_place : Form::separate};
}

} // namespace tutti::execute
