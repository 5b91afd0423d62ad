#pragma once

#include "../api/support.hpp"
#include "exam.hpp"

namespace tutti::test {

/// A call of one rank whose results do not matter.
struct Called {
    Collective collective = Collective::allreduce;
    /// The elements of the vector, or of each block.
    std::size_t count = 1000;
    Type type = Type::f64;
    DynamicOp op = DynamicOp(Operator::sum);
    bool in_place = true;
    int root = 0;
    std::string_view algorithm = {};
    Order order = Order::canonical;
    /// If blocks are irregular: how much longer the first block is than most, and the last one shorter.
    std::size_t skew = 0;
};

/// The call, with buffers of its own.
class OwnCall {
public:
    OwnCall(const Called& called, int rank, int size)
        : elements_{called.type, detail::bytes_of(called.type), called.op}, options_{.algorithm =
                                                                                         called.algorithm,
                                                                                     .order = called.order} {
        shape_ = {.collective = called.collective, .count = called.count, .root = called.root};
        const detail::OneVector one = shape_.traits().in_place;
        shape_.in_place = one == detail::OneVector::always ||
                          (one != detail::OneVector::never && called.in_place && called.skew == 0);
        if (called.skew != 0) {
            const auto last = static_cast<std::size_t>(size - 1);
            shape_.lengths = [last, count = called.count, skew = called.skew](std::size_t,
                                                                              std::size_t block) {
                const std::size_t longer = count + (block == 0 ? skew : 0);
                return block == last ? longer - std::min(skew, longer) : longer;
            };
        }
        const Reference<std::byte> reference(
            size, [](std::size_t, std::size_t) { return std::byte{}; },
            [](std::byte a, std::byte) { return a; });
        vectors_ = reference.vectors(static_cast<std::size_t>(rank), shape_);
        vectors_.in.resize(vectors_.in.size() * elements_.bytes);
        vectors_.out.resize((vectors_.out.size() + 1) * elements_.bytes);
    }

    WayCall call() { return call_of(shape_, vectors_, elements_, vectors_.in, vectors_.out, options_); }

private:
    Shape shape_;
    ElementType elements_;
    Options options_;
    Vectors<std::byte> vectors_;
};

/// What the call throws, if the rank waits for its end.
inline Thrown thrown_by(WayCaller& me, const Called& called, Timeout timeout = {}) {
    OwnCall own(called, me.rank(), me.size());
    WayCall call = own.call();
    call.options.timeout = timeout;
    return thrown_by([&] { me.begin(call)->wait(); });
}

/// Gives every process what each rank has thrown.
inline void share(Ranks& ranks, std::vector<Thrown>& told) {
    for (int rank = 0; rank < ranks.size(); ++rank) {
        Thrown& thrown = told[static_cast<std::size_t>(rank)];
        std::string text = static_cast<char>(thrown.kind) + thrown.text;
        ranks.share(rank, text);
        thrown = {static_cast<Kind>(text.front()), text.substr(1)};
    }
}

} // namespace tutti::test
