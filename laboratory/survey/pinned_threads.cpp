#include "survey/pinned_threads.hpp"

#include "machine/pinning.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tutti::laboratory {

void on_cpus(std::span<const int> cpus,
             const std::function<void(std::size_t index, bench::Gate& gate)>& body) {
    bench::Gate gate(static_cast<int>(cpus.size()), false);
    std::vector<std::string> reasons(cpus.size());
    const auto refused = [](const std::string& reason) { return !reason.empty(); };
    {
        std::vector<std::jthread> threads;
        threads.reserve(cpus.size());
        for (std::size_t index = 0; index < cpus.size(); ++index) {
            threads.emplace_back([&, index] {
                const machine::PinResult result = machine::pin_this_thread(cpus[index]);
                reasons[index] =
                    result.pinned ? "" : "CPU " + std::to_string(cpus[index]) + ": " + result.reason;
                gate.meet();
                if (std::ranges::none_of(reasons, refused)) {
                    body(index, gate);
                }
            });
        }
    }
    const auto first = std::ranges::find_if(reasons, refused);
    if (first != reasons.end()) {
        throw std::runtime_error("threads cannot be pinned, so that there is nothing to measure: " + *first);
    }
}

} // namespace tutti::laboratory
