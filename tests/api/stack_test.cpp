// Threads and fibers may have little stack. Members here have 64 KiB, of which the C library takes a part. A
// call that needs more ends the process.

#include "support.hpp"

#include <tutti/detail/kernels.hpp>

#include <pthread.h>

namespace {

constexpr std::size_t documented_stack_bytes = std::size_t{64} << 10U;

struct SmallThread {
    std::function<void()> function;
    Thrown thrown;
    pthread_t thread{};
};

/// Runs `function(index)` on threads with the documented stack, and returns what the last one throws that
/// throws.
Thrown on_small_threads(int count, const std::function<void(int)>& function) {
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    const auto least = static_cast<std::size_t>(PTHREAD_STACK_MIN);
    REQUIRE(pthread_attr_setstacksize(&attributes, std::max(documented_stack_bytes, least)) == 0);
    std::vector<SmallThread> threads(static_cast<std::size_t>(count));
    for (int index = 0; index < count; ++index) {
        SmallThread& small = threads[static_cast<std::size_t>(index)];
        small.function = [&function, index] { function(index); };
        const auto run_small = [](void* argument) -> void* {
            auto& own = *static_cast<SmallThread*>(argument);
            own.thrown = thrown_by(own.function);
            return nullptr;
        };
        REQUIRE(pthread_create(&small.thread, &attributes, run_small, &small) == 0);
    }
    Thrown last;
    for (SmallThread& small : threads) {
        pthread_join(small.thread, nullptr);
        last = small.thrown.kind != Kind::nothing ? small.thrown : last;
    }
    pthread_attr_destroy(&attributes);
    return last;
}

} // namespace

TEST_CASE("members need 64 KiB of stack for calls of all kinds") {
    constexpr int members = 3;
    Group group(members);
    const Thrown thrown = on_small_threads(members, [&](int rank) {
        Member me = group.join(rank);
        for (const std::size_t count : {1U, 100U, 1U << 17U}) {
            std::vector<double> in(count * members, 1.0 + rank);
            std::vector<double> out(in.size());
            me.allreduce(in, out, sum);
            me.allreduce(out, max);
            me.scan(in, out, sum);
            me.alltoall(in, out);
            me.broadcast(out, 1);
            me.allreduce(in, out, [](double a, double b) { return std::max(a, b); });
            const std::vector<std::size_t> counts(members, count);
            me.reduce_scatter(in, std::span(out).first(count), Counts(counts), sum);
            Request request = me.start.allreduce(in, out, sum);
            request.wait();
        }
    });
    CHECK(thrown.text == "");
    CHECK(mentions(group.roll_call(), "3 members"));
}

TEST_CASE("members need 64 KiB of stack to learn of failures") {
    for (const bool is_late : {false, true}) {
        Group group(2, {.timeout = 50ms});
        const Thrown thrown = on_small_threads(2, [&](int rank) {
            Member me = group.join(rank);
            std::vector<double> values(100);
            if (is_late) {
                std::this_thread::sleep_for(rank * 100ms);
            } else if (rank == 0) {
                me.allreduce(values, sum);
            } else {
                me.broadcast(values, 0);
            }
            me.barrier();
        });
        CHECK((thrown.kind != Kind::nothing && thrown.kind != Kind::other));
    }
}

TEST_CASE("kernels need 64 KiB of stack however they store, for any number of operands") {
    constexpr std::size_t count = std::size_t{1} << 15U;
    for (const int operands : {2, 3, 9, 16, 17, 100, 1000}) {
        std::vector<std::vector<double>> in(static_cast<std::size_t>(operands),
                                            std::vector<double>(count, 1.0));
        std::vector<std::vector<double>> out(in.size(), std::vector<double>(count));
        std::vector<const void*> ins;
        std::vector<void*> outs;
        for (std::size_t operand = 0; operand < in.size(); ++operand) {
            ins.push_back(in[operand].data());
            outs.push_back(out[operand].data());
        }
        const detail::Kernels& kernels = detail::builtin<Type::f64>(Operator::sum);
        for (const detail::StoreHints stores : {detail::StoreHints{}, detail::StoreHints{.stream = true},
                                                detail::StoreHints{.cached_out = 0, .move = true}}) {
            on_small_threads(1, [&](int) {
                kernels.scan_many(nullptr, outs.data(), ins.data(), operands, count, false,
                                  detail::Association::tree, stores);
            });
            CHECK(out.back().back() == operands);
            on_small_threads(1, [&](int) {
                kernels.reduce_many(nullptr, outs.data(), 2, ins.data(), operands, count,
                                    detail::Association::tree, stores);
            });
            CHECK(out[1].back() == operands);
        }
    }
}

TEST_CASE("the all-buffers form needs 64 KiB of stack for any number of ranks") {
    for (const std::size_t ranks : {3U, 8U, 20U, 200U}) {
        for (const std::size_t count : {1U, 1000U, 100'000U}) {
            std::vector<std::vector<double>> in(ranks, std::vector<double>(count, 0.1));
            std::vector<std::vector<double>> out(ranks, std::vector<double>(count));
            on_small_threads(1, [&](int) {
                all_buffers::allreduce(in, out, sum);
                all_buffers::scan(in, out, sum);
            });
            CHECK(out.back().back() == doctest::Approx(0.1 * static_cast<double>(ranks)));
        }
    }
}
