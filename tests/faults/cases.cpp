#include "cases.hpp"

#include "../on_threads.hpp"
#include "../texts.hpp"
#include "algorithm/registry.hpp"
#include "choose/select.hpp"

namespace tutti::faults {

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

/// The names of two algorithms that serve so many members, or nothing.
std::optional<std::array<std::string_view, 2>> two_algorithms(Collective collective, int members) {
    std::array<std::string_view, 2> names;
    std::size_t found = 0;
    for (const algorithm::Algorithm& row : algorithm::registry()) {
        if (row.collective == collective && algorithm::takes(row, members)) {
            names[found++] = row.name;
            if (found == names.size()) {
                return names;
            }
        }
    }
    return std::nullopt;
}

/// For all members alike; they outlive every call.
std::vector<int>& vector_for_all() {
    static std::vector<int> vector(1U << 18U);
    return vector;
}
std::vector<int>& other_vector() {
    static std::vector<int> vector(1U << 18U);
    return vector;
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
    change(*program.of_victim);
    return program;
}

std::optional<Program> program_of_disagreement(const Case& made, const Call& call) {
    const Collective collective = made.collective;
    const bool has_vectors = collective != Collective::barrier;
    switch (made.fault) {
    case Fault::collective:
        return changed(call, [&](Call& of_victim) { of_victim.collective = another(made); });
    case Fault::operation:
        return detail::traits_of(collective).reduces()
                   ? std::optional(changed(call, [](Call& c) { c.with_max = true; }))
                   : std::nullopt;
    case Fault::type:
        return has_vectors ? std::optional(changed(call, [](Call& c) { c.of_floats = true; })) : std::nullopt;
    case Fault::count:
        return has_vectors ? std::optional(changed(call, [](Call& c) { ++c.elements; })) : std::nullopt;
    case Fault::root:
        return takes_root(collective)
                   ? std::optional(changed(call, [&](Call& c) { c.root = (c.root + 1) % made.members; }))
                   : std::nullopt;
    case Fault::order:
        return changed(call, [](Call& c) { c.order = Order::serial; });
    case Fault::in_place:
        return takes_both_forms(collective) ? std::optional(changed(call, [](Call& c) { c.in_place = true; }))
                                            : std::nullopt;
    default:
        return std::nullopt;
    }
}

std::optional<Program> program_of_vectors(const Case& made, Call call) {
    const Collective collective = made.collective;
    switch (made.fault) {
    case Fault::counts:
        call.skew = 1;
        return takes_counts(collective) && made.elements > 2
                   ? std::optional(changed(call, [](Call& c) { c.skew = 2; }))
                   : std::nullopt;
    case Fault::algorithm: {
        const auto names = two_algorithms(collective, made.members);
        if (!names) {
            return std::nullopt;
        }
        call.algorithm = names->front();
        return changed(call, [&](Call& c) { c.algorithm = names->back(); });
    }
    case Fault::shared_output:
        call.shared_ints = &vector_for_all();
        if (!takes_shared(collective)) {
            return std::nullopt;
        }
        // Now another vector for all, now none.
        return changed(call,
                       [&](Call& c) { c.shared_ints = made.victim % 2 == 0 ? nullptr : &other_vector(); });
    case Fault::same_output: {
        constexpr std::size_t shown_elements = 5000;
        const bool writes_all = collective != Collective::barrier && collective != Collective::reduce &&
                                collective != Collective::gather;
        call.same_ints = &vector_for_all();
        return writes_all && made.elements >= shown_elements ? std::optional(Program{call, {}})
                                                             : std::nullopt;
    }
    default:
        return std::nullopt;
    }
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
    const Call call{.collective = made.collective,
                    .elements = made.elements,
                    .root = detail::traits_of(made.collective).example_number(made.members)};
    if (made.fault <= Fault::same_output) {
        const auto program = program_of_disagreement(made, call);
        return program ? program : program_of_vectors(made, call);
    }
    if (made.fault == Fault::inside) {
        Call throwing = call;
        throwing.may_throw = true;
        return detail::traits_of(made.collective).reduces()
                   ? std::optional(changed(throwing, [](Call& c) { c.throws = true; }))
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

using test::mentions;

namespace {

/// The exception of a member's part.
struct Outcome {
    enum class Kind : std::uint8_t { nothing, mismatch, aborted, other } kind = Kind::nothing;
    std::string text;
};

Outcome outcome_of(const std::function<void()>& part) {
    using enum Outcome::Kind;
    try {
        part();
    } catch (const MismatchError& error) {
        return {mismatch, error.what()};
    } catch (const Aborted& error) {
        return {aborted, error.what()};
    } catch (const std::exception& error) {
        return {other, error.what()};
    }
    return {};
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

/// The exceptions of each member's part, and of the run of a team.
struct Outcomes {
    std::vector<Outcome> members;
    Outcome run;
};

Outcomes run_in_team(const Case& made, const Program& program) {
    Outcomes outcomes{std::vector<Outcome>(static_cast<std::size_t>(made.members)), {}};
    Team team(made.members, {.placement = "none"});
    std::vector<std::optional<Member>> parts(outcomes.members.size());
    if (made.scope == Scope::kept) {
        team.run([&](Member& me) { parts[static_cast<std::size_t>(me.rank())] = me.dup(); });
    }
    outcomes.run = outcome_of([&] {
        team.run([&](Member& me) {
            std::exception_ptr thrown;
            outcomes.members[static_cast<std::size_t>(me.rank())] = outcome_of([&] {
                try {
                    if (made.scope == Scope::team) {
                        return take_part(made, program, me, [] {});
                    }
                    std::optional<Member>& part = parts[static_cast<std::size_t>(me.rank())];
                    if (made.scope == Scope::sub_group) {
                        part = me.dup();
                    } else if (made.scope == Scope::among) {
                        part = me.among(me.size());
                    }
                    take_part(made, program, *part, [&] {
                        if (made.fault == Fault::destroyed) {
                            part.reset();
                        }
                    });
                } catch (...) {
                    thrown = std::current_exception();
                    throw;
                }
            });
            if (thrown != nullptr) {
                std::rethrow_exception(thrown);
            }
        });
    });
    return outcomes;
}

Outcomes run_in_group(const Case& made, const Program& program) {
    Outcomes outcomes{std::vector<Outcome>(static_cast<std::size_t>(made.members)), {}};
    Group group(made.members);
    test::on_threads(made.members, [&](int rank) {
        outcomes.members[static_cast<std::size_t>(rank)] = outcome_of([&] {
            Member me = group.join(rank);
            take_part(made, program, me, [] {});
        });
    });
    return outcomes;
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

/// The fault of a text, of whatever member, that reports the fault.
std::string complaint_about(const Case& made, const std::string& text) {
    if (throws(made)) {
        return mentions(text, "no more data") || mentions(text, "gave up") || mentions(text, "an exception")
                   ? ""
                   : "does not tell of the exception";
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

std::string run(const Case& made) {
    const Program program = program_of(made).value();
    const Outcomes outcomes =
        made.scope == Scope::group ? run_in_group(made, program) : run_in_team(made, program);
    const bool leaves = made.fault == Fault::early_return || made.fault == Fault::destroyed;
    const Outcome& of_victim = outcomes.members[static_cast<std::size_t>(made.victim)];
    if (made.fault == Fault::inside && of_victim.kind == Outcome::Kind::nothing) {
        for (const Outcome& outcome : outcomes.members) {
            if (outcome.kind != Outcome::Kind::nothing) {
                return "the victim's operator was not needed, but a member threw: " + outcome.text;
            }
        }
        return {};
    }
    for (int rank = 0; rank < made.members; ++rank) {
        const Outcome& outcome = outcomes.members[static_cast<std::size_t>(rank)];
        const std::string member = "member " + std::to_string(rank);
        if (rank == made.victim && leaves) {
            continue;
        }
        if (outcome.kind == Outcome::Kind::nothing) {
            return member + " was not told";
        }
        const bool is_own = throws(made) && rank == made.victim;
        if ((outcome.kind == Outcome::Kind::other) != is_own ||
            (outcome.kind == Outcome::Kind::mismatch && throws(made))) {
            return member + " got an error of another kind: " + outcome.text;
        }
        const std::string complaint = complaint_about(made, outcome.text);
        if (!complaint.empty()) {
            return member + "'s text " + complaint + ": " + outcome.text;
        }
    }
    return made.scope != Scope::group && outcomes.run.kind == Outcome::Kind::nothing ? "the run threw nothing"
                                                                                     : "";
}

} // namespace tutti::faults
