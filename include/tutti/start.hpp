#pragma once

#include <tutti/collectives.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/detail/export.hpp>
#include <tutti/detail/make_call.hpp>
#include <tutti/detail/request_base.hpp>
#include <tutti/error.hpp>
#include <tutti/request.hpp>

#include <functional>
#include <utility>

namespace tutti {

namespace detail {

/// A way of calling, as BlockingWay: the call is still under way when it returns.
struct NonblockingWay : BlockingWay {
    static constexpr bool blocks = false;
};

TUTTI_API RequestBase& start(Seat& seat, const Call& call);
TUTTI_API PersistentRequestBase& prepare(Seat& seat, const Call& call);

} // namespace detail

/// Starts collectives and does not wait for them: `Request sum = me.start.allreduce(in, out, tutti::sum)`.
///
/// All members start the same calls in the same order, also with regard to the calls that block; they may
/// wait for them, and the operations complete, in any order. Any number may be outstanding; of more than 64
/// in one group, one goes on when the 64th before it is complete. An operator is copied; a result is to live,
/// and so is what the call reads, until the operation is complete. Throws ArgumentError as a call that blocks
/// does.
class Start : public Collectives<Start, detail::NonblockingWay> {
public:
    /// For the library: every member has one.
    Start(detail::Seat& seat, int rank, int size) : seat_(&seat), rank_(rank), size_(size) {}

    /// That of the member.
    int rank() const { return rank_; }
    /// The number of members of the group.
    int size() const { return size_; }

private:
    friend class Collectives<Start, detail::NonblockingWay>;
    Request run(const detail::Call& call, const Options& /*in the call*/) {
        return Request(detail::start(*seat_, call));
    }

    detail::Seat* seat_;
    int rank_;
    int size_;
};

/// A call that has been prepared and can be started any number of times: what is to be found out about it is
/// found out once. Lasts until it is destroyed or its member is.
///
/// Each has a place of its own among the members: of several they may start now one, now another, and each
/// waits for the others' same start of the same operation.
class Persistent {
public:
    /// For the library: Prepare makes one.
    explicit Persistent(detail::PersistentRequestBase& operation) noexcept : operation_(&operation) {}
    /// `other` has no operation then.
    Persistent(Persistent&& other) noexcept : operation_(std::exchange(other.operation_, nullptr)) {}
    /// Releases the operation that it had.
    Persistent& operator=(Persistent&& other) noexcept {
        Persistent taken(std::move(other));
        std::swap(operation_, taken.operation_);
        return *this;
    }
    Persistent(const Persistent&) = delete;
    Persistent& operator=(const Persistent&) = delete;
    /// Waits for the operation if it is under way.
    ~Persistent() {
        if (operation_ != nullptr) {
            operation_->release();
        }
    }

    /// Starts the operation once more on the vectors that it was prepared with. Throws Error if it is still
    /// under way, or its member has been destroyed.
    void start() { there().start(); }

    /// The same on other vectors, of the same element type and numbers of elements. Throws ArgumentError if
    /// they are not, or do not lie to each other as those before: separate, or one vector.
    template <class In, class Out>
    requires detail::Vectors<In, Out>
    void start(In&& in, Out&& out) { there().start(Renewed::call<In, Out>(in, out)); }

    /// The same of an operation in place.
    template <detail::BufferArgument InOut>
    void start(InOut&& inout) {
        there().start(Renewed::call<InOut>(inout));
    }

    /// Whether the operation is complete, after a look at what has come. So is one that has not been started.
    bool test() { return there().test(); }

    /// Returns when the operation is complete.
    void wait() { there().wait(); }

    /// As Request::then, once for each start.
    void then(std::function<void()> function) {
        there().then(std::move(function), detail::RequestBase::Calls::when_complete);
    }

    /// As that of a request.
    auto operator co_await() const noexcept { return detail::Awaiter(operation_); }

private:
    struct Renewed : detail::CallMaker {
        template <class In, class Out>
        static detail::Call call(std::remove_reference_t<In>& in, std::remove_reference_t<Out>& out) {
            detail::refuse_short_lived<In>();
            return vectors<Out>(Collective::barrier, detail::view(in), out, Options{});
        }
        template <class InOut>
        static detail::Call call(std::remove_reference_t<InOut>& inout) {
            return in_place<InOut>(Collective::barrier, inout, Options{});
        }
    };

    detail::PersistentRequestBase& there() const {
        if (operation_ == nullptr) {
            throw Error("Persistent: it has been moved from, and has no operation");
        }
        return *operation_;
    }

    detail::PersistentRequestBase* operation_;
};

/// Prepares collectives that are started later, any number of times:
/// `Persistent step = me.prepare.allreduce(in, out, tutti::sum)`, then `step.start()` and `step.wait()`.
///
/// All members prepare the same calls in the same order. An operator is copied. Throws ArgumentError as a
/// call that blocks does.
class Prepare : public Collectives<Prepare, detail::NonblockingWay> {
public:
    /// For the library: every member has one.
    Prepare(detail::Seat& seat, int rank, int size) : seat_(&seat), rank_(rank), size_(size) {}

    /// That of the member.
    int rank() const { return rank_; }
    /// The number of members of the group.
    int size() const { return size_; }

private:
    friend class Collectives<Prepare, detail::NonblockingWay>;
    Persistent run(const detail::Call& call, const Options& /*in the call*/) {
        return Persistent(detail::prepare(*seat_, call));
    }

    detail::Seat* seat_;
    int rank_;
    int size_;
};

} // namespace tutti
