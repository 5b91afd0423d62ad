#include "c/src/calls.hpp"
#include "wait/thread_progress.hpp"

#include <tutti/request.hpp>

#include <chrono>
#include <exception>
#include <initializer_list>

using namespace tutti;
using c_api::guarded;
using c_api::there;

constinit c_api::Numbered<detail::PersistentRequestBase*> c_api::persistent_calls;

namespace {

detail::PersistentRequestBase& persistent_behind(const char* function, const tutti_request& request) {
    detail::PersistentRequestBase* const* const found =
        c_api::persistent_calls.find(c_api::number_in(request));
    if (found == nullptr) {
        c_api::refuse(function, "`request` has been freed");
    }
    return **found;
}

tutti_request& checked(const char* function, tutti_request* request) {
    tutti_request& found = there(function, "request", request);
    switch (found.kind) {
    case c_api::persistent:
        persistent_behind(function, found);
        return found;
    case c_api::no_operation:
    case c_api::nonblocking:
    case c_api::arrived:
    case c_api::failed:
        return found;
    default:
        c_api::refuse(function, "`request` is not valid: initialise it with TUTTI_REQUEST_NULL, or "
                                "pass it to a call first");
    }
}

tutti_request& checked(const char* function, tutti_request requests[], size_t i) {
    return checked(function, requests == nullptr ? nullptr : &requests[i]);
}

/// The request behind a checked one. Null if it waits for nothing.
detail::RequestBase* request_of(const tutti_request& request) {
    switch (request.kind) {
    case c_api::no_operation:
    case c_api::failed:
        return nullptr;
    case c_api::persistent: {
        // A function that waited for the operation may have freed it, by a copy of the request.
        detail::PersistentRequestBase* const* const found =
            c_api::persistent_calls.find(c_api::number_in(request));
        return found == nullptr ? nullptr : *found;
    }
    default:
        return static_cast<detail::RequestBase*>(request.operation);
    }
}

bool is_over(const tutti_request& request) {
    const detail::RequestBase* const pending = request_of(request);
    return pending == nullptr || pending->is_over();
}

/// Nobody waits for the operation any more. A persistent request stays.
void use_up(tutti_request& request) {
    if (request.kind == c_api::persistent) {
        return;
    }
    if (detail::RequestBase* const pending = request_of(std::exchange(request, TUTTI_REQUEST_NULL))) {
        pending->detach();
        pending->release();
    }
}

/// Tests or waits, and returns whether the operation is complete. The request is used up then, also if the
/// operation has failed. After an error in the arguments the operation is not over, and the request is left
/// as it is.
template <class Question>
bool ask(tutti_request& request, Question question) {
    bool is_complete = true;
    try {
        detail::RequestBase* const pending = request_of(request);
        is_complete = pending == nullptr || question(*pending);
    } catch (...) {
        if (is_over(request)) {
            use_up(request);
        }
        throw;
    }
    // Not is_over(): another thread may have ended it since the question, and its failure is not yet
    // reported.
    if (is_complete) {
        use_up(request);
    }
    return is_complete;
}

void wait(tutti_request& request) {
    ask(request, [](detail::RequestBase& pending) {
        pending.wait();
        return true;
    });
}

template <class Question>
tutti_status ask_whether_done(const char* function, tutti_request* request, int* done, Question question) {
    return guarded([&] {
        there(function, "done", done) = 0;
        tutti_request& asked = checked(function, request);
        try {
            *done = ask(asked, question) ? 1 : 0;
        } catch (...) {
            *done = is_over(asked) ? 1 : 0;
            throw;
        }
    });
}

/// Throws the first failure, when all are over.
void wait_for_all(const char* function, tutti_request requests[], size_t n) {
    c_api::list(function, "requests", requests, n);
    std::exception_ptr failure;
    for (size_t i = 0; i < n; ++i) {
        tutti_request& request = checked(function, requests, i);
        try {
            wait(request);
        } catch (...) {
            if (std::current_exception() == nullptr) {
                throw; // the thread is being ended
            }
            failure = failure == nullptr ? std::current_exception() : failure;
        }
    }
    if (failure != nullptr) {
        std::rethrow_exception(failure);
    }
}

/// Throws ArgumentError if one is of a kind of which a function takes no requests.
void check_any(const char* function, tutti_request requests[], size_t n,
               std::initializer_list<c_api::RequestKind> refused) {
    c_api::list(function, "requests", requests, n);
    for (size_t i = 0; i < n; ++i) {
        const tutti_request& each = checked(function, requests, i);
        if (std::ranges::find(refused, each.kind) != refused.end()) {
            c_api::refuse(function,
                          "`requests[" + std::to_string(i) + "]` is of " +
                              (each.kind == c_api::persistent ? "a prepared call" : "an async group") +
                              ", which it does not support: test or wait for that request by itself");
        }
    }
}

/// Whether some request's operation is over, whose index that is then, or none has an operation.
bool finds_over(const tutti_request requests[], size_t n, size_t& index) {
    bool is_any_pending = false;
    for (size_t i = 0; i < n; ++i) {
        const bool is_pending = request_of(requests[i]) != nullptr;
        if (is_pending && is_over(requests[i])) {
            index = i;
            return true;
        }
        is_any_pending = is_any_pending || is_pending;
    }
    return !is_any_pending;
}

/// With the text of the failure, if there is one, as that of the calling thread's last one.
tutti_status status_of(const std::exception_ptr& failure) {
    return guarded([&] {
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    });
}

} // namespace

tutti_status tutti_progress(void) {
    return guarded([] { // as a test of a request
        library::ThreadProgress& thread = library::ThreadProgress::here();
        thread.progress();
        thread.look_after(true);
        thread.call_continuations();
    });
}

tutti_status tutti_wait(tutti_request* request) {
    return guarded([&] { wait(checked("wait", request)); });
}

tutti_status tutti_test(tutti_request* request, int* done) {
    return ask_whether_done("test", request, done,
                            [](detail::RequestBase& pending) { return pending.test(); });
}

tutti_status tutti_wait_for(tutti_request* request, int64_t milliseconds, int* done) {
    const auto wait = [milliseconds](detail::RequestBase& pending) {
        return pending.wait_for(milliseconds == TUTTI_NEVER ? never
                                                            : std::chrono::milliseconds(milliseconds));
    };
    return ask_whether_done("wait_for", request, done, wait);
}

tutti_status tutti_wait_all(tutti_request requests[], size_t n) {
    return guarded([&] { wait_for_all("wait_all", requests, n); });
}

tutti_status tutti_test_all(tutti_request requests[], size_t n, int* done) {
    return guarded([&] {
        there("test_all", "done", done) = 0;
        c_api::list("test_all", "requests", requests, n);
        for (size_t i = 0; i < n; ++i) {
            checked("test_all", requests, i);
        }
        for (size_t i = 0; i < n; ++i) {
            if (!is_over(requests[i]) && !detail::has_ended(*request_of(requests[i]))) {
                return;
            }
        }
        *done = 1;
        wait_for_all("test_all", requests, n);
    });
}

tutti_status tutti_wait_any(tutti_request requests[], size_t n, size_t* index) {
    return guarded([&] {
        there("wait_any", "index", index) = n;
        const auto look = [&] { return finds_over(requests, n, *index); };
        check_any("wait_any", requests, n, {c_api::persistent, c_api::arrived});
        if (!look()) {
            progress_until(look);
        }
        if (*index != n) {
            wait(requests[*index]); // throws what has ended it
        }
    });
}

tutti_status tutti_test_any(tutti_request requests[], size_t n, size_t* index, int* done) {
    return guarded([&] {
        there("test_any", "index", index) = n;
        there("test_any", "done", done) = 0;
        check_any("test_any", requests, n, {c_api::persistent});
        bool has_progressed = false; // all operations of the thread
        for (size_t i = 0; i < n; ++i) {
            const bool is_own = requests[i].kind == c_api::nonblocking;
            if (!is_over(requests[i]) && !(is_own && has_progressed)) {
                has_progressed = has_progressed || is_own;
                detail::has_ended(*request_of(requests[i]));
            }
        }
        *done = finds_over(requests, n, *index) ? 1 : 0;
        if (*index != n) {
            wait(requests[*index]); // throws what has ended it
        }
    });
}

tutti_status tutti_then(tutti_request* request, tutti_then_function function, void* user) {
    return guarded([&] {
        const tutti_request& asked = checked("then", request);
        detail::RequestBase* const pending = request_of(asked);
        there("then", "function", function);
        if (asked.kind == c_api::failed) {
            c_api::refuse("then", "the call of `request` failed when it was made");
        }
        if (pending == nullptr) {
            function(TUTTI_OK, user);
        } else {
            pending->then(
                detail::Continuation(std::in_place, [function, user](const std::exception_ptr& failure) {
                    function(status_of(failure), user);
                }));
        }
    });
}

tutti_status tutti_start(tutti_request* request) {
    return guarded([&] {
        const tutti_request& started = there("start", "request", request);
        if (started.kind != c_api::persistent) {
            c_api::refuse("start", "`request` is not of a prepared call");
        }
        persistent_behind("start", started).start();
    });
}

tutti_status tutti_request_free(tutti_request* request) {
    return guarded([&] {
        if (request == nullptr) {
            return;
        }
        tutti_request& freed = checked("request_free", request);
        if (freed.kind == c_api::arrived) {
            return use_up(freed);
        }
        try {
            wait(freed);
        } catch (...) { // the member's next call reports the failure that has ended the operation
            if (std::current_exception() == nullptr || !is_over(freed)) {
                throw; // the thread is being ended, or the arguments were rejected
            }
        }
        if (freed.kind == c_api::persistent) {
            if (const auto taken = c_api::persistent_calls.take(c_api::number_in(freed))) {
                (*taken)->release();
            }
            freed = TUTTI_REQUEST_NULL;
        }
    });
}
