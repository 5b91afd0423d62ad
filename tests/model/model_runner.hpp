#pragma once

#include "algorithm/registry.hpp"
#include "mailbox/mailbox.hpp"
#include "mailbox/slot.hpp"
#include "model_word.hpp"
#include "plan/plan.hpp"
#include "run/runner.hpp"
#include "schedule/synchronise.hpp"

#include <tutti/detail/template_loops.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace tutti::model {

/// The members that are parked. Relacy switches only at atomic accesses, so parking is one step with the
/// glance that has found nothing, and waking one step with the store before it.
class Parked {
public:
    static void reset() { parked_ = 0; }

    static void park() {
        parked_ |= 1U << rl::ctx().current_thread();
        rl::ctx().park_current_thread(false, false, false, RL_INFO);
    }

    static void wake_all() {
        for (rl::thread_id_t member = 0; parked_ != 0; ++member, parked_ >>= 1U) {
            if ((parked_ & 1U) != 0) {
                rl::ctx().unpark_thread(member, false, RL_INFO);
            }
        }
    }

private:
    static inline unsigned parked_ = 0;
};

/// A mailbox::BasicSlot that wakes who is parked.
template <class Cell>
class ModelSlot : public mailbox::BasicSlot<Cell> {
public:
    void publish(std::uint64_t tag, const std::uint64_t* words, int count) {
        mailbox::BasicSlot<Cell>::publish(tag, words, count);
        Parked::wake_all();
    }
    void signal(std::uint64_t tag) {
        mailbox::BasicSlot<Cell>::signal(tag);
        Parked::wake_all();
    }
};

/// The words of a board. One at which nobody looks is not watched, which takes far fewer executions.
template <Orders orders>
class BoardWord {
public:
    void watch() { is_watched_ = true; }

    void publish(std::uint64_t value) noexcept {
        if (is_watched_) {
            word_.publish(value);
            Parked::wake_all();
        }
    }
    std::uint64_t observe() const noexcept {
        RL_ASSERT(is_watched_);
        return word_.observe();
    }

private:
    ModelWord<orders, Words::relaxed> word_;
    bool is_watched_ = false;
};

/// Nobody sleeps.
struct NoBell {
    void notify_if_needed() noexcept {}
};

// The names of rows; as template arguments they must be variables.
inline constexpr char flat[] = "flat";
inline constexpr char direct[] = "direct";
inline constexpr char census[] = "census";
inline constexpr char dissemination[] = "dissemination";
inline constexpr char circulant[] = "circulant";

/// The members' operations, one after the other, and their protocol.
struct Calls {
    Collective collective;
    const char* row;
    schedule::Protocol protocol;
    int members;
    int operations;
    /// Elements of a block, of one word each.
    int width = 1;
};

/// Which rule of reuse is broken.
enum class Rule { kept, one_set, never_settles, settles_too_early, readers_not_awaited };

using AsWritten = Portable<as_written>;

using AsWritten = Portable<as_written>;

/// A word of a member's vector, which relacy watches.
using Watched = rl::var<std::uint64_t>;

/// The effect of a plan's steps on such vectors. Reductions are sums.
class WatchedCompute {
public:
    WatchedCompute(const run::Prepared& prepared, run::Bindings& bindings)
        : prepared_(prepared), bindings_(bindings), plan_(*prepared.plan) {}

    void perform(const plan::Step& step, const void* received) {
        using plan::Code;
        switch (step.code) {
        case Code::copy:
            return put(target(step), step, [&](std::size_t i) { return get(source(step.left, step), i); });
        case Code::reduce:
            return put(target(step), step, [&](std::size_t i) {
                return get(source(step.left, step), i) + get(source(step.right, step), i);
            });
        case Code::copy_received:
            return store(step, wanted(step, received));
        case Code::reduce_received:
            return put(target(step), step, [&](std::size_t i) {
                return get(source(step.left, step), i) + word(wanted(step, received), i);
            });
        case Code::reduce_every_to_every:
            return put_to_every(step, [&](std::size_t i) { return sum_of_all(step, i); });
        case Code::copy_to_every:
            return put_to_every(step, [&](std::size_t i) { return get(source(step.left, step), i); });
        default:
            RL_ASSERT(false);
        }
    }

    const void* message(const plan::Step& step) {
        for (std::size_t i = 0; i < elements(step); ++i) {
            message_[i] = get(source(step.left, step), i);
        }
        return message_;
    }
    std::size_t message_bytes(const plan::Step& step) const { return elements(step) * sizeof(std::uint64_t); }

    const void* wanted(const plan::Step& step, const void* payload) const {
        return static_cast<const std::uint64_t*>(payload) +
               (step.whole != 0 ? prepared_.partition.offset(step.from()) : 0);
    }
    void combine(const plan::Step& step, void* partial, const void* left, const void* right) const {
        for (std::size_t i = 0; i < elements(step); ++i) {
            static_cast<std::uint64_t*>(partial)[i] = word(left, i) + word(right, i);
        }
    }
    void store(const plan::Step& step, const void* from) {
        put(target(step), step, [&](std::size_t i) { return word(from, i); });
    }
    void combine_all(const plan::Step& /*of messages on stages, which relacy would not watch*/,
                     detail::Association /*association*/) {
        RL_ASSERT(false);
    }

private:
    static std::uint64_t word(const void* words, std::size_t index) {
        return static_cast<const std::uint64_t*>(words)[index];
    }
    /// A member that waits for slots follows the plan also for a word, which is not watched.
    std::uint64_t get(Watched* vector, std::size_t index) const {
        return prepared_.exchanges_words ? word(vector, index) : vector[index](RL_INFO).load();
    }

    std::size_t elements(const plan::Step& step) const {
        return prepared_.partition.elements(step.first, step.count);
    }
    Watched* place(const run::Bases& bases, plan::Vector vector, std::uint16_t block) const {
        const std::size_t lap = vector.lapped() ? prepared_.partition.total : 0;
        return static_cast<Watched*>(run::pointer(bases.at[vector.space()])) +
               prepared_.partition.offset(block) + lap;
    }
    Watched* target(const plan::Step& step) const {
        return place(step.to.remote() ? bindings_.peers[step.number()] : bindings_.own, step.to, step.first);
    }
    Watched* source(plan::Vector vector, const plan::Step& step) const {
        return place(vector.remote() ? bindings_.peers[step.number()] : bindings_.own, vector, step.from());
    }
    const run::Bases& bases_of(int member) const {
        return member == plan_.rank ? bindings_.own : bindings_.peers[static_cast<std::size_t>(member)];
    }

    template <class Value>
    void put(Watched* to, const plan::Step& step, Value value) {
        for (std::size_t i = 0; i < elements(step); ++i) {
            if (prepared_.exchanges_words) {
                reinterpret_cast<std::uint64_t*>(to)[i] = value(i);
            } else {
                to[i](RL_INFO).store(value(i));
            }
        }
    }
    template <class Value>
    void put_to_every(const plan::Step& step, Value value) {
        for (std::size_t i = 0; i < elements(step); ++i) {
            const std::uint64_t result = value(i);
            for (int member = 0; member < plan_.ranks; ++member) {
                place(bases_of(member), step.to, step.first)[i](RL_INFO).store(result);
            }
        }
    }
    std::uint64_t sum_of_all(const plan::Step& step, std::size_t index) const {
        std::uint64_t sum = 0;
        for (int member = 0; member < plan_.ranks; ++member) {
            sum += get(place(bases_of(member), step.left, step.from()), index);
        }
        return sum;
    }

    const run::Prepared& prepared_;
    run::Bindings& bindings_;
    const plan::Plan& plan_;
    std::uint64_t message_[mailbox::words_per_slot];
};

/// Members that make calls with the runner, over a mailbox that relacy watches. Before a call each fills its
/// vectors, and after it checks the result: the next call, and the end, change them at once. `progress` is
/// the memory orders of the members' progress.
template <Calls calls, class Cell = AsWritten, Rule rule = Rule::kept, Looks looks = Looks::news,
          Orders progress = as_written>
struct Running : rl::test_suite<Running<calls, Cell, rule, looks, progress>, calls.members> {
    static constexpr auto members = static_cast<std::size_t>(calls.members);
    using Word = BoardWord<progress>;
    /// In which nobody fails.
    using BasicMailbox = mailbox::BasicMailbox<ModelSlot<Cell>, Word, NoBell>;
    struct Mailbox : BasicMailbox {
        using BasicMailbox::BasicMailbox;
        static bool has_failed() { return false; }
    };
    using Runner = run::Runner<Mailbox, WatchedCompute>;

    using Plus = std::plus<std::uint64_t>;
    static constexpr Plus plus{};
    static constexpr int slots_per_operation = 4;
    static constexpr unsigned sets = 2;
    static constexpr std::size_t most_elements = 2 * members * static_cast<std::size_t>(calls.width);

    typename Mailbox::Slot slots[members * slots_per_operation * sets];
    typename Mailbox::Board boards[members];
    Word failed;
    Watched vectors[members][schedule::space_count][most_elements];
    /// The vectors of an exchange of words, which touches nobody's vectors but one's own.
    std::uint64_t words[members][2];

    static inline std::vector<run::Prepared> prepared;
    static inline std::vector<run::Bindings> bindings;

    /// Before relacy takes over: the runner itself allocates nothing.
    static void prepare();

    static std::uint64_t value(std::size_t member, unsigned operation) {
        return std::uint64_t{operation + 1} << (8 * member);
    }
    static std::uint64_t sum(unsigned operation) {
        std::uint64_t all = 0;
        for (std::size_t member = 0; member < members; ++member) {
            all += value(member, operation);
        }
        return all;
    }

    void before() {
        Parked::reset();
        set_looks(looks);
        for (std::size_t member = 0; member < members; ++member) {
            std::ranges::fill(bindings[member].peers, run::Bases{});
            if (!prepared[member].synchronises) { // else nobody looks at it
                boards[member].progress.watch();
            }
        }
    }

    void thread(unsigned index) {
        const Mailbox mailbox(slots, slots_per_operation, sets, nullptr, boards, failed);
        run::Cursor cursor;
        for (unsigned operation = 0; operation < calls.operations; ++operation) {
            fill(index, operation);
            const run::Cursor before = cursor;
            bind(index);
            Runner runner(mailbox, cursor, prepared[index], bindings[index]);
            run_to_the_end(runner);
            break_rules(cursor, before);
            check(index, operation);
        }
        fill(index, calls.operations);
    }

    void fill(unsigned member, unsigned operation) {
        words[member][0] = value(member, operation);
        words[member][1] = 0;
        if (prepared[member].exchanges_words) {
            return;
        }
        for (std::size_t i = 0; i < prepared[member].partition.total; ++i) {
            vectors[member][0][i](RL_INFO).store(value(member, operation));
            vectors[member][1][i](RL_INFO).store(0);
        }
        if (calls.collective == Collective::barrier && operation % 2 == 0) {
            vectors[member][0][0](RL_INFO).store(value(member, operation));
        }
    }

    void bind(unsigned member) {
        run::Bindings& bound = bindings[member];
        bound.bind(prepared[member], &words[member][0], &words[member][1], &plus);
        for (std::size_t space = 0; space < schedule::space_count && !prepared[member].exchanges_words;
             ++space) {
            bound.own.at[space] = reinterpret_cast<std::uintptr_t>(&vectors[member][space][0]);
        }
    }

    static void run_to_the_end(Runner& runner) {
        for (run::State state = runner.advance(1); state != run::State::done; state = runner.advance(1)) {
            RL_ASSERT(state == run::State::waits);
            if constexpr (looks == Looks::all) {
                rl::yield(1, RL_INFO);
            } else {
                while (!is_ready(runner)) {
                    Parked::park();
                }
            }
        }
    }
    static bool is_ready(const Runner& runner) {
        set_looks(Looks::none);
        const bool is_ready = runner.is_ready();
        set_looks(Looks::news);
        return is_ready;
    }
    static void set_looks(Looks how) { Published<std::uint64_t>::looks = Published<Both>::looks = how; }

    static void break_rules(run::Cursor& cursor, const run::Cursor& before) {
        if (rule == Rule::one_set) {
            cursor.set = before.set;
        } else if (rule == Rule::never_settles) {
            cursor.must_wait_for_slots = false;
        } else if (rule == Rule::settles_too_early) {
            --cursor.message_epochs[cursor.set];
        }
    }

    void check(unsigned member, unsigned operation) {
        const bool reduces = detail::traits_of(calls.collective).reduces();
        const bool has_result = calls.collective != Collective::barrier &&
                                (calls.collective != Collective::reduce || member == 0);
        const std::uint64_t result = reduces ? sum(operation) : value(0, operation);
        if (prepared[member].exchanges_words) {
            RL_ASSERT(words[member][1] == (has_result ? result : 0));
        }
        // A value written before a barrier is there for all after it, and left alone until the next.
        for (std::size_t peer = 0; peer < members && calls.collective == Collective::barrier; ++peer) {
            if (operation % 2 == 0) {
                RL_ASSERT(vectors[peer][0][0](RL_INFO).load() == value(peer, operation));
            }
        }
        if (prepared[member].exchanges_words || !has_result) {
            return;
        }
        for (std::size_t i = 0; i < prepared[member].partition.total; ++i) {
            RL_ASSERT(vectors[member][1][i](RL_INFO).load() == result);
        }
    }
};

template <Calls calls, class Cell, Rule rule, Looks looks, Orders progress>
void Running<calls, Cell, rule, looks, progress>::prepare() {
    const algorithm::Algorithm* const row = algorithm::find(calls.collective, calls.row);
    const auto synchronised = schedule::synchronise(row->make(calls.members, 0), calls.protocol);
    prepared.clear();
    bindings = std::vector<run::Bindings>(members);
    for (std::size_t member = 0; member < members; ++member) {
        plan::Plan plan = plan::compile(synchronised, static_cast<int>(member));
        if (rule == Rule::readers_not_awaited && plan.steps.back().code == plan::Code::await) {
            plan.steps.pop_back(); // the last wait is for them
        }
        run::Prepared made;
        made.owned_plan = std::make_shared<const run::OwnPlan>(std::move(plan));
        made.plan = &made.owned_plan->plan;
        made.digests = {.digest = 0x123456789abcdef, .fingerprint = 0xabcde};
        made.kernels = &detail::TemplateLoops<std::uint64_t, Plus>::kernels;
        made.synchronises = detail::traits_of(calls.collective).needs_all;
        const auto blocks = static_cast<std::size_t>(made.plan->blocks);
        const bool is_barrier = calls.collective == Collective::barrier;
        made.partition.block = is_barrier ? 0 : static_cast<std::size_t>(calls.width);
        made.partition.total = blocks * made.partition.block;
        made.element_bytes = sizeof(std::uint64_t);
        made.set_words(made.partition.total * sizeof(std::uint64_t));
        made.eager_words = static_cast<std::uint8_t>(std::max<std::size_t>(made.partition.total, 1));
        made.scratch_stride_bytes = sizeof(Watched) * most_elements;
        bindings[member].reserve(made);
        prepared.push_back(std::move(made));
    }
}

} // namespace tutti::model
