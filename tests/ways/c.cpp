// The ways of calling from C.

#include "c.hpp"

#include "../reference/calls_c.hpp"
#include "../test.hpp"

namespace tutti::test {

namespace {

constexpr tutti_status status_of_function = 200;

std::int64_t milliseconds(Timeout timeout) {
    return !timeout.has_value()        ? std::int64_t{TUTTI_TIMEOUT_DEFAULT}
           : timeout == Timeout(never) ? std::int64_t{TUTTI_NEVER}
                                       : timeout.value_or({}).count();
}

/// An operator of C, for as long as the call is made.
class OpC {
public:
    explicit OpC(const ElementType& elements)
        : op_(TUTTI_SUM + static_cast<tutti_op>(elements.op.op())),
          is_own_(elements.op.op() == Operator::callable) {
        if (is_own_) {
            const DynamicOp& op = elements.op;
            require_ok(tutti_op_create(op.function(), op.user(), op.commutative() ? 1 : 0, &op_));
        }
    }
    ~OpC() { tutti_op_free(is_own_ ? op_ : 0); }
    OpC& operator=(OpC&&) = delete;

    tutti_op get() const { return op_; }

private:
    tutti_op op_;
    bool is_own_;
};

std::exception_ptr failure_of(tutti_status status) {
    try {
        require_ok(status);
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

class RequestC : public Underway {
public:
    explicit RequestC(bool is_persistent) : is_persistent_(is_persistent) {}
    ~RequestC() override { tutti_request_free(&request); }
    bool test() override {
        int done = 0;
        require_ok(tutti_test(&request, &done));
        return done != 0;
    }
    void wait() override { require_ok(tutti_wait(&request)); }
    Restart restart() const override { return is_persistent_ ? Restart::with_its_buffers : Restart::never; }
    void start(const WayCall& /*call*/) override { require_ok(tutti_start(&request)); }
    bool wait_for(std::chrono::milliseconds time) override {
        int done = 0;
        require_ok(tutti_wait_for(&request, time.count(), &done));
        return done != 0;
    }
    bool valid() const override { return request.operation != nullptr; }
    void then(const Told& function) override {
        // Another rank of an async group calls it, perhaps after this request is gone.
        const auto tell = [](tutti_status status, void* user) {
            (*std::unique_ptr<Told>(static_cast<Told*>(user)))(failure_of(status));
        };
        auto told = std::make_unique<Told>(function);
        Told* const user = told.release();
        const tutti_status status = tutti_then(&request, tell, user);
        told.reset(status == TUTTI_OK ? nullptr : user);
        require_ok(status);
    }
    std::unique_ptr<Underway> taken() override {
        auto other = std::make_unique<RequestC>(is_persistent_);
        std::swap(other->request, request);
        return other;
    }

    tutti_request request = TUTTI_REQUEST_NULL;

private:
    bool is_persistent_;
};

/// What `ask` returns for the requests, as an array.
tutti_status ask(Requests& all, const std::function<tutti_status(tutti_request*)>& ask) {
    std::vector<tutti_request> requests;
    for (const auto& each : all) {
        requests.push_back(dynamic_cast<RequestC&>(*each).request);
    }
    const tutti_status status = ask(requests.data());
    for (std::size_t i = 0; i < all.size(); ++i) {
        dynamic_cast<RequestC&>(*all[i]).request = requests[i];
    }
    return status;
}

bool test_all_c(Requests& all) {
    int done = 0;
    require_ok(ask(all, [&](auto* requests) { return tutti_test_all(requests, all.size(), &done); }));
    return done != 0;
}

std::optional<std::size_t> any_c(Requests& all, bool waits) {
    int done = 1;
    std::size_t index = 0;
    require_ok(ask(all, [&](auto* requests) {
        return waits ? tutti_wait_any(requests, all.size(), &index)
                     : tutti_test_any(requests, all.size(), &index, &done);
    }));
    return done != 0 ? std::optional(index) : std::nullopt;
}

class CallerC : public WayCaller {
public:
    CallerC(KindC kind, tutti_caller me, tutti_async_group* meeting)
        : WayCaller(me.rank, me.size), kind_(kind), me_(me), meeting_(meeting) {}

    std::unique_ptr<Underway> begin(const WayCall& call) override {
        auto made = std::make_unique<RequestC>(kind_ == KindC::persistent);
        tutti_request* const request = &made->request;
        tutti_caller caller = kind_ == KindC::blocking      ? me_
                              : kind_ == KindC::nonblocking ? tutti_nonblocking(me_, request)
                              : kind_ == KindC::persistent  ? tutti_persistent(me_, request)
                                                            : tutti_async_rank(meeting_, rank(), request);
        const std::string algorithm(call.options.algorithm);
        tutti_call_options options = TUTTI_CALL_OPTIONS_INIT;
        options.algorithm = algorithm.empty() ? nullptr : algorithm.c_str();
        options.order = static_cast<int>(call.options.order);
        options.timeout_ms = milliseconds(call.options.timeout);
        const ElementType& elements = call.elements;
        const OpC op(elements);
        const tutti_type type = elements.type != Type::other
                                    ? TUTTI_INT8 + static_cast<tutti_type>(elements.type)
                                    : tutti_type_of_size(elements.bytes);
        require_ok(make_call(tutti_with_options(caller, &options), call.shape, call.vectors, call.in,
                             call.out, {type, op.get()}));
        if (kind_ == KindC::persistent) {
            require_ok(tutti_start(request));
        }
        return made;
    }

private:
    KindC kind_;
    tutti_caller me_;
    tutti_async_group* meeting_;
};

template <KindC kind>
class OfTeamC : public Ranks {
public:
    explicit OfTeamC(const Setting& setting) : Ranks(setting.members) {
        tutti_group_options group = TUTTI_GROUP_OPTIONS_INIT;
        group.timeout_ms = milliseconds(setting.team.group.timeout);
        tutti_team_options team = TUTTI_TEAM_OPTIONS_INIT;
        team.placement = "none";
        team.group = &group;
        tutti_async_group_options async = TUTTI_ASYNC_GROUP_OPTIONS_INIT;
        async.timeout_ms = milliseconds(setting.async.timeout);
        require_ok(tutti_team_create(setting.members, &team, &team_));
        require_ok(tutti_async_group_create(setting.members, &async, &meeting_));
    }
    ~OfTeamC() override {
        tutti_async_group_free(meeting_);
        tutti_team_free(team_);
    }
    OfTeamC& operator=(OfTeamC&&) = delete;

    void run(const std::function<void(WayCaller&)>& part) override {
        Run run{part, meeting_};
        require_ok(tutti_team_run(
            team_,
            [](tutti_caller me, void* user) -> tutti_status {
                const Run& all = *static_cast<Run*>(user);
                try {
                    all.part(*caller_c(kind, me, all.meeting));
                } catch (...) { // as a program in C has it
                    return status_of_function;
                }
                return TUTTI_OK;
            },
            &run));
    }

private:
    struct Run {
        const std::function<void(WayCaller&)>& part;
        tutti_async_group* meeting;
    };

    tutti_team* team_ = nullptr;
    tutti_async_group* meeting_ = nullptr;
};

template <KindC kind>
std::unique_ptr<Ranks> of_team(const Setting& setting) {
    return std::make_unique<OfTeamC<kind>>(setting);
}

} // namespace

void require_ok(tutti_status status) {
    const std::string text = status == TUTTI_OK ? "" : tutti_error_text();
    switch (status) {
    case TUTTI_OK:
        return;
    case TUTTI_ARGUMENT_ERROR:
        throw ArgumentError(text);
    case TUTTI_MISMATCH_ERROR:
        throw MismatchError(text);
    case TUTTI_ABORTED:
        throw Aborted(text);
    case TUTTI_TIMEOUT_ERROR:
        throw TimeoutError(text);
    case TUTTI_ERROR:
        throw Error(text);
    case TUTTI_NO_MEMORY:
        CHECK(mentions(text, "out of memory"));
        throw std::bad_alloc();
    default: // an operator's exception, or what the function of a member has returned
        CHECK((status == TUTTI_FOREIGN_ERROR || status == status_of_function));
        throw std::runtime_error(text);
    }
}

std::unique_ptr<WayCaller> caller_c(KindC kind, tutti_caller me, tutti_async_group* meeting) {
    return std::make_unique<CallerC>(kind, me, meeting);
}

const Way c_blocking_way{"C, blocking", {.has_requests = false}, of_team<KindC::blocking>};
const Way c_nonblocking_way{"C, nonblocking", {}, of_team<KindC::nonblocking>, test_all_c, any_c};
const Way c_persistent_way{"C, persistent", {}, of_team<KindC::persistent>, test_all_c};
const Way c_async_way{"C, async", {.names_algorithms = false}, of_team<KindC::async>, test_all_c, any_c};

} // namespace tutti::test
