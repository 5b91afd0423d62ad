// User code that the library runs, and what it may do there: each place x each act x each way of calling. The
// outcome of each cell is documented.

#include "../fast_clock.hpp"
#include "verdicts.hpp"

namespace {

/// What the two members of a cell share.
struct Shared {
    std::optional<Group> group;
    std::barrier<> all{2};
    std::atomic<bool> is_followed{false};
    std::atomic<bool> has_acted{false};
};

/// One member in one cell.
class Player {
public:
    Player(Shared& shared, Place place, Act act, Way way, int rank)
        : shared_(shared), place_(place), act_(act), way_(way), rank_(rank), me_(shared.group->join(rank)),
          side_(me_->dup()) {
        if (act == Act::wait) {
            pending_ = me_->prepare.barrier();
            if (rank == 0) {
                pending_.start();
            }
        }
        shared.all.arrive_and_wait();
    }

    /// What the member gets.
    Thrown play() {
        const Thrown thrown = thrown_by([this] {
            call();
            go_on();
        });
        if (thrown.kind != Kind::nothing && me_) {
            me_->abort("ended"); // as the exception would, if it left Group::run()
        }
        return thrown;
    }

    /// By user code of rank 0.
    void act() {
        if (rank_ != 0 || std::exchange(acts_, true)) {
            return;
        }
        shared_.has_acted = true;
        shared_.has_acted.notify_all();
        switch (act_) {
        case Act::blocking_call:
            return me_->barrier();
        case Act::start:
            started_ = me_->start.barrier();
            return;
        case Act::wait:
            return pending_.wait();
        case Act::destroy_member:
            side_.reset();
            return me_.reset();
        case Act::destroy_group:
            return shared_.group.reset();
        case Act::destroy_request:
            request_ = Request();
            persistent_ = Persistent();
            return;
        case Act::abort:
            return me_->abort("own");
        case Act::exception:
            throw std::runtime_error("own");
        case Act::roll_call:
            CHECK(mentions(me_->roll_call(), "roll call of 2 members"));
            return;
        case Act::statistics:
            static_cast<void>(me_->statistics());
            return;
        case Act::fork:
            return fork_and_return();
        }
    }

private:
    /// Registers the function or coroutine that acts.
    template <class Request>
    void follow(Request& request) {
        if (rank_ != 0) {
            return;
        }
        if (place_ == Place::continuation) {
            request.then([this](const std::exception_ptr&) { act(); });
        } else if (place_ == Place::coroutine) {
            task_.emplace(coroutine(request, [this] { act(); }));
        }
    }

    /// Makes the call of the cell.
    void call() {
        const auto combine = [this](double a, double b) {
            if (place_ == Place::op) {
                act();
            }
            return a + b;
        };
        switch (way_) {
        case Way::blocking:
            if (place_ == Place::continuation || place_ == Place::coroutine) {
                call_beside(combine);
            } else {
                me_->allreduce(in_, out_, combine);
            }
            return;
        case Way::nonblocking:
            request_ = me_->start.allreduce(in_, out_, combine);
            follow(request_);
            return request_.wait();
        case Way::persistent:
            persistent_ = me_->prepare.allreduce(in_, out_, combine);
            persistent_.start();
            follow(persistent_);
            return persistent_.wait();
        case Way::async:
            break;
        }
    }

    /// Member 0 waits in a blocking call, in which an operation beside it ends.
    template <class Operator>
    void call_beside(const Operator& combine) {
        if (rank_ == 1) {
            shared_.is_followed.wait(false);
        }
        request_ = side_->start.allreduce(in_, side_out_, sum);
        if (rank_ == 0) {
            follow(request_);
            shared_.is_followed = true;
            shared_.is_followed.notify_all();
        } else {
            request_.wait();
            std::this_thread::sleep_for(2ms);
        }
        me_->allreduce(in_, out_, combine);
        request_.wait();
    }

    /// The calls that match those of the user code, and one that reports what has failed.
    void go_on() {
        if (rank_ == 1 && act_ == Act::blocking_call) {
            me_->barrier();
        } else if (rank_ == 1 && act_ == Act::start) {
            started_ = me_->start.barrier();
        } else if (rank_ == 1 && act_ == Act::wait) {
            shared_.has_acted.wait(false);
            pending_.start();
            pending_.wait();
        }
        started_.wait();
        const bool has_left = act_ == Act::destroy_member && place_ != Place::op;
        if (me_ && !has_left) {
            CHECK(out_ == std::vector<double>(out_.size(), 2));
            me_->barrier();
        }
    }

    Shared& shared_;
    Place place_;
    Act act_;
    Way way_;
    int rank_;
    bool acts_ = false;
    std::vector<double> in_ = std::vector<double>(10, 1);
    std::vector<double> out_ = std::vector<double>(10);
    std::vector<double> side_out_ = std::vector<double>(10);
    std::optional<Member> me_;
    std::optional<Member> side_; // whose operations are outstanding in a blocking call
    Persistent pending_;         // complete only when member 1 has started it
    Request started_;
    std::optional<Task> task_;
    Request request_;
    Persistent persistent_;
};

/// Plays a cell with two members. Returns what each gets.
std::vector<Thrown> play(Shared& shared, Place place, Act act, Way way) {
    std::vector<Thrown> thrown(2);
    on_threads(2, [&](int rank) {
        Player player(shared, place, act, way, rank);
        thrown[static_cast<std::size_t>(rank)] = player.play();
        shared.all.arrive_and_wait(); // a member that destroys its own must not be taken for one that leaves
    });
    return thrown;
}

/// A timeout that no cell waits for.
GroupOptions patient() {
    return {.timeout = 20s, .trace = Trace::statistics};
}

void try_members(Place place, Act act, Way way, const Verdict& verdict) {
    Shared shared;
    shared.group.emplace(2, patient());
    const std::vector<Thrown> thrown = play(shared, place, act, way);
    CHECK(shared.has_acted);
    check(verdict, thrown[0]);
    // The other member is released.
    check({verdict.kind == Kind::nothing ? Kind::nothing : Kind::aborted}, thrown[1]);
}

/// The function of set_log() acts when the group of the cell is made.
void try_log(Act act, Way way, const Verdict& verdict) {
    static int groups = 0;
    std::atomic<int> messages{0};
    set_log([&](Severity, std::string_view) {
        ++messages;
        if (act == Act::fork) {
            fork_and_return();
        }
        throw std::runtime_error("nobody learns of it");
    });
    Shared shared;
    GroupOptions warns = patient();
    warns.tuning = "/nonexistent/user_code" + std::to_string(++groups); // each file is refused once
    shared.group.emplace(2, warns);
    CHECK(messages == 1);
    for (const Thrown& thrown : play(shared, Place::log, act, way)) {
        check(verdict, thrown);
    }
    set_log({});
}

/// The function of set_failure_hook() acts when member 0 has waited for too long.
void try_hook(Act act, Way way, const Verdict& verdict) {
    const FastClock clock(10);
    Group group(2, {.timeout = 20ms, .trace = Trace::statistics});
    std::atomic<int> calls{0};
    set_failure_hook([&](int member, std::string_view) {
        CHECK(member == 0);
        ++calls;
        if (act == Act::roll_call) {
            CHECK(mentions(group.roll_call(), "roll call of 2 members"));
        } else if (act == Act::statistics) {
            static_cast<void>(group.statistics());
        } else if (act == Act::fork) {
            fork_and_return();
        } else {
            throw std::runtime_error("nobody learns of it");
        }
    });
    const Member late = group.join(1);
    std::thread([&] {
        Member me = group.join(0);
        std::vector<double> values(10);
        const auto ways = in_every_way(me, [&](auto& caller) { return caller.allreduce(values, sum); });
        check(verdict, thrown_by(ways[static_cast<std::size_t>(way)]));
    }).join();
    CHECK(calls == 1);
    set_failure_hook({});
}

/// Two ranks on one thread.
void try_async(Place place, Act act, const Verdict& verdict) {
    std::optional<AsyncGroup> group;
    std::array<AsyncRequest, 2> requests;
    std::array<AsyncRequest, 2> started;
    AsyncRequest early;
    bool has_acted = false;
    const auto acts_once = [&] {
        if (std::exchange(has_acted, true)) {
            return;
        }
        switch (act) {
        case Act::start:
            started[0] = group->at(0).barrier();
            return;
        case Act::wait:
            return early.wait();
        case Act::destroy_group:
            return group.reset();
        case Act::destroy_request:
            requests[0] = AsyncRequest();
            return;
        case Act::exception:
            throw std::runtime_error("own");
        case Act::roll_call:
            CHECK(mentions(group->roll_call(), "roll call of"));
            return;
        case Act::fork:
            return fork_and_return();
        default:
            FAIL("not a cell");
        }
    };
    AsyncGroupOptions with_executor;
    if (place == Place::executor) {
        with_executor.slice_bytes = 64;
        with_executor.executor = [&](std::size_t count, const std::function<void(std::size_t)>& task) {
            acts_once();
            for (std::size_t index = 0; index < count; ++index) {
                task(index);
            }
        };
    }
    group.emplace(2, with_executor);
    early = group->at(0).barrier();
    AsyncRequest early_of_other = group->at(1).barrier();

    const std::vector<double> in(1000, 1);
    std::array<std::vector<double>, 2> out{std::vector<double>(1000), std::vector<double>(1000)};
    const auto combine = [&](double a, double b) {
        if (place == Place::op) {
            acts_once();
        }
        return a + b;
    };
    std::optional<Task> task;
    requests[0] = group->at(0).allreduce(in, out[0], combine);
    if (place == Place::continuation) {
        requests[0].then([&](const std::exception_ptr&) { acts_once(); });
    } else if (place == Place::coroutine) {
        task.emplace(coroutine(requests[0], acts_once));
    }
    requests[1] = group->at(1).allreduce(in, out[1], combine);
    for (AsyncRequest& request : requests) {
        check(verdict, thrown_by([&] { request.wait(); })); // an empty one returns at once
    }
    CHECK(has_acted);
    if (verdict.kind == Thrown::Kind::nothing) {
        CHECK(out[1] == std::vector<double>(1000, 2));
    }
    if (act == Act::start) {
        started[1] = group->at(1).barrier();
        started[0].wait();
    }
}

} // namespace

TEST_CASE("what user code does in a call of members has one documented outcome") {
    for_each_cell({Way::blocking, Way::nonblocking, Way::persistent},
                  [](Place place, Act act, Way way, const Verdict& verdict) {
                      if (place == Place::log) {
                          try_log(act, way, verdict);
                      } else if (place == Place::hook) {
                          try_hook(act, way, verdict);
                      } else {
                          try_members(place, act, way, verdict);
                      }
                  });
}

TEST_CASE("what user code does in an operation of an async group has one documented outcome") {
    for_each_cell({Way::async},
                  [](Place place, Act act, Way, const Verdict& verdict) { try_async(place, act, verdict); });
}
