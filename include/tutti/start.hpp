// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/basic_request.hpp>
#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.h>
#include <tutti/detail/make_call.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>
#include <tutti/request.hpp>

#include <type_traits>

namespace tutti::v0_1 {

namespace detail {

/// A way of calling, like BlockingWay: the operation is still outstanding when the call returns.
struct NonblockingWay : BlockingWay {
    static constexpr bool blocks = false;
};

TUTTI_API RequestBase& start(Seat& seat, const Call& call);
TUTTI_API PersistentRequestBase& prepare(Seat& seat, const Call& call);

/// The common part of Start and Prepare, of members of any kind.
template <class Calls, class Place = Seat, class Way = NonblockingWay>
class NonblockingCalls : public Collectives<Calls, Way> {
public:
    /// Internal: use Member::start and Member::prepare.
    NonblockingCalls(Place& seat, int rank, int size) : seat_(&seat), rank_(rank), size_(size) {}
    NonblockingCalls(const NonblockingCalls&) = default;
    /// Not assignable: it makes the calls of one member.
    NonblockingCalls& operator=(const NonblockingCalls&) = delete;

    /// The rank of the member.
    int rank() const noexcept { return rank_; }
    /// The number of members.
    int size() const noexcept { return size_; }

protected:
    /// Internal.
    Place& seat() const noexcept { return *seat_; }

private:
    Place* seat_;
    int rank_;
    int size_;
};

} // namespace detail

/// The nonblocking collectives: `Request sum = me.start.allreduce(in, out, tutti::sum)`.
///
/// All members must start the same calls in the same order, also in relation to their blocking calls. They
/// may wait for the operations in any order, and the operations may complete in any order. Any number may be
/// outstanding; if a group has more than 64, the next one makes progress when the 64th before it is complete.
/// The operator is copied. A start throws what a blocking call throws: ArgumentError for wrong arguments, and
/// the failure if the group has failed or fails at once, for example because the operator throws. There is
/// then no request, and no function that would have been passed to then() is called. A program that
/// handles failures in then() must also handle the exceptions of the start.
///
/// @warning The inputs and outputs must live until the operation is complete.
class Start : public detail::NonblockingCalls<Start> {
public:
    using NonblockingCalls::NonblockingCalls;

private:
    friend class Collectives<Start, detail::NonblockingWay>;
    Request run(const detail::Call& call) { return Request(detail::start(seat(), call)); }
};

/// A persistent operation: a call that was prepared once, so that its setup is done once, and can be started
/// any number of times. It can be used until it or its member is destroyed.
///
/// Starts of one persistent operation are matched only with starts of the same operation on the other
/// members: the n-th start waits for the others' n-th start. Members may therefore start several persistent
/// operations in different orders.
///
/// It behaves as a Request does: only its member's thread may use it, it can be moved but not copied, and its
/// destructor waits for the operation. An operation that has never been started is complete. then() must be
/// called anew for each start. start() throws Error if the object is empty; see valid().
class Persistent : public BasicRequest<detail::PersistentRequestBase> {
public:
    Persistent() = default;
    /// Internal: use Member::prepare.
    explicit Persistent(detail::PersistentRequestBase& operation) noexcept : BasicRequest(operation) {}

    /// Starts the operation once more, with the buffers of the last start; at first, those with which it was
    /// prepared. Throws Error if it is still outstanding or its member has been destroyed.
    void start() { there().start(); }

    /// Starts the operation with other buffers. They must have the element type and the numbers of elements
    /// of the old buffers, and be separate or the same buffer as those were. Throws ArgumentError otherwise,
    /// and if the results have another type than the operands.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    void start(In&& in, Out&& out) { there().start(Renewed::call<In, Out>(in, out)); }

    /// Starts an operation in place with another buffer, under the same conditions.
    template <detail::BufferArgument InOut>
    void start(InOut&& inout) {
        there().start(Renewed::call<InOut>(inout));
    }

private:
    struct Renewed : detail::CallMaker {
        template <class In, class Out>
        static detail::Call call(std::remove_reference_t<In>& in, std::remove_reference_t<Out>& out) {
            detail::refuse_short_lived<In>();
            return vectors<Out>(Collective::barrier, in, out, Options{});
        }
        template <class InOut>
        static detail::Call call(std::remove_reference_t<InOut>& inout) {
            return in_place<InOut>(Collective::barrier, inout, Options{});
        }
    };

    detail::PersistentRequestBase& there() const {
        if (operation() == nullptr) {
            throw Error("Persistent::start: the object is empty, because it was default-constructed or moved "
                        "from; assign it an operation of Member::prepare first");
        }
        return *operation();
    }
};

/// Prepares persistent collectives, which can be started any number of times: `Persistent step =
/// me.prepare.allreduce(in, out, tutti::sum)`, then `step.start()` and `step.wait()`.
///
/// All members must prepare the same calls in the same order, also in relation to their blocking calls. The
/// operator is copied. Throws ArgumentError as a blocking call does.
class Prepare : public detail::NonblockingCalls<Prepare> {
public:
    using NonblockingCalls::NonblockingCalls;

private:
    friend class Collectives<Prepare, detail::NonblockingWay>;
    Persistent run(const detail::Call& call) { return Persistent(detail::prepare(seat(), call)); }
};

} // namespace tutti::v0_1
