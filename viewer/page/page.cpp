#include "page/page.hpp"

#include "page/embed.hpp"
#include "page/page_data.hpp"
#include "page/shell.hpp"

namespace tutti::viewer {

std::string page_text(const Subjects& subjects) {
    return filled(report_shell, page_data(subjects));
}

std::string findings_text(const Subjects& subjects) {
    return lines_of(all_findings(subjects));
}

} // namespace tutti::viewer
