#pragma once

#include "../reference/calls.hpp"

#include <tutti/tutti.hpp>

namespace tutti::faults {

/// One collective call with everything that a member can get wrong.
struct Call {
    Collective collective = Collective::barrier;
    /// The elements of a block if the vector is divided by rank, else of the vector.
    std::size_t elements = 1;
    bool of_floats = false;
    bool with_max = false;
    /// The operator throws on members that say so in `throws`.
    bool may_throw = false;
    bool throws = false;
    /// 0: equal blocks; else irregular ones, of which the first is larger by so much and the last smaller.
    std::size_t skew = 0;
    int root = 0;
    std::string_view algorithm = {};
    Order order = Order::canonical;
    bool in_place = false;
    /// The result goes into one vector for all; null: into vectors of one's own.
    std::vector<float>* shared_floats = nullptr;
    std::vector<int>* shared_ints = nullptr;
    /// Every member gives this vector for its own result.
    std::vector<int>* same_ints = nullptr;
};

/// An operator that throws, where it is asked to.
struct MayThrow {
    bool throws = false;

    template <class T>
    T operator()(const T& a, const T& b) const {
        if (throws) {
            throw std::runtime_error("the operator gave up");
        }
        return a < b ? a : b;
    }
};

inline test::Shape shape_of(const Call& call, std::size_t members) {
    test::Shape shape{.collective = call.collective, .count = call.elements, .root = call.root};
    if (call.skew != 0) {
        shape.lengths = [&call, members](std::size_t, std::size_t block) {
            const std::size_t count = call.elements + (block == 0 ? call.skew : 0);
            return block == members - 1 ? count - std::min(call.skew, count) : count;
        };
    }
    shape.in_place =
        shape.traits().in_place == detail::OneVector::always || (call.in_place && call.skew == 0);
    return shape;
}

/// Makes the call with vectors of one's own, unless it says otherwise.
template <class T, class Op>
void make(Member& me, const Call& call, const Op& op, std::vector<T>* one_for_all, std::vector<T>* same) {
    const test::Reference<T> ones(
        me.size(), [](std::size_t, std::size_t) { return T{1}; }, std::plus<T>());
    const test::Shape shape = shape_of(call, ones.members());
    test::Vectors<T> vectors = ones.vectors(static_cast<std::size_t>(me.rank()), shape);
    const std::span<const T> in(vectors.in);
    const Options options{.algorithm = call.algorithm, .order = call.order};
    if (one_for_all != nullptr && !shape.in_place) {
        const auto out = shared(std::span(*one_for_all).first(vectors.out.size()));
        return call.collective == Collective::allreduce ? me.allreduce(in, out, op, options)
                                                        : me.allgather(in, out, options);
    }
    const bool takes_same = same != nullptr && (!shape.in_place || call.collective == Collective::broadcast);
    const std::span<T> out = takes_same ? std::span(*same).first(vectors.out.size()) : std::span(vectors.out);
    make_call(me, shape, vectors, in, out, op, options);
}

template <class T>
void make(Member& me, const Call& call, std::vector<T>* one_for_all, std::vector<T>* same) {
    if (call.may_throw) {
        return make(me, call, MayThrow{call.throws}, one_for_all, same);
    }
    call.with_max ? make(me, call, max, one_for_all, same) : make(me, call, sum, one_for_all, same);
}

inline void make(Member& me, const Call& call) {
    if (call.of_floats) {
        make<float>(me, call, call.shared_floats, nullptr);
    } else {
        make<int>(me, call, call.shared_ints, call.same_ints);
    }
}

/// The action of one member, the victim, that differs from the others'.
///
/// - collective .. shared_output: another call, or the same with other arguments
/// - same_output: it gives the vector that another member gives for its result
/// - missing: it leaves the call out
/// - early_return, destroyed: it makes no more calls; of a sub-group, only its seat there ends
/// - before, inside, after: an exception ends its part there
enum class Fault : std::uint8_t {
    collective,
    operation,
    type,
    count,
    counts,
    root,
    algorithm,
    order,
    in_place,
    shared_output,
    same_output,
    missing,
    early_return,
    destroyed,
    before,
    inside,
    after
};
inline constexpr int fault_count = static_cast<int>(Fault::after) + 1;
std::string_view to_string(Fault fault);

/// The kind of group that makes the calls: a team, threads that have joined a group, a sub-group of a team,
/// one that was made in the run before, all members of a team by among().
enum class Scope : std::uint8_t { team, group, sub_group, kept, among };
inline constexpr std::array all_scopes{Scope::team, Scope::group, Scope::sub_group, Scope::kept,
                                       Scope::among};
std::string_view to_string(Scope scope);

struct Case {
    Collective collective = Collective::barrier;
    Fault fault = Fault::collective;
    int members = 2;
    int victim = 0;
    std::size_t elements = 1;
    Scope scope = Scope::team;

    std::string name() const;
};

/// The members' calls: the victim makes another call if `of_victim` is set.
struct Program {
    Call of_others;
    std::optional<Call> of_victim;
};

/// Nothing where the fault is none, or cannot be noticed: what is no argument of that collective, and, where
/// nobody shows addresses, the same vector given twice.
std::optional<Program> program_of(const Case& made);

/// All cases for which there is a program.
std::vector<Case> all_cases();

/// Runs the case in this process. Empty when every member was told, by the right names; else what was wrong.
std::string run(const Case& made);

} // namespace tutti::faults
