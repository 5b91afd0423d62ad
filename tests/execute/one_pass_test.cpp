// Reductions of which each result must be made by one call of a kernel: by operators that say so, and of
// numbers of 16 bits, which are combined in float and rounded once.

#include "rows.hpp"

#include <tutti/tasks.hpp>

namespace {

/// How many operands a result has, and by how many calls of kernels, one after the other, it was made.
struct Counted {
    std::uint32_t operands;
    std::uint32_t passes;

    friend bool operator==(const Counted&, const Counted&) = default;
};

struct CountPasses {
    Counted operator()(const Counted& a, const Counted& b) const {
        return {a.operands + b.operands, std::max(a.passes, b.passes) + 1};
    }
};

struct CountingLoops {
    static Counted combined(const void* const* ins, int count, std::size_t element) {
        Counted all{0, 0};
        for (int operand = 0; operand < count; ++operand) {
            const Counted& one = static_cast<const Counted*>(ins[operand])[element];
            all = {all.operands + one.operands, std::max(all.passes, one.passes)};
        }
        return {all.operands, all.passes + (count > 1 ? 1 : 0)};
    }
    static void reduce(const void* state, void* out, const void* a, const void* b, std::size_t count) {
        const void* const ins[] = {a, b};
        reduce_many(state, &out, 1, ins, 2, count, detail::Association::tree, {});
    }
    static void reduce_many(const void* /*state*/, void* const* outs, int outs_count, const void* const* ins,
                            int ins_count, std::size_t count, detail::Association /*association*/,
                            detail::StoreHints /*stores*/) {
        for (std::size_t element = 0; element < count; ++element) {
            const Counted result = combined(ins, ins_count, element);
            for (int out = 0; out < outs_count; ++out) {
                static_cast<Counted*>(outs[out])[element] = result;
            }
        }
    }
    /// From the last prefix on, because outputs may be the inputs of the same members.
    static void scan_many(const void* /*state*/, void* const* outs, const void* const* ins, int members,
                          std::size_t count, bool exclusive, detail::Association /*association*/,
                          detail::StoreHints /*stores*/) {
        const int first = exclusive ? 1 : 0;
        for (int member = members - 1; member >= first; --member) {
            for (std::size_t element = 0; element < count; ++element) {
                static_cast<Counted*>(outs[member])[element] = combined(ins, member + 1 - first, element);
            }
        }
    }
    static constexpr detail::Kernels kernels{&reduce, &reduce_many, &scan_many, nullptr};
};

} // namespace

template <>
inline constexpr bool tutti::is_commutative<CountPasses> = true;

namespace tutti::v0_1::detail {

template <>
struct LoopsOf<Counted, CountPasses> : std::type_identity<CountingLoops> {};
template <>
inline constexpr bool is_one_pass<Counted, CountPasses> = true;

} // namespace tutti::v0_1::detail

namespace {

/// The result of so many operands of {1, 0}, or what a member has that gets no result.
Counted counted(int operands) {
    return operands == 0 ? Counted{99, 99}
                         : Counted{static_cast<std::uint32_t>(operands), operands > 1 ? 1U : 0U};
}

/// The number of operands of the results of member `rank`, or 0 if it has none.
int operands_of(Collective collective, int rank, int members, int root) {
    const auto& traits = detail::traits_of(collective);
    return traits.is_rooted() && rank != root ? 0 : traits.origin(rank, 0, members, root).count;
}

/// The sum of so many ones.
bfloat16 sum_of_ones(int operands) {
    return bfloat16(operands == 0 ? -1.F : static_cast<float>(operands));
}

/// Makes a call in which every member has `own`. Whether the results are `result(number of operands)`.
template <class Way, class T, class Op, class Result>
bool is_right(Way& way, Collective collective, std::string_view algorithm, std::size_t elements, const T& own,
              const Op& op, int root, Result result) {
    const bool scatters = collective == Collective::reduce_scatter;
    const std::vector<T> in(scatters ? elements * static_cast<std::size_t>(way.size()) : elements, own);
    std::vector<T> out(elements, result(0));
    const auto call = [&] {
        return call_by_collective(way, collective, op, root, Options{.algorithm = algorithm}, std::span(in),
                                  std::span(out));
    };
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
    } else {
        call().wait();
    }
    const T expected = result(operands_of(collective, way.rank(), way.size(), root));
    return std::ranges::all_of(out, [&](const T& each) { return each == expected; });
}

/// Blocking and nonblocking calls by the algorithm, or by default if it is empty.
bool calls_right(Member& me, Collective collective, std::string_view algorithm, std::size_t elements) {
    bool right = true;
    for (int time = 0; time < 3; ++time) {
        const int root = time % me.size();
        const Counted one{1, 0};
        right = is_right(me, collective, algorithm, elements, one, CountPasses{}, root, counted) && right;
        right =
            is_right(me.start, collective, algorithm, elements, one, CountPasses{}, root, counted) && right;
    }
    return right;
}

bool reduces(const algorithm::Algorithm& row) {
    return detail::traits_of(row.collective).reduces();
}

/// Whether a row can combine floating-point numbers.
bool combines(const algorithm::Algorithm& row, int members) {
    return reduces(row) && takes(row, members) && row.order != algorithm::Order::any;
}

/// Whether the row serves operators of the program that need one pass, and may change a single operand.
bool serves(const algorithm::Algorithm& row, int members) {
    const bool has_single_operands = members == 1 || detail::traits_of(row.collective).is_prefix();
    return combines(row, members) && combines_in_one_pass(row, members) &&
           (!has_single_operands || combines_single_operands(row));
}

std::string described(const algorithm::Algorithm& row, int members) {
    return std::string(to_string(row.collective)) + " " + std::string(row.name) + ", members " +
           std::to_string(members);
}

} // namespace

TEST_CASE("what needs one pass gets all operands at once from every algorithm that it can select") {
    for (const int members : reduced ? std::vector{1, 2, 3, 4} : std::vector{1, 2, 3, 4, 5, 8, 13}) {
        Team team(members, {.placement = Placement::none});
        for (const auto& row : algorithm::registry()) {
            for (const std::string_view name : {row.name, std::string_view()}) {
                INFO(described(row, members));
                CHECK((!serves(row, members) || on_all(team, [&](Member& me) {
                    // A word, a slot, the staging buffer, and none of these.
                    return calls_right(me, row.collective, name, 1) &&
                           calls_right(me, row.collective, name, 3) &&
                           calls_right(me, row.collective, name, 1000) &&
                           calls_right(me, row.collective, name, 5000);
                })));
            }
        }
    }
}

TEST_CASE("what needs one pass is rejected by every algorithm that combines partial results") {
    constexpr int members = 4;
    Team team(members, {.placement = Placement::none});
    int rejected = 0;
    for (const auto& row : algorithm::registry()) {
        if (reduces(row) && !combines_in_one_pass(row, members)) {
            const bool in_any_order = row.order == algorithm::Order::any;
            const std::string text = in_any_order ? "any order" : "in one pass; these would work: direct";
            INFO(described(row, members));
            CHECK(on_all(team, [&](Member& me) {
                const bfloat16 own(static_cast<float>(10 - me.rank()));
                const auto least = [](int operands) {
                    return bfloat16(operands == 0 ? -1.F : static_cast<float>(11 - operands));
                };
                const auto with = [&](const auto& op) {
                    return is_right(me, row.collective, row.name, 10, own, op, 0, least);
                };
                // The minimum of 16-bit numbers is not rounded, as their sum is.
                return mentions(thrown_by([&] { calls_right(me, row.collective, row.name, 1); }).text,
                                text) &&
                       (in_any_order ||
                        (mentions(thrown_by([&] { with(sum); }).text, text) && with(tutti::min)));
            }));
            ++rejected;
        }
    }
    CHECK(rejected >= 50);
}

TEST_CASE("300 buffers of ones sum to 300 with every algorithm that can be selected, not to 256") {
    constexpr int members = 300;
    Team team(members, {.placement = Placement::none});
    for (const auto& row : algorithm::registry()) {
        if (combines(row, members) && combines_in_one_pass(row, members) &&
            (!reduced || row.name == "direct")) {
            INFO(described(row, members));
            CHECK(on_all(team, [&](Member& me) {
                const auto sums_up = [&](std::size_t elements) {
                    return is_right(me, row.collective, row.name, elements, bfloat16(1), sum, members / 2,
                                    sum_of_ones);
                };
                return sums_up(1) && sums_up(50) && (reduced || sums_up(5000));
            }));
        }
    }
}

TEST_CASE("300 buffers of ones sum to 300 in the all-buffers form") {
    for (const std::size_t elements : {1U, 100'000U}) {
        std::vector<std::vector<bfloat16>> buffers(300, std::vector<bfloat16>(elements, bfloat16(1)));
        all_buffers::allreduce(buffers, sum);
        CHECK(buffers == std::vector(300, std::vector<bfloat16>(elements, bfloat16(300))));
    }
}
