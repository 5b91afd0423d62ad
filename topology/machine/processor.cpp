#include "machine/processor.hpp"

#ifdef __x86_64__
#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstring>
#else
#include "machine/files.hpp"

#include <cstdlib>
#include <string_view>
#endif

namespace tutti::machine {

#ifdef __x86_64__

namespace {

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

} // namespace

Processor this_processor() {
    Processor processor;
    const Registers vendor = leaf(0);
    for (const unsigned part : {vendor[1], vendor[3], vendor[2]}) {
        append(processor.vendor, part);
    }
    const unsigned last = std::min(leaf(0x80000000U)[0], 0x80000004U);
    for (unsigned number = 0x80000002U; number <= last; ++number) { // the model
        for (const unsigned part : leaf(number)) {
            append(processor.model, part);
        }
    }
    processor.model.resize(std::strlen(processor.model.c_str()));
    processor.model.erase(processor.model.find_last_not_of(' ') + 1);
    processor.model.erase(0, processor.model.find_first_not_of(' '));
    const unsigned signature = leaf(1)[0];
    const unsigned family = signature >> 8U & 0xfU;
    processor.family = static_cast<int>(family == 0xfU ? family + (signature >> 20U & 0xffU) : family);
    return processor;
}

#else

Processor this_processor() {
    const std::string text = "\n" + text_of_file("/proc/cpuinfo").value_or("");
    const auto value = [&](std::string_view name) {
        const std::size_t at = text.find("\n" + std::string(name) + "\t");
        const std::size_t colon = at == std::string::npos ? at : text.find(": ", at);
        return colon == std::string::npos ? std::string()
                                          : text.substr(colon + 2, text.find('\n', colon) - colon - 2);
    };
    return {value("model name"), value("vendor_id"), std::atoi(value("cpu family").c_str())};
}

#endif

} // namespace tutti::machine
