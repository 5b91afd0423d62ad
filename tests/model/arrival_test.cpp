#include "components/tasks/src/handover.hpp"
#include "explore.hpp"

namespace tutti::model {

namespace {

/// The memory orders of tasks::StdCount, StdMark and StdState, each of which a test may weaken.
struct Orders {
    rl::memory_order up = rl::mo_acq_rel;
    rl::memory_order down = rl::mo_acq_rel;
    rl::memory_order close = rl::mo_acq_rel;
    rl::memory_order get = rl::mo_acquire;
    rl::memory_order change = rl::mo_acq_rel;
    rl::memory_order mark = rl::mo_release;
    rl::memory_order see_mark = rl::mo_acquire;
    rl::memory_order zero = rl::mo_acquire;
};

template <Orders orders>
class ModelCount {
public:
    void set(std::size_t value) { value_.store(value, rl::mo_relaxed, RL_INFO); }
    void add(std::size_t value) { value_.fetch_add(value, rl::mo_relaxed, RL_INFO); }
    bool close(std::size_t all) {
        std::size_t count = value_.load(rl::mo_relaxed, RL_INFO);
        while (count < all) {
            if (value_.compare_exchange_strong(count, count + tasks::StdCount::closed, orders.close, RL_INFO,
                                               rl::mo_relaxed, RL_INFO)) {
                return true;
            }
        }
        return false;
    }
    bool is_zero() const { return value_.load(orders.zero, RL_INFO) == 0; }
    std::size_t now() const { return value_.debug_value(); }
    std::size_t up() { return value_.fetch_add(1, orders.up, RL_INFO) + 1; }
    std::size_t down(std::size_t value) { return value_.fetch_sub(value, orders.down, RL_INFO) - value; }

private:
    rl::atomic<std::size_t> value_{0};
};

template <Orders orders>
class ModelMark {
public:
    void set(std::uint64_t number) { number_.store(number, orders.mark, RL_INFO); }
    bool is(std::uint64_t number) const { return number_.load(orders.see_mark, RL_INFO) == number; }
    std::uint64_t now() const { return number_.debug_value(); }

private:
    rl::atomic<std::uint64_t> number_{0};
};

template <Orders orders>
class ModelState {
public:
    std::uint64_t get() const { return state_.load(orders.get, RL_INFO); }
    bool change(std::uint64_t from, std::uint64_t to) {
        return state_.compare_exchange_strong(from, to, orders.change, RL_INFO, orders.get, RL_INFO);
    }

private:
    rl::atomic<std::uint64_t> state_{0};
};

/// How a rank learns that the operation is over.
enum class Learns { waits, by_function, takes_back, forgets, gives_up, is_destroyed };

/// The part of the protocol that a test leaves out.
enum class Without { nothing, count_of_the_end, take_function, hold, order_of_looks };

/// Ranks arrive with an operand each; the last one combines them, as tasks::DeferredCollective does, and
/// completes all requests. With Learns::gives_up the first rank does not wait for the others. With
/// Learns::is_destroyed the last rank never arrives: its thread ends the async group while the others give
/// up. The memory is used for another operation when nobody refers to it any more.
template <unsigned ranks, Learns learns, Orders orders = Orders{}, Without without = Without::nothing>
struct Arrivals : rl::test_suite<Arrivals<ranks, learns, orders, without>, int{ranks}> {
    static constexpr unsigned given_up = 1U << ranks;
    static constexpr unsigned destroyed = 2U << ranks;

    rl::var<unsigned> operands[ranks];
    rl::var<unsigned> results[ranks];
    rl::var<unsigned> functions[ranks];
    rl::var<unsigned> calls[ranks];
    ModelCount<orders> arrived;
    /// The holds of threads that have functions to call.
    ModelCount<orders> holds;
    ModelMark<orders> released[ranks];
    tasks::BasicHandover<ModelState<orders>> handovers[ranks];
    bool is_used_again;
    /// The ranks whose functions the thread that has ended the operation must call. Nobody else touches it.
    bool is_in_queue[ranks];
    /// How often the operation has ended. Read after all are done with it.
    rl::var<unsigned> ends;

    void before() {
        for (unsigned rank = 0; rank < ranks; ++rank) {
            calls[rank](RL_INFO).store(0);
        }
        for (bool& is_in : is_in_queue) {
            is_in = false;
        }
        ends(RL_INFO).store(0);
        is_used_again = false;
        arrived.set(0);
        holds.set(0);
    }

    void thread(unsigned rank) {
        if (learns == Learns::is_destroyed && rank == ranks - 1) {
            destroy();
            return;
        }
        operands[rank](RL_INFO).store(1U << rank);
        handovers[rank].open(number);
        const std::size_t count = arrived.up();
        const bool is_last = count == ranks;
        if (is_last) {
            complete();
        } else if (count == tasks::StdCount::closed + ranks) {
            drop_operands();
        }
        const bool may_give_up = (learns == Learns::gives_up && rank == 0) || learns == Learns::is_destroyed;
        if (may_give_up && arrived.close(ranks)) {
            end(given_up);
        }
        const bool was_zero = without == Without::order_of_looks && holds.is_zero();
        learn(rank);
        release(rank, was_zero);
        if (is_last) {
            call_all();
        }
    }

    /// AsyncGroupState::close().
    void destroy() {
        if (without == Without::count_of_the_end ? !handovers[0].is_over() : arrived.close(ranks)) {
            end(destroyed);
        }
        release(ranks - 1);
    }

    void complete() {
        unsigned sum = 0;
        for (auto& operand : operands) {
            sum += operand(RL_INFO).load();
        }
        drop_operands();
        end(sum);
    }

    void drop_operands() {
        for (auto& operand : operands) {
            operand(RL_INFO).store(0);
        }
    }

    void end(unsigned sum) {
        ends(RL_INFO).store(ends(RL_INFO).load() + 1);
        for (auto& result : results) {
            result(RL_INFO).store(sum);
        }
        for (unsigned rank = 0; rank < ranks; ++rank) {
            is_in_queue[rank] = handovers[rank].complete(number).has_function;
            if (is_in_queue[rank] && without != Without::hold) {
                holds.add(1); // by the thread's queue of functions
            }
        }
    }

    /// The functions that the thread has found, after its rank is done with the operation: as if the thread
    /// were in another function.
    void call_all() {
        for (unsigned rank = 0; rank < ranks; ++rank) {
            if (is_in_queue[rank]) {
                call(rank);
                if (without != Without::hold) {
                    holds.down(1);
                }
                use_again();
            }
        }
    }

    void learn(unsigned rank) {
        if constexpr (learns == Learns::waits || learns == Learns::gives_up ||
                      learns == Learns::is_destroyed) {
            wait(rank);
            check(rank);
            return;
        }
        give(rank);
        if (learns == Learns::takes_back && handovers[rank].take_back()) {
            functions[rank](RL_INFO).store(ranks); // for another one
            give(rank);
        } else if (learns == Learns::forgets) {
            forget(rank);
            return;
        }
        wait(rank);
    }

    void give(unsigned rank) {
        functions[rank](RL_INFO).store(rank);
        if (!handovers[rank].give()) {
            handovers[rank].give_late();
            call(rank);
        }
    }

    void forget(unsigned rank) {
        const bool is_own = handovers[rank].take_back() || without == Without::take_function ||
                            handovers[rank].take_function();
        if (is_own) {
            functions[rank](RL_INFO).store(ranks);
        }
    }

    void wait(unsigned rank) {
        while (!handovers[rank].is_over()) {
            rl::yield(1, RL_INFO);
        }
    }

    /// By the rank or by who completes, one of the two.
    void call(unsigned rank) {
        if (without != Without::take_function && !handovers[rank].take_function()) {
            RL_ASSERT(learns == Learns::forgets);
            return;
        }
        const bool is_there = functions[rank](RL_INFO).load() == rank;
        if (without == Without::take_function && !is_there) {
            return;
        }
        RL_ASSERT(is_there);
        calls[rank](RL_INFO).store(calls[rank](RL_INFO).load() + 1);
        check(rank);
    }

    void check(unsigned rank) {
        const unsigned result = results[rank](RL_INFO).load();
        RL_ASSERT(result == (1U << ranks) - 1 ||
                  ((learns == Learns::gives_up || learns == Learns::is_destroyed) && result == given_up) ||
                  (learns == Learns::is_destroyed && result == destroyed));
    }

    void release(unsigned rank, bool was_zero = false) {
        released[rank].set(number);
        use_again(was_zero);
    }

    /// As AsyncGroupState::unused() and DeferredCollective::is_free(), by whichever thread finds first that
    /// nobody refers to it. A look that would find no more than that somebody does is left out, since it does
    /// nothing: that takes far fewer executions. `was_zero`: the holds have been looked at before the marks.
    void use_again(bool was_zero = false) {
        bool is_free = !is_used_again && (was_zero || holds.now() == 0);
        for (const auto& mark : released) {
            is_free = is_free && mark.now() == number;
        }
        if (!is_free) {
            return;
        }
        is_used_again = true;
        const FreshLook fresh;
        for (const auto& mark : released) {
            RL_ASSERT(mark.is(number));
        }
        RL_ASSERT(was_zero || holds.is_zero());
        RL_ASSERT(ends(RL_INFO).load() == 1);
        for (unsigned rank = 0; rank < ranks; ++rank) {
            constexpr bool is_called = learns == Learns::by_function || learns == Learns::takes_back;
            const unsigned called = calls[rank](RL_INFO).load();
            RL_ASSERT(called == (is_called ? 1U : 0U) || (learns == Learns::forgets && called <= 1U));
            operands[rank](RL_INFO).store(0);
            results[rank](RL_INFO).store(0);
            functions[rank](RL_INFO).store(ranks);
        }
    }

    static constexpr std::uint64_t number = 1;
};

} // namespace

TEST_CASE("the last rank to arrive sees all operands, and all see its results") {
    passes<Arrivals<2, Learns::waits>>();
    passes<Arrivals<3, Learns::waits>>({3});
    passes<Arrivals<4, Learns::waits>>({2});
}

TEST_CASE("an operation that is given up ends once, and is used again when all late ranks are done with it") {
    passes<Arrivals<2, Learns::gives_up>>();
    passes<Arrivals<3, Learns::gives_up>>({3});
}

TEST_CASE("an operation ends once, where ranks give it up while the async group is destroyed") {
    passes<Arrivals<2, Learns::is_destroyed>>();
    passes<Arrivals<3, Learns::is_destroyed>>({3});
    caught<Arrivals<2, Learns::is_destroyed, Orders{}, Without::count_of_the_end>>(race);
}

TEST_CASE("a function that is forgotten while another thread is about to call it is called or forgotten") {
    passes<Arrivals<2, Learns::forgets>>({5});
    passes<Arrivals<3, Learns::forgets>>({3});
    caught<Arrivals<2, Learns::forgets, Orders{}, Without::take_function>>(race);
    caught<Arrivals<2, Learns::forgets, Orders{}, Without::hold>>(race);
    caught<Arrivals<2, Learns::forgets, Orders{}, Without::order_of_looks>>(race);
}

TEST_CASE("a function is called once, by its rank or by who completes the operation") {
    passes<Arrivals<2, Learns::by_function>>({5});
    passes<Arrivals<3, Learns::by_function>>({2});
    passes<Arrivals<2, Learns::takes_back>>({4});
    passes<Arrivals<3, Learns::takes_back>>({2});
}

TEST_CASE("arrivals need their memory orders") {
    caught<Arrivals<2, Learns::waits, Orders{.up = rl::mo_release}>>(race);
    caught<Arrivals<2, Learns::waits, Orders{.up = rl::mo_acquire}>>(race);
    caught<Arrivals<2, Learns::by_function, Orders{.down = rl::mo_acquire}>>(race);
    caught<Arrivals<2, Learns::by_function, Orders{.zero = rl::mo_relaxed}>>(race);
    caught<Arrivals<2, Learns::waits, Orders{.mark = rl::mo_relaxed}>>(race);
    caught<Arrivals<2, Learns::waits, Orders{.see_mark = rl::mo_relaxed}>>(race);
    caught<Arrivals<2, Learns::waits, Orders{.get = rl::mo_relaxed}>>(race);
    caught<Arrivals<2, Learns::waits, Orders{.change = rl::mo_acquire}>>(race);
    caught<Arrivals<2, Learns::by_function, Orders{.get = rl::mo_relaxed, .change = rl::mo_release}>>(race);
    caught<Arrivals<2, Learns::by_function, Orders{.change = rl::mo_relaxed}>>(race);
}

} // namespace tutti::model
