#include "support.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int repetitions = test::reduced ? 10 : 100;

/// Makes aligned allocations of this thread fail, of which every group has some.
thread_local bool refuse_memory = false;

/// Not inlined: GCC would see free() on what an operator new has returned, and take it for a mistake.
[[gnu::noinline]] void release(void* memory) noexcept {
    std::free(memory);
}

} // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto multiple = static_cast<std::size_t>(alignment);
    void* const memory =
        refuse_memory ? nullptr : std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

namespace {

/// Runs `function` on a team and counts the members on which it returns true.
template <class Function>
int count_good(int members, Function function) {
    Team team(members, {.placement = "none"});
    std::atomic<int> good{0};
    team.run([&](Member& me) { good += function(me) ? 1 : 0; });
    return good;
}

/// The ranks in `world` of the members of `me`, in the order of their ranks there.
std::vector<int> world_ranks(Member& me, const Member& world) {
    std::vector<int> ranks(static_cast<std::size_t>(me.size()));
    me.allgather(world.rank(), ranks);
    return ranks;
}

} // namespace

TEST_CASE("rows and columns of a grid") {
    constexpr int rows = 3;
    constexpr int columns = 4;
    CHECK(count_good(rows * columns, [](Member& me) {
              const int my_row = me.rank() / columns;
              const int my_column = me.rank() % columns;
              std::optional<Member> row = me.split(my_row, my_column);
              std::optional<Member> column = me.split(my_column, my_row);
              bool good = row && row->size() == columns && row->rank() == my_column;
              good = good && column && column->size() == rows && column->rank() == my_row;
              std::vector<int> in_row(columns);
              std::iota(in_row.begin(), in_row.end(), my_row * columns);
              good = good && world_ranks(*row, me) == in_row;
              // Sums of rows, summed over each column, are sums of everything.
              std::vector<long> values(1000, me.rank());
              row->allreduce(values, sum);
              column->allreduce(values, sum);
              return good && values == std::vector<long>(1000, 66);
          }) == rows * columns);
}

TEST_CASE("keys order the ranks, and equal keys leave them in order") {
    CHECK(count_good(5, [](Member& me) {
              std::optional<Member> reversed = me.split(3, -me.rank());
              std::optional<Member> same = me.split(0, 7);
              std::optional<Member> odd_first = me.split(1, me.rank() % 2 == 0 ? 1 : -1);
              return reversed->rank() == 4 - me.rank() && same->rank() == me.rank() &&
                     world_ranks(*reversed, me) == std::vector<int>{4, 3, 2, 1, 0} &&
                     world_ranks(*odd_first, me) == std::vector<int>{1, 3, 0, 2, 4};
          }) == 5);
}

TEST_CASE("a member without a color is in no group") {
    CHECK(count_good(5, [](Member& me) {
              const bool is_even = me.rank() % 2 == 0;
              std::optional<Member> even = me.split(is_even ? std::optional(0) : std::nullopt, 0);
              const bool expected =
                  is_even ? even && world_ranks(*even, me) == std::vector<int>{0, 2, 4} : !even;
              return expected && !me.split(std::nullopt, 0);
          }) == 5);
    CHECK(count_good(
              1, [](Member& me) { return me.split(0, 0)->size() == 1 && !me.split(std::nullopt, 0); }) == 1);
}

TEST_CASE("a negative color is rejected, and the others are released") {
    Team team(3, {.placement = "none"});
    const test::Ended ended =
        test::run(team, [](Member& me) { static_cast<void>(me.split(me.rank() == 1 ? -7 : 0, 0)); });
    CHECK(ended.run.kind == Thrown::Kind::argument);
    CHECK(ended.run.text == "split: `color` is -7, must be at least 0; pass std::nullopt to be in no group");
    CHECK(ended.each.count(Thrown::Kind::aborted) == 2);
    test::check_usable(team);
}

TEST_CASE("a group is split until everybody is alone") {
    CHECK(count_good(8, [](Member& me) {
              std::optional<Member> part = me.dup();
              for (int size = 4; size >= 1; size /= 2) {
                  std::optional<Member> next = part->split(part->rank() / size, part->rank());
                  if (!next || next->size() != size || next->rank() != me.rank() % size) {
                      return false;
                  }
                  int total = me.rank();
                  total = next->allreduce(total, sum);
                  const int lowest = me.rank() / size * size;
                  if (total != lowest * size + size * (size - 1) / 2) {
                      return false;
                  }
                  part.emplace(std::move(*next));
              }
              return true;
          }) == 8);
}

TEST_CASE("a duplicate and its parent take turns") {
    for (const int members : {1, 2, 3, 8}) {
        CHECK(count_good(members, [members](Member& me) {
                  Member twin = me.dup();
                  bool good = twin.rank() == me.rank() && twin.size() == members;
                  for (int i = 0; i < repetitions; ++i) {
                      std::vector<int> values(static_cast<std::size_t>(1 + 500 * (i % 2)), me.rank() + i);
                      int lowest = me.rank() + i;
                      twin.allreduce(values, max);
                      lowest = me.allreduce(lowest, min);
                      good = good && values.back() == members - 1 + i && lowest == i;
                  }
                  return good;
              }) == members);
    }
}

TEST_CASE("sub-groups work at the same time, each at its own pace") {
    CHECK(count_good(9, [](Member& me) {
              // Groups of 2, 3 and 4.
              const int color = me.rank() < 2 ? 0 : me.rank() < 5 ? 1 : 2;
              std::optional<Member> mine = me.split(color, 0);
              bool good = mine && mine->size() == color + 2;
              for (int i = 0; good && i < repetitions * (color + 1); ++i) {
                  std::vector<int> values(static_cast<std::size_t>(1 + i % 3 * (400 + color)), mine->rank());
                  mine->allreduce(values, sum);
                  good = values.back() == mine->size() * (mine->size() - 1) / 2;
                  if (i % 16 == color) {
                      mine->barrier();
                  }
              }
              int everybody = 1;
              everybody = me.allreduce(everybody, sum);
              return good && everybody == 9;
          }) == 9);
}

TEST_CASE("a sub-group needs neither its parent nor another sub-group") {
    const auto on_two_threads = [](const auto& part) {
        const std::jthread other([&] { part(1); });
        part(0);
    };
    auto group = std::make_unique<Group>(2);
    std::vector<std::optional<Member>> twins(2);
    on_two_threads([&](int rank) {
        Member me = group->join(rank);
        twins[static_cast<std::size_t>(rank)].emplace(me.dup());
    });
    group.reset();
    std::vector<int> sums(2);
    on_two_threads([&](std::size_t rank) { twins[rank]->allreduce(5, sums[rank], sum); });
    CHECK(sums == std::vector<int>{10, 10});
}

TEST_CASE("an exception in one sub-group releases all who wait, wherever they do") {
    Team team(6, {.placement = "none"});
    for (int i = 0; i < repetitions; ++i) {
        Outcomes outcomes(6);
        const Thrown reached = thrown_by([&] {
            team.run([&](Member& me) {
                std::exception_ptr failure;
                outcomes.note(me, [&] {
                    try {
                        std::optional<Member> mine = me.split(me.rank() % 3, 0);
                        if (me.rank() == i % 6) {
                            throw std::domain_error("no more data");
                        }
                        mine->barrier();
                        me.barrier();
                    } catch (...) {
                        failure = std::current_exception();
                        throw;
                    }
                });
                std::rethrow_exception(failure);
            });
        });
        CHECK(reached.text == "no more data");
        CHECK(outcomes.count(Thrown::Kind::aborted) == 5);
    }
}

TEST_CASE("a member that has left its sub-group is not waited for") {
    Outcomes outcomes(3);
    Team team(3, {.placement = "none"});
    team.run([&](Member& me) {
        std::optional<Member> twin = me.dup();
        outcomes.note(me, [&] {
            twin->barrier();
            if (me.rank() == 1) {
                twin.reset();
            } else {
                twin->barrier();
            }
        });
        me.barrier();
    });
    CHECK(outcomes.count(Thrown::Kind::mismatch) >= 1);
    CHECK(outcomes.count(Thrown::Kind::mismatch) + outcomes.count(Thrown::Kind::aborted) == 2);
    CHECK(mentions(outcomes.text(Thrown::Kind::mismatch), "member 1 has returned"));
}

TEST_CASE("without memory for the new group everybody is released, whoever lacks it") {
    for (const int without : {0, 1}) {
        Team team(4, {.placement = "none"});
        Outcomes outcomes(4);
        const Thrown reached = thrown_by([&] {
            team.run([&](Member& me) {
                static_cast<void>(me.dup()); // what a call needs for itself is there
                outcomes.note(me, [&] {
                    refuse_memory = me.rank() == without;
                    static_cast<void>(me.split(me.rank() % 2, 0));
                });
                refuse_memory = false;
            });
        });
        CHECK(outcomes.of(without).kind == Thrown::Kind::other);
        CHECK(outcomes.count(Thrown::Kind::aborted) == 3);
        CHECK(
            mentions(outcomes.text(Thrown::Kind::aborted), "member " + std::to_string(without) + " failed"));
        CHECK(reached.text == outcomes.of(without).text);
        CHECK(thrown_by([&] { team.run([](Member& me) { me.dup().barrier(); }); }).kind ==
              Thrown::Kind::nothing);
    }
}

TEST_CASE("a member that duplicates the group while others split it is told, whatever their colors") {
    Team team(3, {.placement = "none"});
    for (const std::optional<int> color : {std::optional(1), std::optional(0), std::optional<int>()}) {
        const test::Thrown thrown = test::thrown_by([&] {
            team.run([&](Member& me) {
                if (me.rank() == 0) {
                    static_cast<void>(me.dup());
                } else {
                    static_cast<void>(me.split(color, 0));
                }
            });
        });
        CHECK(thrown.kind == test::Thrown::Kind::mismatch);
        CHECK(test::mentions(thrown.text, "member 0 calls dup, but member 1 calls split"));
    }
}
