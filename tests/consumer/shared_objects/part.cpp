// The calls of a shared object, which has loops and typeinfo of its own for these operators.

#include <tutti/tasks.hpp>
#include <tutti/tutti.hpp>

#include <memory>
#include <span>

/// Is copied for calls that return before they are complete, and must be destroyed.
struct Farthest {
    std::shared_ptr<double> scale = std::make_shared<double>(2.0);
    double operator()(double a, double b) const { return *scale * a * a < *scale * b * b ? b : a; }
};
struct Nearest {
    double operator()(double a, double b) const { return a * a < b * b ? a : b; }
};

extern "C" {

[[gnu::visibility("default")]] void calls(tutti::Member& me, std::span<double> values, bool farthest) {
    if (farthest) {
        me.start.allreduce(values, Farthest{}).wait();
        me.allreduce(values, Farthest{});
    } else {
        me.allreduce(values, Nearest{});
    }
}

[[gnu::visibility("default")]] void arrives(tutti::AsyncGroup& ranks, int rank, std::span<double> values) {
    ranks.at(rank).allreduce(values, Farthest{}).wait();
}
}
