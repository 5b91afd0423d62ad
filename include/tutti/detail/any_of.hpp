#pragma once

#include <tutti/detail/request_base.hpp>

#include <cstddef>
#include <ranges>
#include <utility>

namespace tutti::inline TUTTI_NAMESPACE::detail {

/// A request of a range whose operation is over, for wait_any() and test_any().
template <class Range>
class AnyOf {
public:
    using Each = std::ranges::range_value_t<Range>;

    explicit AnyOf(Range& requests) : requests_(requests) {}

    /// Tests the requests. The first one is enough if a test progresses all operations of the thread.
    void test(bool first_is_enough) {
        for (Each& each : requests_) {
            if (each.operation_ != nullptr && !each.operation_->is_over()) {
                has_ended(*each.operation_);
                if (first_is_enough) {
                    return;
                }
            }
        }
    }

    /// Looks for a request whose operation is over. False if there is none and some request has an operation.
    bool look() {
        bool is_any_valid = false;
        index_ = 0;
        over_ = nullptr;
        for (Each& each : requests_) {
            is_any_valid = is_any_valid || each.valid();
            if (each.valid() && each.operation_->is_over()) {
                over_ = &each;
                return true;
            }
            ++index_;
        }
        return !is_any_valid;
    }

    /// Empties the request that look() has found and returns its index, or the size of the range if all are
    /// empty. Throws the failure of the operation.
    std::size_t take() {
        if (over_ != nullptr) {
            Each over = std::move(*over_);
            over.wait();
        }
        return index_;
    }

private:
    Range& requests_;
    Each* over_ = nullptr;
    std::size_t index_ = 0;
};

/// A Request, an AsyncRequest or a Persistent.
template <class R>
concept Waitable = requires(R& request) {
    request.wait();
    request.test();
};

} // namespace tutti::inline TUTTI_NAMESPACE::detail
