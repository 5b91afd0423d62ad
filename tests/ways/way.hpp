#pragma once

#include "../reference/reference.hpp"

#include <tutti/async_group.hpp>
#include <tutti/bindings.hpp>
#include <tutti/options.hpp>
#include <tutti/team.hpp>

namespace tutti::test {

/// What elements are, and how they are combined.
struct ElementType {
    Type type = Type::other;
    std::size_t bytes = 0;
    DynamicOp op;
};

/// A call of one rank, whose types are known at run time. In place, `out` is the only buffer.
struct WayCall {
    const Shape& shape;
    /// The rank, and the layouts of the blocks.
    const Vectors<std::byte>& vectors;
    const ElementType& elements;
    const void* in = nullptr;
    std::size_t in_count = 0;
    void* out = nullptr;
    std::size_t out_count = 0;
    Options options = {};
};

enum class Restart { never, with_its_buffers, with_any };

/// A function that gets the failure of an operation, or null.
using Told = std::function<void(const std::exception_ptr&)>;

/// A call that has begun. A blocking call is complete then.
class Underway {
public:
    Underway() = default;
    virtual ~Underway() = default;
    Underway& operator=(Underway&&) = delete;

    virtual bool test() { return true; }
    virtual void wait() {}
    /// Whether the call is persistent, and whether it can be started with other buffers.
    virtual Restart restart() const { return Restart::never; }
    /// Starts a persistent call again, with the buffers of the call.
    virtual void start(const WayCall& /*call*/) {}

    // What only requests have.
    virtual bool wait_for(std::chrono::milliseconds /*time*/) { return true; }
    virtual bool valid() const { return false; }
    virtual void then(const Told& /*function*/) {}
    /// Another request that has the operation; this one is empty from then on.
    virtual std::unique_ptr<Underway> taken() { return nullptr; }
};

using Requests = std::vector<std::unique_ptr<Underway>>;

/// One rank, on its thread.
class WayCaller {
public:
    WayCaller(int rank, int size) : rank_(rank), size_(size) {}
    virtual ~WayCaller() = default;
    WayCaller& operator=(WayCaller&&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }

    virtual std::unique_ptr<Underway> begin(const WayCall& call) = 0;

private:
    int rank_;
    int size_;
};

/// All ranks, which call in one way.
class Ranks {
public:
    explicit Ranks(int size) : size_(size) {}
    virtual ~Ranks() = default;
    Ranks& operator=(Ranks&&) = delete;

    int size() const { return size_; }

    /// Runs `part` for every rank of this process on a thread of its own, and throws what that of the first
    /// rank throws.
    virtual void run(const std::function<void(WayCaller&)>& part) = 0;

    // Between runs, if ranks are in several processes, all of which do the same:
    /// Gives every process the text that this rank has in its process.
    virtual void share(int /*rank*/, std::string& /*text*/) {}
    /// A number that all ranks see, which is 0.
    virtual std::atomic<int>& common() { return common_ = 0, common_; }

private:
    int size_;
    std::atomic<int> common_{0};
};

/// What ranks are made with. Programs in C take the timeout only.
struct Setting {
    int members = 1;
    TeamOptions team = {.placement = Placement::none};
    AsyncGroupOptions async = {};
};

/// With a timeout of every call.
inline Setting with_timeout(int members, std::chrono::milliseconds timeout) {
    return {.members = members,
            .team = {.placement = Placement::none, .group = {.timeout = timeout}},
            .async = {.timeout = timeout}};
}

/// Abilities that not every way of calling has. docs/collectives.md has a table of them.
struct Abilities {
    bool names_algorithms = true;
    bool has_requests = true;
    /// Each rank calls by itself, so that it can be late, fail, or make another call.
    bool calls_alone = true;
    /// Numbers of 16 bits can be combined.
    bool has_16_bits = true;
    /// A run throws what a call has thrown, even if the function of the member has caught it: not in
    /// clusters.
    bool run_reports_all = true;
    /// Ranks that pass one buffer and ranks that pass two make different calls: not in clusters, where only
    /// the data of a call are compared.
    bool compares_places = true;
    /// Nonblocking calls of clusters reject Order::serial if it can change the bits.
    bool has_serial_order = true;
    /// By how much longer than the timeout a rank may wait: in clusters for a member of its process, because
    /// a late process is to be named first.
    std::chrono::milliseconds extra_wait{0};
    /// All ranks are in this process.
    bool in_one_process = true;
};

/// A way of calling.
struct Way {
    std::string_view name;
    Abilities abilities;
    std::unique_ptr<Ranks> (*make)(const Setting&);
    /// test_all, and test_any or wait_any, of requests of this way; null if it has none.
    bool (*test_all)(Requests&) = nullptr;
    std::optional<std::size_t> (*any)(Requests&, bool waits) = nullptr;

    /// Whether ranks are not bound to threads.
    bool is_async() const { return name.ends_with("async"); }
    /// C, or Fortran, which calls C.
    bool is_c() const { return name.starts_with("C,") || is_fortran(); }
    bool is_fortran() const { return name.starts_with("Fortran,"); }
};

extern const Way blocking_way, nonblocking_way, persistent_way, async_way, all_buffers_way;
/// The same in C.
extern const Way c_blocking_way, c_nonblocking_way, c_persistent_way, c_async_way;
/// The same in Fortran, if that is built.
extern const Way fortran_blocking_way, fortran_nonblocking_way, fortran_persistent_way, fortran_async_way;

/// All ways of calling that this program tests.
const std::vector<Way>& all_ways();

/// The calls of C++, compiled once each.
void call_blocking(Member& me, const WayCall& call);
Request start_nonblocking(Member& me, const WayCall& call);
Persistent prepare_persistent(Member& me, const WayCall& call);
AsyncRequest arrive_async(AsyncRank me, const WayCall& call);

} // namespace tutti::test
