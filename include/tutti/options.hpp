#pragma once

#include <string_view>

namespace tutti {

/// What a caller may choose for one collective call. Every member must choose the same.
struct Options {
    /// Name of the algorithm (`tutti info --algorithms` lists them); empty: the library chooses.
    std::string_view algorithm = {};
};

} // namespace tutti
