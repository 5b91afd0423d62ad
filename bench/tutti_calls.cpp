#include "tutti_calls.hpp"

#include "types.hpp"

#include <span>

namespace tutti::bench {

namespace {

using Calls = std::function<void(std::size_t)>;

/// Repeats one call. The options are made once; a caller in a loop would do the same.
template <class Call>
Calls repeated(const std::string& algorithm, Call call) {
    return [algorithm, call](std::size_t calls) {
        const Options options{.algorithm = algorithm};
        for (std::size_t i = 0; i < calls; ++i) {
            call(options);
        }
    };
}

/// One function object for each type and operator, whatever is done with them: they are many.
template <class T, class Op>
Calls reducing(Member& me, const Work& work, const std::string& algorithm, std::span<T> in, std::span<T> out,
               const Op& op) {
    const bool scatters = work.collective == Collective::reduce_scatter;
    return repeated(algorithm,
                    [&me, in, out, op, scatters, in_place = work.in_place](const Options& options) {
                        if (scatters && in_place) {
                            me.reduce_scatter(in, op, options);
                        } else if (scatters) {
                            me.reduce_scatter(in, out, op, options);
                        } else if (in_place) {
                            me.allreduce(out, op, options);
                        } else {
                            me.allreduce(in, out, op, options);
                        }
                    });
}

} // namespace

Calls tutti_calls(Member& me, const Work& work, const std::string& algorithm, std::byte* input,
                  std::byte* output) {
    if (work.collective == Collective::barrier) {
        return repeated(algorithm, [&me](const Options& options) { me.barrier(options); });
    }
    return with_type(work.type, [&]<class T>(std::type_identity<T>) -> Calls {
        const std::span<T> in(reinterpret_cast<T*>(input), work.input_elements());
        const std::span<T> out(reinterpret_cast<T*>(output), work.output_elements());
        if (work.reduces()) {
            return with_operator<T>(
                work.op, [&](const auto& op) { return reducing(me, work, algorithm, in, out, op); });
        }
        if (work.in_place) {
            return repeated(algorithm, [&me, out](const Options& options) { me.allgather(out, options); });
        }
        return repeated(algorithm,
                        [&me, in, out](const Options& options) { me.allgather(in, out, options); });
    });
}

} // namespace tutti::bench
