#include "machine/pinning.hpp"

#include "machine/files.hpp"
#include "machine/process.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

// Functions of the program's OpenMP runtime; null if it has none.
extern "C" {
[[gnu::weak]] int omp_get_num_places();
[[gnu::weak]] int omp_get_place_num_procs(int place);
[[gnu::weak]] void omp_get_place_proc_ids(int place, int* cpus);
}

namespace tutti::machine {
namespace {

struct FreeCpuSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

/// An empty set with room for CPUs 0 to `room` - 1.
CpuSet make_cpu_set(unsigned room) {
    CpuSet set(CPU_ALLOC(room));
    if (!set) {
        throw std::bad_alloc();
    }
    CPU_ZERO_S(CPU_ALLOC_SIZE(room), set.get());
    return set;
}

/// The CPUs of a set, ascending. Looks at whole words, because most are empty.
std::vector<int> cpus_in(const cpu_set_t* set, std::size_t set_bytes) {
    using Word = unsigned long; // as the kernel counts
    std::vector<Word> words(set_bytes / sizeof(Word));
    std::memcpy(words.data(), set, set_bytes);
    std::vector<int> cpus;
    for (std::size_t index = 0; index < words.size(); ++index) {
        for (Word word = words[index]; word != 0; word &= word - 1) {
            cpus.push_back(static_cast<int>(index) * std::numeric_limits<Word>::digits +
                           std::countr_zero(word));
        }
    }
    return cpus;
}

/// The CPUs a thread of this process is bound to, ascending; empty if the system does not report them, as for
/// a thread that has just ended.
std::optional<std::vector<int>> cpus_of_thread(pid_t thread_id) {
    // The kernel needs room for every CPU it could have, and returns EINVAL if there is not enough.
    constexpr unsigned largest_room = 1U << 20U;
    for (unsigned room = CPU_SETSIZE; room <= largest_room; room *= 2) {
        const CpuSet set = make_cpu_set(room);
        const std::size_t set_bytes = CPU_ALLOC_SIZE(room);
        if (sched_getaffinity(thread_id, set_bytes, set.get()) == 0) {
            return cpus_in(set.get(), set_bytes);
        }
        if (errno != EINVAL) {
            break;
        }
    }
    return std::nullopt;
}

/// Binds a thread, 0 for the calling one, to these CPUs, ascending; the error if that fails.
std::error_code bind_thread(pid_t thread_id, std::span<const int> os_indices) {
    const auto room = static_cast<unsigned>(os_indices.back()) + 1;
    const CpuSet set = make_cpu_set(room);
    const std::size_t set_bytes = CPU_ALLOC_SIZE(room);
    for (const int os_index : os_indices) {
        CPU_SET_S(static_cast<unsigned>(os_index), set_bytes, set.get());
    }
    if (sched_setaffinity(thread_id, set_bytes, set.get()) != 0) {
        return {errno, std::generic_category()};
    }
    return {};
}

struct CloseDirectory {
    void operator()(DIR* directory) const { closedir(directory); }
};

/// The threads of this process; just the main and the calling one where /proc does not show them.
std::set<pid_t> thread_ids() {
    std::set<pid_t> ids{getpid(), gettid()};
    // Not std::filesystem, whose iterators end the process where memory runs out.
    const std::unique_ptr<DIR, CloseDirectory> tasks(opendir("/proc/self/task"));
    while (const dirent* const task = tasks != nullptr ? readdir(tasks.get()) : nullptr) {
        const std::string_view name = task->d_name;
        pid_t id = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) {
            ids.insert(id);
        }
    }
    return ids;
}

/// The effects of pin_this_thread() on threads that still run.
struct Pins {
    struct Pin {
        int os_index = -1;
        std::vector<int> before; ///< the thread's binding before its first pin
    };
    ProcessMutex mutex; ///< also held while a binding changes, so that a reader sees pin and binding agree
    std::map<pid_t, Pin> by_thread;

    /// The thread's binding, undoing our pin if that is what it still has.
    std::vector<int> binding_without_pin(pid_t thread_id, const std::vector<int>& binding) const {
        const auto pin = by_thread.find(thread_id);
        const bool ours = pin != by_thread.end() && binding == std::vector<int>{pin->second.os_index};
        return ours ? pin->second.before : binding;
    }
};

Pins& pins() {
    // Never destroyed: a detached thread may end, and forget its pin, after static destruction.
    static Pins& pins = *new Pins;
    return pins;
}

/// Forgets the thread's pin when it ends, before the system gives its id to another.
struct ForgetPinAtThreadEnd {
    ~ForgetPinAtThreadEnd() {
        const std::scoped_lock lock(pins().mutex);
        pins().by_thread.erase(gettid());
    }
};

/// May end half done where memory runs out: bound, but not found to be.
PinResult try_to_pin(int os_index) {
    if (os_index < 0) {
        return {.pinned = false, .os_index = os_index, .reason = "no CPU asked for"};
    }
    thread_local const ForgetPinAtThreadEnd forget;
    static_cast<void>(forget); // odr-use: constructs it, so that it runs at the thread's end
    const std::scoped_lock lock(pins().mutex);
    const std::optional<std::vector<int>> before = cpus_of_thread(0);
    // With all the memory that it needs, so that no binding goes unnoted.
    Pins::Pin pin{os_index, before ? pins().binding_without_pin(gettid(), *before) : std::vector<int>()};
    Pins::Pin& noted = pins().by_thread[gettid()];
    const std::error_code error = bind_thread(0, std::array{os_index});
    if (error) {
        const bool absent = error == std::errc::invalid_argument;
        return {.pinned = false,
                .os_index = os_index,
                .reason = "cannot bind to CPU " + std::to_string(os_index) + ": " +
                          (absent ? "no such CPU, or a cpuset withholds it" : error.message()) +
                          (before ? "; the thread may use " + format_cpu_list(*before) : "")};
    }
    if (before) {
        noted = std::move(pin);
    }
    const std::optional<std::vector<int>> after = cpus_of_thread(0);
    if (after != std::vector<int>{os_index}) {
        return {.pinned = false,
                .os_index = os_index,
                .reason = "asked for CPU " + std::to_string(os_index) + ", but the system says " +
                          (after ? format_cpu_list(*after) : "nothing")};
    }
    return {.pinned = true, .os_index = os_index, .reason = {}};
}

/// Adds the CPUs to which an OpenMP runtime binds threads. It binds the main thread before it makes others,
/// so that the bindings of the threads do not have all CPUs until a first region has run.
void add_openmp_places(std::set<int>& cpus) {
    if (omp_get_num_places == nullptr || omp_get_place_num_procs == nullptr ||
        omp_get_place_proc_ids == nullptr) {
        return;
    }
    const int places = omp_get_num_places();
    for (int place = 0; place < places; ++place) {
        std::vector<int> of_place(static_cast<std::size_t>(std::max(0, omp_get_place_num_procs(place))));
        omp_get_place_proc_ids(place, of_place.data());
        cpus.insert(of_place.begin(), of_place.end());
    }
}

/// Whether the system can run a thread on a CPU; true for all if the system does not report it.
class OnlineCpus {
public:
    explicit OnlineCpus(const std::string& root) {
        if (const auto text = line_of_file(root + "/sys/devices/system/cpu/online")) {
            try {
                cpus_ = parse_cpu_list(*text);
            } catch (const std::invalid_argument&) { // as if it were empty
            }
        }
    }
    bool have(int os_index) const { return cpus_.empty() || std::ranges::binary_search(cpus_, os_index); }

private:
    std::vector<int> cpus_;
};

} // namespace

PinResult pin_this_thread(int os_index) {
    try {
        return try_to_pin(os_index);
    } catch (const std::bad_alloc&) {
        return {.pinned = false, .os_index = os_index, .reason = "no memory"};
    }
}

void unpin_thread(int thread_id, int os_index, std::span<const int> before) {
    const std::scoped_lock lock(pins().mutex);
    const auto pin = pins().by_thread.find(thread_id);
    if (before.empty() || pin == pins().by_thread.end() || pin->second.os_index != os_index ||
        cpus_of_thread(thread_id) != std::vector<int>{os_index} || bind_thread(thread_id, before)) {
        return;
    }
    if (before.size() == 1) { // it may have been pinned there before
        pin->second.os_index = before.front();
    } else {
        pins().by_thread.erase(pin);
    }
}

void move_this_thread(int os_index) {
    if (os_index < 0 || sched_getcpu() == os_index) {
        return;
    }
    const std::scoped_lock lock(pins().mutex);
    const std::optional<std::vector<int>> binding = cpus_of_thread(0);
    if (binding && std::ranges::binary_search(*binding, os_index) && !bind_thread(0, std::array{os_index})) {
        bind_thread(0, *binding);
    }
}

std::vector<int> process_cpus(const std::string& root) {
    const std::scoped_lock lock(pins().mutex);
    std::set<int> cpus;
    bool has_pins = false;
    for (const pid_t thread_id : thread_ids()) {
        if (const auto binding = cpus_of_thread(thread_id)) {
            const std::vector<int> counted = pins().binding_without_pin(thread_id, *binding);
            has_pins = has_pins || counted != *binding;
            cpus.insert(counted.begin(), counted.end());
        }
    }
    add_openmp_places(cpus);
    if (has_pins) { // a binding that the system names has no CPU that is offline, but one from before a pin
                    // may
        const OnlineCpus online(root);
        std::erase_if(cpus, [&](int cpu) { return !online.have(cpu); });
    }
    return {cpus.begin(), cpus.end()};
}

std::vector<int> recent_process_cpus() {
    struct Recent {
        std::vector<int> of_thread;
        std::vector<int> of_process;
    };
    static ProcessMutex mutex(ProcessMutex::Order::outer);
    static Recent& recent = *new Recent; // never destroyed: static objects may be groups
    std::vector<int> own = cpus_of_this_thread();
    const std::scoped_lock lock(mutex);
    if (own.empty() || own != recent.of_thread) {
        recent = {std::move(own), process_cpus()};
    }
    return recent.of_process;
}

std::vector<int> cpus_of_this_thread() {
    return cpus_of_thread(0).value_or(std::vector<int>{});
}

bool BindingWatch::has_changed() noexcept {
    cpu_set_t now{};
    if (sched_getaffinity(0, sizeof now, &now) != 0) {
        return false;
    }
    const bool changed = begun_ && CPU_EQUAL(&now, &cpus_) == 0;
    cpus_ = now;
    begun_ = true;
    return changed;
}

int allowed_pus(std::span<const int> process) {
    static const std::optional<int> quota = quota_cpus();
    const int cpus = process.empty() ? std::max(1, static_cast<int>(std::thread::hardware_concurrency()))
                                     : static_cast<int>(process.size());
    return std::min(cpus, quota.value_or(cpus));
}

int allowed_pus() {
    return allowed_pus(process_cpus());
}

int pus_at_once(std::span<const std::vector<int>> bindings, int allowed) {
    std::vector<int> pinned_to;
    std::vector<int> all;
    int not_pinned = 0;
    bool anywhere = false;
    for (const std::vector<int>& binding : bindings) {
        anywhere = anywhere || binding.empty();
        all.insert(all.end(), binding.begin(), binding.end());
        if (binding.size() == 1) {
            pinned_to.push_back(binding.front());
        } else {
            ++not_pinned;
        }
    }
    const auto different = [](std::vector<int>& cpus) {
        std::ranges::sort(cpus);
        return static_cast<int>(std::unique(cpus.begin(), cpus.end()) - cpus.begin());
    };
    const int most = anywhere ? allowed : std::min(allowed, different(all));
    return std::max(1, std::min(different(pinned_to) + not_pinned, most));
}

} // namespace tutti::machine
