#include "verify/report.hpp"

#include <utility>

namespace tutti::verify {

std::string_view to_string(Kind kind) {
    switch (kind) {
    case Kind::bounds:
        return "bounds";
    case Kind::content:
        return "content";
    case Kind::deadlock:
        return "deadlock";
    case Kind::race:
        return "race";
    case Kind::payload:
        return "payload";
    case Kind::slot_reuse:
        return "slot reuse";
    }
    return "unknown";
}

void Report::add(Kind kind, std::string text) {
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
