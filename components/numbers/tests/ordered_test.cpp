#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t chunk_rows = 512;

/// The tree as components/numbers/README.md describes it, term by term.
template <class T, class Op>
class Tree {
public:
    Tree(const std::vector<T>& terms, const Op& op) : terms_(terms), op_(op) {}

    T value() const {
        const std::size_t chunk = chunk_rows * lanes;
        return of_chunks(0, (terms_.size() + chunk - 1) / chunk);
    }

private:
    static constexpr bool is_compiled =
        type_of<T>() != Type::other && operator_of<Op>() != Operator::callable;
    static constexpr std::size_t lanes = is_compiled ? 64 / sizeof(T) : 1;

    static std::size_t left_of(std::size_t count) { return std::bit_floor(count - 1); }

    T of_lane(std::size_t lane, std::size_t row, std::size_t rows) const {
        if (rows == 1) {
            return terms_[row * lanes + lane];
        }
        const std::size_t left = left_of(rows);
        return op_(of_lane(lane, row, left), of_lane(lane, row + left, rows - left));
    }
    T of_lanes(const std::vector<T>& row, std::size_t lane, std::size_t count) const {
        // Left half and right half lane by lane: lane 0 with lane count / 2, and so on.
        std::vector<T> now = row;
        for (std::size_t half = count / 2; half != 0; half /= 2) {
            for (std::size_t i = 0; i < half; ++i) {
                now[lane + i] = op_(now[lane + i], now[lane + half + i]);
            }
        }
        return now[lane];
    }
    T of_chunk(std::size_t chunk) const {
        const std::size_t row = chunk * chunk_rows;
        const std::size_t rows = std::min(chunk_rows, terms_.size() / lanes - row);
        std::size_t next = (row + rows) * lanes;
        T value = terms_[rows == 0 ? next++ : 0];
        if (rows != 0) {
            std::vector<T> values;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                values.push_back(of_lane(lane, row, rows));
            }
            value = of_lanes(values, 0, lanes);
        }
        for (; rows < chunk_rows && next < terms_.size(); ++next) {
            value = op_(value, terms_[next]);
        }
        return value;
    }
    T of_chunks(std::size_t chunk, std::size_t chunks) const {
        if (chunks == 1) {
            return of_chunk(chunk);
        }
        const std::size_t left = left_of(chunks);
        return op_(of_chunks(chunk, left), of_chunks(chunk + left, chunks - left));
    }

    const std::vector<T>& terms_;
    const Op& op_;
};

/// Parts in a random order of members.
std::vector<int> random_places(int members, std::mt19937& engine) {
    std::vector<int> places(static_cast<std::size_t>(members));
    std::iota(places.begin(), places.end(), 0);
    if (engine() % 2 == 0) {
        std::shuffle(places.begin(), places.end(), engine);
    }
    return places;
}

/// Whether all members have the bits of the value, when the terms are reduced twice after others.
template <class T, class Op>
bool is_tree_of(Team& team, const std::vector<T>& terms, const Op& op,
                const std::vector<std::size_t>& borders, const std::vector<int>& places, const T& value) {
    return on_all(team, [&](Member& me) {
        const int place = places[static_cast<std::size_t>(me.rank())];
        const std::span<const T> mine = part(terms, borders, place);
        auto total = prepare_ordered_reduce<T>(me, borders[static_cast<std::size_t>(place)], mine.size(), op);
        static_cast<void>(total(std::vector<T>(mine.size())));
        const bool first = same_bits(total(mine), value);
        return same_bits(total(mine), value) && first;
    });
}

template <class T>
std::vector<T> random_terms(std::size_t count, std::mt19937& engine) {
    if constexpr (std::is_same_v<T, std::complex<double>>) {
        const auto parts = make_terms<double>(Terms::plain, 2 * count, engine);
        std::vector<T> made;
        for (std::size_t i = 0; i < count; ++i) {
            made.emplace_back(parts[2 * i] * 2, parts[2 * i + 1] * 2);
        }
        return made;
    } else if constexpr (std::is_floating_point_v<T>) {
        return make_terms<T>(all_kinds[engine() % std::size(all_kinds)], count, engine);
    } else {
        std::vector<T> made(count);
        std::generate(made.begin(), made.end(), [&] { return static_cast<T>(engine()); });
        return made;
    }
}

template <class T, class Op>
void check(const Op& op, const std::vector<std::size_t>& counts, const std::vector<int>& teams) {
    for (const int members : teams) {
        Team team = team_of(members);
        std::mt19937 engine(static_cast<unsigned>(members));
        for (const std::size_t count : counts) {
            const auto terms = random_terms<T>(count, engine);
            const auto borders = random_borders(members, count, engine);
            INFO(members, " members, ", count, " terms");
            const T value = Tree(terms, op).value();
            CHECK(is_tree_of(team, terms, op, borders, random_places(members, engine), value));
            if constexpr (std::is_same_v<T, double> && std::is_same_v<Op, Sum>) {
                check_tree_error(terms, value);
            }
        }
    }
}

std::string text_of(const std::function<void()>& call) {
    return message_of<Error>(call);
}

} // namespace

TEST_CASE("ordered reductions have the bits of the tree for every number of members and partition") {
    for (const int members : all_team_sizes) {
        check<double>(sum, {1, 7, 8, 100, 5000}, {members});
    }
    check<double>(sum, {2, 9, 63, 4095, 4096, 4097, 8191, 20'000, 70'000}, {1, 2, 3, 5, 8});
    check<double>(sum, std::vector<std::size_t>(reduced ? 20 : 200, 300), {1, 2, 3, 5, 16});
    check<float>(sum, {1, 17, 8192, 20'001}, {1, 2, 7});
    check<double>(min, {1, 100, 5001}, {1, 2, 7});
    check<float>(prod, {1, 100, 5001}, {1, 2, 7});
    check<std::complex<double>>(prod, {1, 3, 5001}, {1, 2, 7});
    check<std::uint8_t>(sum, {1, 65, 40'000}, {1, 2, 7});
    check<std::int64_t>(bxor, {1, 65, 5001}, {1, 2, 7});
}

TEST_CASE("operators of the program keep the order of the terms") {
    const auto plus = [](double a, double b) { return a + b; };
    check<double>(plus, {1, 2, 15, 16, 17, 1000, 4097}, {1, 2, 3, 8, 16});
    check<double>(std::plus<>(), {1000}, {3});
    check<double>(std::function<double(double, double)>(plus), {1000}, {3});
    std::mt19937 engine(1);
    for (const std::size_t count : {1U, 2U, 10U, 1000U, 5000U}) {
        std::vector<Affine> terms(count);
        for (Affine& term : terms) {
            term = {static_cast<std::uint8_t>(engine()), static_cast<std::uint8_t>(engine()), 1};
        }
        const Affine all = std::accumulate(terms.begin() + 1, terms.end(), terms.front(), compose);
        for (const int members : {1, 2, 5, 16}) {
            Team team = team_of(members);
            const auto borders = random_borders(members, count, engine);
            const auto places = random_places(members, engine);
            CHECK(is_tree_of(team, terms, compose, borders, places, all));
        }
    }
}

TEST_CASE("equal parts of a power of two of terms, which an allreduce combines, have the bits of the tree") {
    const auto plus = [](double a, double b) { return a + b; };
    std::mt19937 engine(2);
    for (const int members : {1, 2, 3, 4, 6, 7, 8}) {
        Team team = team_of(members);
        for (const std::size_t last : {4096U, 1U, 2000U, 4095U}) {
            const std::size_t count = 4096 * static_cast<std::size_t>(members - 1) + last;
            std::vector<std::size_t> borders;
            for (int rank = 0; rank < members; ++rank) {
                borders.push_back(4096 * static_cast<std::size_t>(rank));
            }
            borders.push_back(count);
            std::vector<int> places(static_cast<std::size_t>(members));
            std::iota(places.begin(), places.end(), 0);
            const auto terms = random_terms<double>(count, engine);
            CHECK(is_tree_of(team, terms, sum, borders, places, Tree(terms, sum).value()));
            CHECK(is_tree_of(team, terms, plus, borders, places, Tree(terms, plus).value()));
        }
    }
}

TEST_CASE("without terms the result is the identity, if the operator has one") {
    team_of(3).run([](Member& me) {
        auto total = prepare_ordered_reduce<double>(me, 7, 0, sum);
        CHECK(total({}) == 0.0);
        const auto plus = [](double a, double b) { return a + b; };
        CHECK(text_of([&] { static_cast<void>(prepare_ordered_reduce<double>(me, 0, 0, plus)); }) ==
              "prepare_ordered_reduce: there are no terms, and the operator has no known identity, which "
              "would be the result");
        CHECK(me.allreduce(1, sum) == 3);
    });
}

TEST_CASE("ranges that leave gaps or overlap are rejected on every member, which may prepare again") {
    team_of(3).run([](Member& me) {
        const auto text = [&](std::initializer_list<std::size_t> firsts,
                              std::initializer_list<std::size_t> counts) {
            const auto rank = static_cast<std::size_t>(me.rank());
            return text_of([&] {
                static_cast<void>(
                    prepare_ordered_reduce<double>(me, firsts.begin()[rank], counts.begin()[rank], sum));
            });
        };
        CHECK(text({0, 10, 22}, {10, 10, 5}) ==
              "prepare_ordered_reduce: no member has terms 20 to 21, between ranks 1 and 2: the ranges of "
              "all members must cover all indices from 0 on");
        CHECK(text({12, 1, 6}, {10, 5, 6}) ==
              "prepare_ordered_reduce: no member has term 0, before rank 1: the ranges of all members must "
              "cover all indices from 0 on");
        CHECK(text({0, 8, 10}, {10, 0, 5}) == "");
        CHECK(text({0, 15, 8}, {10, 5, 7}) ==
              "prepare_ordered_reduce: ranks 0 and 2 both have terms 8 to 9: each term must belong to one "
              "member");
        CHECK(text({0, 0, 0}, {1, 2, 3}).find("ranks 0 and 1 both have term 0") != std::string::npos);
        CHECK(me.allreduce(1, sum) == 3);
    });
}

TEST_CASE("ranges are rejected on every member before the exception of one releases the others") {
    Team team(4, {.placement = Placement::none});
    for (int round = 0; round < 30; ++round) {
        const Ended ended =
            run(team, [](Member& me) { std::ignore = prepare_ordered_reduce<double>(me, 5, 1, sum); });
        CHECK(ended.each.count(Kind::combination) == 4);
    }
}

TEST_CASE("wrong lengths are rejected before the call, and different operators on every member") {
    team_of(2).run([](Member& me) {
        const auto first = static_cast<std::size_t>(me.rank()) * 2;
        const std::vector<double> terms = {1, 2};
        CHECK_THROWS_AS(static_cast<void>(prepare_ordered_reduce<double>(
                            me, std::numeric_limits<std::size_t>::max(), 1, sum)),
                        ArgumentError);
        auto total = prepare_ordered_reduce<double>(me, first, 2, sum);
        CHECK(text_of([&] { static_cast<void>(total(std::span(terms).first(1))); }) ==
              "OrderedReduce: `terms` has 1 element, but 2 were prepared: pass as many");
        CHECK(total(terms) == 6.0);
        auto moved = std::move(total);
        CHECK(moved(terms) == 6.0);
        CHECK_THROWS_AS(static_cast<void>(total(terms)), Error); // NOLINT(bugprone-use-after-move)
        const auto prepare = [&] {
            if (me.rank() == 0) {
                static_cast<void>(prepare_ordered_reduce<double>(me, first, 2, prod));
            } else {
                static_cast<void>(prepare_ordered_reduce<double>(me, first, 2, sum));
            }
        };
        CHECK_THROWS_WITH_AS(prepare(),
                             "prepare_ordered_reduce: ranks 0 and 1 have different elements or operators: "
                             "pass the same on every member",
                             CombinationError);
        CHECK(moved(terms) == 6.0);
    });
}

TEST_CASE("an operator that throws fails the group and releases the other members") {
    for (const std::size_t parts : {16U, 5U}) { // with an allreduce, and with a gather
        Team team = team_of(2);
        std::vector<int> aborted(2);
        const auto run = [&] {
            team.run([&](Member& me) {
                const std::vector<int> terms(parts, me.rank());
                const auto refuses = [](int a, int b) {
                    return a == 1 && b == 1 ? throw std::runtime_error("no ones") : a + b;
                };
                try {
                    auto total = prepare_ordered_reduce<int>(me, static_cast<std::size_t>(me.rank()) * parts,
                                                             parts, refuses);
                    static_cast<void>(total(terms));
                } catch (const Aborted&) {
                    aborted[static_cast<std::size_t>(me.rank())] = 1;
                    throw;
                }
            });
        };
        CHECK_THROWS_WITH_AS(run(), "no ones", std::runtime_error);
        CHECK(aborted == std::vector<int>{1, 0});
    }
}
