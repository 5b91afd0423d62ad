// Gloo: a context for every thread, connected through the loopback interface, which is the only way that Gloo
// has from one thread to another.

#include "measure/types.hpp"
#include "peers/peer.hpp"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/hash_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

namespace tutti::bench {

namespace {

using Combine = void (*)(void*, const void*, const void*, std::size_t);

template <class T>
Combine combine_of(Operator op) {
    if constexpr (std::is_arithmetic_v<T>) {
        switch (op) {
        case Operator::sum:
            return &gloo::sum<T>;
        case Operator::prod:
            return &gloo::product<T>;
        case Operator::min:
            return &gloo::min<T>;
        case Operator::max:
            return &gloo::max<T>;
        default:
            break;
        }
    }
    return nullptr;
}

/// One member's vectors, typed.
template <class T>
struct Operands {
    T* input;
    T* output;
    /// Elements of the whole vector, and of one block.
    std::size_t whole;
    std::size_t block;
};

using Context = std::shared_ptr<gloo::Context>;

template <class T>
Calls reducing(const Context& context, const Problem& problem, const Operands<T>& operands) {
    const Combine combine = combine_of<T>(problem.op);
    if (combine == nullptr) {
        return {};
    }
    if (problem.collective == Collective::allreduce) {
        return repeated([=] {
            gloo::AllreduceOptions options(context);
            options.setInput(operands.input, operands.whole);
            options.setOutput(operands.output, operands.whole);
            options.setReduceFunction(combine);
            gloo::allreduce(options);
        });
    }
    if (problem.collective == Collective::reduce) {
        return repeated([=] {
            gloo::ReduceOptions options(context);
            options.setInput(operands.input, operands.whole);
            options.setOutput(operands.output, operands.whole);
            options.setReduceFunction(combine);
            options.setRoot(Problem::root);
            gloo::reduce(options);
        });
    }
    return {};
}

template <class T>
Calls scattering(const Context& context, int rank, const Operands<T>& operands) {
    return repeated([=] {
        gloo::ScatterOptions options(context);
        if (rank == Problem::root) {
            std::vector<T*> blocks;
            blocks.reserve(static_cast<std::size_t>(context->size));
            for (int member = 0; member < context->size; ++member) {
                blocks.push_back(operands.input + static_cast<std::size_t>(member) * operands.block);
            }
            options.setInputs(blocks, operands.block);
        }
        options.setOutput(operands.output, operands.block);
        options.setRoot(Problem::root);
        gloo::scatter(options);
    });
}

template <class T>
Calls moving(const Context& context, const Problem& problem, int rank, const Operands<T>& operands) {
    switch (problem.collective) {
    case Collective::broadcast:
        return repeated([=] {
            gloo::BroadcastOptions options(context);
            options.setOutput(operands.output, operands.whole);
            options.setRoot(Problem::root);
            gloo::broadcast(options);
        });
    case Collective::allgather:
        return repeated([=] {
            gloo::AllgatherOptions options(context);
            options.setInput(operands.input, operands.block);
            options.setOutput(operands.output, operands.whole);
            gloo::allgather(options);
        });
    case Collective::gather:
        return repeated([=] {
            gloo::GatherOptions options(context);
            options.setInput(operands.input, operands.block);
            if (rank == Problem::root) {
                options.setOutput(operands.output, operands.whole);
            }
            options.setRoot(Problem::root);
            gloo::gather(options);
        });
    case Collective::scatter:
        return scattering(context, rank, operands);
    case Collective::alltoall:
        return repeated([=] {
            gloo::AlltoallOptions options(context);
            options.setInput(operands.input, operands.whole);
            options.setOutput(operands.output, operands.whole);
            gloo::alltoall(options);
        });
    default:
        return {};
    }
}

class Gloo : public Peer {
public:
    explicit Gloo(int members)
        : device_(gloo::transport::tcp::CreateDevice("127.0.0.1")),
          contexts_(static_cast<std::size_t>(members)) {}

    /// Gloo has neither scans nor shifts, no reduce_scatter in this interface, and little in place; results
    /// are every member's own.
    Calls calls(const Problem& problem, int rank, const Vectors& vectors) override {
        if (problem.shared || (problem.in_place && problem.collective != Collective::broadcast)) {
            return {};
        }
        const Context context = connected(problem.members, rank);
        if (problem.collective == Collective::barrier) {
            return repeated([context] {
                gloo::BarrierOptions options(context);
                gloo::barrier(options);
            });
        }
        const auto own = static_cast<std::size_t>(rank);
        return with_type(problem.type, [&]<class T>(std::type_identity<T>) -> Calls {
            const Operands<T> operands{reinterpret_cast<T*>(vectors.inputs[own]),
                                       reinterpret_cast<T*>(vectors.outputs[own]), problem.elements,
                                       problem.block_elements()};
            return problem.reduces() ? reducing(context, problem, operands)
                                     : moving(context, problem, rank, operands);
        });
    }

private:
    /// Connected when all members need it.
    Context connected(int members, int rank) {
        Context& context = contexts_[static_cast<std::size_t>(rank)];
        if (!context) {
            const auto connecting = std::make_shared<gloo::rendezvous::Context>(rank, members);
            connecting->connectFullMesh(store_, device_);
            context = connecting;
        }
        return context;
    }

    std::shared_ptr<gloo::transport::Device> device_;
    gloo::rendezvous::HashStore store_;
    std::vector<Context> contexts_;
};

class GlooModule : public PeerModule {
public:
    std::unique_ptr<Peer> peer(const std::string& /*name*/, int members,
                               const std::vector<int>& /*cpus*/) override {
        return std::make_unique<Gloo>(members);
    }
};

} // namespace

} // namespace tutti::bench

extern "C" tutti::bench::PeerModule* tutti_peer_module() {
    static tutti::bench::GlooModule module;
    return &module;
}
