#include "page/embed.hpp"

#include "page/shell.hpp"

#include <array>
#include <cstddef>

namespace tutti::viewer {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view name_of(Tone tone) {
    constexpr std::array<std::string_view, 3> names{"good", "note", "warning"};
    return names[static_cast<std::size_t>(tone)];
}

/// Inside of an element `script` nothing but "<" has a meaning; in JSON it stands in texts only.
std::string without_tags(const std::string& text) {
    std::string safe;
    safe.reserve(text.size());
    for (const char c : text) {
        if (c == '<') {
            safe += "\\u003c";
        } else {
            safe += c;
        }
    }
    return safe;
}

} // namespace

std::string embedded(const ordered_json& data) {
    return without_tags(data.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json listed(std::span<const Finding> findings) {
    ordered_json sentences = ordered_json::array();
    for (const Finding& finding : findings) {
        sentences.push_back({name_of(finding.tone), finding.text});
    }
    return sentences;
}

std::string filled(std::string_view shell, const std::string& data) {
    const std::size_t mark = shell.find(page_data_mark);
    const std::size_t library = shell.find(charts_library_mark, mark);
    std::string page(shell.substr(0, mark));
    page += data;
    page += shell.substr(mark + page_data_mark.size(), library - mark - page_data_mark.size());
    page += charts_library;
    page += shell.substr(library + charts_library_mark.size());
    return page;
}

} // namespace tutti::viewer
