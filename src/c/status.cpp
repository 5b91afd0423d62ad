#include "c/status.hpp"

#include <tutti/version.hpp>

#include <exception>
#include <new>

namespace tutti::c {

namespace {

/// The last failure on a thread.
struct Last {
    tutti_status status = TUTTI_OK;
    std::string text;
    /// Where there is no memory for the text.
    const char* shown = "";
};

Last& last() {
    static thread_local Last here;
    return here;
}

tutti_status note(tutti_status status, const char* text) {
    Last& failure = last();
    failure.status = status;
    try {
        failure.text = text;
        failure.shown = failure.text.c_str();
    } catch (const std::bad_alloc&) {
        failure.shown = "out of memory, also for the text of a failure";
    }
    return status;
}

} // namespace

tutti_status noted() {
    if (std::current_exception() == nullptr) {
        throw; // pthread_exit(), pthread_cancel()
    }
    try {
        throw;
    } catch (const StatusError& error) {
        return note(error.status(), error.what());
    } catch (const ArgumentError& error) {
        return note(TUTTI_ARGUMENT_ERROR, error.what());
    } catch (const MismatchError& error) {
        return note(TUTTI_MISMATCH_ERROR, error.what());
    } catch (const Aborted& error) {
        return note(TUTTI_ABORTED, error.what());
    } catch (const TimeoutError& error) {
        return note(TUTTI_TIMEOUT_ERROR, error.what());
    } catch (const Error& error) {
        return note(TUTTI_ERROR, error.what());
    } catch (const std::bad_alloc&) {
        return note(TUTTI_NO_MEMORY, "out of memory");
    } catch (const std::exception& exception) {
        return note(TUTTI_FOREIGN_ERROR, exception.what());
    } catch (...) {
        return note(TUTTI_FOREIGN_ERROR, "an exception that is not a std::exception");
    }
}

void throw_status(tutti_status status, const std::string& whose) {
    const std::string text =
        last().status == status ? last().shown : whose + " has returned " + std::to_string(status);
    switch (status) {
    case TUTTI_ARGUMENT_ERROR:
        throw ArgumentError(text);
    case TUTTI_MISMATCH_ERROR:
        throw MismatchError(text);
    case TUTTI_ABORTED:
        throw Aborted(text);
    case TUTTI_TIMEOUT_ERROR:
        throw TimeoutError(text);
    case TUTTI_NO_MEMORY:
        throw std::bad_alloc();
    default:
        throw StatusError(status, text);
    }
}

} // namespace tutti::c

using namespace tutti;

const char* tutti_error_text(void) {
    return c::last().shown;
}

const char* tutti_version(void) {
    return TUTTI_VERSION_STRING;
}
