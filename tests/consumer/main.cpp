// A program outside the tree: four members add their ranks, as numbers of several types and in vectors of
// several sizes.
#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

namespace {

struct alignas(128) Wide {
    float value;
    Wide(int v = 0) : value(static_cast<float>(v)) {}
    operator int() const { return static_cast<int>(value); }
};

/// Elements that are wrong, under the library's operator or, for numbers and anything else, one of this
/// program.
template <class T, class Op>
int wrong(tutti::Member& member, const Op& op) {
    int differing = 0;
    for (const std::size_t size : {1U, 2U, 3U, 4U, 5U, 30U, 1000U}) {
        std::vector<T> values(size, T(member.rank()));
        member.allreduce(values, op);
        for (const T& value : values) {
            differing += value != 0 + 1 + 2 + 3;
        }
    }
    return differing;
}

template <class T>
int wrong(tutti::Member& member) {
    return wrong<T>(member, [](const T& a, const T& b) { return T(a + b); });
}

} // namespace

int main() {
    tutti::Team team(4);
    std::vector<int> differing(4, 1);
    team.run([&](tutti::Member& member) {
        differing[static_cast<std::size_t>(member.rank())] =
            wrong<int>(member, tutti::sum) + wrong<double>(member, tutti::sum) + wrong<short>(member) +
            wrong<int>(member) + wrong<float>(member) + wrong<double>(member) + wrong<Wide>(member);
    });
    std::printf("tutti %s, wrong elements: %d %d %d %d\n", TUTTI_VERSION_STRING, differing[0], differing[1],
                differing[2], differing[3]);
    return differing == std::vector<int>(4, 0) ? 0 : 1;
}
