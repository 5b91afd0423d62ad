#pragma once

#include "../ways/called.hpp"

namespace tutti::faults {

/// A call of integers, or of another type.
struct Call {
    test::Called called;
    /// The shared result of all members; null: each has its own.
    std::vector<int>* shared = nullptr;
    /// Every member gives this vector for its own result.
    std::vector<int>* same = nullptr;
};

/// The action of one member, the victim, that differs from the others'.
///
/// - collective .. shared_output: another call, or the same with other arguments
/// - same_output: it gives the vector that another member gives for its result
/// - missing: it leaves the call out
/// - early_return, destroyed: it makes no more calls; of a sub-group, only its seat there ends
/// - before, inside, after: an exception ends its part there
enum class Fault : std::uint8_t {
    collective,
    operation,
    type,
    count,
    counts,
    root,
    algorithm,
    order,
    in_place,
    shared_output,
    same_output,
    missing,
    early_return,
    destroyed,
    before,
    inside,
    after
};
inline constexpr int fault_count = static_cast<int>(Fault::after) + 1;
std::string_view to_string(Fault fault);

/// The kind of group that makes the calls: a team, threads that have joined a group, a sub-group of a team,
/// one that was made in the run before, all members of a team by among().
enum class Scope : std::uint8_t { team, group, sub_group, kept, among };
inline constexpr std::array all_scopes{Scope::team, Scope::group, Scope::sub_group, Scope::kept,
                                       Scope::among};
std::string_view to_string(Scope scope);

struct Case {
    Collective collective = Collective::barrier;
    Fault fault = Fault::collective;
    int members = 2;
    int victim = 0;
    std::size_t elements = 1;
    Scope scope = Scope::team;

    std::string name() const;
};

/// The members' calls: the victim makes another call if `of_victim` is set.
struct Program {
    Call of_others;
    std::optional<Call> of_victim;
};

/// Nothing where the fault is none, or cannot be noticed: what is no argument of that collective, and, where
/// nobody shows addresses, the same vector given twice.
std::optional<Program> program_of(const Case& made);

/// All cases for which there is a program.
std::vector<Case> all_cases();

/// Runs the case in this process. Empty when every member was told, by the right names; else what was wrong.
std::string run(const Case& made);

} // namespace tutti::faults
