#include "page/page.hpp"

#include "page/page_data.hpp"
#include "page/shell.hpp"

namespace tutti::bench {

std::string page_text(const Subjects& subjects) {
    const std::size_t mark = page_shell.find(page_data_mark);
    std::string page(page_shell.substr(0, mark));
    page += page_data(subjects);
    page += page_shell.substr(mark + page_data_mark.size());
    return page;
}

std::string findings_text(const Subjects& subjects) {
    std::string text;
    for (const Finding& finding : all_findings(subjects)) {
        text += (finding.tone == Tone::warning ? "! " : "  ") + finding.text + "\n";
    }
    return text;
}

} // namespace tutti::bench
