#include "tuning/reader.hpp"

#include <locale>
#include <sstream>

namespace tutti::tuning {

bool Reader::read(std::string_view text, double& value) {
    // Streams accept more than std::from_chars: a sign in front, and hexadecimal digits.
    if (text.starts_with('+') || text.find_first_not_of("0123456789.e+-") != std::string_view::npos) {
        return false;
    }
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    return stream >> value && stream.peek() == std::istringstream::traits_type::eof();
}

} // namespace tutti::tuning
