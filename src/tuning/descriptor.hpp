#pragma once

#include "immovable.hpp"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tutti::tuning {

[[noreturn]] inline void refuse_for_errno() {
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

} // namespace tutti::tuning
