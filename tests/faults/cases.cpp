#include "cases.hpp"

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
    constexpr std::array<std::string_view, 3> names{"team", "group", "sub-group"};
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
        (made.fault == Fault::destroyed && made.scope != Scope::sub_group)) {
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
                    for (const Scope scope : {Scope::team, Scope::group, Scope::sub_group}) {
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

} // namespace tutti::faults
