#include "algorithm/registry.hpp"
#include "support.hpp"

// The all-to-all in which every member has counts of its own.

using namespace tutti;
using namespace tutti::test;

namespace {

using List = std::vector<std::size_t>;

std::size_t sum_of(const List& list) {
    return std::accumulate(list.begin(), list.end(), std::size_t{0});
}

/// How many elements each member sends to each: counts[i][j] from member i to member j.
class Matrix {
public:
    explicit Matrix(std::vector<List> rows) : rows_(std::move(rows)) {}
    explicit Matrix(int members) : rows_(static_cast<std::size_t>(members), List(rows_size(members), 0)) {}

    /// Every third block is empty, and in every third matrix some members have nothing to send.
    static Matrix random(int members, std::size_t most, std::mt19937& engine) {
        Matrix made(members);
        for (List& row : made.rows_) {
            const bool silent = engine() % 9 == 0;
            for (std::size_t& count : row) {
                count = silent || engine() % 3 == 0 ? 0 : engine() % (most + 1);
            }
        }
        return made;
    }

    std::size_t size() const { return rows_.size(); }
    List& row(std::size_t sender) { return rows_[sender]; }
    const List& row(std::size_t sender) const { return rows_[sender]; }
    List column(std::size_t receiver) const {
        List found;
        found.reserve(rows_.size());
        for (const List& row : rows_) {
            found.push_back(row[receiver]);
        }
        return found;
    }

private:
    static std::size_t rows_size(int members) { return static_cast<std::size_t>(members); }

    std::vector<List> rows_;
};

/// One call of one member, whose blocks have its rank and a number in every element.
bool exchanges_well(Member& me, const Matrix& counts) {
    const auto own = static_cast<std::size_t>(me.rank());
    std::vector<std::size_t> in, out(sum_of(counts.column(own))), expected;
    for (std::size_t other = 0; other < counts.size(); ++other) {
        in.insert(in.end(), counts.row(own)[other], 10 * own + other);
        expected.insert(expected.end(), counts.row(other)[own], 10 * other + own);
    }
    me.alltoall(in, Counts(counts.row(own)), out, Counts(counts.column(own)));
    return out == expected;
}

/// The parts that every member plays in one call, and what it threw.
Outcomes outcomes_of(const std::vector<List>& sent, const std::vector<List>& received,
                     std::string_view algorithm) {
    const int members = static_cast<int>(sent.size());
    Outcomes outcomes(members);
    Team team(members, {.placement = "none"});
    thrown_by([&] {
        team.run([&](Member& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            const std::vector<double> in(sum_of(sent[rank]), 1.0);
            std::vector<double> out(sum_of(received[rank]), -1.0);
            outcomes.note(me, [&] {
                me.alltoall(in, Counts(sent[rank]), out, Counts(received[rank]), {.algorithm = algorithm});
            });
        });
    });
    int total = 0;
    team.run([&](Member& me) {
        int one = 1;
        one = me.allreduce(one, sum);
        if (me.rank() == 0) {
            total = one;
        }
    });
    CHECK(total == members);
    return outcomes;
}

/// A call as one of two members that nobody else takes part in.
Thrown first_of_two(const std::function<void(Member&)>& call) {
    Group group(2);
    Member me = group.join(0);
    const Member other = group.join(1);
    return thrown_by([&] { call(me); });
}

void check_refused(const List& sent, const List& received, const char* part) {
    const std::vector<int> in(5);
    std::vector<int> out(5);
    const Thrown thrown =
        first_of_two([&](Member& me) { me.alltoall(in, Counts(sent), out, Counts(received)); });
    INFO("the message is: ", thrown.text);
    CHECK(thrown.kind == Thrown::Kind::argument);
    CHECK(mentions(thrown.text, part));
}

} // namespace

TEST_CASE("a count that is not what the other member expects is named on every member") {
    std::mt19937 engine(1);
    for (const int members : {2, 3, 5, 8}) {
        for (const std::string_view algorithm : {"direct", "pairwise"}) {
            for (const bool more : {true, false}) {
                const Matrix counts = Matrix::random(members, 50, engine);
                const std::size_t sender = 1;
                const auto receiver = static_cast<std::size_t>(members) - 1 == sender ? 0 : counts.size() - 1;
                std::vector<List> sent;
                std::vector<List> received;
                for (std::size_t rank = 0; rank < counts.size(); ++rank) {
                    sent.push_back(counts.row(rank));
                    received.push_back(counts.column(rank));
                }
                sent[sender][receiver] = 30;
                received[receiver][sender] = more ? 2'000'000 : 29;
                const Outcomes outcomes = outcomes_of(sent, received, algorithm);
                const std::string text = "recv_counts[1] of member " + std::to_string(receiver) + " is " +
                                         std::to_string(received[receiver][sender]) + ", but send_counts[" +
                                         std::to_string(receiver) + "] of member 1 is 30";
                for (int rank = 0; rank < members; ++rank) {
                    INFO(members, " members, member ", rank, ": ", outcomes.of(rank).text);
                    const bool finds_it = static_cast<std::size_t>(rank) == receiver;
                    CHECK(outcomes.of(rank).kind ==
                          (finds_it ? Thrown::Kind::mismatch : Thrown::Kind::aborted));
                    CHECK(mentions(outcomes.of(rank).text, text));
                }
            }
        }
    }
}

TEST_CASE("members that disagree on the element or on having counts are told what each of them calls") {
    struct Disagreement {
        std::function<void(Member&)> odd;
        const char* says;
    };
    const List ones(3, 1);
    const Disagreement disagreements[] = {{[&](Member& me) {
                                               const std::vector<float> in(3);
                                               std::vector<float> out(3);
                                               me.alltoall(in, Counts(ones), out, Counts(ones));
                                           },
                                           "by counts of 4-byte elements of f32"},
                                          {[&](Member& me) {
                                               const std::vector<double> in(3);
                                               std::vector<double> out(3);
                                               me.alltoall(in, out, {.algorithm = "direct"});
                                           },
                                           "of 24 bytes of f64"},
                                          {[&](Member& me) {
                                               const std::vector<double> in(3);
                                               std::vector<double> out(3);
                                               me.alltoall(in, Counts(ones), out, Counts(ones),
                                                           {.algorithm = "pairwise"});
                                           },
                                           "algorithm pairwise"}};
    for (const Disagreement& disagreement : disagreements) {
        Team team(3, {.placement = "none"});
        const Thrown thrown = thrown_by([&] {
            team.run([&](Member& me) {
                const std::vector<double> in(3);
                std::vector<double> out(3);
                me.rank() == 1 ? disagreement.odd(me) : me.alltoall(in, Counts(ones), out, Counts(ones));
            });
        });
        INFO("the message is: ", thrown.text);
        CHECK(thrown.kind == Thrown::Kind::mismatch);
        CHECK(mentions(thrown.text, "alltoall (algorithm direct) by counts of 8-byte elements of f64"));
        CHECK(mentions(thrown.text, disagreement.says));
    }
}

TEST_CASE("counts that cannot be right are refused before anybody is told") {
    check_refused({2, 3, 0}, {2, 3}, "`send_counts` has 3 entries, must have one for each of the 2 members");
    check_refused({2, 3}, {5}, "`recv_counts` has 1 entries");
    check_refused({}, {}, "`send_counts` has 0 entries");
    check_refused({2, 4}, {2, 3}, "`in` has 5 elements, but `send_counts` add up to 6");
    check_refused({2, 3}, {2, 2}, "`out` has 5 elements, but `recv_counts` add up to 4");
    check_refused({2, SIZE_MAX}, {2, 3}, "the sum of `send_counts` overflows");
    check_refused({2, 3}, {SIZE_MAX, 2}, "the sum of `recv_counts` overflows");
    check_refused({2, 3}, {3, 2}, "`send_counts[0]` is 2 and `recv_counts[0]` is 3 of member 0 itself");
}

TEST_CASE("vectors must be there and apart") {
    const List counts{1, 2};
    std::vector<int> both(4);
    const auto overlap = [&](std::size_t start) {
        return first_of_two([&](Member& me) {
            me.alltoall(std::span(both).first(3), Counts(counts), std::span(both).subspan(start, 3),
                        Counts(counts));
        });
    };
    for (const std::size_t start : {std::size_t{0}, std::size_t{1}}) {
        CHECK(overlap(start).kind == Thrown::Kind::argument);
        CHECK(mentions(overlap(start).text, "they must be separate vectors"));
    }
    const Thrown null = first_of_two([&](Member& me) {
        me.alltoall(std::span<const int>(static_cast<const int*>(nullptr), 3), Counts(counts),
                    std::span(both).first(3), Counts(counts));
    });
    CHECK(null.kind == Thrown::Kind::argument);
    CHECK(mentions(null.text, "`in` has 3 elements but is a null pointer"));
}

TEST_CASE("other counts are noticed where all sizes stay the same") {
    const Matrix packed({{1, 2}, {1, 1}});
    const Matrix crossed({{0, 3}, {2, 0}});
    Team team(2);
    std::vector<int> wrong(2);
    team.run([&](Member& me) {
        for (const Matrix& counts : {packed, crossed, crossed, packed}) {
            wrong[static_cast<std::size_t>(me.rank())] += exchanges_well(me, counts) ? 0 : 1;
        }
    });
    CHECK(wrong == std::vector<int>{0, 0});
}

TEST_CASE("an algorithm that passes blocks on is refused, and the message names those that do not") {
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective != Collective::alltoall) {
            continue;
        }
        // Every block in one hop is what the flag says.
        CHECK(row.protocols.one_hop == (row.cost(16, 0).blocks == 15));
        const Thrown thrown = first_of_two([&](Member& me) {
            const std::vector<int> in(3);
            std::vector<int> out(3);
            const List wrong{1, 1};
            const List right{1, 2};
            me.alltoall(in, Counts(row.protocols.one_hop ? wrong : right), out, Counts(right),
                        {.algorithm = row.name});
        });
        INFO(row.name, ": ", thrown.text);
        CHECK(thrown.kind == Thrown::Kind::argument);
        CHECK(mentions(thrown.text, "these would work: direct, pairwise") == !row.protocols.one_hop);
    }
}

TEST_CASE("members that do not know what they receive get it in a vector that fits") {
    std::mt19937 engine(7);
    for (const int members : {1, 2, 3, 5}) {
        Team team(members, {.placement = "none"});
        for (int round = 0; round < 5; ++round) {
            const Matrix counts = Matrix::random(members, round == 0 ? 0 : 900, engine);
            team.run([&](Member& me) {
                const auto own = static_cast<std::size_t>(me.rank());
                std::vector<std::uint32_t> in;
                for (std::size_t to = 0; to < counts.size(); ++to) {
                    in.insert(in.end(), counts.row(own)[to], static_cast<std::uint32_t>(100 * own + to));
                }
                std::vector<std::uint32_t> out(3, 77);
                const List received = me.alltoall(in, Counts(counts.row(own)), out);
                CHECK(received == counts.column(own));
                std::vector<std::uint32_t> expected;
                for (std::size_t from = 0; from < counts.size(); ++from) {
                    expected.insert(expected.end(), counts.row(from)[own],
                                    static_cast<std::uint32_t>(100 * from + own));
                }
                CHECK(out == expected);
            });
        }
    }
}
