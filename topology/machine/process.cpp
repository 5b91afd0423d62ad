#include "machine/process.hpp"

#include "machine/files.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::machine {

/// All of them, in a list whose head outlives static objects.
class ProcessMutexes {
public:
    static ProcessMutexes& all() {
        static ProcessMutexes& made = *new ProcessMutexes;
        return made;
    }

    void add(ProcessMutex& mutex) {
        const std::scoped_lock lock(mutex_);
        mutex.next_ = std::exchange(first_, &mutex);
    }

    std::uint64_t forks() const {
        return forks_.load(std::memory_order_relaxed); // relaxed: a child has one thread when that changes
    }

private:
    ProcessMutexes() {
        pthread_atfork([] { all().lock(); }, [] { all().unlock(); },
                       [] {
                           all().forks_.fetch_add(1, std::memory_order_relaxed);
                           all().unlock();
                       });
    }

    void lock() {
        mutex_.lock();
        for (const auto order : {ProcessMutex::Order::outer, ProcessMutex::Order::inner}) {
            for (ProcessMutex* each = first_; each != nullptr; each = each->next_) {
                if (each->order_ == order) {
                    each->lock();
                }
            }
        }
    }
    void unlock() {
        for (ProcessMutex* each = first_; each != nullptr; each = each->next_) {
            each->unlock();
        }
        mutex_.unlock();
    }

    std::mutex mutex_;
    ProcessMutex* first_ = nullptr;
    std::atomic<std::uint64_t> forks_{0};
};

std::uint64_t this_process() {
    return ProcessMutexes::all().forks();
}

ProcessMutex::ProcessMutex(Order order) : order_(order) {
    ProcessMutexes::all().add(*this);
}

namespace {

/// The fields after the name in a line of /proc/self/task/N/stat: the state is the first field.
constexpr int fields_before_cpu = 36;

int cpu_in(std::string_view fields) {
    for (int field = 0; field < fields_before_cpu; ++field) {
        const std::size_t blank = fields.find(' ');
        if (blank == std::string_view::npos) {
            return 0;
        }
        fields.remove_prefix(blank + 1);
    }
    return std::atoi(std::string(fields.substr(0, fields.find(' '))).c_str());
}

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

int this_thread() noexcept {
    static thread_local const int number = gettid();
    return number;
}

std::optional<ThreadState> thread_state(int thread) {
    const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::array<char, 1024> line{};
    const ssize_t bytes = read(file, line.data(), line.size());
    close(file);
    const std::string_view text(line.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    // "4711 (a name, which may hold anything) S 1 ..."
    const std::size_t open_bracket = text.find('(');
    const std::size_t close_bracket = text.rfind(')');
    if (close_bracket == std::string_view::npos || close_bracket + 2 >= text.size()) {
        return std::nullopt;
    }
    const std::string_view fields = text.substr(close_bracket + 2);
    return ThreadState{.name = std::string(text.substr(open_bracket + 1, close_bracket - open_bracket - 1)),
                       .state = fields.front(),
                       .cpu = cpu_in(fields)};
}

std::chrono::nanoseconds thread_cpu_time(int thread) noexcept {
    // The kernel's number of a thread's clock, as pthread_getcpuclockid() makes it of a pthread_t.
    constexpr unsigned clock_of_thread = 6;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3U | clock_of_thread);
    timespec time{};
    if (clock_gettime(clock, &time) != 0) {
        return std::chrono::nanoseconds(-1);
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

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
