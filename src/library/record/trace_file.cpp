#include "environment.hpp"
#include "machine/process.hpp"
#include "record/recorder.hpp"
#include "report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace tutti::library {

namespace {

struct TraceRequest {
    std::string file;
    Trace trace = Trace::off;
};

std::optional<TraceRequest> trace_named(std::string file) {
    Trace trace = Trace::operations;
    if (const std::size_t comma = file.rfind(','); comma != std::string::npos) {
        if (file.substr(comma) != ",steps" || comma == 0) {
            return std::nullopt;
        }
        file.erase(comma);
        trace = Trace::steps;
    }
    return TraceRequest{std::move(file), trace};
}

TraceRequest trace_requested() {
    return environment_value<trace_named>("TUTTI_TRACE",
                                          "the name of a file: trace.pftrace, or trace.pftrace,steps")
        .value_or(TraceRequest{});
}

std::string file_of_process(std::string name) {
    constexpr std::string_view number = "%p";
    const std::string pid = std::to_string(getpid());
    for (std::size_t at = name.find(number); at != std::string::npos; at = name.find(number, at)) {
        name.replace(at, number.size(), pid);
        at += pid.size();
    }
    return name;
}

std::string written(const std::vector<trace::Timeline>& timelines, std::string_view file) {
    const bool is_for_perfetto = file.ends_with(".pftrace") || file.ends_with(".perfetto-trace");
    return is_for_perfetto ? trace::perfetto(timelines) : trace::json_lines(timelines);
}

/// Returns what is wrong, or nothing.
std::string write_file(const std::string& name, const std::string& content) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "wb"), std::fclose);
    if (file == nullptr || std::fwrite(content.data(), 1, content.size(), file.get()) != content.size() ||
        std::fflush(file.get()) != 0) {
        return "TUTTI_TRACE: " + name + ": " + std::strerror(errno);
    }
    return {};
}

} // namespace

Trace trace_of_process() {
    return trace_requested().trace;
}

/// The present groups, and the records of groups that are gone. Never destroyed: it is written at the end of
/// the process.
class TraceFile {
public:
    static TraceFile& instance() {
        static TraceFile& made = *new TraceFile;
        return made;
    }

    void add(TraceListed& listed, const std::string& file) {
        const std::scoped_lock lock(mutex_);
        if (file_.empty()) {
            file_ = absolute_path(file);
            process_ = getpid();
            std::atexit(write_trace_file);
        }
        listed.place_ = all_.insert(all_.end(), &listed);
    }

    void remove(const TraceListed& listed) {
        const std::scoped_lock lock(mutex_);
        all_.erase(listed.place_);
        ended_.push_back(listed.timeline_());
        if (ended_.size() > most_ended) {
            ended_.pop_front();
        }
    }

    /// Returns what is wrong, or nothing.
    std::string write() {
        const std::scoped_lock lock(mutex_);
        if (file_.empty() || (process_ != getpid() && file_.find("%p") == std::string::npos)) {
            return {}; // a process that has been forked writes over nothing of its parent's
        }
        std::vector<trace::Timeline> timelines(ended_.begin(), ended_.end());
        for (const TraceListed* const each : all_) {
            timelines.push_back(each->timeline_());
        }
        const std::string name = file_of_process(file_);
        return write_file(name, written(timelines, name));
    }

private:
    /// Programs may make and end groups for ever.
    static constexpr std::size_t most_ended = 64;

    machine::ProcessMutex mutex_;
    std::string file_;
    pid_t process_ = 0;
    std::list<const TraceListed*> all_;
    std::deque<trace::Timeline> ended_;
};

TraceListed::TraceListed(std::function<trace::Timeline()> timeline) : timeline_(std::move(timeline)) {
    const TraceRequest request = trace_requested();
    if (request.trace != Trace::off) {
        TraceFile::instance().add(*this, request.file);
        is_listed_ = true;
    }
}

TraceListed::~TraceListed() {
    if (is_listed_) {
        try {
            TraceFile::instance().remove(*this);
        } catch (const std::bad_alloc&) {
            report(Severity::error, "TUTTI_TRACE: there is no memory for the trace of a group");
        }
    }
}

void write_trace_file() noexcept {
    try {
        const std::string wrong = TraceFile::instance().write();
        if (!wrong.empty()) {
            report(Severity::error, wrong.c_str());
        }
    } catch (const std::bad_alloc&) {
        report(Severity::error, "TUTTI_TRACE: there is no memory to write it");
    }
}

} // namespace tutti::library
