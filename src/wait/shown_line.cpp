#include "wait/shown_line.hpp"

#include "immovable.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::engine {

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

} // namespace tutti::engine
