#include "exam.hpp"

#include "tests/ways/dynamic_call.hpp"

namespace tutti::test {

namespace {

class CallerOfCluster : public WayCaller {
public:
    CallerOfCluster(ClusterMember& me, Manner manner)
        : WayCaller(me.rank(), me.size()), me_(me), manner_(manner) {}

    std::unique_ptr<Underway> begin(const WayCall& call) override {
        if (manner_ == Manner::nonblocking) {
            return std::make_unique<Requested<Request>>(make_dynamic_call(me_.start, call));
        }
        if (manner_ == Manner::persistent) {
            return std::make_unique<Prepared>(make_dynamic_call(me_.prepare, call));
        }
        make_dynamic_call(me_, call);
        return std::make_unique<Underway>();
    }

private:
    ClusterMember& me_;
    Manner manner_;
};

class Alone : public Ranks {
public:
    explicit Alone(std::unique_ptr<WayCaller> caller) : Ranks(caller->size()), caller_(std::move(caller)) {}
    void run(const std::function<void(WayCaller&)>& part) override { part(*caller_); }

private:
    std::unique_ptr<WayCaller> caller_;
};

} // namespace

std::unique_ptr<WayCaller> caller_of(ClusterMember& me, Manner manner) {
    return std::make_unique<CallerOfCluster>(me, manner);
}

std::unique_ptr<Ranks> alone(ClusterMember& me, Manner manner) {
    return std::make_unique<Alone>(caller_of(me, manner));
}

std::unique_ptr<Ranks> alone(tutti_member me, KindC manner) {
    return std::make_unique<Alone>(caller_c(manner, me));
}

} // namespace tutti::test
