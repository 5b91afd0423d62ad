// Views with several indices as buffers, and single objects that hold addresses.

#include "kokkos_view.hpp"
#include "support.hpp"

#include <tutti/extremes.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

/// As much of std::mdspan as is needed here, for matrices in rows.
template <class T>
class Matrix {
public:
    using reference = T&;

    class Mapping {
    public:
        Mapping(std::size_t rows, std::size_t columns, std::size_t stride)
            : rows_(rows), columns_(columns), stride_(stride) {}
        std::size_t required_span_size() const { return (rows_ - 1) * stride_ + columns_; }
        bool is_exhaustive() const { return stride_ == columns_; }

    private:
        std::size_t rows_, columns_, stride_;
    };

    Matrix(T* data, std::size_t rows, std::size_t columns, std::size_t stride)
        : data_(data), mapping_(rows, columns, stride) {}
    Matrix(T* data, std::size_t rows, std::size_t columns) : Matrix(data, rows, columns, columns) {}

    T* data_handle() const { return data_; }
    const Mapping& mapping() const { return mapping_; }

private:
    T* data_;
    Mapping mapping_;
};

struct Plain {
    double x;
    long n;
    const int some[3];
    std::complex<double> z;
    std::array<long, 4> array;
    std::optional<double> maybe;
    void (*function)(int);
};
class Class { // what it holds cannot be seen
public:
    explicit Class(double* held) : held_(held) {}

private:
    double* held_;
};
struct Pointer {
    long n;
    double* pointer;
};
struct Nested {
    double array[4];
    Pointer inner;
};
struct Reference {
    long n;
    double& x;
};
struct Span {
    long n;
    std::span<double> elements;
};
struct Text {
    std::string_view text;
};
struct Late {
    long before[16];
    double* pointer;
};
struct SpanLike { // std::span has begin() as well
    double* first;
    double* data() const { return first; }
};

template <class T>
constexpr bool holds = detail::holds_address<T>();
static_assert(holds<Pointer> && holds<Nested> && holds<Reference> && holds<Span> && holds<Text> &&
              holds<SpanLike>);
static_assert(!holds<Plain> && !holds<ValueAt<double>> && !holds<std::complex<double>> && !holds<double>);
static_assert(!holds<Class> && !holds<Late>, "the limits that the documentation states");
static_assert(detail::Scalar<std::optional<double>&>);

} // namespace

TEST_CASE("views with several indices are buffers") {
    constexpr int members = 3;
    Team team(members, {.placement = "none"});
    std::vector<double> common(6);
    std::vector<int> right(members);
    team.run([&](Member& me) {
        std::vector<double> in(6, me.rank() + 1.0), out(6), expected(6, 6.0), all(18);
        const Matrix<const double> input(in.data(), 2, 3);
        const Matrix<double> output(out.data(), 2, 3);
        int& good = right[static_cast<std::size_t>(me.rank())];
        me.allreduce(input, output, sum);
        good += out == expected ? 1 : 0;
        out = in;
        me.allreduce(output, sum); // in place: nothing is returned
        good += out == expected ? 1 : 0;
        me.allgather(in, Matrix<double>(all.data(), 3, 6));
        good += all[17] == 3.0 ? 1 : 0;
        me.start.broadcast(Matrix<double>(in.data(), 3, 2), 2).wait();
        good += in == std::vector<double>(6, 3.0) ? 1 : 0;
        const KokkosView kokkos{in.data(), in.size()};
        me.allreduce(kokkos, KokkosView{out.data(), out.size()}, sum);
        good += out == std::vector<double>(6, 9.0) ? 1 : 0;
        me.allreduce(input, shared(Matrix<double>(common.data(), 2, 3)), sum);
        good += common == std::vector<double>(6, 9.0) ? 1 : 0;
    });
    CHECK(right == std::vector<int>(members, 6));
}

TEST_CASE("a strided view is rejected before anybody is told") {
    std::vector<double> memory(12);
    Group group(1);
    Member me = group.join(0);
    const auto text = [&](const auto& view) {
        const Thrown thrown = thrown_by([&] { me.allreduce(view, sum); });
        CHECK(thrown.kind == Thrown::Kind::argument);
        return thrown.text;
    };
    CHECK(mentions(text(Matrix<double>(memory.data(), 2, 3, 6)), "allreduce: `inout` is a strided view"));
    CHECK(mentions(text(KokkosView{memory.data(), 6, false}), "whose elements are contiguous"));
    me.allreduce(memory, sum);
}

TEST_CASE("an object that holds an address is sent as a buffer of one object") {
    Team team(2, {.placement = "none"});
    std::array<double, 2> values{1, 2};
    std::vector<const double*> seen(2);
    team.run([&](Member& me) {
        Pointer mine{1, &values[static_cast<std::size_t>(me.rank())]};
        me.broadcast(std::span(&mine, 1), 1);
        seen[static_cast<std::size_t>(me.rank())] = mine.pointer;
    });
    CHECK(seen == std::vector<const double*>(2, &values[1]));
    const auto found = team.run([](Member& me) { return me.broadcast(std::optional<int>(me.rank()), 1); });
    CHECK(found == std::vector<std::optional<int>>(2, 1));
}
