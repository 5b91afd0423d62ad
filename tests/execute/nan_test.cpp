#include "../kernel/reference.hpp"
#include "rows.hpp"

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;

/// Every second number a NaN of its own, and signed zeros, infinities and denormals among the others.
template <class T>
std::vector<T> strange(std::size_t count, int rank) {
    std::mt19937_64 random(count * 100 + static_cast<std::size_t>(rank));
    using Limits = std::numeric_limits<T>;
    const std::array<T, 7> others{T(0), -T(0), Limits::infinity(), -Limits::infinity(), Limits::denorm_min(),
                                  T(1), T(-3)};
    std::vector<T> made(count);
    for (T& value : made) {
        value = random() % 2 == 0 ? reference::random_nan<T>(random) : others[random() % others.size()];
    }
    return made;
}

template <class T>
requires reference::Complex<T> std::vector<T> strange(std::size_t count, int rank) {
    const auto parts = strange<typename T::value_type>(2 * count, rank);
    std::vector<T> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        made[i] = T(parts[2 * i], parts[2 * i + 1]);
    }
    return made;
}

/// The operands of all members, combined.
template <class T, class Op>
std::vector<T> combined(detail::Association association, std::size_t count, int members) {
    std::vector<std::vector<T>> operands;
    for (int rank = 0; rank < members; ++rank) {
        operands.push_back(strange<T>(count, rank));
    }
    std::vector<T> result;
    for (std::size_t i = 0; i < count; ++i) {
        result.push_back(test::bracketed(
            association, operands.size(), [&](std::size_t rank) { return operands[rank][i]; },
            [](const T& a, const T& b) { return reference::apply(Op::code, a, b); }));
    }
    return result;
}

/// Makes one call. The members' vectors are aligned differently, so that their loops start differently.
template <class T, class Op>
std::vector<T> result_of(Member& me, std::string_view algorithm, std::size_t count, bool in_place) {
    const std::vector<T> in = strange<T>(count, me.rank());
    std::vector<T> room(count + 7);
    const std::span<T> out = std::span(room).subspan(static_cast<std::size_t>(me.rank()) % 7, count);
    if (in_place) {
        std::copy(in.begin(), in.end(), out.begin());
        me.allreduce(out, Op(), {.algorithm = algorithm});
    } else {
        me.allreduce(in, out, Op(), {.algorithm = algorithm});
    }
    return {out.begin(), out.end()};
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// What went wrong first in one call, or nothing.
template <class T, class Op>
std::string examine(Team& team, const algorithm::Algorithm& row, std::size_t count, bool in_place) {
    std::vector<std::vector<T>> results(static_cast<std::size_t>(team.size()));
    team.run([&](Member& me) {
        results[static_cast<std::size_t>(me.rank())] = result_of<T, Op>(me, row.name, count, in_place);
    });
    for (const auto& result : results) {
        if (!same_bits(result, results[0])) {
            return std::string(row.name) + " leaves different bits on different members";
        }
    }
    if (has_brackets(row, detail::Association::tree, team.size()) &&
        !same_bits(results[0], combined<T, Op>(detail::Association::tree, count, team.size()))) {
        return std::string(row.name) + " does not combine in the butterfly's order";
    }
    return {};
}

template <class T, class Op>
void examine_all_rows() {
    for (int members = 2; members <= 9; ++members) {
        Team team(members, {.placement = "none"});
        for (const auto& row : algorithm::registry()) {
            if (row.collective != Collective::allreduce || row.order == algorithm::Order::any ||
                !takes(row, members)) {
                continue;
            }
            for (const std::size_t count : {1U, 2U, 3U, 7U, 33U, 257U, 1000U}) {
                for (const bool in_place : {false, true}) {
                    INFO(members, " members, ", count, " elements",
                         std::string(in_place ? ", in place" : ""));
                    CHECK(examine<T, Op>(team, row, count, in_place) == "");
                }
            }
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("NaNs leave the same bits on every member", T, float, double, std::complex<float>,
                   std::complex<double>) {
    examine_all_rows<T, Sum>();
    examine_all_rows<T, Prod>();
    if constexpr (std::is_floating_point_v<T>) {
        examine_all_rows<T, Min>();
        examine_all_rows<T, Max>();
    }
}
