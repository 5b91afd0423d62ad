// Which single objects are taken for values, and which for holders of addresses.

#include "support.hpp"

namespace {

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
struct HasReference {
    long n;
    double& x;
};
struct Text {
    std::string_view text;
};
struct Late {
    long before[16];
    double* pointer;
};

/// A point whose coordinates can be had as an array.
struct Vec3 {
    double x, y, z;
    double* data() { return &x; }
    const double* data() const { return &x; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};
struct Cell {
    Vec3 position;
    double mass;
};
/// As Kokkos::Array.
template <class T, std::size_t n>
struct Array {
    T elements[n];
    T* data() { return elements; }
    const T* data() const { return elements; }
};
class Private { // its elements cannot be seen
public:
    explicit Private(double first) : elements_{first} {}
    double* data() { return elements_; }
    const double* data() const { return elements_; }

private:
    double elements_[3];
};
class Color { // too weakly aligned for a pointer
public:
    explicit Color(float first) : parts_{first} {}
    const float* data() const { return parts_; }

private:
    float parts_[4];
};

template <class Pointer>
class View {
public:
    explicit View(Pointer first) : first_(first) {}
    Pointer data() const { return first_; }

private:
    Pointer first_;
};
class Handle {
public:
    explicit Handle(double* first) : first_(first) {}
    double* data_handle() const { return first_; }

private:
    double* first_;
};
struct Named {
    long id;
    View<double*> view;
};

struct [[gnu::packed]] Packed {
    char tag;
    double* pointer;
};
struct [[gnu::packed]] PackedValue {
    char tag;
    double x;
};

/// Their classes are constructed from anything: by a reference, a forwarding reference, a value.
struct FromReference {
    double x;
    template <class T>
    explicit(false) FromReference(const T&);
};
struct FromForwarded {
    double x;
    template <class T>
    explicit(false) FromForwarded(T&&);
};
struct FromValue {
    double x;
    template <class T>
    explicit(false) FromValue(T);
};
template <class First>
struct PointerAfter {
    First first;
    double* pointer;
};
template <class First>
struct ValueAfter {
    First first;
    double x;
};

union PointerFirst {
    double* pointer;
    long n;
};
union PointerSecond {
    long n;
    double* pointer;
};
struct WithoutName {
    union {
        double* pointer;
        long n;
    };
    long k;
};

template <class T>
constexpr bool holds = detail::holds_address<T>();

static_assert(holds<Pointer> && holds<HasReference> && holds<Text>);
static_assert(!holds<Plain> && !holds<double> && !holds<std::complex<double>>);
static_assert(!holds<Vec3> && !holds<Cell> && !holds<Array<long, 3>> && !holds<Private> && !holds<Color>);
static_assert(holds<View<double*>> && holds<View<const double*>> && holds<Handle> && holds<Named>);
static_assert(holds<Packed> && !holds<PackedValue>);
static_assert(holds<PointerAfter<FromReference>> && holds<PointerAfter<FromForwarded>> &&
              holds<PointerAfter<std::optional<double>>>);
static_assert(!holds<ValueAfter<FromReference>> && !holds<ValueAfter<FromForwarded>> &&
              !holds<ValueAfter<FromValue>>);
static_assert(holds<PointerFirst> && holds<WithoutName> && holds<ValueAfter<PointerFirst>> &&
              holds<PointerAfter<PointerSecond>>);
static_assert(!holds<PointerSecond> && !holds<PointerAfter<FromValue>> && !holds<Class> && !holds<Late>,
              "the limits that the documentation states");

static_assert(detail::Scalar<std::optional<double>&>);

} // namespace

TEST_CASE("an object that holds an address is sent as a buffer of one object") {
    std::array<double, 2> values{1, 2};
    check_members(2, [&](Member& me) {
        Pointer mine{1, &values[index_of(me)]};
        me.broadcast(std::span(&mine, 1), 1);
        return mine.pointer == &values[1] && me.broadcast(std::optional<int>(me.rank()), 1) == 1;
    });
}

TEST_CASE("objects that contain what their data() shows go by value") {
    check_members(3, [](Member& me) {
        const double mine = me.rank() + 1.0;
        const auto added = [](Vec3 a, Vec3 b) { return Vec3{a.x + b.x, a.y + b.y, a.z + b.z}; };
        return me.allreduce(Vec3{mine, 0, 1}, added) == Vec3{6, 0, 3} &&
               me.broadcast(Cell{{mine, 0, 0}, mine}, 2).position.x == 3 &&
               me.broadcast(Array<long, 3>{{me.rank()}}, 1).elements[0] == 1 &&
               me.broadcast(Private(mine), 2).data()[0] == 3;
    });
}
