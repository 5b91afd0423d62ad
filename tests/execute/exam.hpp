#pragma once

#include "../reduced.hpp"
#include "../reference/calls.hpp"
#include "algorithm/registry.hpp"

#include <tutti/async_group.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tutti::test {

/// What a result is held against.
///
/// - rank_order: exactly the reference, which combines in the order of the ranks and brackets as the row does
/// - close: the reference up to rounding, and the same bits on every member and in every repetition
enum class Expect { rank_order, close };

/// What a row promises for an operator: `exact` ones give the same bits in any order.
inline Expect expectation(const algorithm::Algorithm& row, int members, bool exact) {
    using detail::Association;
    const bool is_bracketed =
        has_brackets(row, Association::tree, members) || has_brackets(row, Association::left, members);
    return is_bracketed || exact ? Expect::rank_order : Expect::close;
}

/// How the calls are made, and how many of them a member has in flight, which it waits for in any order.
/// Those who arrive do so at a meeting, where a member's thread acts for its rank.
struct Calling {
    enum class Way { blocking, started, persistent, arriving } way = Way::blocking;
    std::size_t in_flight = 1;
    AsyncGroup* meeting = nullptr;
};

/// One collective call that every member makes. `elements` counts the longest vector a member holds.
struct Job {
    const algorithm::Algorithm* row = nullptr;
    bool by_name = true;
    std::size_t elements = 0;
    bool in_place = false;
    Expect expect = Expect::rank_order;
    /// The root, or the distance of a shift.
    int root = 0;

    /// If blocks are irregular; `elements` is not used then.
    Lengths lengths = {};

    Shape shape(std::size_t members) const {
        const auto collective = row->collective;
        const bool is_divided = detail::traits_of(collective).is_divided();
        const bool has_one_vector = detail::traits_of(collective).in_place == detail::OneVector::always;
        return {.collective = collective,
                .count = is_divided ? elements / members : elements,
                .in_place = in_place || has_one_vector,
                .root = root,
                .lengths = lengths};
    }
    /// The order in which the row combines.
    detail::Association association() const {
        return by_name && row->order == algorithm::Order::serial ? detail::Association::left
                                                                 : detail::Association::tree;
    }
    std::string describe(std::size_t members) const {
        return shape(members).describe() + ", " + (by_name ? std::string(row->name) : "by default");
    }
};

/// The calls of all members of a team, held against the reference. A shorter call uses the first elements of
/// the inputs.
template <class T>
class Exam {
public:
    template <class Make, class Op>
    Exam(int members, std::size_t elements, Make make, const Op& op)
        : reference_(members, make, op), results_(static_cast<std::size_t>(members)) {
        reference_.keep(elements);
    }

    /// Makes the calls on every member, in this order. Returns what went wrong first, or nothing.
    template <class Op>
    std::string run(Team& team, std::span<const Job> jobs, const Op& op, const Calling& calling = {}) {
        for (auto& result : results_) {
            result = {{}, std::vector<std::uint64_t>(jobs.size())};
        }
        team.run([&](Member& me) {
            Result& result = results_[static_cast<std::size_t>(me.rank())];
            std::mt19937 random(static_cast<unsigned>(me.rank()));
            std::vector<std::unique_ptr<Underway>> underway;
            const auto finish_one = [&] {
                std::swap(underway[random() % underway.size()], underway.back());
                Underway& call = *underway.back();
                const std::string problem = finish(call, result.digests[call.number]);
                if (!problem.empty() && result.problem.empty()) {
                    result.problem = jobs[call.number].describe(results_.size()) + ", " +
                                     std::to_string(me.size()) + " members, member " +
                                     std::to_string(me.rank()) + ": " + problem;
                }
                underway.pop_back();
            };
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                underway.push_back(begin(me, jobs[i], i, op, calling));
                if (underway.size() == calling.in_flight) {
                    finish_one();
                }
            }
            while (!underway.empty()) {
                finish_one();
            }
        });
        return first_problem(jobs);
    }

    /// A digest of every result of the last run, in order of members and calls.
    std::vector<std::uint64_t> digests() const {
        std::vector<std::uint64_t> all;
        for (const Result& result : results_) {
            all.insert(all.end(), result.digests.begin(), result.digests.end());
        }
        return all;
    }

private:
    using Vector = std::vector<T>;

    struct Result {
        std::string problem;
        std::vector<std::uint64_t> digests;
    };

    std::string first_problem(std::span<const Job> jobs) const {
        for (const Result& result : results_) {
            if (!result.problem.empty()) {
                return result.problem;
            }
        }
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const auto collective = jobs[i].row->collective;
            const bool for_all = detail::traits_of(collective).is_same_for_all();
            for (const Result& result : results_) {
                if (for_all && result.digests[i] != results_[0].digests[i]) {
                    return jobs[i].describe(results_.size()) + ": not the same bits on every member";
                }
            }
        }
        return {};
    }

    /// A call and its vectors, which have one element more than the call may touch.
    struct Underway {
        std::size_t number = 0;
        Shape shape = {};
        Expect expect = Expect::rank_order;
        Vectors<T> vectors = {};
        Vector in_before = {};
        Vector out_before = {};
        std::string problem = {};
        Request request = {};
        AsyncRequest async_request = {};
        Persistent persistent = {};

        std::span<T> output() { return std::span(vectors.out.data(), vectors.out.size() - 1); }
    };

    template <class Op>
    std::unique_ptr<Underway> begin(Member& me, const Job& job, std::size_t number, const Op& op,
                                    const Calling& calling) const {
        const auto rank = static_cast<std::size_t>(me.rank());
        auto made = std::make_unique<Underway>(
            Underway{.number = number, .shape = job.shape(results_.size()), .expect = job.expect});
        Underway& call = *made;
        call.vectors = reference_.vectors(rank, call.shape, job.association());
        call.vectors.expected.push_back(reference_.untouched());
        call.vectors.out.push_back(reference_.untouched());
        call.in_before = call.vectors.in;
        call.out_before = call.vectors.out;
        const Options options{.algorithm = job.by_name ? job.row->name : std::string_view()};
        const auto apply = [&](auto& way) {
            if constexpr (std::is_same_v<Op, DynamicOp>) {
                return make_call(way, call.shape, call.vectors, as_dynamic(call.vectors.in),
                                 as_dynamic(call.output()), op, options);
            } else {
                return make_call(way, call.shape, call.vectors, std::span<const T>(call.vectors.in),
                                 call.output(), op, options);
            }
        };
        if (calling.way == Calling::Way::blocking) {
            apply(me);
        } else if (calling.way == Calling::Way::arriving) {
            AsyncRank own = calling.meeting->at(me.rank());
            call.async_request = apply(own);
        } else if (calling.way == Calling::Way::started) {
            call.request = apply(me.start);
        } else {
            call.persistent = apply(me.prepare);
            repeat(call);
        }
        return made;
    }

    /// Once as it was prepared, once on other vectors, and once more on its own, which is waited for later.
    static void repeat(Underway& call) {
        call.persistent.start();
        call.persistent.wait();
        Vector in = call.in_before;
        Vector out = call.out_before;
        start(call, in, std::span(out.data(), out.size() - 1));
        call.persistent.wait();
        if (call.shape.collective != Collective::barrier) {
            call.problem = compare(out, call.vectors.expected, call.expect);
        }
        call.vectors.out = call.out_before;
        start(call, call.vectors.in, call.output());
    }

    static void start(Underway& call, std::span<const T> in, std::span<T> out) {
        if (call.shape.collective == Collective::barrier) {
            call.persistent.start();
        } else if (call.shape.in_place) {
            call.persistent.start(out);
        } else {
            call.persistent.start(in, out);
        }
    }

    static std::string finish(Underway& call, std::uint64_t& digest) {
        if (call.persistent.valid()) {
            call.persistent.wait();
        }
        call.request.wait();
        call.async_request.wait();
        digest = digest_of(call.output());
        if (!call.problem.empty()) {
            return "on other vectors: " + call.problem;
        }
        return same(call.vectors.in, call.in_before)
                   ? compare(call.vectors.out, call.vectors.expected, call.expect)
                   : "touches its input";
    }

    static bool same_element(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

    static bool same(std::span<const T> a, std::span<const T> b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
    }

    static DynamicVector as_dynamic(std::span<T> vector) {
        return DynamicVector(type_of<T>(), vector.data(), vector.size());
    }

    static std::string compare(std::span<const T> found, std::span<const T> expected, Expect expect) {
        if (same(found, expected)) {
            return {};
        }
        if (same(found, expected)) {
            return {};
        }
        for (std::size_t i = 0; i < found.size(); ++i) {
            const bool good = expect == Expect::rank_order ? same_element(found[i], expected[i])
                                                           : is_close(found[i], expected[i]);
            if (!good) {
                return "element " + std::to_string(i) + " of " + std::to_string(found.size() - 1) +
                       " is wrong";
            }
        }
        return {};
    }

    /// Integers are exact in any order; sums and products of 64 positive numbers lose a few bits.
    static bool is_close(const T& a, const T& b) {
        if constexpr (std::is_floating_point_v<T>) {
            return std::abs(a - b) <= 128 * std::numeric_limits<T>::epsilon() * std::abs(b);
        } else if constexpr (detail::is_complex<T>) {
            return std::abs(a - b) <=
                   128 * std::numeric_limits<typename T::value_type>::epsilon() * std::abs(b);
        } else {
            return same_element(a, b);
        }
    }

    static std::uint64_t digest_of(std::span<const T> elements) {
        std::uint64_t digest = 0xcbf29ce484222325;
        std::uint64_t word = 0;
        const auto bytes = std::as_bytes(elements);
        for (std::size_t i = 0; i < bytes.size(); i += sizeof word) {
            std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
            digest = (digest ^ word) * 0x100000001b3;
            digest ^= digest >> 29U;
        }
        return digest;
    }

    Reference<T> reference_;
    std::vector<Result> results_;
};

/// A number for each element of each member that looks random.
inline std::uint64_t mixed(std::size_t rank, std::size_t element) {
    std::uint64_t value = (rank + 1) * 0x9e3779b97f4a7c15 + element * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 30U)) * 0x94d049bb133111eb;
    return value ^ (value >> 31U);
}

/// Any value of an integer type; from 0.5 to 1.5 of a floating-point type, so that neither sums nor products
/// cancel.
template <class T>
T ordinary(std::size_t rank, std::size_t element) {
    if constexpr (detail::is_complex<T>) {
        return T(ordinary<typename T::value_type>(rank, 2 * element), 0);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(mixed(rank, element));
    } else {
        return static_cast<T>(
            static_cast<Wide<T>>(0.5 + static_cast<double>(mixed(rank, element) >> 12U) * 0x1p-52));
    }
}

} // namespace tutti::test
