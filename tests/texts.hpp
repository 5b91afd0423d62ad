#pragma once

#include <stdexcept>
#include <string>

namespace tutti::test {

inline bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The text of the exception that `call` throws; "" if it throws none.
template <class Exception = std::invalid_argument, class Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Exception& error) {
        return error.what();
    }
    return {};
}

} // namespace tutti::test
