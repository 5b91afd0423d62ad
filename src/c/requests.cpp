#include "c/calls.hpp"
#include "c/status.hpp"

#include <tutti/request.hpp>
#include <tutti/tutti.h>

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

using namespace tutti;
using c::guarded;
using c::there;

namespace {

tutti_request& checked(const char* function, tutti_request* request) {
    tutti_request& found = there(function, "request", request);
    switch (found.kind) {
    case c::no_operation:
    case c::started:
    case c::prepared:
    case c::arrived:
        return found;
    default:
        c::refuse(function, "`request` is none: begin with TUTTI_REQUEST_NULL, or with what a call writes");
    }
}

detail::Pending* pending_of(const tutti_request& request) {
    switch (request.kind) {
    case c::no_operation:
        return nullptr;
    case c::prepared:
        return static_cast<c::Prepared*>(request.operation)->operation;
    default:
        return static_cast<detail::Pending*>(request.operation);
    }
}

c::Prepared& prepared_of(const char* function, tutti_request* request) {
    tutti_request& found = checked(function, request);
    if (found.kind != c::prepared) {
        c::refuse(function, "`request` is not of a prepared call");
    }
    return *static_cast<c::Prepared*>(found.operation);
}

/// Takes a request over whose operation is not needed any more when this is gone. One that is prepared stays.
Request used_up(tutti_request& request) {
    if (request.kind == c::no_operation || request.kind == c::prepared) {
        return {};
    }
    return Request(*pending_of(std::exchange(request, TUTTI_REQUEST_NULL)));
}

void wait(tutti_request& request) {
    if (detail::Pending* const pending = pending_of(request)) {
        const Request finished = used_up(request);
        pending->wait();
    }
}

} // namespace

tutti_status tutti_wait(tutti_request* request) {
    return guarded([&] { wait(checked("wait", request)); });
}

tutti_status tutti_test(tutti_request* request, int* done) {
    return guarded([&] {
        there("test", "done", done) = 0;
        tutti_request& asked = checked("test", request);
        detail::Pending* const pending = pending_of(asked);
        bool is_over = true;
        try {
            is_over = pending == nullptr || pending->test();
        } catch (...) {
            const Request finished = used_up(asked);
            *done = 1;
            throw;
        }
        if (is_over) {
            const Request finished = used_up(asked);
            *done = 1;
        }
    });
}

tutti_status tutti_wait_all(tutti_request requests[], size_t n) {
    return guarded([&] {
        std::exception_ptr failure;
        for (size_t i = 0; i < n; ++i) {
            tutti_request& request = checked("wait_all", requests == nullptr ? nullptr : &requests[i]);
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
    });
}

tutti_status tutti_wait_any(tutti_request requests[], size_t n, size_t* index) {
    return guarded([&] {
        there("wait_any", "index", index) = n;
        bool any = false;
        for (size_t i = 0; i < n; ++i) {
            const tutti_request& each = checked("wait_any", requests == nullptr ? nullptr : &requests[i]);
            if (each.kind == c::prepared || each.kind == c::arrived) {
                c::refuse("wait_any", "`requests[" + std::to_string(i) + "]` is of " +
                                          (each.kind == c::prepared ? "a prepared call" : "a rendezvous") +
                                          ": wait for calls that are started");
            }
            any = any || each.kind != c::no_operation;
        }
        const auto look = [&] {
            for (size_t i = 0; i < n; ++i) {
                if (requests[i].kind != c::no_operation && pending_of(requests[i])->is_over()) {
                    *index = i;
                    return true;
                }
            }
            return false;
        };
        if (any && !look()) {
            wait_until(look);
        }
        if (*index != n) {
            wait(requests[*index]); // throws what has ended it
        }
    });
}

tutti_status tutti_then(tutti_request* request, void (*function)(void* user), void* user) {
    return guarded([&] {
        detail::Pending* const pending = pending_of(checked("then", request));
        there("then", "function", function);
        if (pending == nullptr) {
            function(user);
        } else {
            pending->then([function, user] { function(user); }, detail::Pending::Calls::when_complete);
        }
    });
}

tutti_status tutti_restart(tutti_request* request) {
    return guarded([&] { prepared_of("restart", request).operation->start(); });
}

tutti_status tutti_restart_with(tutti_request* request, const void* in, void* out) {
    return guarded([&] {
        const c::Prepared& again = prepared_of("restart_with", request);
        detail::Call call = again.call;
        call.in_place = c::is_in_place(in);
        call.input = call.in_place ? out : in;
        call.output = out;
        const c::Elements elements{call.type, call.element_bytes,
                                   call.type == Type::other ? std::size_t{1} : call.element_align};
        c::check_vector("restart_with", "in", call.input, call.input_count, elements);
        c::check_vector("restart_with", "out", call.output, call.output_count, elements);
        again.operation->start(call);
    });
}

tutti_status tutti_request_free(tutti_request* request) {
    return guarded([&] {
        if (request == nullptr) {
            return;
        }
        tutti_request& freed = checked("request_free", request);
        if (freed.kind == c::prepared) {
            const std::unique_ptr<c::Prepared> finished(static_cast<c::Prepared*>(freed.operation));
            freed = TUTTI_REQUEST_NULL;
            finished->operation->release();
        } else {
            const Request finished = used_up(freed);
        }
    });
}
