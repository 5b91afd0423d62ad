// Reductions of which each result must be made by one call of a kernel: by operators that say so, and of
// numbers of 16 bits, which are combined in float and rounded once.

#include "../operands_of.hpp"
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

namespace tutti::inline TUTTI_NAMESPACE::detail {

template <>
struct LoopsOf<Counted, CountPasses> : std::type_identity<CountingLoops> {};
template <>
inline constexpr bool is_one_pass<Counted, CountPasses> = true;

} // namespace tutti::inline TUTTI_NAMESPACE::detail

namespace {

/// The result of so many operands of {1, 0}, or what a member has that gets no result.
Counted counted(int operands) {
    return operands == 0 ? Counted{99, 99}
                         : Counted{static_cast<std::uint32_t>(operands), operands > 1 ? 1U : 0U};
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

constexpr std::array<std::size_t, 8> sizes_of_half{1, 3, 4, 12, 13, 300, 2000, reduced ? 5000 : 40000};

template <class T, class Op>
void check_all_ways(const Op& op, Operator dynamic) {
    for (const int members : reduced ? std::vector{3} : std::vector{1, 2, 3, 4, 5, 8, 16}) {
        Exam exam(members, sizes_of_half.back(), ordinary<T>, op, DynamicOp(dynamic));
        for (const Way& way : all_ways()) {
            const auto in_one_pass = [&](const auto& row) {
                return reduces(row) && combines_in_one_pass(row, members);
            };
            const auto jobs =
                jobs_of(members, sizes_of_half,
                        {.exact = false, .names = way.abilities.names_algorithms, .rows = in_one_pass});
            INFO(way.name, ", members ", members);
            CHECK(exam.run(*way.make({.members = members}), jobs, way.abilities.has_requests ? 3 : 1) == "");
        }
    }
}

} // namespace

TEST_CASE("what needs one pass gets all operands at once from every algorithm that it can select") {
    for (const int members : reduced ? std::vector{1, 2, 3, 4} : std::vector{1, 2, 3, 4, 5, 8, 13}) {
        Team team(members, {.placement = "none"});
        for (const auto& row : algorithm::registry()) {
            for (const std::string_view name : {row.name, std::string_view()}) {
                INFO(described(row, members));
                CHECK((!serves(row, members) || on_all(team, [&](Member& me) {
                    // A word, a slot, the staging buffer, and none of these.
                    return calls_right(me, row.collective, name, 1) &&
                           calls_right(me, row.collective, name, 3) &&
                           calls_right(me, row.collective, name, 100) &&
                           calls_right(me, row.collective, name, 5000);
                })));
            }
        }
    }
}

TEST_CASE("what needs one pass is rejected by every algorithm that combines partial results") {
    constexpr int members = 4;
    Team team(members, {.placement = "none"});
    int rejected = 0;
    for (const auto& row : algorithm::registry()) {
        if (reduces(row) && !combines_in_one_pass(row, members)) {
            const std::string text =
                row.order == algorithm::Order::any ? "any order" : "in one pass; these would work: direct";
            INFO(described(row, members));
            CHECK(on_all(team, [&](Member& me) {
                return mentions(thrown_by([&] { calls_right(me, row.collective, row.name, 1); }).text, text);
            }));
            ++rejected;
        }
    }
    CHECK(rejected >= 50);
}

TEST_CASE("300 buffers of ones sum to 300 with every algorithm that can be selected, not to 256") {
    constexpr int members = 300;
    Team team(members, {.placement = "none"});
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

TEST_CASE("300 buffers of ones sum to 300 in an async group and for a single caller") {
    constexpr std::size_t members = 300;
    for (const std::size_t elements : {1U, 4U, 100U, 100'000U}) {
        std::vector<std::vector<bfloat16>> buffers(members, std::vector<bfloat16>(elements, bfloat16(1)));
        single_caller::allreduce(buffers, sum);
        CHECK(buffers == std::vector(members, std::vector<bfloat16>(elements, bfloat16(300))));
    }
    AsyncGroup group(static_cast<int>(members));
    std::vector<bfloat16> values(members, bfloat16(1));
    std::vector<AsyncRequest> requests;
    for (std::size_t rank = 0; rank < members; ++rank) {
        requests.push_back(group.at(static_cast<int>(rank)).allreduce(std::span(&values[rank], 1), sum));
    }
    for (AsyncRequest& request : requests) {
        request.wait();
    }
    CHECK(values == std::vector<bfloat16>(members, bfloat16(300)));
}

TEST_CASE("sums of bfloat16 are rounded once, however they are called") {
    check_all_ways<bfloat16>(std::plus<float>(), Operator::sum);
}

TEST_CASE("products of float16 are rounded once, however they are called") {
    check_all_ways<float16>(std::multiplies<float>(), Operator::prod);
}

TEST_CASE("algorithms that combine partial results serve the minimum of 16-bit numbers, but not their sum") {
    constexpr int members = 5;
    Team team(members, {.placement = "none"});
    for (const auto& row : algorithm::registry()) {
        if (!combines(row, members)) {
            continue;
        }
        const bool sums_up = combines_in_one_pass(row, members);
        INFO(described(row, members));
        CHECK(on_all(team, [&](Member& me) {
            const bfloat16 own(static_cast<float>(10 - me.rank()));
            const auto least = [](int operands) {
                return bfloat16(operands == 0 ? -1.F : static_cast<float>(11 - operands));
            };
            bool right = is_right(me, row.collective, row.name, 10, own, tutti::min, 0, least);
            const std::string text =
                thrown_by([&] { is_right(me, row.collective, row.name, 10, own, sum, 0, least); }).text;
            return right &&
                   (sums_up ? text.empty()
                            : mentions(text, "in one pass") && mentions(text, "these would work: direct"));
        }));
    }
}

TEST_CASE("an exscan by value starts with the identity, and with an initial value rounds twice") {
    Team team(4, {.placement = "none"});
    const auto results = team.run([](Member& me) {
        CHECK(me.allreduce(bfloat16(100.5F), sum) == 402); // 100.5 needs all bits: 402 has no halves
        return me.exscan(bfloat16(100), sum);
    });
    CHECK(results[0] == 0);
    CHECK(results[3] == 300);
}
