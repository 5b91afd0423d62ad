#pragma once

#include "cache_line.hpp"
#include "call/arguments.hpp"
#include "call/call_signature.hpp"
#include "call/kept_operator.hpp"
#include "pass/execute.hpp"
#include "run/private_layout.hpp"

#include <tutti/detail/call.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tutti::arrive {

/// What one rank brings to an operation: its call, whose arguments have been checked.
struct alignas(line_bytes) Contribution {
    /// Without its counts, which may be gone: what they were is in the offsets or the blocks.
    detail::Call call;
    execute::Shape shape;
    execute::CallSignature signature;
    std::vector<std::size_t> offsets;
    /// Where only who sends a block and who receives it know of it.
    run::PrivateLayout blocks;
    execute::KeptOperator kept;

    /// Throws ArgumentError where an argument is wrong.
    void take(const detail::Call& asked, int rank, int members);
    /// Copies the operator, which may be gone when it is needed.
    void keep_operator();
};

/// What has to be done for an operation, and inputs that had to be copied first.
struct Task {
    pass::Work work;
    std::vector<std::unique_ptr<std::byte[]>> copies;
};

/// What the calls of all ranks together ask for, the `number`-th ones (0: there are no others), of which
/// `cpus` CPUs do some. Touches no vector but to copy inputs. Throws MismatchError where they do not go
/// together.
Task task_of(std::span<const Contribution> all, std::uint64_t number, int cpus);

} // namespace tutti::arrive
