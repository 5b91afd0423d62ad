#pragma once

#include <cstddef>
#include <string>

namespace tutti::laboratory {

/// The call of which `tutti info --why` explains the choice of an algorithm, as typed.
struct ChoiceArguments {
    /// Empty: no choice is explained.
    std::string collective;
    int members = 2;
    std::string bytes = "64K";
    std::string type = "f64";
    std::string op = "sum";
    bool in_place = false;
    bool shared = false;
    std::string placement = "compact";
    /// A published profile, or a file of one: the choice on that machine. Empty: on this one.
    std::string machine;
};

/// Which algorithm a team would choose for the call, by which rule or entry of a table, and of every
/// algorithm of the collective whether it could be chosen, its protocol, its rounds and what the table has
/// measured, in lines of `width` columns. Throws UsageError.
std::string explain_choice(const ChoiceArguments& arguments, std::size_t width);

} // namespace tutti::laboratory
