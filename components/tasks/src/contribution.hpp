#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "run/prepared.hpp"
#include "shares.hpp"
#include "tasks/src/pass/pass.hpp"

#include <tutti/executor.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <span>
#include <utility>

namespace tutti::tasks {

/// The contribution of one rank to an operation: its call, whose arguments have been checked, with the fields
/// that identify calls which repeat it.
struct alignas(line_bytes) Contribution {
    /// Without its counts, which may be gone: the offsets or the blocks have their values.
    detail::Call call;
    library::Shape shape;
    library::CallSignature signature;
    /// The digest of the signature.
    std::uint64_t digest = 0;
    library::RepeatedCall repeated;
    std::vector<std::size_t> offsets;
    /// For calls in which only the sender and the receiver of a block know of it.
    run::PrivateLayout blocks;
    library::KeptOperator kept;

    /// Whether a call with this key on these vectors needs no check because it repeats this one.
    bool serves(std::uint64_t key, const void* input, const void* output) const {
        return repeated.serves(key, input, output);
    }
    /// Throws ArgumentError if an argument is wrong.
    void take(const detail::Call& asked, int rank, int members);
    /// Takes a call that this one serves: its vectors alone are others. Writes nothing if they are not: other
    /// CPUs have read this.
    void repeat(const detail::Call& asked) {
        if (call.input != asked.input || call.output != asked.output || call.where.line != asked.where.line ||
            call.where.file != asked.where.file) {
            call.input = asked.input;
            call.output = asked.output;
            call.where = asked.where;
        }
    }
    /// Takes a call that `known` serves, which has neither counts nor an operator of the program.
    void repeat(const Contribution& known, const detail::Call& asked) {
        offsets.clear();
        call = known.call;
        shape = known.shape;
        signature = known.signature;
        digest = known.digest;
        repeated = known.repeated;
        repeat(asked);
    }
};

/// The work of an operation, the number of CPUs that share it, and inputs that had to be copied first.
struct Task {
    pass::Work work;
    std::size_t cpus = 1;
    std::vector<std::unique_ptr<std::byte[]>> copies;
};

/// The task that results from the calls of all ranks, the `number`-th ones (0: there are no others), of which
/// `cpus` CPUs do some. Touches no vector except to copy inputs. Throws MismatchError if the calls do not go
/// together.
Task task_of(std::span<const Contribution> all, std::uint64_t number, int cpus);

/// The vectors of all ranks. A reduction to one rank has one output, which is the first.
struct Operands {
    const void* const* inputs;
    void* const* outputs;
    std::size_t ranks;
};

/// The most ranks for which looking whether their vectors overlap is cheaper than sorting them.
inline constexpr std::size_t most_small_ranks = 16;

/// Carries out calls of all ranks that have this key and these kernels, if one pass over few vectors in the
/// caches does that. Returns false and does nothing if it takes more than that, or if vectors are missing or
/// overlap.
bool execute_small(std::uint64_t key, detail::Builtin builtin, const Operands& operands);

class Slices;

/// The end of a task.
class Completion : Immovable {
public:
    /// Called before an executor gets the slices of the task, with the slices that a waiting thread may run.
    virtual void shared_out(std::shared_ptr<Slices> slices) noexcept = 0;
    /// Called once, by the thread that finishes: with the exception thrown, or null.
    virtual void finished(std::exception_ptr failure) noexcept = 0;

protected:
    ~Completion() = default;
};

/// The slices of a task. An executor may keep them longer than the task lasts.
class Slices {
public:
    Slices(Task task, std::size_t count, std::shared_ptr<Completion> completion)
        : task_(std::move(task)), completion_(std::move(completion)), shares_(count, count + 1) {}

    /// One of them, unless somebody has begun it.
    void run(std::size_t index) noexcept;

    /// All that nobody has begun. An executor mostly begins with the first, and a helping thread with the
    /// last.
    void run_unbegun() noexcept {
        for (std::size_t index = shares_.count(); index-- > 0;) {
            run(index);
        }
    }

    /// The executor has been called and will not be again.
    void handed_out() noexcept { finish_one(); }

    /// It has thrown instead: slices that have not begun never will.
    void not_handed_out(std::exception_ptr failure) noexcept;

private:
    void fail(std::exception_ptr failure);
    void finish_one();

    Task task_;
    std::shared_ptr<Completion> completion_;
    Shares shares_;
    std::atomic_flag has_failed_;
    std::exception_ptr failure_;
};

/// The slices, unless the program gives a size: the least bytes of a slice, which takes longer than to hand
/// it out, and the most slices for each CPU of the process, so that threads that come late have some left to
/// do. With more of them, for vectors of 1 MiB, a pool of two threads takes 5 % longer and more.
inline constexpr std::size_t least_slice_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t slices_per_cpu = 8;

/// Carries out a task: at once, or, if there is an executor and enough to do, in slices of about
/// `slice_bytes` that it runs; 0: of the usual ones, if that pays on this machine. The executor must last
/// until the completion.
void execute(Task task, const Executor& executor, std::size_t slice_bytes,
             const std::shared_ptr<Completion>& completion) noexcept;

} // namespace tutti::tasks
