#include "plugin.hpp"

#include <memory>

namespace {

/// Is copied for calls that return before they are complete, and must be destroyed.
struct Farthest {
    std::shared_ptr<double> scale = std::make_shared<double>(2.0);

    double operator()(double a, double b) const { return *scale * a * a < *scale * b * b ? b : a; }
};

} // namespace

extern "C" {

[[gnu::visibility("default")]] void calls(tutti::Member& me) {
    double value = -1.0 - me.rank();
    double started = value;
    tutti::Request request = me.start.allreduce(std::span(&started, 1), Farthest{});
    value = me.allreduce(value, Farthest{});
    request.wait();
    if (value != -2.0 || started != -2.0) {
        throw tutti::Error("wrong results");
    }
}

[[gnu::visibility("default")]] void arrives(tutti::AsyncGroup& ranks, int rank) {
    double value = -1.0 - rank;
    ranks.at(rank).allreduce(std::span(&value, 1), Farthest{}).wait();
    if (value != -2.0) {
        throw tutti::Error("wrong results");
    }
}
}
