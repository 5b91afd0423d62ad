#pragma once

#include "plan/plan.hpp"

#include <string_view>

namespace tutti::plan {

/// What a step does, in a word for people.
constexpr std::string_view word_of(Code code) {
    switch (code) {
    case Code::enter:
        return "enter";
    case Code::open:
    case Code::open_every:
        return "open";
    case Code::await:
    case Code::await_every:
        return "await";
    case Code::publish:
        return "publish";
    case Code::carry:
        return "send";
    case Code::receive:
        return "receive";
    case Code::copy:
    case Code::copy_to_every:
    case Code::copy_received:
    case Code::exchange:
        return "copy";
    case Code::reduce:
    case Code::reduce_received:
    case Code::reduce_every:
    case Code::reduce_every_to_every:
    case Code::reduce_every_received:
    case Code::reduce_first:
    case Code::reduce_first_received:
    case Code::reduce_listed:
    case Code::reduce_listed_to_listed:
    case Code::reduce_listed_received:
        return "combine";
    case Code::scan_every:
    case Code::exscan_every:
        return "scan";
    case Code::match:
    case Code::match_every:
        return "match";
    }
    return "";
}

} // namespace tutti::plan
