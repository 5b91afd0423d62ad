#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "call/call_signature.hpp"
#include "call/known_call.hpp"
#include "run/private_layout.hpp"
#include "tasks/src/pass/execute.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::tasks {

/// The contribution of one rank to an operation: its call, whose arguments have been checked, with the fields
/// that identify calls which repeat it.
struct alignas(line_bytes) Contribution {
    /// Without its counts, which may be gone: the offsets or the blocks have their values.
    detail::Call call;
    engine::Shape shape;
    engine::CallSignature signature;
    /// The digest of the signature.
    std::uint64_t digest = 0;
    engine::RepeatedCall repeated;
    std::vector<std::size_t> offsets;
    /// For calls in which only the sender and the receiver of a block know of it.
    run::PrivateLayout blocks;
    engine::KeptOperator kept;

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
    /// Copies the operator, which may be gone when it is needed.
    void keep_operator();
};

/// The work of an operation, and inputs that had to be copied first.
struct Task {
    pass::Work work;
    std::vector<std::unique_ptr<std::byte[]>> copies;
};

/// The task that results from the calls of all ranks, the `number`-th ones (0: there are no others), of which
/// `cpus` CPUs do some. Touches no vector except to copy inputs. Throws MismatchError if the calls do not go
/// together.
Task task_of(std::span<const Contribution> all, std::uint64_t number, int cpus);

} // namespace tutti::tasks
