#pragma once

#include "algorithm/registry.hpp"
#include "mailbox/slot.hpp"

#include <tutti/tutti.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tutti::test {

#if defined(TUTTI_REDUCED_TESTS)
/// Sanitizers make everything slower: less of the same.
inline constexpr bool reduced = true;
#else
inline constexpr bool reduced = false;
#endif

/// What a result is held against.
///
/// - rank_order: exactly the reference, which combines from left to right
/// - close: the reference up to rounding, and the same bits on every member and in every repetition
enum class Expect { rank_order, close };

/// One collective call that every member makes. `elements` counts the longest vector a member holds.
struct Job {
    const algorithm::Algorithm* row = nullptr;
    bool by_name = true;
    std::size_t elements = 0;
    bool in_place = false;
    Expect expect = Expect::rank_order;

    std::string describe() const {
        return std::string(to_string(row->collective)) + " " +
               (by_name ? std::string(row->name) : "by default") + ", " + std::to_string(elements) +
               " elements" + (in_place ? ", in place" : "");
    }
};

/// Whether the row serves a call whose messages have so many bytes.
inline bool serves(const algorithm::Algorithm& row, std::size_t message_bytes, bool in_place) {
    return (row.carries && message_bytes <= mailbox::carried_bytes) ||
           takes(row, in_place ? schedule::Form::in_place : schedule::Form::separate);
}

/// The bytes that a member sends to one that wants all it has.
inline std::size_t message_bytes(const Job& job, int members, std::size_t element_bytes) {
    const auto parts =
        job.row->collective == schedule::Collective::allgather ? static_cast<std::size_t>(members) : 1;
    return job.elements / parts * element_bytes;
}

/// The inputs of all members for vectors of up to so many elements, and their reduction from left to right. A
/// shorter call uses the first elements of them.
template <class T>
class Exam {
public:
    template <class Make, class Op>
    Exam(int members, std::size_t elements, Make make, const Op& op)
        : inputs_(static_cast<std::size_t>(members)), results_(inputs_.size()) {
        for (std::size_t rank = 0; rank < inputs_.size(); ++rank) {
            inputs_[rank].reserve(elements);
            for (std::size_t i = 0; i < elements; ++i) {
                inputs_[rank].push_back(make(rank, i));
            }
        }
        expected_ = inputs_[0];
        for (std::size_t rank = 1; rank < inputs_.size(); ++rank) {
            for (std::size_t i = 0; i < elements; ++i) {
                expected_[i] = op(expected_[i], inputs_[rank][i]);
            }
        }
    }

    /// Makes the calls one after the other on every member. Returns what went wrong first, or nothing.
    template <class Op>
    std::string run(Team& team, std::span<const Job> jobs, const Op& op) {
        for (auto& result : results_) {
            result = {{}, std::vector<std::uint64_t>(jobs.size())};
        }
        team.run([&](Member& me) {
            Result& result = results_[static_cast<std::size_t>(me.rank())];
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                const std::string problem = carry_out(me, jobs[i], op, result.digests[i]);
                if (!problem.empty() && result.problem.empty()) {
                    result.problem = jobs[i].describe() + ", " + std::to_string(me.size()) +
                                     " members, member " + std::to_string(me.rank()) + ": " + problem;
                }
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
            for (const Result& result : results_) {
                const bool own_block = jobs[i].row->collective == schedule::Collective::reduce_scatter;
                if (!own_block && result.digests[i] != results_[0].digests[i]) {
                    return jobs[i].describe() + ": not the same bits on every member";
                }
            }
        }
        return {};
    }

    template <class Op>
    std::string carry_out(Member& me, const Job& job, const Op& op, std::uint64_t& digest) const {
        const Options options{.algorithm = job.by_name ? job.row->name : std::string_view()};
        switch (job.row->collective) {
        case schedule::Collective::barrier:
            me.barrier(options);
            return {};
        case schedule::Collective::allreduce:
            return allreduce(me, job, op, options, digest);
        case schedule::Collective::reduce_scatter:
            return reduce_scatter(me, job, op, options, digest);
        case schedule::Collective::allgather:
            return allgather(me, job, options, digest);
        default:
            return "no such collective";
        }
    }

    std::span<const T> input_of(Member& me, std::size_t first, std::size_t count) const {
        return std::span(inputs_[static_cast<std::size_t>(me.rank())]).subspan(first, count);
    }

    /// A vector with one more element than the call may touch.
    static std::vector<T> guarded(std::span<const T> elements, const T& guard) {
        std::vector<T> copy(elements.begin(), elements.end());
        copy.push_back(guard);
        return copy;
    }

    std::vector<T> guarded_output(std::size_t count) const { return std::vector<T>(count + 1, guard()); }

    const T& guard() const { return inputs_[0].back(); }

    template <class Op>
    std::string allreduce(Member& me, const Job& job, const Op& op, const Options& options,
                          std::uint64_t& digest) const {
        const std::size_t count = job.elements;
        const auto in = guarded(input_of(me, 0, count), guard());
        auto out = job.in_place ? in : guarded_output(count);
        const std::span result(out.data(), count);
        if (job.in_place) {
            me.allreduce(result, op, options);
        } else {
            me.allreduce(std::span(in.data(), count), result, op, options);
        }
        digest = digest_of(result);
        return same(in, guarded(input_of(me, 0, count), guard())) && same_element(out.back(), guard())
                   ? compare(result, std::span(expected_).first(count), job.expect)
                   : "touches what it may not";
    }

    template <class Op>
    std::string reduce_scatter(Member& me, const Job& job, const Op& op, const Options& options,
                               std::uint64_t& digest) const {
        const std::size_t block = job.elements / static_cast<std::size_t>(me.size());
        const std::size_t count = block * static_cast<std::size_t>(me.size());
        const std::size_t first = block * static_cast<std::size_t>(me.rank());
        auto in = guarded(input_of(me, 0, count), guard());
        auto out = guarded_output(block);
        if (job.in_place) {
            me.reduce_scatter(std::span(in.data(), count), op, options);
            std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(first), block, out.begin());
            std::copy_n(input_of(me, first, block).begin(), block,
                        in.begin() + static_cast<std::ptrdiff_t>(first));
        } else {
            me.reduce_scatter(std::span(in.data(), count), std::span(out.data(), block), op, options);
        }
        digest = digest_of(std::span(out.data(), block));
        return same(in, guarded(input_of(me, 0, count), guard())) && same_element(out.back(), guard())
                   ? compare(std::span<const T>(out.data(), block),
                             std::span(expected_).subspan(first, block), job.expect)
                   : "touches what it may not";
    }

    std::string allgather(Member& me, const Job& job, const Options& options, std::uint64_t& digest) const {
        const std::size_t block = job.elements / static_cast<std::size_t>(me.size());
        const std::size_t count = block * static_cast<std::size_t>(me.size());
        const std::size_t first = block * static_cast<std::size_t>(me.rank());
        const auto in = guarded(input_of(me, 0, block), guard());
        auto out = guarded_output(count);
        if (job.in_place) {
            std::copy_n(in.begin(), block, out.begin() + static_cast<std::ptrdiff_t>(first));
            me.allgather(std::span(out.data(), count), options);
        } else {
            me.allgather(std::span(in.data(), block), std::span(out.data(), count), options);
        }
        digest = digest_of(std::span(out.data(), count));
        if (!same(in, guarded(input_of(me, 0, block), guard())) || !same_element(out.back(), guard())) {
            return "touches what it may not";
        }
        std::string problem;
        for (std::size_t rank = 0; rank < inputs_.size() && problem.empty(); ++rank) {
            problem = compare(std::span<const T>(out).subspan(rank * block, block),
                              std::span(inputs_[rank]).first(block), Expect::rank_order);
        }
        return problem;
    }

    static bool same_element(const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

    static bool same(std::span<const T> a, std::span<const T> b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
    }

    static std::string compare(std::span<const T> found, std::span<const T> expected, Expect expect) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            const bool good = expect == Expect::rank_order ? same_element(found[i], expected[i])
                                                           : is_close(found[i], expected[i]);
            if (!good) {
                return "element " + std::to_string(i) + " of " + std::to_string(found.size()) + " is wrong";
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

    std::vector<std::vector<T>> inputs_;
    std::vector<T> expected_;
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
        return static_cast<T>(0.5 + static_cast<double>(mixed(rank, element) >> 12U) * 0x1p-52);
    }
}

} // namespace tutti::test
