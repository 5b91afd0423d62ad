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
    explicit Requested(Request made) : request(std::move(made)) {}
    bool test() override { return request.test(); }
    void wait() override { request.wait(); }
    bool wait_for(std::chrono::milliseconds time) override { return request.wait_for(time); }
    bool valid() const override { return request.valid(); }
    void then(const Told& function) override { request.then(function); }
    std::unique_ptr<Underway> taken() override { return std::make_unique<Requested>(std::move(request)); }

    Request request;
};

/// A persistent call, which it starts.
class Prepared : public Requested<Persistent> {
public:
    explicit Prepared(Persistent made) : Requested(std::move(made)) { request.start(); }
    Restart restart() const override { return Restart::with_any; }
    void start(const WayCall& call) override {
        const auto out = buffer_of<DynamicVector>(call.elements, call.out, call.out_count);
        if (call.shape.collective == Collective::barrier) {
            request.start();
        } else if (call.shape.in_place) {
            request.start(out);
        } else {
            request.start(buffer_of<DynamicInput>(call.elements, call.in, call.in_count), out);
        }
    }
};

} // namespace tutti::test
