#include "../on_threads.hpp"
#include "../texts.hpp"
#include "cases.hpp"

namespace tutti::faults {

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
    outcomes.run = outcome_of([&] {
        team.run([&](Member& me) {
            std::exception_ptr thrown;
            outcomes.members[static_cast<std::size_t>(me.rank())] = outcome_of([&] {
                try {
                    if (made.scope == Scope::team) {
                        return take_part(made, program, me, [] {});
                    }
                    std::optional<Member> sub(me.dup());
                    take_part(made, program, *sub, [&] { sub.reset(); });
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

/// The fault of a text, of whatever member, that reports the fault.
std::string complaint_about(const Case& made, const std::string& text) {
    const bool throws =
        made.fault == Fault::before || made.fault == Fault::inside || made.fault == Fault::after;
    if (throws) {
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
        const std::string complaint = complaint_about(made, outcome.text);
        if (!complaint.empty()) {
            return member + "'s text " + complaint + ": " + outcome.text;
        }
    }
    return made.scope != Scope::group && outcomes.run.kind == Outcome::Kind::nothing ? "the run threw nothing"
                                                                                     : "";
}

} // namespace tutti::faults
