#include "machine/quota.hpp"

#include "machine/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

namespace tutti::machine {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number at the start of a text, which is moved behind it; 0 if there is none, as in "max".
double take_number(const char*& text) {
    char* end = nullptr;
    const double number = std::strtod(text, &end);
    text = end;
    return number;
}

double number_in(const std::string& path) {
    const std::string text = line_of_file(path).value_or("");
    const char* at = text.c_str();
    return take_number(at);
}

/// The limit of one group: version 2 has one file for quota and period, version 1 has two.
double limit_of(const std::string& group) {
    double quota = 0;
    double period = 0;
    if (const std::optional<std::string> both = line_of_file(group + "/cpu.max")) {
        const char* at = both->c_str();
        quota = take_number(at);
        period = take_number(at);
    } else if ((quota = number_in(group + "/cpu.cfs_quota_us")) > 0) {
        period = number_in(group + "/cpu.cfs_period_us");
    }
    return quota > 0 && period > 0 ? quota / period : unlimited;
}

/// The places at which groups that can limit CPU time may be mounted, from one line of /proc/self/cgroup:
/// "4:cpu,cpuacct:/path", or for version 2 "0::/path".
std::vector<std::string> mounts_of(const std::string& controllers) {
    if (controllers.empty()) {
        return {"", "unified"};
    }
    return ("," + controllers + ",").find(",cpu,") != std::string::npos
               ? std::vector<std::string>{controllers, "cpu"}
               : std::vector<std::string>{};
}

/// The text up to the next `end`, which is taken from `rest` with it. No streams, whose locales take longer
/// to make than all files to read.
std::string take_until(char end, std::string_view& rest) {
    const std::size_t length = std::min(rest.find(end), rest.size());
    std::string text(rest.substr(0, length));
    rest.remove_prefix(std::min(length + 1, rest.size()));
    return text;
}

} // namespace

std::optional<int> quota_cpus(const std::string& root) {
    double least = unlimited;
    const std::string groups = text_of_file(root + "/proc/self/cgroup").value_or("");
    for (std::string_view rest = groups; !rest.empty();) {
        take_until(':', rest); // a number
        const std::string controllers = take_until(':', rest);
        const std::string path = take_until('\n', rest);
        for (const std::string& mount : mounts_of(controllers)) {
            std::string mounted = root;
            mounted.append("/sys/fs/cgroup/").append(mount);
            // A container may see the host's path of its group, but as the root of what is mounted: a group
            // that is not there sets no limit, and those above it are looked at.
            // Text, and no std::filesystem::path: where memory runs out, that of libstdc++ 12 ends the
            // program.
            for (std::string group = path == "/" ? "" : path;; group.erase(group.rfind('/'))) {
                least = std::min(least, limit_of(mounted + group));
                if (group.find('/') == std::string::npos) {
                    break;
                }
            }
        }
    }
    if (least == unlimited) {
        return std::nullopt;
    }
    constexpr double most = 1e6;
    return std::max(1, static_cast<int>(std::min(least, most)));
}

} // namespace tutti::machine
