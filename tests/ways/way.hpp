#pragma once

#include "../reference/reference.hpp"

#include <tutti/async_group.hpp>
#include <tutti/dynamic.hpp>
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

/// A call that has begun. A blocking call is complete then.
class Underway {
public:
    Underway() = default;
    virtual ~Underway() = default;
    Underway(const Underway&) = delete;
    Underway& operator=(const Underway&) = delete;
    Underway(Underway&&) = delete;
    Underway& operator=(Underway&&) = delete;

    virtual bool test() { return true; }
    virtual void wait() {}
    /// Whether the call is persistent, and whether it can be started with other buffers.
    virtual Restart restart() const { return Restart::never; }
    /// Starts a persistent call again, with the buffers of the call.
    virtual void start(const WayCall& /*call*/) {}
};

/// One rank, on its thread.
class WayCaller {
public:
    WayCaller(int rank, int size) : rank_(rank), size_(size) {}
    virtual ~WayCaller() = default;
    WayCaller(const WayCaller&) = delete;
    WayCaller& operator=(const WayCaller&) = delete;
    WayCaller(WayCaller&&) = delete;
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
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    Ranks(Ranks&&) = delete;
    Ranks& operator=(Ranks&&) = delete;

    int size() const { return size_; }

    /// Runs `part` for every rank of this process on a thread of its own, and throws what that of the first
    /// rank throws.
    virtual void run(const std::function<void(WayCaller&)>& part) = 0;

private:
    int size_;
};

/// What ranks are made with. Programs in C take the timeout only.
struct Setting {
    int members = 1;
    TeamOptions team = {.placement = "none"};
    AsyncGroupOptions async = {};
};

/// Abilities that not every way of calling has. docs/collectives.md has a table of them.
struct Abilities {
    bool names_algorithms = true;
    bool has_requests = true;
    /// Each rank calls by itself, so that it can be late, fail, or make another call.
    bool calls_alone = true;
};

/// A way of calling.
struct Way {
    std::string_view name;
    Abilities abilities;
    std::unique_ptr<Ranks> (*make)(const Setting&);
};

extern const Way blocking_way, nonblocking_way, persistent_way, async_way, single_caller_way;
/// The same in C.
extern const Way c_blocking_way, c_nonblocking_way, c_persistent_way, c_async_way;

/// All ways of calling.
const std::vector<Way>& all_ways();

/// The table of docs/collectives.md.
std::string table_of_abilities();

/// The calls of C++, compiled once each.
void call_blocking(Member& me, const WayCall& call);
Request start_nonblocking(Member& me, const WayCall& call);
Persistent prepare_persistent(Member& me, const WayCall& call);
AsyncRequest arrive_async(AsyncRank me, const WayCall& call);

} // namespace tutti::test
