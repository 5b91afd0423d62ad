// Wrong arguments, and functions of the program that throw, in every way of calling.

#include "../pool.hpp"
#include "called.hpp"

namespace {

/// The vector of a member, or of its block, has this parameter's name in error messages.
std::string name_of_input(Collective collective) {
    return collective == Collective::allgather || collective == Collective::gather ? "`block`" : "`in`";
}
std::string name_of_output(const Way& way, Collective collective, bool in_place) {
    return in_place && (!way.is_fortran() || collective == Collective::broadcast)          ? "`inout`"
           : collective == Collective::reduce_scatter || collective == Collective::scatter ? "`block`"
                                                                                           : "`out`";
}

/// Rank 0, which is the root, makes wrong calls, and then all make the right one. If one thread calls for
/// all, it learns of the wrong call of rank 0.
void check_wrong_arguments(const Way& way, const Shape& shape) {
    const Called called{
        .collective = shape.collective, .count = 4, .in_place = shape.in_place, .root = shape.root};
    const bool has_out = shape.in_place || shape.traits().output.root != detail::Part::none;
    const bool has_both = !shape.in_place && has_out && shape.traits().input.root != detail::Part::none;
    const std::string is_null = way.is_fortran() ? "is not allocated" : "is a null pointer";
    const bool has_names = !way.is_c() || way.is_fortran(); // C has others
    way.make({.members = 2})->run([&](WayCaller& me) {
        OwnCall own(called, me.rank(), me.size());
        const WayCall right = own.call();
        const auto reject = [&](const std::string& says, const WayCall& wrong) {
            if (me.rank() == 0 || !way.abilities.calls_alone) {
                const WayCall& call = me.rank() == 0 ? wrong : right;
                check_mentions(check_rejected(says, [&] { me.begin(call)->wait(); }),
                               {std::string(to_string(shape.collective))});
            }
        };
        for (const int root : shape.traits().is_rooted() ? std::vector{-1, 2} : std::vector<int>()) {
            Shape elsewhere = shape;
            elsewhere.root = root;
            reject("`root` is " + std::to_string(root) + ", must be in 0..1",
                   {elsewhere, right.vectors, right.elements, right.in, right.in_count, right.out,
                    right.out_count});
        }
        if (way.abilities.names_algorithms) {
            WayCall unknown = right;
            unknown.options.algorithm = "quantum";
            reject("\"quantum\"", unknown);
        }
        if (has_out) {
            WayCall wrong = right;
            wrong.out = nullptr;
            reject(is_null, wrong);
            reject(has_names ? name_of_output(way, shape.collective, shape.in_place) : "", wrong);
        }
        if (has_both) {
            WayCall wrong = right;
            wrong.in = nullptr;
            reject(is_null, wrong);
            reject(has_names ? name_of_input(shape.collective) : "", wrong);
            wrong.in = static_cast<const double*>(right.out) + 1;
            reject("overlap", wrong);
        }
        check_thrown(thrown_by([&] { me.begin(right)->wait(); }), Kind::nothing);
    });
}

constexpr double bad = 13;
const std::string no_memory = "bad_alloc"; // NOLINT(cert-err58-cpp)

/// Throws where an operand is `bad`: an error of the program, or std::bad_alloc.
template <bool memory>
void throwing(const void* in, void* inout, std::size_t count, void* /*user*/) {
    for (std::size_t i = 0; i < count; ++i) {
        double& sum = static_cast<double*>(inout)[i];
        if (static_cast<const double*>(in)[i] == bad || sum == bad) {
            memory ? throw std::bad_alloc() : throw std::domain_error("thirteen");
        }
        sum += static_cast<const double*>(in)[i];
    }
}

/// Every rank learns of what is thrown when the operand of rank 0 is met, by this call or by the next one.
void check_operator(const Way& way, const Setting& setting, const Called& called, const std::string& says) {
    const auto size = static_cast<std::size_t>(setting.members);
    std::vector<Thrown> told(size);
    std::vector<Thrown> again(size);
    const auto ranks = way.make(setting);
    const Thrown run = thrown_by([&] {
        ranks->run([&](WayCaller& me) {
            const auto rank = static_cast<std::size_t>(me.rank());
            OwnCall own(called, me.rank(), me.size());
            WayCall call = own.call();
            std::vector<double> in(call.in_count, rank == 0 ? bad : 1);
            call.in = in.data();
            told[rank] = thrown_by([&] { me.begin(call)->wait(); });
            if (way.abilities.calls_alone && !way.is_async()) {
                again[rank] = thrown_by(me, {.collective = Collective::barrier});
            }
        });
    });
    const bool is_told_at_once = way.is_async() || !way.abilities.calls_alone;
    const auto count = [](const std::vector<Thrown>& all, Kind kind) {
        return std::ranges::count(all, kind, &Thrown::kind);
    };
    INFO(way.name, ", ", to_string(called.collective), " of ", called.count, ": ", run.text);
    CHECK(count(told, Kind::other) >= 1);
    CHECK(count(told, Kind::other) + count(told, Kind::aborted) + count(told, Kind::nothing) ==
          setting.members);
    CHECK((!is_told_at_once || count(told, Kind::other) == setting.members));
    // A member that has swallowed its failure cannot hide it.
    for (const Thrown& thrown : again) {
        CHECK_MESSAGE((is_told_at_once || thrown.kind == Kind::aborted), thrown.text);
    }
    CHECK(run.kind == (is_told_at_once || !way.abilities.run_reports_all ? Kind::nothing : Kind::other));
    for (const auto* each : {&told, &again}) {
        for (const Thrown& thrown : *each) {
            const bool has_text = mentions(thrown.text, says) ||
                                  (says == no_memory && mentions(thrown.text, "out of memory")); // in C
            CHECK_MESSAGE((thrown.kind == Kind::nothing || has_text), thrown.text);
            const bool is_own = thrown.kind == Kind::other && !way.is_c() && says != no_memory;
            CHECK((!is_own || thrown.text == says));
        }
    }
    ranks->run([&](WayCaller& me) { check_thrown(thrown_by(me, {}), Kind::nothing); });
}

template <bool memory>
void check_operators(const Way& way, const Setting& setting, std::size_t count, const std::string& says) {
    for (const Collective collective : detail::all_collectives) {
        if (detail::traits_of(collective).reduces()) {
            const DynamicOp op(throwing<memory>, nullptr, sizeof(double), true);
            check_operator(way, setting,
                           {.collective = collective, .count = count, .op = op, .in_place = false}, says);
        }
    }
}

} // namespace

TEST_CASE("a wrong argument is an error of its rank, which has not come to the call, and may come again") {
    for (const Way& way : all_ways()) {
        for (const Shape& shape : regular_shapes(4, {0}, {1})) {
            INFO(way.name, ", ", shape.describe());
            check_wrong_arguments(way, shape);
        }
    }
}

TEST_CASE("all ranks learn what an operator throws, also those that wait for nobody") {
    Pool pool(2);
    for (const Way& way : all_ways()) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{1000}}) {
            check_operators<false>(way, {.members = 3}, count, "thirteen");
            check_operators<true>(way, {.members = 3}, count, no_memory);
        }
        if (way.is_async() && !way.is_c()) {
            const Setting sliced{.members = 2, .async = {.executor = pool.executor(), .slice_bytes = 64}};
            check_operator(
                way, sliced,
                {.op = DynamicOp(throwing<false>, nullptr, sizeof(double), true), .in_place = false},
                "thirteen");
        }
    }
}

TEST_CASE("a member that leaves its function by an exception releases the others, with its text") {
    for (const Way& way : all_ways()) {
        if (!way.abilities.calls_alone || way.is_async()) {
            continue;
        }
        const std::string says = way.is_c() ? "the function of member 1 has returned 200" : "no more data";
        for (const Collective collective : detail::all_collectives) {
            INFO(way.name, ", ", to_string(collective));
            std::vector<Thrown> told(3);
            const auto ranks = way.make({.members = 3});
            const Thrown run = thrown_by([&] {
                ranks->run([&](WayCaller& me) {
                    thrown_by(me, {}); // from which it may be released
                    if (me.rank() == 1) {
                        throw std::domain_error("no more data");
                    }
                    while (told[static_cast<std::size_t>(me.rank())].kind == Kind::nothing) {
                        told[static_cast<std::size_t>(me.rank())] =
                            thrown_by(me, {.collective = collective, .in_place = false});
                    }
                });
            });
            check_thrown(run, Kind::other, {says});
            for (const std::size_t rank : {0U, 2U}) {
                check_thrown(told[rank], Kind::aborted, {"member 1 failed: " + says});
            }
        }
    }
}
