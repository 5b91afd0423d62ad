// Sums with the same bits for every number of members.

#include "c/src/calls.hpp"
#include "c/src/status.hpp"

#include <tutti/collectives.hpp>
#include <tutti/reproducible_sums.hpp>
#include <tutti/tutti.h>

#include <span>

using namespace tutti;

namespace {

/// A caller as the sums of all ways of calling see a member.
class Summing : public Collectives<Summing> {
public:
    Summing(const char* function, const tutti_caller& me) : caller_(function, blocking(function, me)) {}
    Options options() const { return caller_.options(); }
    void run(const detail::Call& call, const Options& /*are in the call*/) { caller_.make(call); }

private:
    static const tutti_caller& blocking(const char* function, const tutti_caller& me) {
        c::seated(function, me);
        return me;
    }

    c::Caller caller_;
};

template <class T>
std::span<const T> elements(const void* address, std::size_t n) {
    return {static_cast<const T*>(address), n};
}

/// Stores call(T()) at `result`, where T is the C++ type of `type`.
template <class Call>
void store(const char* function, tutti_type type, void* result, const Call& call) {
    const c::Elements known = c::elements_of(function, type);
    if (known.type != Type::f64 && known.type != Type::f32) {
        c::refuse(function, "`type` must be TUTTI_DOUBLE or TUTTI_FLOAT");
    }
    c::check_vector(function, "result", result, 1, known);
    if (known.type == Type::f64) {
        *static_cast<double*>(result) = call(known, double());
    } else {
        *static_cast<float*>(result) = call(known, float());
    }
}

} // namespace

tutti_status tutti_reproducible_sum(tutti_caller me, const void* terms, size_t n, tutti_type type,
                                    void* result) {
    constexpr const char* function = "reproducible_sum";
    return c::guarded([&] {
        Summing sums(function, me);
        store(function, type, result, [&]<class T>(const c::Elements& known, T /*zero*/) {
            c::check_vector(function, "terms", terms, n, known);
            const std::span<const T> list = elements<T>(terms, n);
            return reproducible_sum(sums, list, sums.options());
        });
    });
}

tutti_status tutti_reproducible_dot(tutti_caller me, const void* a, const void* b, size_t n, tutti_type type,
                                    void* result) {
    constexpr const char* function = "reproducible_dot";
    return c::guarded([&] {
        Summing sums(function, me);
        store(function, type, result, [&]<class T>(const c::Elements& known, T /*zero*/) {
            c::check_vector(function, "a", a, n, known);
            c::check_vector(function, "b", b, n, known);
            const std::span<const T> left = elements<T>(a, n), right = elements<T>(b, n);
            return reproducible_dot(sums, left, right, sums.options());
        });
    });
}

tutti_status tutti_reproducible_norm2(tutti_caller me, const void* x, size_t n, tutti_type type,
                                      void* result) {
    constexpr const char* function = "reproducible_norm2";
    return c::guarded([&] {
        Summing sums(function, me);
        store(function, type, result, [&]<class T>(const c::Elements& known, T /*zero*/) {
            c::check_vector(function, "x", x, n, known);
            const std::span<const T> list = elements<T>(x, n);
            return reproducible_norm2(sums, list, sums.options());
        });
    });
}
