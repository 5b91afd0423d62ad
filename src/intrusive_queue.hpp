#pragma once

#include <utility>

namespace tutti {

template <class T>
class IntrusiveQueue;

/// A base class of T for objects that can be in an IntrusiveQueue, in one at a time.
template <class T>
class Queueable {
private:
    friend class IntrusiveQueue<T>;

    T* next_in_queue_ = nullptr;
};

/// A queue that needs no memory of its own. It owns none of its objects.
template <class T>
class IntrusiveQueue {
public:
    bool is_empty() const { return first_ == nullptr; }

    void push(T& object) noexcept {
        next(object) = nullptr;
        (first_ == nullptr ? first_ : next(*last_)) = &object;
        last_ = &object;
    }

    /// Null if it is empty.
    T* first() const { return first_; }

    template <class Predicate>
    bool any_of(Predicate predicate) const {
        T* each = first_;
        while (each != nullptr && !predicate(*each)) {
            each = next(*each);
        }
        return each != nullptr;
    }

    /// The first one, which there must be.
    T& pop() noexcept { return *std::exchange(first_, next(*first_)); }

    /// Takes the object out. Returns whether it was in this queue.
    bool remove(T& object) noexcept {
        T* before = nullptr;
        for (T* each = first_; each != nullptr; before = std::exchange(each, next(*each))) {
            if (each != &object) {
                continue;
            }
            (before == nullptr ? first_ : next(*before)) = next(object);
            last_ = last_ == &object ? before : last_;
            return true;
        }
        return false;
    }

private:
    static T*& next(T& object) { return static_cast<Queueable<T>&>(object).next_in_queue_; }

    T* first_ = nullptr;
    /// Only while there is a first one.
    T* last_ = nullptr;
};

} // namespace tutti
