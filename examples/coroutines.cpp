// Mean and variance of several columns of a table whose rows are spread over the members. The variance needs
// the mean first, so each column takes two allreduces, one after the other. Each column is a coroutine: what
// one waits for does not hold up the others, and there is no thread behind any of them.

#include <tutti/tutti.hpp>

#include <cmath>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <list>
#include <vector>

constexpr int members = 3;
constexpr int rows = 1000; // of each member
constexpr int columns = 8;

/// A coroutine that starts at once and is gone when it ends.
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

struct Column {
    int number;
    double mean = 0;
    double variance = 0;
    double element(int row) const { return row % (number + 2); }
};

/// As member `me` of a group of the column's own: the order in which coroutines go on, and start the next
/// operation, differs between members.
static Task find_moments(tutti::Member& me, Column& column, int& left) {
    double sum = 0, squares = 0;
    for (int row = me.rank() * rows; row < (me.rank() + 1) * rows; ++row) {
        sum += column.element(row);
    }
    co_await me.start.allreduce(sum, column.mean, tutti::sum);
    column.mean /= members * rows;
    for (int row = me.rank() * rows; row < (me.rank() + 1) * rows; ++row) {
        squares += std::pow(column.element(row) - column.mean, 2);
    }
    co_await me.start.allreduce(squares, column.variance, tutti::sum);
    column.variance /= members * rows;
    --left;
}

int main() {
    std::vector<Column> table;
    tutti::Team team(members);
    team.run([&](tutti::Member& me) {
        std::list<tutti::Member> groups;
        std::list<Column> found;
        int left = columns;
        for (int number = 0; number < columns; ++number) {
            find_moments(groups.emplace_back(me.dup()), found.emplace_back(Column{number}), left);
        }
        tutti::progress_until([&] { return left == 0; });
        if (me.rank() == 0) {
            table.assign(found.begin(), found.end());
        }
    });
    int wrong = 0;
    for (const Column& column : table) { // whose elements are 0 .. n - 1, again and again
        const double n = column.number + 2;
        std::printf("column %d: mean %.4f, variance %.4f\n", column.number, column.mean, column.variance);
        wrong +=
            std::abs(column.mean - (n - 1) / 2) + std::abs(column.variance - (n * n - 1) / 12) < 0.01 ? 0 : 1;
    }
    return table.size() == columns && wrong == 0 ? 0 : 1;
}
