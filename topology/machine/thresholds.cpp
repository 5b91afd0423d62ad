#include "machine/thresholds.hpp"

#include "machine/files.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace tutti::machine {

namespace {

#ifdef __x86_64__
using Registers = std::array<unsigned, 4>; // eax, ebx, ecx, edx

Registers leaf(unsigned number) {
    Registers registers{};
    __cpuid(number, registers[0], registers[1], registers[2], registers[3]);
    return registers;
}

void append(std::string& text, const unsigned value) {
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    text.append(bytes.data(), bytes.size());
}
#endif

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// The L3 of a machine whose own is unknown.
constexpr std::size_t usual_l3_bytes = 32 * mib;

/// The least bytes for which parallel threads are worth it, on a machine without a measurement.
constexpr std::size_t usual_parallel_bytes = 2 * mib;

/// The thresholds of a family. Reaches are in halves of an L2; 0 if only the L3 matters.
struct Family {
    const char* name;
    const char* vendor;
    int number;           ///< as the processor reports it; 0 for any
    const char* in_model; ///< a part of the model's name
    std::size_t least_l2_bytes;
    double plain_line_ns;
    double moved_line_ns;
    double streamed_line_ns;
    std::size_t lines_from_bytes;
    std::size_t stream_combined_bytes;
    std::size_t others_l2_halves;
    std::size_t own_l2_halves;
    std::size_t own_combined_l2_halves;
    std::size_t own_pushed_l2_halves;
    std::size_t push_bytes;
    std::size_t fetch_results_bytes;
    std::size_t pull_between_two_bytes;
    std::size_t scan_between_two_bytes;
    std::size_t parallel_threshold_bytes;
};

/// The first that fits counts. docs/research/measurements has the measurements.
constexpr std::array families{
    Family{.name = "AMD Zen 5",
           .vendor = "AuthenticAMD",
           .number = 26,
           .in_model = "",
           .least_l2_bytes = 0,
           .plain_line_ns = 8.5,
           .moved_line_ns = 1.6,
           .streamed_line_ns = 1.5,
           .lines_from_bytes = 16 * kib,
           // Streaming takes up to 1.3 times as long as moving if the two share an L3, moving up to 1.5 times
           // as long as streaming if they do not: the lesser loss.
           .stream_combined_bytes = 16 * kib,
           .others_l2_halves = 0,
           .own_l2_halves = 0,
           .own_combined_l2_halves = 0,
           .own_pushed_l2_halves = 0,
           .push_bytes = 3 * mib,
           .fetch_results_bytes = 0,
           .pull_between_two_bytes = 16 * kib,
           .scan_between_two_bytes = 512 * kib,
           .parallel_threshold_bytes = usual_parallel_bytes},
    Family{.name = "AMD Zen",
           .vendor = "AuthenticAMD",
           .number = 0,
           .in_model = "",
           .least_l2_bytes = 0,
           .plain_line_ns = 20,
           .moved_line_ns = 16,
           .streamed_line_ns = 4,
           .lines_from_bytes = 16 * kib,
           .stream_combined_bytes = 0,
           .others_l2_halves = 0,
           .own_l2_halves = 0,
           .own_combined_l2_halves = 0,
           .own_pushed_l2_halves = 0,
           .push_bytes = 0,
           .fetch_results_bytes = 0,
           .pull_between_two_bytes = 16 * kib,
           .scan_between_two_bytes = 512 * kib,
           .parallel_threshold_bytes = usual_parallel_bytes},
    // Behind their L2 caches they have an L3 over a whole mesh, of which a virtual machine sees more than it
    // has: the L2 caches decide. Lines come back together, at no cost that was measured by itself.
    Family{.name = "Intel Xeon with a large L2",
           .vendor = "GenuineIntel",
           .number = 0,
           .in_model = "Xeon",
           .least_l2_bytes = 1 * mib,
           .plain_line_ns = 0,
           .moved_line_ns = 0,
           .streamed_line_ns = 0,
           .lines_from_bytes = 0,
           .stream_combined_bytes = 4 * mib,
           .others_l2_halves = 3,
           .own_l2_halves = 5,
           .own_combined_l2_halves = 3,
           .own_pushed_l2_halves = 12,
           .push_bytes = 4 * mib,
           .fetch_results_bytes = 512 * kib,
           .pull_between_two_bytes = 256 * kib,
           .scan_between_two_bytes = 2 * mib,
           .parallel_threshold_bytes = 4 * mib}};

bool fits(const Family& family, const Machine& machine) {
    return machine.vendor == family.vendor && (family.number == 0 || machine.family == family.number) &&
           machine.model.find(family.in_model) != std::string::npos &&
           machine.l2_bytes >= family.least_l2_bytes;
}

/// The values that do not depend on the family, as far as known.
Thresholds guess(std::size_t l3_bytes) {
    return {.stream_to_others = {.l3_bytes = l3_bytes},
            .stream_to_own = {.l3_bytes = l3_bytes},
            .stream_combined_to_own = {.l3_bytes = l3_bytes},
            .stream_pushed_to_own = {.l3_bytes = l3_bytes},
            .pull_between_two_bytes = 16 * kib,
            .scan_between_two_bytes = 512 * kib,
            .read_by_one_bytes = 32 * kib,
            .parallel_threshold_bytes = usual_parallel_bytes,
            .spin_ns = 100e3,
            .yield_ns = 100e3,
            .crowded_yield_ns = 200e3};
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

/// Without the zeros that std::to_string adds.
std::string shown_ns(double ns) {
    std::string text = std::to_string(ns);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text;
}

} // namespace

#ifdef __x86_64__
void note_this_processor(Machine& machine) {
    machine.model = machine.vendor = "";
    const Registers vendor = leaf(0);
    for (const unsigned part : {vendor[1], vendor[3], vendor[2]}) {
        append(machine.vendor, part);
    }
    const unsigned last = std::min(leaf(0x80000000U)[0], 0x80000004U);
    for (unsigned number = 0x80000002U; number <= last; ++number) { // the model
        for (const unsigned part : leaf(number)) {
            append(machine.model, part);
        }
    }
    machine.model.resize(std::strlen(machine.model.c_str()));
    machine.model.erase(machine.model.find_last_not_of(' ') + 1);
    machine.model.erase(0, machine.model.find_first_not_of(' '));
    const unsigned signature = leaf(1)[0];
    const unsigned family = signature >> 8U & 0xfU;
    machine.family = static_cast<int>(family == 0xfU ? family + (signature >> 20U & 0xffU) : family);
}
#else
void note_this_processor(Machine& machine) {
    const std::string text = "\n" + text_of_file("/proc/cpuinfo").value_or("");
    const auto value = [&](std::string_view name) {
        const std::size_t at = text.find("\n" + std::string(name) + "\t");
        const std::size_t colon = at == std::string::npos ? at : text.find(": ", at);
        return colon == std::string::npos ? std::string()
                                          : text.substr(colon + 2, text.find('\n', colon) - colon - 2);
    };
    machine.model = value("model name");
    machine.vendor = value("vendor_id");
    machine.family = std::atoi(value("cpu family").c_str());
}
#endif

std::size_t Reach::bytes(std::size_t l2_caches, std::size_t l3_caches) const {
    const std::size_t of_l2 = l2_bytes != 0 ? l2_caches * l2_bytes : std::numeric_limits<std::size_t>::max();
    return std::min(of_l2, l3_caches * l3_bytes);
}

Thresholds family_thresholds(const Machine& machine) {
    Thresholds profile = guess(machine.l3_bytes != 0 ? machine.l3_bytes : usual_l3_bytes);
    const auto* const family =
        std::ranges::find_if(families, [&](const Family& each) { return fits(each, machine); });
    if (family == families.end()) {
        return profile;
    }
    profile.source = ThresholdSource::family;
    profile.processor = family->name;
    profile.plain_line_ns = family->plain_line_ns;
    profile.moved_line_ns = family->moved_line_ns;
    profile.streamed_line_ns = family->streamed_line_ns;
    profile.lines_from_bytes = family->lines_from_bytes;
    profile.stream_combined_bytes = family->stream_combined_bytes;
    profile.stream_to_others.l2_bytes = machine.l2_bytes / 2 * family->others_l2_halves;
    profile.stream_to_own.l2_bytes = machine.l2_bytes / 2 * family->own_l2_halves;
    profile.stream_combined_to_own.l2_bytes = machine.l2_bytes / 2 * family->own_combined_l2_halves;
    profile.stream_pushed_to_own.l2_bytes = machine.l2_bytes / 2 * family->own_pushed_l2_halves;
    profile.push_bytes = family->push_bytes;
    profile.fetch_results_bytes = family->fetch_results_bytes;
    profile.pull_between_two_bytes = family->pull_between_two_bytes;
    profile.scan_between_two_bytes = family->scan_between_two_bytes;
    profile.parallel_threshold_bytes = family->parallel_threshold_bytes;
    return profile;
}

std::string source_text(const Thresholds& profile) {
    return profile.source == ThresholdSource::family ? "family " + profile.processor : "guess";
}

std::string describe(const Thresholds& profile) {
    std::string text = "thresholds: " + source_text(profile) + "\n";
    const auto line = [&](const char* name, const std::string& value) {
        constexpr std::size_t width = 31;
        text += "  " + padded(name, width) + value + "\n";
    };
    const auto ns = [&](const char* name, double value) { line(name, shown_ns(value) + " ns"); };
    const auto bytes = [&](const char* name, std::size_t value) { line(name, std::to_string(value) + " B"); };
    const auto reach = [&](const std::string& name, const Reach& value) {
        bytes((name + "-per-l2").c_str(), value.l2_bytes);
        bytes((name + "-per-l3").c_str(), value.l3_bytes);
    };
    ns("plain-line", profile.plain_line_ns);
    ns("moved-line", profile.moved_line_ns);
    ns("streamed-line", profile.streamed_line_ns);
    bytes("lines-from", profile.lines_from_bytes);
    bytes("stream-combined", profile.stream_combined_bytes);
    reach("stream-to-others", profile.stream_to_others);
    reach("stream-to-own", profile.stream_to_own);
    reach("stream-combined-to-own", profile.stream_combined_to_own);
    reach("stream-pushed-to-own", profile.stream_pushed_to_own);
    bytes("push", profile.push_bytes);
    bytes("fetch-results", profile.fetch_results_bytes);
    bytes("pull-between-two", profile.pull_between_two_bytes);
    bytes("scan-between-two", profile.scan_between_two_bytes);
    bytes("read-by-one", profile.read_by_one_bytes);
    bytes("parallel", profile.parallel_threshold_bytes);
    ns("spin", profile.spin_ns);
    ns("yield", profile.yield_ns);
    ns("crowded-yield", profile.crowded_yield_ns);
    return text;
}

} // namespace tutti::machine
