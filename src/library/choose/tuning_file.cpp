#include "choose/tuning_file.hpp"

#include "choose/group_config.hpp"
#include "environment.hpp"
#include "machine/files.hpp"
#include "machine/process.hpp"
#include "report.hpp"

#include <tutti/version.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>

namespace tutti::tuning {

namespace {

[[noreturn]] void refuse_for_errno() {
    throw std::invalid_argument(std::generic_category().message(errno));
}

/// An open file, which is closed at the end; none if the number is negative.
class Descriptor : Immovable {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }

    int number() const { return number_; }
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

constexpr const char* built_in = "built-in choice";

std::string caches(const char* label, int groups, std::size_t bytes) {
    return std::string(label) + " " + std::to_string(groups) + " x " + std::to_string(bytes);
}

/// `refusal` becomes the fault of the file, which `name` has requested.
Source read_source(const std::string& name, const std::string& path, std::string& refusal) {
    try {
        return {std::make_shared<const Table>(load(path, this_machine())), "file " + path};
    } catch (const std::exception& error) {
        refusal = name + ": tuning file " + path + " is rejected: " + error.what();
        return {nullptr, std::string(built_in) + "; " + refusal};
    }
}

/// A file is read once for each name that requests it, in the life of a process.
Source source_in(const std::string& name, const std::string& path) {
    static machine::ProcessMutex mutex(machine::ProcessMutex::Order::outer); // reading a file reads the CPUs
    static std::map<std::pair<std::string, std::string>, Source> sources;
    std::string refusal;
    Source source = [&] {
        const std::scoped_lock lock(mutex);
        const std::pair key(name, path);
        const auto known = sources.find(key);
        return known != sources.end() ? known->second
                                      : sources.emplace(key, read_source(name, path, refusal)).first->second;
    }();
    if (!refusal.empty()) {
        refusal += std::string("; groups begin with the ") + built_in + " of algorithms";
        library::report(Severity::warning, refusal.c_str());
    }
    return source;
}

/// Never destroyed: it is saved at the end of the process.
struct LearntByProcess {
    machine::ProcessMutex mutex;
    std::map<Point, Entry> entries;
    /// For save_at_exit(); empty if nothing is requested.
    std::string path;
    pid_t process = 0;

    static LearntByProcess& instance() {
        static LearntByProcess& made = *new LearntByProcess;
        return made;
    }

    std::vector<Entry> all() {
        const std::scoped_lock lock(mutex);
        std::vector<Entry> copies;
        copies.reserve(entries.size());
        for (const auto& [point, entry] : entries) {
            copies.push_back(entry);
        }
        return copies;
    }
};

/// Whether both are of one kind of calls, as a group tries them.
bool is_of_same_kind(Point a, Point b) {
    const bool same_power = std::bit_width(a.bytes) == std::bit_width(b.bytes);
    a.bytes = b.bytes;
    return same_power && a == b;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Keeps other processes from merging into files of the folder, so that none loses what another one has
/// added. Not for long, since anybody may lock a folder, and not on file systems without locks: entries may
/// be lost then, but no file is damaged.
void lock_for_a_while(const Descriptor& folder) {
    constexpr int most_tries = 200;
    constexpr std::chrono::milliseconds between_tries{5};
    for (int tries = 0; tries < most_tries && flock(folder.number(), LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (errno != EWOULDBLOCK) {
            return;
        }
        std::this_thread::sleep_for(between_tries);
    }
}

/// The table to merge into: that of the file, if there is one.
Table table_in(const std::string& path) {
    struct stat status {};
    const bool is_new = stat(path.c_str(), &status) != 0 && errno == ENOENT;
    return is_new ? Table{TUTTI_VERSION_STRING, fingerprint(this_machine()), {}} : load(path, this_machine());
}

/// A file beside the one that it is to replace. It is gone at the end unless it has.
class NewFile : Immovable {
public:
    explicit NewFile(std::string path)
        : path_(std::move(path)), temporary_(path_ + "." + std::to_string(getpid()) + ".new"),
          file_(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
        if (file_.number() < 0) {
            refuse_for_errno();
        }
    }
    ~NewFile() {
        if (!temporary_.empty()) {
            unlink(temporary_.c_str());
        }
    }

    void write_and_replace(std::string_view text) {
        while (!text.empty()) {
            const ssize_t bytes = write(file_.number(), text.data(), text.size());
            if (bytes < 0 && errno != EINTR) {
                refuse_for_errno();
            }
            text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
        }
        // The new file must not be empty after a crash of the system.
        if (fsync(file_.number()) != 0 || !file_.close() ||
            std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            refuse_for_errno();
        }
        temporary_.clear();
    }

private:
    std::string path_;
    std::string temporary_;
    Descriptor file_;
};

void save_now() noexcept {
    LearntByProcess& learnt = LearntByProcess::instance();
    try {
        if (!learnt.path.empty() && learnt.process == getpid() &&
            !learnt.all().empty()) { // a forked process has learnt nothing
            save(learnt.path);
        }
    } catch (const std::exception& error) {
        const std::string wrong =
            std::string(save_variable) + ": " + learnt.path + " is not saved: " + error.what();
        library::report(Severity::error, wrong.c_str());
    }
}

} // namespace

std::vector<std::string> fingerprint(const machine::Machine& machine) {
    return {"model " + printable(machine.model), "cpus " + machine::format_cpu_list(machine.os_indices()),
            "cores " + std::to_string(machine.cores()), caches("l2", machine.l2_groups(), machine.l2_bytes),
            caches("l3", machine.l3_groups(), machine.l3_bytes)};
}

std::string read_file(const std::string& path) {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument(why); };
    struct stat status {};
    // Before it is opened: opening a device or a pipe can do things.
    if (stat(path.c_str(), &status) != 0) {
        refuse_for_errno();
    }
    if (!S_ISREG(status.st_mode)) {
        refuse("it is not a regular file");
    }
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file.number() < 0) {
        refuse_for_errno();
    }
    std::string text;
    std::array<char, std::size_t{64} << 10U> part{};
    ssize_t bytes = 0;
    while ((bytes = read(file.number(), part.data(), part.size())) > 0) {
        text.append(part.data(), static_cast<std::size_t>(bytes));
        if (text.size() > most_file_bytes) {
            refuse("it is longer than " + std::to_string(most_file_bytes) + " bytes");
        }
    }
    if (bytes < 0) {
        refuse_for_errno();
    }
    return text;
}

Table load(const std::string& path, const machine::Machine& machine) {
    Table table = parse(read_file(path));
    if (table.library != TUTTI_VERSION_STRING) {
        throw std::invalid_argument("it was made with version " + table.library.substr(0, 40) +
                                    " of the library, and this is " + TUTTI_VERSION_STRING +
                                    ": delete the file");
    }
    const std::vector<std::string> here = fingerprint(machine);
    for (std::size_t line = 0; line < fingerprint_lines; ++line) {
        if (table.machine[line] != here[line]) {
            throw std::invalid_argument("it was made on another machine, \"" +
                                        table.machine[line].substr(0, 100) + "\", and this one has \"" +
                                        here[line] + "\": name a file of its own for each machine");
        }
    }
    return table;
}

Source source_of(const std::string& tuning) {
    const bool is_option = !tuning.empty();
    const std::string chosen = is_option ? tuning : environment_variable("TUTTI_TUNING");
    if (chosen == "off") {
        return {.table = nullptr, .text = built_in, .explores = false};
    }
    if (!chosen.empty() && chosen != "on") {
        return source_in(is_option ? "GroupOptions::tuning" : "TUTTI_TUNING", chosen);
    }
    Source source{nullptr, built_in};
    const std::string saved = environment_variable(save_variable);
    if (!saved.empty() && access(saved.c_str(), F_OK) == 0) { // there is none before the first run
        source = source_in(save_variable, saved);
    }
    return source;
}

void learn(Entry entry) {
    LearntByProcess& learnt = LearntByProcess::instance();
    const std::scoped_lock lock(learnt.mutex);
    learnt.entries.insert_or_assign(entry.point, std::move(entry));
}

std::shared_ptr<const Table> learnt_table() {
    const std::vector<Entry> learnt = LearntByProcess::instance().all();
    return learnt.empty() ? nullptr : std::make_shared<Table>(merged({}, learnt));
}

Table merged(Table table, std::span<const Entry> learnt) {
    const auto is_replaced = [&](const Entry& old) {
        return std::ranges::any_of(
            learnt, [&](const Entry& entry) { return is_of_same_kind(old.point, entry.point); });
    };
    std::erase_if(table.entries, is_replaced);
    table.entries.insert(table.entries.end(), learnt.begin(), learnt.end());
    std::ranges::sort(table.entries, {}, &Entry::point);
    return table;
}

void save(const std::string& path) {
    if (path.empty()) {
        throw std::invalid_argument("it is empty: name a file");
    }
    // Alone in the process, since a lock of a folder does not keep out other threads' temporary file.
    static machine::ProcessMutex mutex(machine::ProcessMutex::Order::outer);
    const std::scoped_lock lock(mutex);
    const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() < 0) {
        refuse_for_errno();
    }
    lock_for_a_while(folder);
    const std::string text = to_text(merged(table_in(path), LearntByProcess::instance().all()));
    if (text.size() > most_file_bytes) {
        throw std::invalid_argument("it would be longer than " + std::to_string(most_file_bytes) +
                                    " bytes: name a new file");
    }
    NewFile(path).write_and_replace(text);
}

void save_at_exit() {
    const std::string path = environment_variable(save_variable);
    LearntByProcess& learnt = LearntByProcess::instance();
    if (path.empty()) {
        return;
    }
    const pid_t here = getpid();
    {
        const std::scoped_lock lock(learnt.mutex);
        if (learnt.process == here) {
            return;
        }
        if (learnt.process == 0) { // a forked process inherits the handler
            this_machine();        // lasts longer than the handler
            std::atexit(save_now);
        }
        learnt.path = absolute_path(path);
        learnt.process = here;
        learnt.entries.clear();
    }
    try {
        table_in(learnt.path);
        if (access(folder_of(learnt.path).c_str(), W_OK) != 0) {
            refuse_for_errno();
        }
    } catch (const std::exception& error) {
        const std::string wrong = std::string(save_variable) + ": " + learnt.path +
                                  " cannot be saved: " + error.what() + "; name another file";
        {
            const std::scoped_lock lock(learnt.mutex);
            learnt.path.clear(); // once is enough
        }
        library::report(Severity::warning, wrong.c_str());
    }
}

} // namespace tutti::tuning
