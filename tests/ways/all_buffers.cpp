// The thread of the last rank makes the calls of all.

#include "../on_threads.hpp"
#include "dynamic_call.hpp"

#include <tutti/all_buffers.hpp>

namespace tutti::test {

namespace {

/// The calls of all ranks, of which one after the other calls.
class Listing : public Collectives<Listing, detail::NonblockingWay> {
public:
    Listing(Collective collective, int ranks)
        : calls_(detail::traits_of(collective).name.data(), static_cast<std::size_t>(ranks)) {}

    int size() const { return calls_.ranks(); }
    int rank() const { return rank_; }
    void run(const detail::Call& call) {
        calls_.add(call);
        ++rank_;
    }
    void execute(const Executor& executor) { calls_.execute(executor); }

private:
    detail::AllBuffersCalls calls_;
    int rank_ = 0;
};

class OfAllBuffers : public Ranks {
public:
    explicit OfAllBuffers(const Setting& setting)
        : Ranks(setting.members), executor_(setting.async.executor), calls_(ranks()), meet_(setting.members) {
    }

    void run(const std::function<void(WayCaller&)>& part) override {
        std::vector<std::exception_ptr> thrown(ranks());
        on_threads(size(), [&](int rank) {
            try {
                Caller caller(*this, rank);
                part(caller);
            } catch (...) {
                thrown[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
        for (const std::exception_ptr& each : thrown) {
            if (each != nullptr) {
                std::rethrow_exception(each);
            }
        }
    }

private:
    class Caller : public WayCaller {
    public:
        Caller(OfAllBuffers& all, int rank) : WayCaller(rank, all.size()), all_(all) {}
        std::unique_ptr<Underway> begin(const WayCall& call) override {
            all_.calls_[static_cast<std::size_t>(rank())] = &call;
            all_.meet_.arrive_and_wait();
            if (rank() == size() - 1) {
                all_.execute();
            }
            all_.meet_.arrive_and_wait();
            if (all_.failure_ != nullptr) {
                std::rethrow_exception(all_.failure_);
            }
            return std::make_unique<Underway>();
        }

    private:
        OfAllBuffers& all_;
    };

    std::size_t ranks() const { return static_cast<std::size_t>(size()); }

    void execute() {
        failure_ = nullptr;
        try {
            Listing listing(calls_[0]->shape.collective, size());
            for (const WayCall* const call : calls_) {
                make_dynamic_call(listing, *call);
            }
            listing.execute(executor_);
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    Executor executor_;
    std::vector<const WayCall*> calls_;
    std::barrier<> meet_;
    std::exception_ptr failure_;
};

} // namespace

const Way all_buffers_way{
    "all buffers",
    {.names_algorithms = false, .has_requests = false, .calls_alone = false},
    [](const Setting& setting) -> std::unique_ptr<Ranks> { return std::make_unique<OfAllBuffers>(setting); }};

} // namespace tutti::test
