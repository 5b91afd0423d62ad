#include "page/page.hpp"

#include "distance/groups.hpp"
#include "report/comparison.hpp"

#include <tutti/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tutti::viewer {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::string_view name_of(Tone tone) {
    constexpr std::array<std::string_view, 3> names{"good", "note", "warning"};
    return names[static_cast<std::size_t>(tone)];
}

/// Digits that a picture does not show only make the page large.
double shortened(double value) {
    return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

json shortened(const json& value) {
    if (value.is_number_float()) {
        return shortened(value.get<double>());
    }
    if (!value.is_array()) {
        return value;
    }
    json list = json::array();
    for (const json& each : value) {
        list.push_back(shortened(each));
    }
    return list;
}

ordered_json file_of(const NamedResults& named, std::size_t most_samples_each) {
    const bench::Results& results = named.results;
    json facts = json::array();
    for (const bench::Circumstance& circumstance : results.circumstances) {
        facts.push_back({circumstance.name, circumstance.value});
    }
    json fields = json::array();
    const json any = bench::to_json(bench::Point{});
    for (const auto& field : any.items()) {
        fields.push_back(field.key());
    }
    json rows = json::array();
    json drifts = json::array();
    for (const bench::Point& point : results.points) {
        bench::Point smaller = point;
        smaller.samples_us = bench::thinned(point.samples_us, most_samples_each);
        json row = json::array();
        for (const json& value : bench::to_json(smaller)) {
            row.push_back(shortened(value));
        }
        rows.push_back(row);
        drifts.push_back(shortened(std::min(bench::drift(point.samples_us), 1e6)));
    }
    return {{"name", named.name},
            {"schema", bench::json_schema},
            {"environment", json::parse(results.environment)},
            {"facts", facts},
            {"fields", fields},
            {"rows", rows},
            {"drifts", drifts}};
}

ordered_json changes_between(const NamedResults& before, const NamedResults& after) {
    json rows = json::array();
    for (const bench::Judgement& judgement :
         bench::judge_all(before.results.points, after.results.points, {})) {
        rows.push_back({judgement.before - before.results.points.data(),
                        judgement.after - after.results.points.data(), to_string(judgement.change),
                        shortened(judgement.p_value)});
    }
    return {{"rows", rows}};
}

ordered_json levels_of(const distance::MachineModel& profile) {
    ordered_json levels = ordered_json::array();
    const auto number = [&](const distance::Number& of) {
        return json{of.value, to_string(profile.sources.at(of.source).origin)};
    };
    for (const distance::Class each : distance::all_classes) {
        const bool has_lines = profile.has_class(each);
        if (!has_lines && each != distance::Class::core) {
            continue; // a core has memory on every machine
        }
        const distance::Bandwidth& memory = profile.memory_of(each);
        ordered_json level{{"class", to_string(each)},
                           {"read", number(memory.read)},
                           {"write", number(memory.write)},
                           {"copy", number(memory.copy)}};
        if (has_lines) {
            const distance::LineCosts& lines = profile.lines_at(each);
            level["one_way"] = {number(lines.least_one_way), number(lines.median_one_way),
                                number(lines.most_one_way)};
            level["fetch"] = number(lines.fetch);
        }
        levels.push_back(level);
    }
    return levels;
}

ordered_json profile_of(const NamedProfile& named) {
    ordered_json profile{{"name", named.name},
                         {"title", named.profile.name},
                         {"topology", named.profile.topology},
                         {"levels", levels_of(named.profile)}};
    if (named.pairs) {
        const distance::Matrix& matrix = named.pairs->one_way_ns;
        json rows = json::array();
        for (std::size_t one = 0; one < matrix.cpus(); ++one) {
            json row = json::array();
            for (std::size_t other = 0; other < matrix.cpus(); ++other) {
                row.push_back(one == other ? json(nullptr) : json(shortened(matrix.ns(one, other))));
            }
            rows.push_back(row);
        }
        json groups = json::array();
        for (const distance::FoundLevel& level : find_levels(matrix)) {
            groups.push_back(level.groups);
        }
        profile.update({{"cpus", named.pairs->cpus}, {"one_way_ns", rows}, {"groups", groups}});
    }
    return profile;
}

Finding interruption(const NamedResults& named) {
    return {Tone::warning, fmt::format("The run of {} was interrupted after {} points.", named.name,
                                       named.results.points.size())};
}

} // namespace

std::string embedded(const ordered_json& data) {
    // Inside of an element `script` nothing but "<" has a meaning; in JSON it stands in texts only.
    std::string text = data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
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

std::vector<Finding> all_findings(const Subjects& subjects) {
    std::vector<Finding> all;
    for (const NamedResults& named : subjects.results) {
        const NamedResults& first = subjects.results.front();
        if (&named == &first) {
            all = findings(first.results.points);
            if (!first.results.is_complete) {
                all.insert(all.begin(), interruption(first));
            }
        } else {
            all.push_back(change_finding(first.name, first.results.points, named.name, named.results.points));
        }
    }
    return all;
}

std::string page_data(const Subjects& subjects) {
    std::size_t points = 0;
    for (const NamedResults& named : subjects.results) {
        points += named.results.points.size();
    }
    const std::size_t most_each =
        std::max<std::size_t>(most_page_samples / std::max<std::size_t>(points, 1), 1);
    ordered_json files = ordered_json::array();
    ordered_json changes = ordered_json::array();
    for (const NamedResults& named : subjects.results) {
        if (&named != &subjects.results.front()) {
            changes.push_back(changes_between(subjects.results.front(), named));
        }
        files.push_back(file_of(named, most_each));
    }
    ordered_json profiles = ordered_json::array();
    std::ranges::transform(subjects.profiles, std::back_inserter(profiles), profile_of);
    const ordered_json data{{"version", TUTTI_VERSION_STRING},
                            {"findings", listed(all_findings(subjects))},
                            {"files", files},
                            {"changes", changes},
                            {"profiles", profiles}};
    return embedded(data);
}

std::string page_text(const Subjects& subjects) {
    return filled(report_shell, page_data(subjects));
}

std::string findings_text(const Subjects& subjects) {
    return lines_of(all_findings(subjects));
}

} // namespace tutti::viewer
