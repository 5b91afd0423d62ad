#include "wait/error_context.hpp"

#include "wait/shown_line.hpp"

#include <new>

namespace tutti::engine {

SourceLine line_for_errors(const SourceLine& where) noexcept {
    try {
        return ShownLine(where).is_known() ? where : SourceLine{};
    } catch (const std::bad_alloc&) {
        return {};
    }
}

void describe(Error& error, const ErrorContext& call) noexcept {
    ErrorContext& context = detail::ErrorAccess::of(error);
    if (context.rank >= 0) {
        return;
    }
    const int peer = context.peer;
    context = call;
    context.peer = peer;
    context.where = line_for_errors(call.where);
}

void describe(const std::exception_ptr& thrown, const ErrorContext& call) noexcept {
    if (thrown == nullptr) {
        return;
    }
    try {
        std::rethrow_exception(thrown);
    } catch (Error& error) {
        describe(error, call);
    } catch (...) { // the program's own
    }
}

} // namespace tutti::engine
