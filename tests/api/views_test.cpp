// Buffers: views with several indices, local reductions, and operands that only run time shows to be wrong:
// errors name the argument and the call before any other member learns of it.

#include "support.hpp"

#include <tutti/bindings.hpp>

namespace {

/// As much of Kokkos::View as makes an object a view for the library.
struct KokkosView {
    double* elements;
    std::size_t count;
    bool contiguous = true;

    double* data() const { return elements; }
    std::size_t span() const { return count; }
    bool span_is_contiguous() const { return contiguous; }
};

/// As much of std::mdspan as is needed here, for matrices in rows.
template <class T>
class MatrixView {
public:
    using reference = T&;
    struct Mapping {
        std::size_t rows, columns, stride;
        std::size_t required_span_size() const { return (rows - 1) * stride + columns; }
        bool is_exhaustive() const { return stride == columns; }
    };

    MatrixView(T* first, std::size_t rows, std::size_t columns, std::size_t stride = 0)
        : first_(first), mapping_{rows, columns, stride == 0 ? columns : stride} {}
    T* data_handle() const { return first_; }
    const Mapping& mapping() const { return mapping_; }

private:
    T* first_;
    Mapping mapping_;
};

int minus(int a, int b) {
    return a - b;
}

/// Checks that `call` throws an ArgumentError with this text and the fields of a call of rank 1.
void check_context(const std::function<void()>& call, Collective collective, const std::string& text) {
    check_rejected(text, call);
    const ErrorContext context = context_of<ArgumentError>(call);
    CHECK(context.rank == 1);
    CHECK(context.collective == collective);
    CHECK(context.operation == 0);
    CHECK(context.where.line != 0);
}

/// Rank 1 of two makes a wrong call in every way; then both members make a right one.
template <class Call>
void check_wrong(const Call& call, Collective collective, const std::string& text) {
    Team team(2, {.placement = Placement::none});
    AsyncGroup meeting(2);
    CHECK(on_all(team, [&](Member& me) {
        if (me.rank() == 1) {
            for (const auto& act : in_every_way(me, call)) {
                check_context(act, collective, text);
            }
            AsyncRank arriving = meeting.at(1);
            check_context([&] { call(arriving).wait(); }, collective, text);
        }
        return me.allreduce(1, sum) == 2;
    }));
}

using Function = double (*)(double, double);
constexpr const char* op_is_empty = "allreduce: `op` is empty";

} // namespace

TEST_CASE("views with several indices are buffers") {
    std::vector<double> common(6);
    check_members(3, [&](Member& me) {
        std::vector<double> in(6, me.rank() + 1.0), out(6), expected(6, 6.0), all(18);
        const MatrixView<const double> input(in.data(), 2, 3);
        const MatrixView<double> output(out.data(), 2, 3);
        int good = 0;
        me.allreduce(input, output, sum);
        good += out == expected ? 1 : 0;
        out = in;
        me.allreduce(output, sum); // in place: nothing is returned
        good += out == expected ? 1 : 0;
        me.allgather(in, MatrixView<double>(all.data(), 3, 6));
        good += all[17] == 3.0 ? 1 : 0;
        me.start.broadcast(MatrixView<double>(in.data(), 3, 2), 2).wait();
        good += in == std::vector<double>(6, 3.0) ? 1 : 0;
        const KokkosView kokkos{in.data(), in.size()};
        me.allreduce(kokkos, KokkosView{out.data(), out.size()}, sum);
        good += out == std::vector<double>(6, 9.0) ? 1 : 0;
        me.allreduce(input, shared(MatrixView<double>(common.data(), 2, 3)), sum);
        good += common == std::vector<double>(6, 9.0) ? 1 : 0;
        return good == 6;
    });
}

TEST_CASE("a view of the program is combined in place, although it could be copied as bytes") {
    class Slice : std::span<int> { // its elements are not constant if it is
    public:
        using std::span<int>::span, std::span<int>::begin, std::span<int>::end;
    };
    check_members(3, [](Member& me) {
        std::vector<int> own{me.rank(), 1};
        Slice slice(own);
        me.allreduce(slice, sum);
        return own == std::vector{3, 3};
    });
}

TEST_CASE("two vectors, or objects, are combined with `in` on the left") {
    for (const std::size_t count : {0U, 1U, 7U, 12'800U}) { // a kernel does it in several pieces
        std::vector<int> a(count), b(count, 3), minuses(count), sums(count);
        for (std::size_t i = 0; i < count; ++i) {
            a[i] = static_cast<int>(i);
            minuses[i] = a[i] - 3;
            sums[i] = 2 * (a[i] + 3);
        }
        std::vector<int> inout = b;
        reduce_local(a, inout, &minus);
        CHECK(inout == minuses);
        reduce_local(a, b, sum);
        reduce_local(b, b, sum);
        CHECK(b == sums);
    }
    double x = 2;
    reduce_local(5.0, x, sum);
    CHECK(x == 7);
    int array[] = {1, 2, 3};
    reduce_local(std::vector<int>{10, 20, 30}, array, [seven = 7](int a, int b) { return seven * a - b; });
    CHECK(array[2] == 207);
}

TEST_CASE("vectors that do not fit are refused and keep what they hold") {
    std::vector<int> three{1, 2, 3};
    std::vector<int> four{1, 2, 3, 4};
    const auto check = [](const char* says, auto in, auto inout) {
        check_rejected(says, [&] { reduce_local(in, inout, sum); });
    };
    const std::span all(four);
    const std::span<int> nowhere(static_cast<int*>(nullptr), 3);
    check("reduce_local: `in` has 3 elements and `inout` has 4 elements: they must have the same number",
          std::span(three), all);
    check("`in` has 3 elements but is a null pointer", nowhere, std::span(three));
    check("`inout` has 3 elements but is a null pointer", std::span(three), nowhere);
    check("`in` and `inout` overlap", all.first(3), all.last(3));
    CHECK(three == std::vector<int>{1, 2, 3});
    CHECK(four == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("an empty operator is rejected before the call begins, in every way of calling") {
    std::vector<double> x(3), y(3);
    const std::function<double(double, double)> none;
    const auto check = [&](const auto& op) {
        check_wrong([&](auto& way) { return way.allreduce(x, y, op); }, Collective::allreduce, op_is_empty);
    };
    check(Function{nullptr});
    check(none);
    check(commutative(Function{nullptr}));
    check(commutative(none));
    check_wrong([&](auto& way) { return way.scan(x, none); }, Collective::scan, "scan: `op` is empty");
    Group group(2);
    Member other = group.join(0);
    Member me = group.join(1);
    check_context([&] { static_cast<void>(me.allreduce(1.0, Function{nullptr})); }, Collective::allreduce,
                  op_is_empty);
    const std::function<double(double, double)> full = [](double a, double b) { return a + b; };
    Group alone(1);
    CHECK(alone.join(0).allreduce(2.0, full) == 2);
}

TEST_CASE("an empty operator of the all-buffers form and of reduce_local is rejected") {
    std::vector<std::vector<double>> ins(2, std::vector<double>(3)), outs = ins;
    const std::function<double(double, double)> none;
    CHECK(
        mentions(check_rejected(op_is_empty, [&] { all_buffers::allreduce(ins, outs, none); }), "(rank 0)"));
    check_rejected("reduce_local: `op` is empty", [&] { reduce_local(ins[0], ins[1], none); });
}

TEST_CASE("a strided view is rejected by its name, in every way of calling") {
    std::vector<double> x(6), y(6);
    const KokkosView strided{x.data(), 6, false};
    check_wrong([&](auto& way) { return way.allreduce(strided, y, sum); }, Collective::allreduce,
                "allreduce: `in` is a strided view: pass one whose elements are contiguous");
    check_wrong([&](auto& way) { return way.allreduce(y, strided, sum); }, Collective::allreduce,
                "allreduce: `out` is a strided view");
    check_wrong([&](auto& way) { return way.scan(strided, sum); }, Collective::scan,
                "scan: `inout` is a strided view");
    check_wrong([&](auto& way) { return way.gather(strided, y, 0); }, Collective::gather,
                "gather: `block` is a strided view");
    check_wrong([&](auto& way) { return way.allreduce(MatrixView<double>(x.data(), 1, 3, 6), sum); },
                Collective::allreduce, "allreduce: `inout` is a strided view");
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
    const KokkosView strided{x.data(), 6, false};
    Persistent step = me.prepare.allreduce(x, y, sum);
    check_context([&] { step.start(strided, y); }, Collective::allreduce, "start: `in` is a strided view");
    check_context([&] { step.start(x, strided); }, Collective::allreduce, "start: `out` is a strided view");
}

TEST_CASE("dynamic vectors and operators that do not fit are rejected with the fields of the call") {
    std::vector<double> x(4), y(4);
    const DynamicVector of_double(Type::f64, x.data(), 4);
    const DynamicVector of_int(Type::i32, y.data(), 4);
    const DynamicOp::Function nothing = [](const void*, void*, std::size_t, void*) {};
    const auto check = [](const auto& call, const char* text) {
        check_wrong(call, Collective::allreduce, text);
    };
    check([&](auto& way) { return way.allreduce(of_int, of_double, DynamicOp(Operator::sum)); },
          "allreduce: `in` has elements of type i32, 4 bytes, and `out` has elements of type f64, 8 bytes: "
          "pass two buffers with elements of the same type");
    check([&](auto& way) { return way.allreduce(of_double, DynamicOp(Operator::band)); },
          "allreduce: `op`: operator band has no compiled kernel for elements of type f64");
    check([&](auto& way) { return way.allreduce(of_double, DynamicOp(nothing, nullptr, 3, true)); },
          "allreduce: `op`: its function is for elements of 3 bytes, and these have 8");
}
