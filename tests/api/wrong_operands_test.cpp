// Operands and operators that only run time shows to be wrong: errors that name the argument and the call,
// before any other member learns of the call.

#include "kokkos_view.hpp"
#include "support.hpp"
#include "ways.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Checks that `call` throws an ArgumentError with this text and the fields of a call of rank 1.
void check_rejected(const std::function<void()>& call, Collective collective, const std::string& text) {
    try {
        call();
    } catch (const ArgumentError& error) {
        INFO("the message is: ", error.what());
        CHECK(mentions(error.what(), text));
        CHECK(error.context().rank == 1);
        CHECK(error.context().collective == collective);
        CHECK(error.context().operation == 0);
        CHECK(error.context().where.line != 0);
        return;
    } catch (const std::exception& other) {
        FAIL_CHECK("another error: ", other.what());
        return;
    }
    FAIL_CHECK("no error");
}

/// Rank 1 of two makes wrong calls in every way; then both members make a right one.
template <class WrongCalls>
void check_in_every_way(const WrongCalls& wrong_calls) {
    Team team(2, {.placement = "none"});
    AsyncGroup meeting(2);
    std::vector<int> sums(2);
    team.run([&](Member& me) {
        if (me.rank() == 1) {
            test::in_every_way(me, meeting, [&](auto& way) { wrong_calls(way); });
        }
        sums[static_cast<std::size_t>(me.rank())] = me.allreduce(1, sum);
    });
    CHECK(sums == std::vector<int>(2, 2));
}

using Function = double (*)(double, double);
constexpr const char* empty = "allreduce: `op` is empty";

} // namespace

TEST_CASE("an empty operator is rejected before the call begins, in every way of calling") {
    std::vector<double> x(3), y(3);
    check_in_every_way([&](auto& me) {
        const auto check = [&](const auto& op) {
            check_rejected(
                [&] { test::make_at_once(me, [&](auto& way) { return way.allreduce(x, y, op); }); },
                Collective::allreduce, empty);
        };
        check(Function{nullptr});
        check(std::function<double(double, double)>());
        check(non_commutative(Function{nullptr}));
        check(non_commutative(std::function<double(double, double)>()));
    });
    check_in_every_way([&](auto& me) {
        check_rejected(
            [&] {
                test::make_at_once(me, [&](auto& way) { //
                    return way.scan(x, std::function<double(double, double)>());
                });
            },
            Collective::scan, "scan: `op` is empty");
    });
    Group group(2);
    Member other = group.join(0);
    Member me = group.join(1);
    check_rejected([&] { static_cast<void>(me.allreduce(1.0, Function{nullptr})); }, Collective::allreduce,
                   empty);
    const std::function<double(double, double)> full = [](double a, double b) { return a + b; };
    Group alone(1);
    Member only = alone.join(0);
    CHECK(only.allreduce(2.0, full) == 2);
}

TEST_CASE("an empty operator of the single-caller form and of reduce_local is rejected") {
    std::vector<std::vector<double>> ins(2, std::vector<double>(3)), outs = ins;
    const std::function<double(double, double)> none;
    const test::Thrown thrown = test::thrown_by([&] { single_caller::allreduce(ins, outs, none); });
    CHECK(thrown.kind == test::Thrown::Kind::argument);
    CHECK(mentions(thrown.text, empty));
    CHECK(mentions(thrown.text, "(rank 0)"));
    const test::Thrown local = test::thrown_by([&] { reduce_local(ins[0], ins[1], none); });
    CHECK(local.kind == test::Thrown::Kind::argument);
    CHECK(mentions(local.text, "reduce_local: `op` is empty"));
}

TEST_CASE("a strided view is rejected by its name, in every way of calling") {
    std::vector<double> x(6), y(6);
    const KokkosView strided{x.data(), 6, false};
    check_in_every_way([&](auto& me) {
        const auto check = [&](const auto& call, Collective collective, const char* text) {
            check_rejected([&] { test::make_at_once(me, call); }, collective, text);
        };
        check([&](auto& way) { return way.allreduce(strided, y, sum); }, Collective::allreduce,
              "allreduce: `in` is a strided view: pass one whose elements are contiguous");
        check([&](auto& way) { return way.allreduce(y, strided, sum); }, Collective::allreduce,
              "allreduce: `out` is a strided view");
        check([&](auto& way) { return way.scan(strided, sum); }, Collective::scan,
              "scan: `inout` is a strided view");
        check([&](auto& way) { return way.gather(strided, y, 0); }, Collective::gather,
              "gather: `block` is a strided view");
    });
    CHECK_THROWS_WITH_AS(static_cast<void>(shared(strided)),
                         "shared: `out` is a strided view: pass one whose elements are contiguous",
                         ArgumentError);
    CHECK_THROWS_WITH_AS(reduce_local(strided, y, sum),
                         doctest::Contains("reduce_local: `in` is a strided view"), ArgumentError);
}

TEST_CASE("a persistent operation rejects a strided view at its start") {
    Group group(2);
    Member other = group.join(0);
    Member me = group.join(1);
    std::vector<double> x(6), y(6);
    Persistent step = me.prepare.allreduce(x, y, sum);
    check_rejected(
        [&] {
            step.start(KokkosView{x.data(), 6, false}, y);
        },
        Collective::allreduce, "start: `in` is a strided view");
    check_rejected(
        [&] {
            step.start(x, KokkosView{y.data(), 6, false});
        },
        Collective::allreduce, "start: `out` is a strided view");
}

TEST_CASE("dynamic vectors and operators that do not fit are rejected with the fields of the call") {
    std::vector<double> x(4), y(4);
    const DynamicVector of_double(Type::f64, x.data(), 4);
    const DynamicVector of_int(Type::i32, y.data(), 4);
    const DynamicOp::Function nothing = [](const void*, void*, std::size_t, void*) {};
    check_in_every_way([&](auto& me) {
        const auto check = [&](const auto& call, const char* text) {
            check_rejected([&] { test::make_at_once(me, call); }, Collective::allreduce, text);
        };
        check(
            [&](auto& way) { return way.allreduce(of_int, of_double, DynamicOp(Operator::sum)); },
            "allreduce: `in` has elements of type i32, 4 bytes, and `out` has elements of type f64, 8 bytes: "
            "pass two buffers with elements of the same type");
        check([&](auto& way) { return way.allreduce(of_double, DynamicOp(Operator::band)); },
              "allreduce: `op`: operator band has no compiled kernel for elements of type f64");
        check([&](auto& way) { return way.allreduce(of_double, DynamicOp(nothing, nullptr, 3, true)); },
              "allreduce: `op`: its function is for elements of 3 bytes, and these have 8");
    });
}
