#include "execute/group_state.hpp"
#include "execute/seat.hpp"
#include "machine/machine.hpp"
#include "machine/pinning.hpp"
#include "machine/placement.hpp"

#include <tutti/error.hpp>
#include <tutti/team.hpp>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace tutti {

namespace {

using execute::most_members;

/// Where each member goes.
std::vector<int> cpus_for(const TeamOptions& options) {
    if (options.members < 0 || options.members > most_members) {
        throw ArgumentError("Team: members is " + std::to_string(options.members) + ", must be in 1.." +
                            std::to_string(most_members) + ", or 0 for one on each allowed CPU");
    }
    const machine::Machine machine = machine::detect();
    const int members = options.members != 0 ? options.members : static_cast<int>(machine.pus.size());
    try {
        return machine::place(machine, members, machine::parse_placement(options.placement));
    } catch (const std::invalid_argument& error) {
        throw ArgumentError(std::string("Team: placement: ") + error.what());
    }
}

bool is_aborted(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Aborted&) {
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

/// The threads and what they are to run next.
class Team::Threads {
public:
    Threads(const std::vector<int>& cpus, const GroupOptions& options)
        : group_(std::make_shared<detail::GroupState>(static_cast<int>(cpus.size()),
                                                      execute::setting_for(options, cpus))),
          pins_(cpus.size()), thrown_(cpus.size()) {
        try {
            for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
                threads_.emplace_back([this, rank, cpu = cpus[rank]] { serve(static_cast<int>(rank), cpu); });
            }
        } catch (...) {
            stop();
            throw;
        }
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ready_ == threads_.size(); });
    }

    ~Threads() { stop(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    Threads(Threads&&) = delete;
    Threads& operator=(Threads&&) = delete;

    int size() const { return group_->size(); }
    const std::vector<machine::PinResult>& pins() const { return pins_; }
    const std::string& tuning() const { return group_->setting().tuning; }

    void run(const std::function<void(Member&)>& function) {
        if (serving == this) {
            throw Error("Team::run: called by a member of the same team, which would wait for itself");
        }
        const std::scoped_lock turn(turn_);
        for (int rank = 0; rank < size(); ++rank) {
            group_->board(rank).away.store(false, std::memory_order_relaxed); // ordered by mutex_ below
        }
        {
            std::unique_lock lock(mutex_);
            function_ = &function;
            running_ = threads_.size();
            ++generation_;
            changed_.notify_all();
            changed_.wait(lock, [this] { return running_ == 0; });
            function_ = nullptr;
        }
        if (const std::exception_ptr failure = group_->failure().first()) {
            const std::exception_ptr cause = cause_of(failure);
            std::ranges::fill(thrown_, nullptr);
            group_->recover();
            std::rethrow_exception(cause);
        }
        if (const std::string disagreement = group_->disagreement(); !disagreement.empty()) {
            group_->recover();
            throw MismatchError("Team::run: " + disagreement);
        }
    }

private:
    void serve(int rank, int cpu) {
        serving = this;
        pins_[static_cast<std::size_t>(rank)] = machine::pin_this_thread(cpu);
        std::unique_lock lock(mutex_);
        ++ready_;
        changed_.notify_all();
        for (std::uint64_t served = 0;; ++served) {
            changed_.wait(lock, [&] { return stopping_ || generation_ > served; });
            if (stopping_) {
                return;
            }
            const auto* const function = function_;
            lock.unlock();
            serve_one(rank, *function);
            lock.lock();
            if (--running_ == 0) {
                changed_.notify_all();
            }
        }
    }

    void serve_one(int rank, const std::function<void(Member&)>& function) {
        Member member(group_, group_->seat(rank), detail::Leaving::for_good);
        try {
            function(member);
        } catch (...) {
            thrown_[static_cast<std::size_t>(rank)] = std::current_exception(); // ordered by mutex_ later
            group_->fail(rank, std::current_exception());
        }
    }

    /// What the caller is to learn of a run that failed: its first failure, unless that is an Aborted. Then a
    /// sub-group failed before this group did, and what ended it has arrived here since.
    std::exception_ptr cause_of(const std::exception_ptr& failure) const {
        const auto is_cause = [](const std::exception_ptr& thrown) {
            return thrown != nullptr && !is_aborted(thrown);
        };
        const auto cause = std::ranges::find_if(thrown_, is_cause);
        return is_cause(failure) || cause == thrown_.end() ? failure : *cause;
    }

    void stop() {
        {
            const std::scoped_lock lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        for (auto& thread : threads_) {
            thread.join();
        }
    }

    static thread_local const Threads* serving;

    std::shared_ptr<detail::GroupState> group_;
    std::vector<machine::PinResult> pins_;
    std::vector<std::exception_ptr> thrown_;
    std::mutex turn_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(Member&)>* function_ = nullptr;
    std::uint64_t generation_ = 0;
    std::size_t running_ = 0;
    std::size_t ready_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

thread_local const Team::Threads* Team::Threads::serving = nullptr;

Team::Team(const TeamOptions& options)
    : threads_(std::make_unique<Threads>(cpus_for(options), options.group)) {}

Team::~Team() = default;

int Team::size() const {
    return threads_->size();
}

std::vector<std::string> Team::pinning() const {
    std::vector<std::string> lines;
    for (const machine::PinResult& pin : threads_->pins()) {
        const std::string member = "member " + std::to_string(lines.size()) + ": ";
        lines.push_back(member + (pin.pinned                          ? "CPU " + std::to_string(pin.os_index)
                                  : pin.os_index == machine::unpinned ? "not pinned"
                                                                      : "not pinned: " + pin.reason));
    }
    return lines;
}

std::string Team::tuning() const {
    return threads_->tuning();
}

void Team::run(const std::function<void(Member&)>& function) {
    threads_->run(function);
}

} // namespace tutti
