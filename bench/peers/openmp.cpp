// OpenMP, with whatever runtime library this is linked with: a parallel region that stays open, in which the
// members meet at barriers; and the reduction clause on an array.

#include "measure/buffer.hpp"
#include "measure/types.hpp"
#include "peers/peer.hpp"

#include <omp.h>
#include <pthread.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>

namespace tutti::bench {

namespace {

/// The threads of one parallel region. They sleep between runs.
class OpenMpCrew : public Crew {
public:
    explicit OpenMpCrew(int members) : members_(members) {
        // The region's first thread needs it as well.
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, openmp_stack_bytes);
        const int error = pthread_create(&host_, &attributes, &OpenMpCrew::open_region, this);
        pthread_attr_destroy(&attributes);
        if (error != 0) {
            throw std::runtime_error("cannot start the thread that opens the parallel region");
        }
    }
    ~OpenMpCrew() override {
        post(nullptr);
        pthread_join(host_, nullptr);
    }

    void run(const std::function<void(int rank)>& body) override {
        post(&body);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return finished_ == members_; });
    }

private:
    void post(const std::function<void(int rank)>* body) {
        const std::scoped_lock lock(mutex_);
        body_ = body;
        finished_ = 0;
        ++turn_;
        changed_.notify_all();
    }

    void serve(int rank) {
        for (unsigned turn = 0;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return turn_ != turn; });
            turn = turn_;
            const std::function<void(int rank)>* const body = body_;
            lock.unlock();
            if (body == nullptr) {
                return;
            }
            (*body)(rank);
            lock.lock();
            ++finished_;
            changed_.notify_all();
        }
    }

    static void* open_region(void* self) {
        auto& crew = *static_cast<OpenMpCrew*>(self);
        omp_set_dynamic(0);
#pragma omp parallel num_threads(crew.members_)
        crew.serve(omp_get_thread_num());
        return nullptr;
    }

    int members_;
    pthread_t host_{};
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(int rank)>* body_ = nullptr;
    unsigned turn_ = 0;
    int finished_ = 0;
};

class OpenMpBarrier : public Peer {
public:
    Calls calls(const Problem& problem, int rank, const Vectors& vectors) override {
        if (problem.collective == Collective::barrier) {
            return repeated([] {
#pragma omp barrier
            });
        }
        const Calls pass = plain_loops(problem, rank, vectors);
        if (!pass) {
            return {};
        }
        return repeated([pass] {
#pragma omp barrier
            pass(1);
#pragma omp barrier
        });
    }
};

/// The sum of all inputs, by all members together. It is complete on every member when the function returns.
template <class T>
void reduce_array(const Vectors& vectors, T* sum, std::size_t elements) {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < elements; ++i) {
        sum[i] = T{};
    }
    const std::size_t members = vectors.inputs.size();
    // Every thread adds up its members in a copy of its own, and these are added to the array one by one.
#pragma omp for schedule(static, 1) reduction(+ : sum[:elements])
    for (std::size_t member = 0; member < members; ++member) {
        const T* const input = reinterpret_cast<const T*>(vectors.inputs[member]);
        for (std::size_t i = 0; i < elements; ++i) {
            sum[i] += input[i];
        }
    }
}

/// Sums of numbers, which is what the clause has.
class OpenMpArray : public Peer {
public:
    Calls calls(const Problem& problem, int rank, const Vectors& vectors) override {
        const bool delivers = problem.collective == Collective::allreduce ||
                              problem.collective == Collective::reduce ||
                              problem.collective == Collective::reduce_scatter;
        if (!delivers || problem.op != Operator::sum) {
            return {};
        }
        allocate(problem.bytes());
        return with_type(problem.type, [&]<class T>(std::type_identity<T>) -> Calls {
            if constexpr (!std::is_arithmetic_v<T>) {
                return {};
            } else {
                const std::size_t block = problem.block_offset(rank);
                const bool scatters = problem.collective == Collective::reduce_scatter;
                T* const output = reinterpret_cast<T*>(vectors.outputs[static_cast<std::size_t>(rank)]);
                if (problem.shared) {
                    return repeated([problem, vectors, output] {
#pragma omp barrier // all members have read the result of the call before
                        reduce_array<T>(vectors, output, problem.elements);
                    });
                }
                return repeated([this, problem, vectors, offset = scatters ? block : 0,
                                 part = output + (scatters && problem.in_place ? block : 0),
                                 part_elements = problem.output_elements(rank)] {
                    T* const sum = reinterpret_cast<T*>(sum_.data());
                    reduce_array<T>(vectors, sum, problem.elements);
                    std::memcpy(part, sum + offset, part_elements * sizeof(T));
#pragma omp barrier
                });
            }
        });
    }

private:
    void allocate(std::size_t bytes) {
        const std::scoped_lock lock(mutex_);
        if (sum_.bytes() < bytes) {
            sum_ = Buffer(bytes);
        }
    }

    std::mutex mutex_;
    Buffer sum_;
};

class OpenMpModule : public PeerModule {
public:
    std::unique_ptr<Peer> peer(const std::string& name, int /*members*/) override {
        if (name == "openmp_array") {
            return std::make_unique<OpenMpArray>();
        }
        return std::make_unique<OpenMpBarrier>();
    }
    std::unique_ptr<Crew> crew(int members) override { return std::make_unique<OpenMpCrew>(members); }
};

} // namespace

} // namespace tutti::bench

extern "C" tutti::bench::PeerModule* tutti_peer_module() {
    static tutti::bench::OpenMpModule module;
    return &module;
}
