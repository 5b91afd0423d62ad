#include "verify/report.hpp"

#include <utility>

namespace tutti::verify {

std::string_view to_string(ViolationKind kind) {
    constexpr std::string_view names[] = {"bounds", "content", "deadlock", "race", "payload", "slot reuse"};
    return names[static_cast<std::size_t>(kind)];
}

void Report::add(ViolationKind kind, std::string text) {
    kinds_ |= bit(kind);
    ++total_;
    if (violations_.size() < kept_at_most) {
        violations_.push_back({kind, std::move(text)});
    }
}

std::string Report::text() const {
    std::string lines;
    for (const Violation& violation : violations_) {
        lines += std::string(to_string(violation.kind)) + ": " + violation.text + "\n";
    }
    if (total_ > violations_.size()) {
        lines += "and " + std::to_string(total_ - violations_.size()) + " more\n";
    }
    return lines;
}

} // namespace tutti::verify
