// The ways of calling from C++ that have a thread for each rank.

#include "dynamic_call.hpp"

namespace tutti::test {

namespace {

/// The requests as a range, for as long as this lives.
template <class Request>
class Taken {
public:
    explicit Taken(Requests& all) : all_(all) {
        for (const auto& each : all) {
            range.push_back(std::move(dynamic_cast<Requested<Request>&>(*each).request));
        }
    }
    ~Taken() {
        for (std::size_t i = 0; i < range.size(); ++i) {
            dynamic_cast<Requested<Request>&>(*all_[i]).request = std::move(range[i]);
        }
    }
    Taken& operator=(Taken&&) = delete;

    std::vector<Request> range;

private:
    Requests& all_;
};

template <class Request>
bool test_all_of(Requests& all) {
    return test_all(Taken<Request>(all).range);
}
template <class Request>
std::optional<std::size_t> any_of(Requests& all, bool waits) {
    Taken<Request> taken(all);
    if constexpr (std::same_as<Request, tutti::Request>) {
        return waits ? wait_any(taken.range) : test_any(taken.range);
    } else {
        return test_any(taken.range);
    }
}

using Begin = std::unique_ptr<Underway> (*)(Member&, AsyncGroup&, const WayCall&);

class OfMember : public WayCaller {
public:
    OfMember(Member& me, AsyncGroup& meeting, Begin how)
        : WayCaller(me.rank(), me.size()), me_(me), meeting_(meeting), begin_(how) {}
    std::unique_ptr<Underway> begin(const WayCall& call) override { return begin_(me_, meeting_, call); }

private:
    Member& me_;
    AsyncGroup& meeting_;
    Begin begin_;
};

/// Members of a team, each of which may act for its rank of an async group.
template <Begin how>
class OfTeam : public Ranks {
public:
    explicit OfTeam(const Setting& setting)
        : Ranks(setting.members), team_(setting.members, setting.team),
          meeting_(setting.members, setting.async) {}
    void run(const std::function<void(WayCaller&)>& part) override {
        team_.run([&](Member& me) {
            OfMember caller(me, meeting_, how);
            part(caller);
        });
    }

private:
    Team team_;
    AsyncGroup meeting_;
};

template <Begin how>
std::unique_ptr<Ranks> of_team(const Setting& setting) {
    return std::make_unique<OfTeam<how>>(setting);
}

std::unique_ptr<Underway> call(Member& me, AsyncGroup& /*meeting*/, const WayCall& call) {
    call_blocking(me, call);
    return std::make_unique<Underway>();
}
std::unique_ptr<Underway> start(Member& me, AsyncGroup& /*meeting*/, const WayCall& call) {
    return std::make_unique<Requested<Request>>(start_nonblocking(me, call));
}
std::unique_ptr<Underway> prepare(Member& me, AsyncGroup& /*meeting*/, const WayCall& call) {
    return std::make_unique<Prepared>(prepare_persistent(me, call));
}
std::unique_ptr<Underway> arrive(Member& me, AsyncGroup& meeting, const WayCall& call) {
    return std::make_unique<Requested<AsyncRequest>>(arrive_async(meeting.at(me.rank()), call));
}

} // namespace

const Way blocking_way{"blocking", {.has_requests = false}, of_team<call>};
const Way nonblocking_way{"nonblocking", {}, of_team<start>, test_all_of<Request>, any_of<Request>};
const Way persistent_way{"persistent", {}, of_team<prepare>, test_all_of<Persistent>};
const Way async_way{
    "async", {.names_algorithms = false}, of_team<arrive>, test_all_of<AsyncRequest>, any_of<AsyncRequest>};

} // namespace tutti::test
