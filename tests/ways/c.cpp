// The ways of calling from C.

#include "c.hpp"

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
    RequestC(bool is_persistent, const LanguageC& language)
        : language_(language), is_persistent_(is_persistent) {}
    ~RequestC() override { language_.ask(Ask::free, &request, 1, 0, &index_, &done_); }
    bool test() override { return ask(Ask::test); }
    void wait() override { ask(Ask::wait); }
    Restart restart() const override { return is_persistent_ ? Restart::with_its_buffers : Restart::never; }
    void start(const WayCall& /*call*/) override { ask(Ask::start); }
    bool wait_for(std::chrono::milliseconds time) override { return ask(Ask::wait_for, time.count()); }
    bool valid() const override { return request.operation != nullptr; }
    /// Fortran has no such procedure.
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
        auto other = std::make_unique<RequestC>(is_persistent_, language_);
        std::swap(other->request, request);
        return other;
    }

    /// All requests, as an array. Returns an index, if there is one that is done.
    static std::optional<std::size_t> ask_all(Ask what, Requests& all) {
        std::vector<tutti_request> requests;
        for (const auto& each : all) {
            requests.push_back(dynamic_cast<RequestC&>(*each).request);
        }
        const LanguageC& language = dynamic_cast<RequestC&>(*all.front()).language_;
        int done = 1;
        std::size_t index = 0;
        const tutti_status status = language.ask(what, requests.data(), all.size(), 0, &index, &done);
        for (std::size_t i = 0; i < all.size(); ++i) {
            dynamic_cast<RequestC&>(*all[i]).request = requests[i];
        }
        require_ok(status, language);
        return done != 0 ? std::optional(index) : std::nullopt;
    }

    tutti_request request = TUTTI_REQUEST_NULL;

private:
    bool ask(Ask what, std::int64_t milliseconds = 0) {
        require_ok(language_.ask(what, &request, 1, milliseconds, &index_, &done_), language_);
        return done_ != 0;
    }

    const LanguageC& language_;
    bool is_persistent_;
    std::size_t index_ = 0;
    int done_ = 0;
};

class CallerC : public WayCaller {
public:
    CallerC(KindC kind, tutti_member me, tutti_async_group* meeting, const LanguageC& language)
        : WayCaller(me.rank, me.size), kind_(kind), me_(me), meeting_(meeting), language_(language) {}

    std::unique_ptr<Underway> begin(const WayCall& call) override {
        auto made = std::make_unique<RequestC>(kind_ == KindC::persistent, language_);
        tutti_request* const request = &made->request;
        tutti_member by = kind_ == KindC::blocking      ? me_
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
        by.size = size(); // also that of a rank
        require_ok(language_.call(tutti_with_options(by, &options), call, {type, op.get()}), language_);
        if (kind_ == KindC::persistent) {
            made->start(call);
        }
        return made;
    }

private:
    KindC kind_;
    tutti_member me_;
    tutti_async_group* meeting_;
    const LanguageC& language_;
};

class OfTeamC : public Ranks {
public:
    OfTeamC(KindC kind, const LanguageC& language, const Setting& setting)
        : Ranks(setting.members), kind_(kind), language_(language) {
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
        Run run{part, *this};
        require_ok(tutti_team_run(
            team_,
            [](tutti_member me, void* user) -> tutti_status {
                const Run& all = *static_cast<Run*>(user);
                try {
                    all.part(*caller_c(all.team.kind_, me, all.team.meeting_, all.team.language_));
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
        const OfTeamC& team;
    };

    KindC kind_;
    const LanguageC& language_;
    tutti_team* team_ = nullptr;
    tutti_async_group* meeting_ = nullptr;
};

template <KindC kind>
std::unique_ptr<Ranks> of_team(const Setting& setting) {
    return team_c(kind, in_c, setting);
}

tutti_status make_call_c(tutti_member me, const WayCall& call, const Elements& elements) {
    return make_call(me, call.shape, call.vectors, call.in, call.out, elements);
}

tutti_status ask_c(Ask what, tutti_request* requests, std::size_t n, std::int64_t milliseconds,
                   std::size_t* index, int* done) {
    return what == Ask::start      ? tutti_start(requests)
           : what == Ask::free     ? tutti_request_free(requests)
           : what == Ask::wait     ? tutti_wait(requests)
           : what == Ask::wait_for ? tutti_wait_for(requests, milliseconds, done)
           : what == Ask::wait_any ? tutti_wait_any(requests, n, index)
           : what == Ask::test     ? tutti_test(requests, done)
           : what == Ask::test_all ? tutti_test_all(requests, n, done)
                                   : tutti_test_any(requests, n, index, done);
}

} // namespace

const LanguageC in_c{make_call_c, ask_c, tutti_error_text};

bool test_all_c(Requests& all) {
    return RequestC::ask_all(Ask::test_all, all).has_value();
}

std::optional<std::size_t> any_c(Requests& all, bool waits) {
    return RequestC::ask_all(waits ? Ask::wait_any : Ask::test_any, all);
}

void require_ok(tutti_status status, const LanguageC& language) {
    const std::string text = status == TUTTI_OK ? "" : language.error_text();
    switch (status) {
    case TUTTI_OK:
        return;
    case TUTTI_ARGUMENT_ERROR:
        throw ArgumentError(text);
    case TUTTI_COMBINATION_ERROR:
        throw CombinationError(text);
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

std::unique_ptr<WayCaller> caller_c(KindC kind, tutti_member me, tutti_async_group* meeting,
                                    const LanguageC& language) {
    return std::make_unique<CallerC>(kind, me, meeting, language);
}

std::unique_ptr<Ranks> team_c(KindC kind, const LanguageC& language, const Setting& setting) {
    return std::make_unique<OfTeamC>(kind, language, setting);
}

const Way c_blocking_way{"C, blocking", {.has_requests = false}, of_team<KindC::blocking>};
const Way c_nonblocking_way{"C, nonblocking", {}, of_team<KindC::nonblocking>, test_all_c, any_c};
const Way c_persistent_way{"C, persistent", {}, of_team<KindC::persistent>, test_all_c};
const Way c_async_way{"C, async", {.names_algorithms = false}, of_team<KindC::async>, test_all_c, any_c};

} // namespace tutti::test
