#include "cases.hpp"

#include "algorithm/registry.hpp"
#include "choose/select.hpp"

namespace tutti::faults {

using namespace test;

namespace {

constexpr int collectives = static_cast<int>(detail::collective_count);

bool takes_counts(Collective collective) {
    return detail::traits_of(collective).irregular != detail::Irregular::no;
}

bool takes_root(Collective collective) {
    return detail::traits_of(collective).takes_number();
}

bool takes_shared(Collective collective) {
    return collective == Collective::allreduce || collective == Collective::allgather;
}

/// Whether there are a form with one vector and one with two.
bool takes_both_forms(Collective collective) {
    return collective != Collective::barrier && collective != Collective::broadcast;
}

/// The names of the algorithms that serve so many members.
std::vector<std::string_view> algorithms(Collective collective, int members) {
    std::vector<std::string_view> names;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective && algorithm::takes(row, members)) {
            names.push_back(row.name);
        }
    }
    return names;
}

/// For all members alike; they outlive every call.
std::vector<int>& vector_for_all(std::size_t number = 0) {
    static std::array vectors{std::vector<int>(1U << 18U), std::vector<int>(1U << 18U)};
    return vectors[number];
}

/// The lesser of two. Throws on the member that passes something in `user`.
void lesser(const void* in, void* inout, std::size_t count, void* user) {
    if (user != nullptr) {
        throw std::runtime_error("the operator gave up");
    }
    for (std::size_t i = 0; i < count; ++i) {
        int& mine = static_cast<int*>(inout)[i];
        mine = std::min(mine, static_cast<const int*>(in)[i]);
    }
}

/// Another collective: over all cases, every other one.
Collective another(const Case& made) {
    const int others = collectives - 1;
    const int step = 1 + (made.victim + 3 * made.members + static_cast<int>(made.elements)) % others;
    return static_cast<Collective>((static_cast<int>(made.collective) + step) % collectives);
}

/// The victim makes the call with something changed.
template <class Change>
Program changed(const Call& call, Change change) {
    Program program{call, call};
    change(program.of_victim->called);
    return program;
}

std::optional<Program> program_of_disagreement(const Case& made, const Call& call) {
    const Collective collective = made.collective;
    const bool has_vectors = collective != Collective::barrier;
    switch (made.fault) {
    case Fault::collective:
        return changed(call, [&](Called& c) { c.collective = another(made); });
    case Fault::operation:
        return detail::traits_of(collective).reduces()
                   ? std::optional(changed(call, [](Called& c) { c.op = DynamicOp(Operator::max); }))
                   : std::nullopt;
    case Fault::type:
        return has_vectors ? std::optional(changed(call, [](Called& c) { c.type = Type::f32; }))
                           : std::nullopt;
    case Fault::count:
        return has_vectors ? std::optional(changed(call, [](Called& c) { ++c.count; })) : std::nullopt;
    case Fault::root:
        return takes_root(collective)
                   ? std::optional(changed(call, [&](Called& c) { c.root = (c.root + 1) % made.members; }))
                   : std::nullopt;
    case Fault::order:
        return changed(call, [](Called& c) { c.order = Order::serial; });
    case Fault::in_place:
        return takes_both_forms(collective)
                   ? std::optional(changed(call, [](Called& c) { c.in_place = true; }))
                   : std::nullopt;
    default:
        return std::nullopt;
    }
}

std::optional<Program> program_of_vectors(const Case& made, Call call) {
    const Collective collective = made.collective;
    switch (made.fault) {
    case Fault::counts:
        call.called.skew = 1;
        return takes_counts(collective) && made.elements > 2
                   ? std::optional(changed(call, [](Called& c) { c.skew = 2; }))
                   : std::nullopt;
    case Fault::algorithm: {
        const auto names = algorithms(collective, made.members);
        if (names.size() < 2) {
            return std::nullopt;
        }
        call.called.algorithm = names[0];
        return changed(call, [&](Called& c) { c.algorithm = names[1]; });
    }
    case Fault::shared_output:
        call.shared = &vector_for_all();
        // Now another vector for all, now none.
        return takes_shared(collective)
                   ? std::optional(Program{
                         call, Call{call.called, made.victim % 2 == 0 ? nullptr : &vector_for_all(1)}})
                   : std::nullopt;
    case Fault::same_output: {
        constexpr std::size_t shown_elements = 5000;
        const bool writes_all = collective != Collective::barrier && collective != Collective::reduce &&
                                collective != Collective::gather;
        call.same = &vector_for_all();
        return writes_all && made.elements >= shown_elements ? std::optional(Program{call, {}})
                                                             : std::nullopt;
    }
    default:
        return std::nullopt;
    }
}

/// The number of the operation with the fault, after two that go well.
constexpr int wrong_operation = 3;

void open_with_two_calls(Member& me) {
    std::vector<double> values(300, 1.0);
    me.allreduce(values, sum);
    me.barrier();
}

/// A call that no fault makes, for which everybody waits.
void close_with_a_call(Member& me) {
    std::vector<double> values(2, 1.0);
    me.allreduce(values, sum);
}

void make(Member& me, const Call& call) {
    OwnCall own(call.called, me.rank(), me.size());
    WayCall made = own.call();
    if (call.shared != nullptr) {
        const std::span in(static_cast<const int*>(made.in), made.in_count);
        const auto out = shared(std::span(*call.shared).first(made.out_count));
        return call.called.collective == Collective::allreduce ? me.allreduce(in, out, sum)
                                                               : me.allgather(in, out);
    }
    made.out = call.same != nullptr ? call.same->data() : made.out;
    call_blocking(me, made);
}

/// A member's part, in the group that the case is about.
void take_part(const Case& made, const Program& program, Member& me, const std::function<void()>& leave) {
    const bool is_victim = me.rank() == made.victim;
    open_with_two_calls(me);
    if (is_victim && made.fault == Fault::before) {
        throw std::runtime_error("no more data");
    }
    if (is_victim && (made.fault == Fault::early_return || made.fault == Fault::destroyed)) {
        return leave();
    }
    if (!is_victim || made.fault != Fault::missing) {
        make(me, is_victim && program.of_victim ? *program.of_victim : program.of_others);
    }
    if (is_victim && made.fault == Fault::after) {
        throw std::runtime_error("no more data");
    }
    close_with_a_call(me);
}

/// What each member throws, and behind these what a team throws.
std::vector<Thrown> run_in_team(const Case& made, const Program& program) {
    Team team(made.members, {.placement = Placement::none});
    std::vector<std::optional<Member>> parts(static_cast<std::size_t>(made.members));
    if (made.scope == Scope::kept) {
        team.run([&](Member& me) { parts[index_of(me)] = me.dup(); });
    }
    const Ended ended = test::run(team, [&](Member& me) {
        std::optional<Member>& part = parts[index_of(me)];
        if (made.scope == Scope::sub_group) {
            part = me.dup();
        } else if (made.scope == Scope::among) {
            part = me.among(me.size());
        }
        take_part(made, program, part ? *part : me,
                  [&] { made.fault == Fault::destroyed ? part.reset() : void(); });
    });
    std::vector<Thrown> thrown;
    for (int rank = 0; rank < made.members; ++rank) {
        thrown.push_back(ended.each.of(rank));
    }
    thrown.push_back(ended.run);
    return thrown;
}

std::vector<Thrown> run_in_group(const Case& made, const Program& program) {
    std::vector<Thrown> thrown(static_cast<std::size_t>(made.members));
    Group group(made.members);
    on_threads(made.members, [&](int rank) {
        thrown[static_cast<std::size_t>(rank)] = thrown_by([&] {
            Member me = group.join(rank);
            take_part(made, program, me, [] {});
        });
    });
    return thrown;
}

bool names_victim(const Case& made, const std::string& text) {
    const std::string victim = std::to_string(made.victim);
    return mentions(text, "member " + victim) || mentions(text, "members " + victim + " and") ||
           mentions(text, "and " + victim + " ");
}

/// Whether the members look at each other's arguments, all of which are in the signature.
bool differs_in_claim(const Case& made) {
    const bool other_vector = made.fault == Fault::shared_output && made.victim % 2 != 0;
    const bool own_counts = made.fault == Fault::counts && made.collective == Collective::alltoall;
    return made.fault <= Fault::missing && made.fault != Fault::same_output && !other_vector && !own_counts;
}

bool throws(const Case& made) {
    return made.fault == Fault::before || made.fault == Fault::inside || made.fault == Fault::after;
}

/// The fault of what a member throws, or the team.
std::string complaint_about(const Case& made, const Thrown& thrown, bool is_victim) {
    const std::string& text = thrown.text;
    if (throws(made)) {
        return thrown.kind != (is_victim ? Kind::other : Kind::aborted) ? "is of the wrong kind"
               : mentions(text, made.fault == Fault::inside ? "gave up" : "no more data") ||
                       mentions(text, "an exception")
                   ? ""
                   : "does not tell of the exception";
    }
    if (thrown.kind != Kind::mismatch && thrown.kind != Kind::aborted) {
        return "is of the wrong kind";
    }
    if (made.fault != Fault::same_output && !names_victim(made, text)) {
        return "does not name the victim";
    }
    if (differs_in_claim(made) && !mentions(text, "operation " + std::to_string(wrong_operation) + ":")) {
        return "does not name the operation";
    }
    const bool leaves = made.fault == Fault::early_return || made.fault == Fault::destroyed;
    return leaves && !mentions(text, "has returned") ? "does not say that the victim has returned" : "";
}

} // namespace

std::string_view to_string(Fault fault) {
    constexpr std::array<std::string_view, fault_count> names{
        "collective",   "operator",  "type",     "count",         "counts",      "root",
        "algorithm",    "order",     "in place", "shared output", "same output", "missing",
        "early return", "destroyed", "before",   "inside",        "after"};
    return names[static_cast<std::size_t>(fault)];
}

std::string_view to_string(Scope scope) {
    constexpr std::array<std::string_view, all_scopes.size()> names{"team", "group", "sub-group",
                                                                    "kept sub-group", "among"};
    return names[static_cast<std::size_t>(scope)];
}

std::string Case::name() const {
    return std::string(to_string(collective)) + ", " + std::string(to_string(fault)) + " by member " +
           std::to_string(victim) + " of " + std::to_string(members) + ", " + std::to_string(elements) +
           " elements, " + std::string(to_string(scope));
}

std::optional<Program> program_of(const Case& made) {
    const Call call{{.collective = made.collective,
                     .count = made.elements,
                     .type = Type::i32,
                     .in_place = false,
                     .root = detail::traits_of(made.collective).example_number(made.members)}};
    if (made.fault <= Fault::same_output) {
        const auto program = program_of_disagreement(made, call);
        return program ? program : program_of_vectors(made, call);
    }
    if (made.fault == Fault::inside) {
        static int throws = 0;
        Call combining = call;
        combining.called.op = DynamicOp(lesser, nullptr, sizeof(int), false);
        const auto throw_there = [](Called& c) { c.op = DynamicOp(lesser, &throws, sizeof(int), false); };
        return detail::traits_of(made.collective).reduces() ? std::optional(changed(combining, throw_there))
                                                            : std::nullopt;
    }
    // A seat that a joined thread has left may be taken by another one.
    if ((made.fault == Fault::early_return && made.scope == Scope::group) ||
        (made.fault == Fault::destroyed && made.scope != Scope::sub_group && made.scope != Scope::kept)) {
        return std::nullopt;
    }
    return Program{call, {}};
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const Collective collective : detail::all_collectives) {
        for (int fault = 0; fault < fault_count; ++fault) {
            for (const int members : {2, 3, 4, 7}) {
                for (const std::size_t elements :
                     {std::size_t{1}, std::size_t{15}, std::size_t{900}, std::size_t{20'000}}) {
                    for (const Scope scope : all_scopes) {
                        for (int victim = 0; victim < members; ++victim) {
                            const Case made{collective, static_cast<Fault>(fault), members, victim, elements,
                                            scope};
                            if (program_of(made)) {
                                cases.push_back(made);
                            }
                        }
                    }
                }
            }
        }
    }
    return cases;
}

std::string run(const Case& made) {
    const Program program = program_of(made).value();
    const std::vector<Thrown> all =
        made.scope == Scope::group ? run_in_group(made, program) : run_in_team(made, program);
    const auto count = [&](Kind kind) { return std::ranges::count(all, kind, &Thrown::kind); };
    const auto victim = static_cast<std::size_t>(made.victim);
    if (made.fault == Fault::inside && all[victim].kind == Kind::nothing) {
        return count(Kind::nothing) == std::ssize(all) ? "" : "a member threw though no operator was needed";
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool leaves = made.fault == Fault::early_return || made.fault == Fault::destroyed;
        if (i == victim && leaves) {
            continue;
        }
        const bool is_team = i == static_cast<std::size_t>(made.members);
        const std::string complaint = complaint_about(made, all[i], i == victim || is_team);
        if (!complaint.empty()) {
            return (is_team ? "the team" : "member " + std::to_string(i)) + "'s text " + complaint + ": " +
                   all[i].text;
        }
    }
    return throws(made) || count(Kind::mismatch) > 0 ? "" : "all were only told that the group has failed";
}

} // namespace tutti::faults
