// C++ combines a type that the library has no kernels for by operators of the program.
#include <tutti/tutti.hpp>

#include <cstdio>
#include <vector>

extern "C" int wrong_from_c(void);

int main() {
    tutti::Group group(1);
    tutti::Member me = group.join(0);
    std::vector<double> doubles{3, 4};
    std::vector<float> floats{3, 4};
    me.allreduce(doubles, tutti::sum);
    me.allreduce(floats, [](float left, float right) { return left + right; });
    const bool kept = doubles == std::vector<double>{3, 4} && floats == std::vector<float>{3, 4};
    std::printf("from C++: %s\n", kept ? "right" : "wrong");
    return wrong_from_c() + (kept ? 0 : 1);
}
