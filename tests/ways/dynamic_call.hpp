#pragma once

#include "../reference/calls.hpp"
#include "way.hpp"

namespace tutti::test {

/// A buffer of the elements; Vector is DynamicVector or DynamicInput.
template <class Vector, class Pointer>
Vector buffer_of(const ElementType& elements, Pointer data, std::size_t count) {
    return elements.type == Type::other ? Vector(elements.bytes, data, count)
                                        : Vector(elements.type, data, count);
}

/// Makes the call for `me`: whatever has the collectives of C++.
template <class Me>
auto make_dynamic_call(Me& me, const WayCall& call) {
    return make_call(
        me, call.shape, call.vectors, buffer_of<DynamicInput>(call.elements, call.in, call.in_count),
        buffer_of<DynamicVector>(call.elements, call.out, call.out_count), call.elements.op, call.options);
}

/// A nonblocking call.
template <class Request>
class Requested : public Underway {
public:
    explicit Requested(Request request) : request_(std::move(request)) {}
    bool test() override { return request_.test(); }
    void wait() override { request_.wait(); }

private:
    Request request_;
};

/// A persistent call, which it starts.
class Prepared : public Underway {
public:
    explicit Prepared(Persistent operation) : operation_(std::move(operation)) { operation_.start(); }
    bool test() override { return operation_.test(); }
    void wait() override { operation_.wait(); }
    Restart restart() const override { return Restart::with_any; }
    void start(const WayCall& call) override {
        const auto out = buffer_of<DynamicVector>(call.elements, call.out, call.out_count);
        if (call.shape.collective == Collective::barrier) {
            operation_.start();
        } else if (call.shape.in_place) {
            operation_.start(out);
        } else {
            operation_.start(buffer_of<DynamicInput>(call.elements, call.in, call.in_count), out);
        }
    }

private:
    Persistent operation_;
};

} // namespace tutti::test
