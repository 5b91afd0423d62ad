#include "record/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

namespace tutti::library {

namespace {

using EventWords = std::array<std::uint64_t, Event::words>;

/// Groups are counted in the order in which they are made.
std::string name_of_group(int members) {
    first_moment();
    static std::atomic<int> groups{0};
    const int number = groups.fetch_add(1, std::memory_order_relaxed) + 1; // only unique
    return "group " + std::to_string(number) + " of " + std::to_string(members) + " members";
}

std::string name_of(const Event& event) {
    switch (event.kind) {
    case trace::SpanKind::operation: {
        const algorithm::Algorithm& row = algorithm::registry()[event.what];
        return std::string(to_string(row.collective)) + " (algorithm " + std::string(row.name) + ")" +
               (event.has_failed ? ", failed" : "");
    }
    case trace::SpanKind::step:
        return std::string(plan::traits_of(static_cast<plan::Code>(event.what)).word);
    case trace::SpanKind::wait:
    default:
        return std::string(event.sequence == Sequence::blocking ? "wait" : trace::request_wait);
    }
}

trace::SpanKind kind_of(const Event& event) {
    if (event.kind != trace::SpanKind::operation || event.sequence == Sequence::blocking) {
        return event.kind;
    }
    return event.sequence == Sequence::nonblocking ? trace::SpanKind::started : trace::SpanKind::prepared;
}

/// The one member whose vectors or message the step reads, or to whose vectors it stores; else -1.
int peer_of(const plan::Step& step) {
    const plan::StepTraits& traits = step.traits();
    const bool touches_peer = step.to.remote() || step.left.remote() || step.right.remote();
    const bool receives = traits.takes == plan::Takes::message;
    return !traits.names_several() && (touches_peer || receives) ? step.peer() : -1;
}

std::set<std::uint64_t> blocking_operations_in(const std::vector<Event>& events) {
    std::set<std::uint64_t> numbers;
    for (const Event& event : events) {
        if (event.kind == trace::SpanKind::operation && event.sequence == Sequence::blocking) {
            numbers.insert(event.number);
        }
    }
    return numbers;
}

/// When members have come to one operation, in ticks.
struct Arrivals {
    Collective collective = {};
    std::vector<std::uint64_t> ticks = {};
};

/// The arrivals at each operation that all members have kept, by number.
std::map<std::uint64_t, Arrivals> arrivals_in(const Recorder& recorder, int members) {
    std::map<std::uint64_t, Arrivals> arrivals;
    for (int member = 0; member < members; ++member) {
        for (const Event& event : recorder.of(member).events()) {
            if (event.kind == trace::SpanKind::operation && event.sequence == Sequence::blocking &&
                !event.has_failed) {
                Arrivals& of_call = arrivals[event.number];
                of_call.collective = algorithm::registry()[event.what].collective;
                of_call.ticks.push_back(event.begin_ticks);
            }
        }
    }
    std::erase_if(arrivals, [members](const auto& entry) {
        return static_cast<int>(entry.second.ticks.size()) != members;
    });
    return arrivals;
}

void compare_arrivals(CollectiveStatistics& of_calls, Collective collective,
                      const std::map<std::uint64_t, Arrivals>& arrivals, const TickScale& scale) {
    std::vector<std::uint64_t> late(of_calls.members.size());
    std::uint64_t spread = 0;
    std::uint64_t worst = 0;
    for (const auto& [number, of_call] : arrivals) {
        if (of_call.collective != collective) {
            continue;
        }
        const auto [first, last] = std::ranges::minmax(of_call.ticks);
        for (std::size_t rank = 0; rank < late.size(); ++rank) {
            late[rank] += of_call.ticks[rank] - first;
        }
        spread += last - first;
        worst = std::max(worst, last - first);
        ++of_calls.compared;
    }
    if (of_calls.compared == 0) {
        return;
    }
    const auto time = [&](std::uint64_t ticks) { return std::chrono::nanoseconds(scale.ns_of(ticks)); };
    for (std::size_t rank = 0; rank < late.size(); ++rank) {
        of_calls.members[rank].late = time(late[rank] / of_calls.compared);
    }
    of_calls.spread = time(spread / of_calls.compared);
    of_calls.worst_spread = time(worst);
}

CollectiveStatistics totals_of(const Recorder& recorder, int members, Collective collective,
                               const TickScale& scale) {
    const auto time = [&](std::uint64_t ticks) { return std::chrono::nanoseconds(scale.ns_of(ticks)); };
    CollectiveStatistics of_calls;
    of_calls.collective = to_string(collective);
    of_calls.members.resize(static_cast<std::size_t>(members));
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        const algorithm::Algorithm& algorithm = algorithm::registry()[row];
        if (algorithm.collective != collective) {
            continue;
        }
        AlgorithmStatistics by_this{.algorithm = algorithm.name};
        for (int member = 0; member < members; ++member) {
            const MemberRecord::Totals totals = recorder.of(member).totals(row);
            MemberStatistics& of_member = of_calls.members[static_cast<std::size_t>(member)];
            of_member.calls += totals.calls;
            of_member.bytes += totals.bytes;
            of_member.time += time(totals.ticks);
            of_member.waited += time(totals.waited_ticks);
            by_this.calls += totals.calls;
            by_this.time += time(totals.ticks);
        }
        if (by_this.calls != 0 || by_this.time.count() != 0) {
            of_calls.algorithms.push_back(by_this);
        }
    }
    return of_calls;
}

} // namespace

void MemberRecord::add(const Event& event) noexcept {
    const std::uint64_t index = written_.get();
    const auto words = std::bit_cast<EventWords>(event);
    auto& shown = events_[index % most_slots];
    for (std::size_t word = 0; word < Event::words; ++word) {
        shown[word].publish(words[word]); // release: pairs with events(), which sees below that it is new
    }
    written_.publish(index + 1); // release: pairs with events()
    mailbox::StdWord& last = last_numbers_[static_cast<std::size_t>(event.sequence)];
    last.put(std::max(last.get(), event.number)); // relaxed: read while the member is in no call
}

std::vector<Event> MemberRecord::events() const {
    const std::uint64_t written = written_.observe();
    std::vector<Event> events;
    const std::uint64_t first = written - std::min<std::uint64_t>(written, most_slots);
    for (std::uint64_t index = first; index < written; ++index) {
        EventWords words{};
        for (std::size_t word = 0; word < Event::words; ++word) {
            words[word] = events_[index % most_slots][word].observe(); // acquire: pairs with add()
        }
        events.push_back(std::bit_cast<Event>(words));
    }
    // Drops the events that have been overwritten meanwhile, and the one that may be half written.
    const std::uint64_t now = written_.observe();
    const std::uint64_t kept = now + 1 - std::min<std::uint64_t>(now + 1, most_slots);
    const std::uint64_t lost = std::min<std::uint64_t>(std::max(kept, first) - first, events.size());
    events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(lost));
    return events;
}

std::uint64_t MemberRecord::last_number(Sequence sequence) const {
    return last_numbers_[static_cast<std::size_t>(sequence)].get();
}

void MemberRecord::count(std::size_t row, const Totals& more) noexcept {
    // Relaxed: each number is for itself.
    Counter& counter = counters_[row];
    counter.calls.put(counter.calls.get() + more.calls);
    counter.bytes.put(counter.bytes.get() + more.bytes);
    counter.ticks.put(counter.ticks.get() + more.ticks);
    counter.waited_ticks.put(counter.waited_ticks.get() + more.waited_ticks);
}

MemberRecord::Totals MemberRecord::totals(std::size_t row) const {
    const Counter& counter = counters_[row];
    return {counter.calls.get(), counter.bytes.get(), counter.ticks.get(), counter.waited_ticks.get()};
}

void OperationRecord::end_wait(int peer) noexcept {
    const std::uint64_t now = ticks();
    waited_ += now - wait_began_;
    if (trace_ >= Trace::operations) {
        record_.add(Event{.begin_ticks = wait_began_,
                          .end_ticks = now,
                          .kind = trace::SpanKind::wait,
                          .peer = peer,
                          .number = number_});
    }
    wait_began_ = 0;
}

void OperationRecord::has_done(const plan::Step& step, std::size_t bytes) noexcept {
    if (!sees_steps()) {
        return;
    }
    const std::uint64_t now = ticks();
    record_.add(Event{.begin_ticks = step_began_,
                      .end_ticks = now,
                      .kind = trace::SpanKind::step,
                      .what = static_cast<std::uint16_t>(step.code),
                      .peer = peer_of(step),
                      .bytes = bytes,
                      .number = number_});
    step_began_ = now;
}

void OperationRecord::end(std::size_t row, std::uint64_t bytes) noexcept {
    add(row, bytes, step_began_ != began_ ? step_began_ : ticks(), false);
}

void OperationRecord::fail(std::size_t row, std::uint64_t bytes) noexcept {
    sees(awaited_);
    add(row, bytes, ticks(), true);
}

void OperationRecord::add(std::size_t row, std::uint64_t bytes, std::uint64_t now, bool has_failed) noexcept {
    record_.add(Event{.begin_ticks = began_,
                      .end_ticks = now,
                      .kind = trace::SpanKind::operation,
                      .has_failed = has_failed,
                      .what = static_cast<std::uint16_t>(row),
                      .bytes = bytes,
                      .number = number_});
    MemberRecord::Totals totals{.ticks = now - began_, .waited_ticks = waited_};
    if (!has_failed) {
        totals.calls = 1;
        totals.bytes = bytes;
    }
    record_.count(row, totals);
}

void FlightRecord::has_waited(const Recorded& recorded, std::uint64_t since, int peer) const noexcept {
    // Continuations, which follow its end in the same wait, do not count.
    const std::uint64_t until = ended_ != 0 ? ended_ : ticks();
    if (until <= since) {
        return;
    }
    if (recorded.trace >= Trace::operations) {
        recorded.record.add(Event{.begin_ticks = since,
                                  .end_ticks = until,
                                  .kind = trace::SpanKind::wait,
                                  .sequence = recorded.sequence,
                                  .peer = peer,
                                  .number = recorded.number});
    }
    recorded.record.count(recorded.row, {.ticks = until - since, .waited_ticks = until - since});
}

void FlightRecord::end(const Recorded& recorded, std::uint64_t bytes, bool has_failed) noexcept {
    ended_ = ticks();
    if (recorded.trace >= Trace::operations) {
        recorded.record.add(Event{.begin_ticks = began_,
                                  .end_ticks = ended_,
                                  .sequence = recorded.sequence,
                                  .has_failed = has_failed,
                                  .what = static_cast<std::uint16_t>(recorded.row),
                                  .bytes = bytes,
                                  .number = recorded.number});
    }
    if (!has_failed) {
        recorded.record.count(recorded.row, {.calls = 1, .bytes = bytes});
    }
}

const Moment& first_moment() {
    static const Moment first = Moment::now();
    return first;
}

const TickScale& tick_scale() {
    // Long enough for readings that are some 50 ns off.
    constexpr std::chrono::milliseconds least_apart{20};
    static const TickScale scale = [&] {
        const Moment& first = first_moment();
        std::this_thread::sleep_for(least_apart - (Moment::now().time - first.time));
        return TickScale(first, Moment::now());
    }();
    return scale;
}

Recorder::Recorder(int members, Trace trace)
    : name_(name_of_group(members)), members_(members), trace_(trace),
      pages_(static_cast<std::size_t>(members) * sizeof(MemberRecord)),
      records_(objects_in<MemberRecord>(pages_.data())) {}

void Recorder::begin_anew() {
    for (std::size_t sequence = 0; sequence < sequence_count; ++sequence) {
        for (int member = 0; member < members_; ++member) {
            before_[sequence] =
                std::max(before_[sequence], of(member).last_number(static_cast<Sequence>(sequence)));
        }
    }
}

trace::Timeline Recorder::timeline(std::span<const int> threads) const {
    const TickScale& scale = tick_scale();
    trace::Timeline timeline{.name = name_};
    for (int member = 0; member < members_; ++member) {
        trace::Lane lane{.rank = member, .thread = threads[static_cast<std::size_t>(member)]};
        const std::vector<Event> events = of(member).events();
        const std::set<std::uint64_t> operations = blocking_operations_in(events);
        for (const Event& event : events) {
            const trace::SpanKind kind = kind_of(event);
            if (event.sequence == Sequence::blocking && !operations.contains(event.number)) {
                continue; // of one that is under way
            }
            (trace::is_in_flight(kind) ? lane.flights : lane.spans)
                .push_back({.begin_ns = scale.ns_at(event.begin_ticks),
                            .end_ns = scale.ns_at(event.end_ticks),
                            .kind = kind,
                            .name = name_of(event),
                            .peer = event.peer,
                            .bytes = event.bytes,
                            .number = event.number});
        }
        // They have been written at their ends.
        for (auto* spans : {&lane.spans, &lane.flights}) {
            std::ranges::stable_sort(*spans, {}, [](const trace::Span& span) {
                return std::tuple(span.begin_ns, -span.end_ns, span.kind);
            });
        }
        timeline.lanes.push_back(std::move(lane));
    }
    return timeline;
}

Statistics Recorder::statistics() const {
    const TickScale& scale = tick_scale();
    const std::map<std::uint64_t, Arrivals> arrivals = arrivals_in(*this, members_);
    Statistics statistics;
    for (const Collective collective : detail::all_collectives) {
        CollectiveStatistics of_calls = totals_of(*this, members_, collective, scale);
        if (!of_calls.algorithms.empty()) {
            compare_arrivals(of_calls, collective, arrivals, scale);
            statistics.collectives.push_back(std::move(of_calls));
        }
    }
    return statistics;
}

} // namespace tutti::library
