#pragma once

#include <string>

namespace tutti::laboratory {

/// The text of src/choose/level_choices.cpp: for each collective, from how many bytes on which of the
/// algorithms levels-... is predicted to be faster than `flat` and `direct`, on average over published
/// machines. The same text on every machine.
std::string level_choices_text();

} // namespace tutti::laboratory
