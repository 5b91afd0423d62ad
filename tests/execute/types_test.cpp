#include "../kernel/reference.hpp"
#include "rows.hpp"

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;
using test::Exam;
using test::Job;
using test::Ranks;

/// All pairs of a type and an operator that make sense, each as a function that examines some jobs with it.
struct Pair {
    Type type;
    Operator op;
    std::string (*examine)(Ranks& ranks, std::span<const Job> jobs);
    bool (*is_same)(Team& team);
};

template <class T, class Op>
std::string examine(Ranks& ranks, std::span<const Job> jobs) {
    using Wide = test::Wide<T>;
    std::size_t most = 1;
    for (const Job& job : jobs) {
        most = std::max(most,
                        job.shape.count * job.shape.traits().blocks(static_cast<std::size_t>(ranks.size())));
    }
    const std::function combine = [](const Wide& a, const Wide& b) {
        return reference::apply(Op::code, a, b);
    };
    return Exam(ranks.size(), most, test::ordinary<T>, combine, DynamicOp(Op::code)).run(ranks, jobs);
}

/// Whether the operator that is known to the compiler gives the bits of the one that is known at run time.
template <class T, class Op>
bool is_same(Team& team) {
    std::atomic<int> different{0};
    team.run([&](Member& me) {
        std::vector<T> known(67);
        for (std::size_t i = 0; i < known.size(); ++i) {
            known[i] = test::ordinary<T>(index_of(me), i);
        }
        std::vector<T> dynamic = known;
        me.allreduce(std::span(known), Op());
        me.allreduce(DynamicVector(type_of<T>(), dynamic.data(), dynamic.size()), DynamicOp(Op::code));
        different += std::memcmp(known.data(), dynamic.data(), known.size() * sizeof(T)) == 0 ? 0 : 1;
    });
    return different == 0;
}

template <class T, class Op>
void add_pair(std::vector<Pair>& pairs) {
    if constexpr (reference::makes_sense<T>(Op::code)) {
        pairs.push_back({type_of<T>(), Op::code, &examine<T, Op>, &is_same<T, Op>});
    }
}

template <class T>
void add_type(std::vector<Pair>& pairs) {
    add_pair<T, Sum>(pairs);
    add_pair<T, Prod>(pairs);
    add_pair<T, Min>(pairs);
    add_pair<T, Max>(pairs);
    add_pair<T, LogicalAnd>(pairs);
    add_pair<T, LogicalOr>(pairs);
    add_pair<T, LogicalXor>(pairs);
    add_pair<T, BitAnd>(pairs);
    add_pair<T, BitOr>(pairs);
    add_pair<T, BitXor>(pairs);
    add_pair<T, Minimum>(pairs);
    add_pair<T, Maximum>(pairs);
}

template <class... T>
std::vector<Pair> pairs_of() {
    std::vector<Pair> made;
    (add_type<T>(made), ...);
    return made;
}

/// One type of each kind is enough to look for errors of memory, and compiles in a third of the time.
template <bool reduced>
std::vector<Pair> make_pairs() {
    if constexpr (reduced) {
        return pairs_of<std::int8_t, float, bfloat16, std::complex<double>>();
    } else {
        return pairs_of<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                        std::int64_t, std::uint64_t, float, double, float16, bfloat16, std::complex<float>,
                        std::complex<double>>();
    }
}

const std::vector<Pair>& pairs() {
    static const auto list = make_pairs<test::reduced>();
    return list;
}

bool reduces(const algorithm::Algorithm& row) {
    return row.order != algorithm::Order::none;
}

std::string name_of(const Pair& pair) {
    return std::string(to_string(pair.type)) + " " + std::string(to_string(pair.op));
}

} // namespace

TEST_CASE("all types and operators by default") {
    CHECK(pairs().size() == (test::reduced ? 12 + 2 * 6 + 2 : 8 * 12 + 4 * 6 + 2 * 2));
    for (const int members : {1, 2, 3, 6}) {
        Team team(members, {.placement = "none"});
        const auto ranks = test::blocking(members);
        const auto jobs = test::jobs_of(members, std::vector<std::size_t>{1, 5, 67, 1000},
                                        {.names = false, .rows = reduces});
        for (const Pair& pair : pairs()) {
            INFO(name_of(pair));
            CHECK(pair.examine(*ranks, jobs) == "");
            CHECK(pair.is_same(team));
        }
    }
}

TEST_CASE("a sample of types and operators by name") {
    const auto seed = std::random_device()();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    for (const int members : {2, 5, 8, 11}) {
        const auto ranks = test::blocking(members);
        for (int i = 0; i < (test::reduced ? 20 : 50); ++i) {
            const Pair& pair = pairs()[random() % pairs().size()];
            const bool exact = pair.type < Type::f32;
            std::vector<Job> jobs;
            for (const auto& row : algorithm::registry()) {
                const bool serves =
                    (exact || row.order != algorithm::Order::any) &&
                    (!detail::rounds_once(pair.type, pair.op) || combines_in_one_pass(row, members));
                if (reduces(row) && takes(row, members) && serves) {
                    const std::size_t elements = random() % 2 != 0 ? random() % 40 : random() % 3000;
                    jobs.push_back(test::by_name(row, members, elements, random() % 2 != 0, exact));
                }
            }
            INFO(name_of(pair), ", seed ", seed);
            CHECK(pair.examine(*ranks, jobs) == "");
        }
    }
}
