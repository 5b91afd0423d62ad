#!/bin/bash
# refused.sh TABLE HEADER MEMBER COMPILER FLAGS...: calls of MEMBER that must not compile, each with the sentence
# that the compiler must print, and beside each what is meant, which must compile: the rows of TABLE.
set -eu
table=$(dirname "$0")/$1 header=$2 member=$3
shift 3

declared=
if [ "${table##*/}" = started.txt ]; then # nonblocking calls
    declared="tutti::Request request; std::vector<tutti::Request> requests; tutti::AsyncRequest arrived; std::vector<tutti::AsyncRequest> asyncs; tutti::AsyncGroup meeting(2); tutti::Persistent step = me.prepare.allreduce(vector, array, tutti::sum);"
fi

translation_unit() { # statements
    cat <<END
struct Moved { // an operator
    Moved() = default;
    Moved(Moved&&) = default;
    double operator()(double a, double) const { return a; }
};
struct Named {
    std::string name;
    double x;
};
struct Point {
    double x;
};
enum class Colour { red, green };
struct Held {
    long n;
    double* pointer;
};
struct View { // but no range
    double* first;
    double* data() const { return first; }
};
class Hidden { // a view whose members cannot be seen
public:
    explicit Hidden(double* first) : first_(first) {}
    double* data() const { return first_; }

private:
    double* first_;
};
struct Vec3 {
    double x, y, z;
    double* data() { return &x; }
    const double* data() const { return &x; }
};
struct Triple : Vec3 { // a range
    double* begin() { return &x; }
    double* end() { return &x + 3; }
    const double* begin() const { return &x; }
    const double* end() const { return &x + 3; }
};
void calls($member& me, double* pointer, double (*function)(double, double), const tutti::Options& options) {
    double x = 1, y = 2, array[3] = {};
    const double one = 1;
    std::vector<double> vector(3);
    const std::vector<double> constant(3);
    const std::shared_ptr<double[]> owner(new double[3]);
    const Moved moved;
    std::vector<std::string> names(3), others(3);
    std::vector<std::vector<std::string>> all_names(3), all_others(3);
    std::list<double> list(3);
    std::vector<bool> bits(3);
    Named named;
    std::vector<float> floats(3);
    Point point = {};
    std::vector<Point> points(3);
    Held held = {};
    std::vector<Held> several(3);
    View view = {};
    Hidden hidden(pointer);
    Vec3 vec = {};
    Triple triple = {};
    std::string letters;
    std::vector<int> sizes(3);
    std::array<bool, 3> flags = {};
    std::vector<std::byte> bytes(3);
    std::vector<Colour> colours(3);
    std::vector<std::pair<double, int>> pairs(3);
    std::vector<std::array<double, 3>> rows(3);
    std::vector<std::complex<float>> complex(3);
    $declared
    $1
    static_cast<void>(moved), static_cast<void>(named), static_cast<void>(me), static_cast<void>(point);
    static_cast<void>(held), static_cast<void>(view), static_cast<void>(hidden), static_cast<void>(vec);
    static_cast<void>(x + y + one + array[0]), static_cast<void>(pointer), static_cast<void>(function);
    static_cast<void>(options), static_cast<void>(flags), static_cast<void>(triple);
}
END
}

compiler=("$@" -std=c++20 -Wall -Wextra -Werror)
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT

# The headers, compiled once: gcc takes the .gch beside the file that is named, clang the .pch.
printf '#include <%s>\n' "$header" tutti/bindings.hpp tutti/numbers.hpp tutti/tasks.hpp array complex cstddef functional list memory string string_view utility vector >"$headers/all.hpp"
"${compiler[@]}" -x c++-header "$headers/all.hpp" -o "$headers/all.hpp.gch"
ln -s all.hpp.gch "$headers/all.hpp.pch"

compile() { # statements
    translation_unit "$1" | "${compiler[@]}" -include "$headers/all.hpp" -fsyntax-only -x c++ - 2>&1
}

failed=0
good=
rows=0
while IFS='|' read -r sentence bad meant; do
    sentence=$(xargs <<<"$sentence")
    good+=$meant
    rows=$((rows + 1))
    if printed=$(compile "$bad") || ! grep -q "error.*$sentence" <<<"$printed" || [ "$(grep -c "error: " <<<"$printed")" != 1 ]; then
        printf 'must be rejected with "%s" alone: %s\n%s\n' "$sentence" "$bad" "$printed"
        failed=1
    fi
done < <(grep -v '^#' "$table")
if ! compile "$good"; then
    echo "what is meant does not compile"
    failed=1
fi
echo "$rows calls of $member refused by $1"
[ "$rows" -gt 0 ] && exit $failed
