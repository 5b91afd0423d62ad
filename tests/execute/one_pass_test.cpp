#include "../../bench/measure/by_collective.hpp"
#include "../operands_of.hpp"
#include "../test.hpp"
#include "algorithm/registry.hpp"

#include <tutti/tutti.hpp>

// Operators of which each result must be made by one call of a kernel.

namespace {

using namespace tutti;

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

using Vector = std::vector<Counted>;

constexpr Counted untouched{99, 99};

/// The result of so many operands.
Counted result_of(int operands) {
    return {static_cast<std::uint32_t>(operands), operands > 1 ? 1U : 0U};
}

bool has_results(const Vector& out, int operands) {
    return std::ranges::all_of(out, [&](const Counted& element) {
        return element == (operands == 0 ? untouched : result_of(operands));
    });
}

/// Calls by the algorithm, or by default if it is empty, in all ways; returns whether all results are right.
bool calls_right(Member& me, Collective collective, std::string_view algorithm, std::size_t elements) {
    const auto members = static_cast<std::size_t>(me.size());
    const bool scatters = collective == Collective::reduce_scatter;
    const Vector in(scatters ? elements * members : elements, Counted{1, 0});
    const Options options{.algorithm = algorithm};
    bool right = true;
    for (int time = 0; time < 3; ++time) {
        const int root = time % me.size();
        Vector out(elements, untouched);
        call_by_collective(me, collective, CountPasses{}, root, options, std::span(in), std::span(out));
        right = right && has_results(out, test::operands_of(collective, me.rank(), me.size(), root));
        Vector started(elements, untouched);
        auto request = call_by_collective(me.start, collective, CountPasses{}, root, options, std::span(in),
                                          std::span(started));
        request.wait();
        right = right && has_results(started, test::operands_of(collective, me.rank(), me.size(), root));
    }
    return right;
}

bool reduces(const algorithm::Algorithm& row) {
    return detail::traits_of(row.collective).reduces();
}

/// Whether the row serves operators of the program that need one pass, and may change a single operand.
bool serves(const algorithm::Algorithm& row, int members) {
    const bool has_single_operands = members == 1 || detail::traits_of(row.collective).is_prefix();
    return takes(row, members) && combines_in_one_pass(row, members) &&
           (!has_single_operands || combines_single_operands(row));
}

std::vector<int> member_counts() {
    return test::reduced ? std::vector<int>{1, 2, 3, 4} : std::vector<int>{1, 2, 3, 4, 5, 8, 13};
}

} // namespace

TEST_CASE("what needs one pass gets all operands at once from every algorithm that it can select") {
    for (const int members : member_counts()) {
        Team team(members, {.placement = "none"});
        for (const auto& row : algorithm::registry()) {
            if (!reduces(row) || !serves(row, members) || row.order == algorithm::Order::any) {
                continue;
            }
            for (const std::string_view name : {row.name, std::string_view()}) {
                std::vector<char> right(static_cast<std::size_t>(members));
                team.run([&](Member& me) {
                    bool all = true;
                    // A word, a slot, the staging buffer, and none of these.
                    for (const std::size_t elements : {1U, 3U, 100U, 5000U}) {
                        all = calls_right(me, row.collective, name, elements) && all;
                    }
                    right[static_cast<std::size_t>(me.rank())] = all;
                });
                INFO(std::string(to_string(row.collective)), " ", std::string(row.name), ", members ",
                     members);
                CHECK(std::ranges::all_of(right, [](char each) { return each != 0; }));
            }
        }
    }
}

TEST_CASE("what needs one pass is rejected by every algorithm that combines partial results") {
    constexpr int members = 4;
    Team team(members, {.placement = "none"});
    int rejected = 0;
    for (const auto& row : algorithm::registry()) {
        if (!reduces(row) || combines_in_one_pass(row, members)) {
            continue;
        }
        std::vector<std::string> texts(members);
        team.run([&](Member& me) {
            try {
                calls_right(me, row.collective, row.name, 1);
            } catch (const ArgumentError& error) {
                texts[static_cast<std::size_t>(me.rank())] = error.what();
            }
        });
        INFO(std::string(to_string(row.collective)), " ", std::string(row.name));
        for (const std::string& text : texts) {
            const bool is_exact = row.order == algorithm::Order::any;
            CHECK(text.find(is_exact ? "any order" : "in one pass; these would work: direct") !=
                  std::string::npos);
        }
        ++rejected;
    }
    CHECK(rejected >= 50);
}
