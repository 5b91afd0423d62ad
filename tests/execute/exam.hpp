#pragma once

#include "../associated.hpp"
#include "../reduced.hpp"
#include "algorithm/registry.hpp"
#include "by_collective.hpp"

#include <tutti/rendezvous.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
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
    Rendezvous* meeting = nullptr;
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

    std::string describe() const {
        return std::string(to_string(row->collective)) + " " +
               (by_name ? std::string(row->name) : "by default") + ", " + std::to_string(elements) +
               " elements" + (in_place ? ", in place" : "") + ", root " + std::to_string(root);
    }
};

/// The inputs of all members for vectors of up to so many elements, and their reductions in both orders. A
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
        add_prefixes(from_the_left_, detail::Association::left, op);
        add_prefixes(in_tree_, detail::Association::tree, op);
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
                    result.problem = jobs[call.number].describe() + ", " + std::to_string(me.size()) +
                                     " members, member " + std::to_string(me.rank()) + ": " + problem;
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
    using Part = detail::Part;
    using Source = detail::Result;

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
            const Collective collective = jobs[i].row->collective;
            const bool for_all = detail::traits_of(collective).is_same_for_all();
            for (const Result& result : results_) {
                if (for_all && result.digests[i] != results_[0].digests[i]) {
                    return jobs[i].describe() + ": not the same bits on every member";
                }
            }
        }
        return {};
    }

    std::size_t members() const { return inputs_.size(); }

    static const detail::CollectiveTraits& traits(const Job& job) {
        return detail::traits_of(job.row->collective);
    }

    /// Elements of a whole vector, and of one block of it.
    std::size_t block(const Job& job) const { return job.elements / members(); }
    std::size_t whole(const Job& job) const {
        const std::size_t blocks = traits(job).blocks(members());
        return job.elements / blocks * blocks;
    }

    Vector part(const Vector& vector, std::size_t first, std::size_t count) const {
        const auto start = vector.begin() + static_cast<std::ptrdiff_t>(first);
        return {start, start + static_cast<std::ptrdiff_t>(count)};
    }

    void put(Vector& vector, std::size_t first, const Vector& elements) const {
        std::copy(elements.begin(), elements.end(), vector.begin() + static_cast<std::ptrdiff_t>(first));
    }

    template <class Op>
    void add_prefixes(std::vector<Vector>& prefixes, detail::Association association, const Op& op) const {
        for (std::size_t rank = 0; rank < inputs_.size(); ++rank) {
            prefixes.push_back(inputs_[rank]);
            for (std::size_t i = 0; i < inputs_[rank].size(); ++i) {
                prefixes[rank][i] = bracketed(
                    association, rank + 1, [&](std::size_t k) -> T { return inputs_[k][i]; }, op);
            }
        }
    }
    const std::vector<Vector>& prefixes(const Job& job) const {
        return job.by_name && job.row->order == algorithm::Order::serial ? from_the_left_ : in_tree_;
    }

    const T& guard() const { return inputs_[0].back(); }
    Vector blank(std::size_t count) const { return Vector(count, guard()); }

    /// What a member passes as its input when input and output are separate.
    Vector input(std::size_t rank, const Job& job) const {
        const Part own = traits(job).input.of(is_root(rank, job));
        return own == Part::none ? Vector()
                                 : part(inputs_[rank], 0, own == Part::block ? block(job) : whole(job));
    }

    bool is_root(std::size_t rank, const Job& job) const {
        return rank == static_cast<std::size_t>(job.root);
    }

    /// What the collective leaves in a member's output.
    Vector result(std::size_t rank, const Job& job) const {
        switch (traits(job).output.of(is_root(rank, job))) {
        case Part::none:
            return {};
        case Part::block:
            return part(whole_result(rank, job), rank * block(job), block(job));
        case Part::whole:
            break;
        }
        return whole_result(rank, job);
    }

    /// What that is a part of.
    Vector whole_result(std::size_t rank, const Job& job) const {
        const std::size_t blocks = traits(job).blocks(members());
        const std::size_t length = whole(job) / blocks;
        Vector out = blank(whole(job));
        for (std::size_t block = 0; block < blocks; ++block) {
            const detail::Origin origin = traits(job).origin(static_cast<int>(rank), static_cast<int>(block),
                                                             static_cast<int>(members()), job.root);
            // A member that has but its block passes the start of its input.
            const std::size_t start =
                traits(job).gathers() ? 0 : static_cast<std::size_t>(origin.block) * length;
            if (origin.count == 1) {
                put(out, block * length,
                    part(inputs_[static_cast<std::size_t>(origin.first)], start, length));
            } else if (origin.count > 1) { // of the first members
                const auto last = static_cast<std::size_t>(origin.count) - 1;
                put(out, block * length, part(prefixes(job)[last], start, length));
            }
        }
        return out;
    }

    /// The one vector of a call in place, before the call.
    Vector before(std::size_t rank, const Job& job) const {
        const Vector in = input(rank, job);
        const Part out = traits(job).output.of(is_root(rank, job));
        Vector vector = blank(std::max(in.size(), out == Part::none    ? 0
                                                  : out == Part::block ? block(job)
                                                                       : whole(job)));
        put(vector, traits(job).gathers() && out == Part::whole ? rank * block(job) : 0, in);
        return vector;
    }

    /// The same after the call.
    Vector after(std::size_t rank, const Job& job) const {
        Vector vector = before(rank, job);
        const Part in = traits(job).input.of(is_root(rank, job));
        const Part out = traits(job).output.of(is_root(rank, job));
        const bool keeps = out == Part::none ||
                           (traits(job).result == Source::of_root && is_root(rank, job)) ||
                           (traits(job).result == Source::of_before && rank == 0);
        if (!keeps) {
            put(vector, in == Part::whole && out == Part::block ? rank * block(job) : 0, result(rank, job));
        }
        return vector;
    }

    /// A call and its vectors, which have one element more than the call may touch.
    struct Underway {
        std::size_t number = 0;
        Expect expect = Expect::rank_order;
        Vector in = {};
        Vector in_before = {};
        Vector out = {};
        Vector out_before = {};
        Vector expected = {};
        std::string problem = {};
        Request request = {};
        std::optional<Persistent> persistent = {};

        std::span<const T> input() const { return in; }
        std::span<T> output() { return std::span(out.data(), out.size() - 1); }
    };

    template <class Op>
    std::unique_ptr<Underway> begin(Member& me, const Job& job, std::size_t number, const Op& op,
                                    const Calling& calling) const {
        const auto rank = static_cast<std::size_t>(me.rank());
        auto made = std::make_unique<Underway>(Underway{.number = number, .expect = job.expect});
        Underway& call = *made;
        call.in = job.in_place ? Vector() : input(rank, job);
        call.expected = job.in_place ? after(rank, job) : result(rank, job);
        call.out = job.in_place ? before(rank, job) : blank(call.expected.size());
        call.expected.push_back(guard());
        call.out.push_back(guard());
        if (job.row->collective == Collective::broadcast && !job.in_place && me.rank() == job.root) {
            std::copy(call.in.begin(), call.in.end(), call.out.begin());
        }
        call.in_before = call.in;
        call.out_before = call.out;
        if (calling.way == Calling::Way::blocking) {
            apply(me, job, call, op);
        } else if (calling.way == Calling::Way::arriving) {
            Arriving own = calling.meeting->at(me.rank());
            call.request = apply(own, job, call, op);
        } else if (calling.way == Calling::Way::started) {
            call.request = apply(me.start, job, call, op);
        } else {
            call.persistent = apply(me.prepare, job, call, op);
            repeat(job, call);
        }
        return made;
    }

    /// Once as it was prepared, once on other vectors, and once more on its own, which is waited for later.
    static void repeat(const Job& job, Underway& call) {
        call.persistent->start();
        call.persistent->wait();
        Vector in = call.in_before;
        Vector out = call.out_before;
        start(job, call, in, std::span(out.data(), out.size() - 1));
        call.persistent->wait();
        if (job.row->collective != Collective::barrier) {
            call.problem = compare(out, call.expected, call.expect);
        }
        call.out = call.out_before;
        start(job, call, call.in, call.output());
    }

    static void start(const Job& job, Underway& call, std::span<const T> in, std::span<T> out) {
        if (job.row->collective == Collective::barrier) {
            call.persistent->start();
        } else if (job.in_place || job.row->collective == Collective::broadcast) {
            call.persistent->start(out);
        } else {
            call.persistent->start(in, out);
        }
    }

    static std::string finish(Underway& call, std::uint64_t& digest) {
        if (call.persistent) {
            call.persistent->wait();
        }
        call.request.wait();
        digest = digest_of(call.output());
        if (!call.problem.empty()) {
            return "on other vectors: " + call.problem;
        }
        return same(call.in, call.in_before) ? compare(call.out, call.expected, call.expect)
                                             : "touches its input";
    }

    /// `way` is a Member, or one of its other ways of calling.
    template <class Way, class Op>
    static auto apply(Way& way, const Job& job, Underway& call, const Op& op) {
        const Options options{.algorithm = job.by_name ? job.row->name : std::string_view()};
        const Collective collective = job.row->collective;
        return job.in_place
                   ? call_by_collective(way, collective, op, job.root, options, call.output())
                   : call_by_collective(way, collective, op, job.root, options, call.input(), call.output());
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

    std::vector<Vector> inputs_;
    /// [r]: the inputs of the members up to r, combined.
    std::vector<Vector> from_the_left_;
    std::vector<Vector> in_tree_;
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
