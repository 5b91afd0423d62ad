#include "wait/failure.hpp"

#include "immovable.hpp"
#include "no_cancellation.hpp"
#include "report.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

namespace tutti::library {

namespace {

/// Copies text from addresses at which there may be none any more. The kernel does it, through a pipe,
/// because its calls fail at addresses at which a load would end the process.
class CopiedText : Immovable {
public:
    CopiedText() : is_open_(pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0) {}
    ~CopiedText() {
        if (is_open_) {
            close(ends_[0]);
            close(ends_[1]);
        }
    }

    /// Nothing if there is no text, or only a part of one.
    std::string of(const char* text) const {
        std::string copy;
        while (is_open_ && copy.size() < most_bytes) {
            std::array<char, piece_bytes> piece;
            // Within one page, since a part of a piece is not copied.
            const auto address = reinterpret_cast<std::uintptr_t>(text + copy.size());
            const std::size_t rest = piece_bytes - address % piece_bytes;
            // The system call itself: the sanitizers know how long the text is, and would prevent reading
            // more.
            const long written = syscall(SYS_write, ends_[1], text + copy.size(), rest);
            if (written <= 0 || read(ends_[0], piece.data(), piece.size()) != written) {
                return {};
            }
            const auto* const end = piece.begin() + written;
            const auto* const found = std::find(piece.cbegin(), end, '\0');
            copy.append(piece.cbegin(), found);
            if (found != end) {
                return copy;
            }
        }
        return {};
    }

private:
    static constexpr std::size_t piece_bytes = 256;
    static constexpr std::size_t most_bytes = 4096;

    std::array<int, 2> ends_{};
    bool is_open_;
};

/// Something else may lie where a name was.
bool can_be_name(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

/// An Aborted that keeps its text in itself.
class BriefAborted : public Aborted {
public:
    BriefAborted(const Aborted& untold, const std::array<char, 256>& text, int peer)
        : Aborted(untold), text_(text) {
        detail::ErrorAccess::of(*this).peer = peer;
    }
    const char* what() const noexcept override { return text_.data(); }

private:
    std::array<char, 256> text_;
};

/// Calls use(text) with the text of an exception.
template <class Use>
auto with_text(const std::exception_ptr& cause, Use use) {
    if (cause == nullptr) {
        return use("its thread was ended by pthread_exit() or pthread_cancel()");
    }
    try {
        std::rethrow_exception(cause);
    } catch (const std::exception& exception) {
        return use(exception.what());
    } catch (...) {
        return use("an exception that is not a std::exception");
    }
}

constexpr std::string_view released_because = "released because ";

/// What has failed, of a text that may itself be that of a member that was released.
const char* without_release(const char* text) {
    const bool is_released = std::string_view(text).starts_with(released_because);
    return is_released ? text + released_because.size() : text;
}

/// The first line of a mismatch, because the member that has thrown it has the rest.
std::string_view told_of(const char* whole, bool is_mismatch) {
    const char* const text = without_release(whole);
    return {text, is_mismatch ? std::strcspn(text, "\n") : std::strlen(text)};
}

/// Throws an E with this text if there is memory for that.
template <class E>
void throw_if_memory(const std::string& text, int peer) {
    std::optional<E> made;
    try {
        made.emplace(std::string(released_because) + text, ErrorContext{.peer = peer});
    } catch (const std::bad_alloc&) {
    }
    if (made) {
        throw E(*made);
    }
}

} // namespace

ShownLine::ShownLine(const SourceLine& where) {
    std::string file = where.file != nullptr ? CopiedText().of(where.file) : std::string();
    // Options that are made without a line have the line of that constructor in the library.
    if (can_be_name(file) && !file.ends_with("tutti/options.hpp")) {
        file_ = std::move(file);
        line_ = where.line;
    }
}

std::string ShownLine::text() const {
    return file_.substr(file_.rfind('/') + 1) + ":" + std::to_string(line_);
}

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

int peer_of(const std::exception_ptr& error) noexcept {
    if (error == nullptr) {
        return -1;
    }
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return known.context().peer;
    } catch (...) {
        return -1;
    }
}

const std::exception_ptr& thread_end() {
    static const std::exception_ptr cause =
        with_text(nullptr, [](const char* text) { return std::make_exception_ptr(Error(text)); });
    return cause;
}

const std::exception_ptr& unseen_exception() {
    static const std::exception_ptr cause = std::make_exception_ptr(Error("an exception ended its part"));
    return cause;
}

void copy_text(const std::exception_ptr& cause, std::span<char> to) noexcept {
    with_text(cause, [&](const char* whole) {
        const std::string_view text = told_of(whole, holds<MismatchError>(cause));
        std::snprintf(to.data(), to.size(), "%.*s", static_cast<int>(text.size()), text.data());
    });
}

Failure::Failure() {
    // Made now: when they are needed there may be no memory.
    thread_end();
    unseen_exception();
}

void Failure::report(int member, const std::exception_ptr& cause) noexcept {
    const NoCancellation until_the_end;
    constexpr std::int64_t between_looks_ns = 20'000;
    if (!is_reported_.test_and_set(std::memory_order_relaxed)) {
        with_text(cause, [&](const char* text) { report_failure(first_ + member, text); });
        return;
    }
    while (!raised() && mutex_.is_usable()) {
        mailbox::nap(between_looks_ns);
    }
}

void Failure::raise(int member, const std::exception_ptr& cause, const char* whose,
                    std::optional<int> peer) noexcept {
    if (!mutex_.is_usable()) { // throw_aborted() throws the error for that
        return raised_.publish(1);
    }
    const std::scoped_lock lock(mutex_.unchecked());
    if (raised_.get() != 0) { // only changes under the lock
        return;
    }
    const std::exception_ptr& told = cause != nullptr ? cause : thread_end();
    const bool is_own = *whose == '\0';
    member += is_own ? first_ : first_of_whole_;
    cause_ = is_own && keeps_first_ ? told : nullptr;
    is_timeout_ = holds<TimeoutError>(told);
    with_text(told, [&](const char* whole) {
        const std::string_view text = told_of(whole, holds<MismatchError>(told));
        // A failure in another process has been told with its place.
        const bool has_place = is_own && text.starts_with("process ") && without_release(whole) != whole;
        // In another group ranks are others.
        peer_ = !is_own || has_place ? -1 : is_timeout_ ? peer.value_or(peer_of(told)) : member;
        std::array<char, 96> place{};
        static_cast<void>(std::snprintf(place.data(), place.size(), "member %d%s failed: ", member, whose));
        const char* const where = has_place ? "" : place.data();
        static_cast<void>(std::snprintf(brief_.data(), brief_.size(), "%s%s%.*s", released_because.data(),
                                        where, static_cast<int>(text.size()), text.data()));
        try {
            text_ = where;
            text_ += text;
        } catch (const std::bad_alloc&) {
            text_.clear(); // the brief text must do
        }
    });
    raised_.publish(1); // release: pairs with raised()
}

void Failure::throw_aborted() const {
    const std::scoped_lock lock(mutex_);
    if (!text_.empty()) {
        is_timeout_ ? throw_if_memory<TimeoutError>(text_, peer_) : throw_if_memory<Aborted>(text_, peer_);
    }
    throw BriefAborted(untold_, brief_, peer_);
}

std::string Failure::text() const {
    const std::scoped_lock lock(mutex_);
    return text_.substr(0, text_.find('\n'));
}

std::exception_ptr Failure::first() const noexcept {
    if (!mutex_.is_usable()) {
        return nullptr;
    }
    const std::scoped_lock lock(mutex_.unchecked());
    return cause_;
}

void Failure::clear() noexcept {
    const std::scoped_lock lock(mutex_.unchecked());
    cause_ = nullptr;
    report_is_claimed_.clear(std::memory_order_relaxed);
    is_reported_.clear(std::memory_order_relaxed);
    raised_.publish(0);
}

void order_all_threads() noexcept {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        // A kernel without it, or one that forbids it: no store stays in a processor's buffer for so long.
        constexpr std::int64_t longest_in_buffer_ns = 10'000'000;
        mailbox::nap(longest_in_buffer_ns);
    }
}

} // namespace tutti::library
