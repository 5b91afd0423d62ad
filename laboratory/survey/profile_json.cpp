#include "survey/profile_json.hpp"

#include "choose/tuning_file.hpp"
#include "environment.hpp"
#include "terminal/exit_codes.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

namespace tutti::laboratory {

namespace {

using distance::MachineModel;
using distance::Number;
using distance::Source;
// Sources keep their order.
using Json = nlohmann::ordered_json;

constexpr std::size_t most_text = 1000;
constexpr std::size_t most_sources = 64;

template <class... Words>
[[noreturn]] void refuse(fmt::format_string<Words...> format, Words&&... words) {
    throw std::invalid_argument(fmt::format(format, std::forward<Words>(words)...));
}

const Json& member(const Json& object, std::string_view name) {
    const auto found = object.find(name);
    if (found == object.end()) {
        refuse("\"{}\" is missing", name);
    }
    return *found;
}

/// An object with no other members than these.
const Json& object_of(const Json& value, std::string_view name, std::initializer_list<const char*> members) {
    if (!value.is_object()) {
        refuse("{} is no object", quoted_word(name));
    }
    for (const auto& entry : value.items()) {
        if (std::ranges::find(members, entry.key()) == members.end()) {
            refuse("{} is unknown in {}", quoted_word(entry.key()), quoted_word(name));
        }
    }
    return value;
}

/// Printable ASCII.
std::string text_of(const Json& value, const std::string& name) {
    if (!value.is_string()) {
        refuse("{} is no text", quoted_word(name));
    }
    std::string text = value.get<std::string>();
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.size() > most_text || !std::ranges::all_of(text, printable)) {
        refuse("{} is no text of at most {} printable characters", quoted_word(name), most_text);
    }
    return text;
}

/// The one of `all` that is called so.
template <class All>
auto called(const All& all, const std::string& word, const char* what) {
    const auto found = std::ranges::find_if(all, [&](auto each) { return to_string(each) == word; });
    if (found == std::ranges::end(all)) {
        refuse("{} is no {}", quoted_word(word), what);
    }
    return *found;
}

void read_classes(const Json& list, MachineModel& profile) {
    if (!list.is_array()) {
        refuse("\"classes\" is no array");
    }
    for (const Json& entry : list) {
        const auto index = static_cast<std::size_t>(
            called(distance::all_classes, text_of(entry, "classes"), "class of distances"));
        profile.has[index] = true;
    }
}

void read_sources(const Json& sources, MachineModel& profile) {
    if (!sources.is_object() || sources.size() > most_sources) {
        refuse("\"sources\" is no object of at most {}", most_sources);
    }
    for (const auto& entry : sources.items()) {
        const Json& source = object_of(entry.value(), entry.key(), {"origin", "text"});
        profile.sources.push_back(
            {text_of(Json(entry.key()), "sources"),
             called(distance::all_origins, text_of(member(source, "origin"), "origin"), "origin"),
             text_of(member(source, "text"), "text")});
    }
}

Number read_number(const Json& value, const distance::NamedNumber& named, const MachineModel& profile) {
    const std::string unit(to_string(named.unit));
    object_of(value, named.name, {unit.c_str(), "source"});
    const std::string source = text_of(member(value, "source"), named.name);
    const auto found = std::ranges::find(profile.sources, source, &Source::name);
    if (found == profile.sources.end()) {
        refuse(R"(the source {} of "{}" is none of "sources")", quoted_word(source), named.name);
    }
    const Json& number = member(value, unit);
    if (!number.is_number()) {
        refuse("\"{}\" is no number", named.name);
    }
    return {number.get<double>(), static_cast<std::size_t>(found - profile.sources.begin())};
}

void read_numbers(const Json& numbers, MachineModel& profile) {
    if (!numbers.is_object()) {
        refuse("\"numbers\" is no object");
    }
    const std::vector<distance::NamedNumber> expected = numbers_of(profile);
    for (const auto& entry : numbers.items()) {
        if (std::ranges::find(expected, entry.key(), &distance::NamedNumber::name) == expected.end()) {
            refuse("{} is no number of a profile with these classes", quoted_word(entry.key()));
        }
    }
    for (const distance::NamedNumber& named : expected) {
        *named.number = read_number(member(numbers, named.name), named, profile);
    }
}

int read_cpu(const Json& value) {
    constexpr int most = 1 << 20;
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > most) {
        refuse("\"cpus\" has what is no CPU");
    }
    return value.get<int>();
}

Pairs read_pairs(const Json& value) {
    object_of(value, "pairs", {"cpus", "one-way-ns"});
    const Json& cpus = member(value, "cpus");
    const Json& rows = member(value, "one-way-ns");
    if (!cpus.is_array() || !rows.is_array() || cpus.size() < 2 || rows.size() != cpus.size()) {
        refuse("\"pairs\" has not a row for each of at least two CPUs");
    }
    Pairs pairs{.cpus = {}, .one_way_ns = distance::Matrix(cpus.size())};
    std::ranges::transform(cpus, std::back_inserter(pairs.cpus), read_cpu);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows[row].is_array() || rows[row].size() != row) {
            refuse("row {} of \"pairs\" has not {} numbers", row, row);
        }
        for (std::size_t column = 0; column < row; ++column) {
            const Json& ns = rows[row][column];
            if (!ns.is_number() || !(ns.get<double>() >= distance::NamedNumber::least) ||
                ns.get<double>() > distance::NamedNumber::most) {
                refuse("row {} of \"pairs\" has what is no time", row);
            }
            pairs.one_way_ns.set(row, column, ns.get<double>());
        }
    }
    return pairs;
}

/// JSON without anything twice, which a parser would accept.
Json parse_json(std::string_view text) {
    std::vector<std::set<std::string>> open;
    const auto once = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) {
            open.emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            open.pop_back();
        } else if (event == Json::parse_event_t::key &&
                   !open.back().insert(parsed.get<std::string>()).second) {
            refuse("{} is there twice", quoted_word(parsed.get<std::string>()));
        }
        return true;
    };
    try {
        return Json::parse(text, once);
    } catch (const Json::exception&) {
        refuse("it is no JSON, or cut off");
    }
}

std::string text_of(const Pairs& pairs) {
    std::vector<std::string> rows;
    for (std::size_t row = 0; row < pairs.cpus.size(); ++row) {
        std::vector<double> ns;
        for (std::size_t column = 0; column < row; ++column) {
            ns.push_back(pairs.one_way_ns.ns(row, column));
        }
        rows.push_back(fmt::format("[{:.6g}]", fmt::join(ns, ", ")));
    }
    return fmt::format("\"pairs\": {{\"cpus\": [{}], \"one-way-ns\": [\n{}\n]}}", fmt::join(pairs.cpus, ", "),
                       fmt::join(rows, ",\n"));
}

} // namespace

std::string to_text(const MeasuredProfile& measured) {
    const MachineModel& profile = measured.profile;
    const auto quote = [](std::string_view text) { return Json(text).dump(); };
    std::vector<std::string> classes;
    for (const distance::Class each : distance::all_classes) {
        if (profile.has_class(each)) {
            classes.push_back(quote(to_string(each)));
        }
    }
    std::vector<std::string> sources;
    for (const Source& source : profile.sources) {
        sources.push_back(fmt::format(R"({}: {{"origin": "{}", "text": {}}})", quote(source.name),
                                      to_string(source.origin), quote(source.text)));
    }
    MachineModel copy = profile;
    std::vector<std::string> numbers;
    for (const distance::NamedNumber& named : numbers_of(copy)) {
        numbers.push_back(fmt::format(R"("{}": {{"{}": {}, "source": {}}})", named.name,
                                      to_string(named.unit), named.number->value,
                                      quote(profile.sources.at(named.number->source).name)));
    }
    return fmt::format("{{\"format\": \"{}\",\n\"name\": {},\n\"topology\": {},\n\"classes\": [{}],\n"
                       "\"sources\": {{\n{}\n}},\n\"numbers\": {{\n{}\n}}{}}}\n",
                       profile_format, quote(profile.name), quote(profile.topology), fmt::join(classes, ", "),
                       fmt::join(sources, ",\n"), fmt::join(numbers, ",\n"),
                       measured.pairs ? ",\n" + text_of(*measured.pairs) : "");
}

MachineModel parse_line_profile(std::string_view text) {
    return parse_measured_profile(text).profile;
}

MeasuredProfile parse_measured_profile(std::string_view text) {
    if (text.size() > most_profile_bytes) {
        refuse("it is longer than {} bytes", most_profile_bytes);
    }
    const Json whole = parse_json(text);
    if (!whole.is_object()) {
        refuse("it is no object");
    }
    // First of all: in another format anything may be called otherwise.
    const std::string format = text_of(member(whole, "format"), "format");
    if (format != profile_format) {
        refuse("its format is {}, this tutti reads \"{}\"", quoted_word(format), profile_format);
    }
    object_of(whole, "the file", {"format", "name", "topology", "classes", "sources", "numbers", "pairs"});
    MeasuredProfile measured;
    MachineModel& profile = measured.profile;
    profile.name = text_of(member(whole, "name"), "name");
    profile.topology = text_of(member(whole, "topology"), "topology");
    read_classes(member(whole, "classes"), profile);
    read_sources(member(whole, "sources"), profile);
    read_numbers(member(whole, "numbers"), profile);
    check(profile);
    if (whole.contains("pairs")) {
        measured.pairs = read_pairs(whole["pairs"]);
    }
    return measured;
}

MeasuredProfile read_measured_profile(const std::string& path) {
    try {
        return parse_measured_profile(tuning::read_file(path));
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(fmt::format("{}: {}", path, error.what()));
    }
}

distance::MachineModel find_line_profile(const std::string& name_or_file) {
    const auto all = published();
    const auto found = std::ranges::find(all, name_or_file, &Published::name);
    if (found != all.end()) {
        return parse_line_profile(found->text);
    }
    if (std::filesystem::exists(name_or_file)) {
        return read_measured_profile(name_or_file).profile;
    }
    std::vector<std::string_view> names;
    std::ranges::transform(all, std::back_inserter(names), &Published::name);
    if (name_or_file.empty()) {
        throw std::invalid_argument(fmt::format(
            "which one? A file that tutti measure has written, or a published machine; there are: {}",
            fmt::join(names, ", ")));
    }
    throw std::invalid_argument(fmt::format(
        "\"{}\" is neither a file, as tutti measure writes one, nor a published machine{}; there are: {}",
        name_or_file, bench::did_you_mean(name_or_file, names), fmt::join(names, ", ")));
}

} // namespace tutti::laboratory
