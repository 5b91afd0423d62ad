#pragma once

#include "../reference/calls_c.hpp"
#include "way.hpp"

#include <tutti/tutti.h>

namespace tutti::test {

enum class KindC { blocking, nonblocking, persistent, async };

/// What a program does with a request, or with several.
enum class Ask { start, free, wait, wait_for, wait_any, test, test_all, test_any };

/// The functions of C, or of a language whose functions call C.
struct LanguageC {
    tutti_status (*call)(tutti_member me, const WayCall& call, const Elements& elements);
    tutti_status (*ask)(Ask what, tutti_request* requests, std::size_t n, std::int64_t milliseconds,
                        std::size_t* index, int* done);
    const char* (*error_text)();
};
extern const LanguageC in_c;

/// Throws the exception of C++ that has the status, unless that is TUTTI_OK.
void require_ok(tutti_status status, const LanguageC& language = in_c);

/// The calls of a member, or of its rank of an async group.
std::unique_ptr<WayCaller> caller_c(KindC kind, tutti_member me, tutti_async_group* meeting = nullptr,
                                    const LanguageC& language = in_c);

/// A team of C, whose members call in the language.
std::unique_ptr<Ranks> team_c(KindC kind, const LanguageC& language, const Setting& setting);

bool test_all_c(Requests& all);
std::optional<std::size_t> any_c(Requests& all, bool waits);

} // namespace tutti::test
