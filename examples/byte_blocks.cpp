// Functions for a program that knows its types at run time only, such as a trainer of decision trees whose
// network is a pair of function pointers: reduce-scatter and allgather of blocks of bytes, with a function
// that combines elements of type_size bytes. Elements are never split, and may lie at any address.

#include <tutti/bindings.hpp>
#include <tutti/tutti.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// The program's interface: `reducer` combines `bytes` bytes of elements, src op dst, in dst.
using Reducer = void (*)(const char* src, char* dst, int type_size, int bytes);

struct Context { // of the function that the library calls; lives until the call returns
    Reducer reducer;
    int type_size;
    static void combine(const void* in, void* inout, std::size_t count, void* user) {
        const Context& own = *static_cast<const Context*>(user);
        own.reducer(static_cast<const char*>(in), static_cast<char*>(inout), own.type_size,
                    static_cast<int>(count) * own.type_size);
    }
};

/// The lengths of the members' blocks are bytes.
void reduce_scatter(tutti::Member& me, const std::vector<char>& in, int type_size, std::vector<int> lengths,
                    std::vector<char>& block, Reducer reducer) {
    const auto size = static_cast<std::size_t>(type_size);
    Context context{reducer, type_size};
    for (int& length : lengths) {
        length /= type_size; // elements
    }
    me.reduce_scatter(tutti::DynamicInput(size, in.data(), in.size() / size),
                      tutti::DynamicVector(size, block.data(), block.size() / size), tutti::Counts(lengths),
                      tutti::DynamicOp(Context::combine, &context, size, true));
}

// The program's own: a bin of a histogram, a float and a count packed to 5 bytes.
constexpr std::size_t bin_bytes = 5;

void add_bins(const char* src, char* dst, int type_size, int bytes) {
    for (int at = 0; at < bytes; at += type_size) {
        float from = 0, to = 0;
        std::memcpy(&from, src + at, sizeof from);
        std::memcpy(&to, dst + at, sizeof to);
        to += from;
        std::memcpy(dst + at, &to, sizeof to);
        dst[at + 4] = static_cast<char>(dst[at + 4] + src[at + 4]);
    }
}

bool is_right(tutti::Member& me) {
    const std::vector<int> lengths{10, 25, 0, 15}; // blocks of 2, 5, 0 and 3 bins
    std::vector<char> bins(10 * bin_bytes, static_cast<char>(me.rank())), all(bins.size());
    std::vector<char> block(static_cast<std::size_t>(lengths[static_cast<std::size_t>(me.rank())]));
    for (std::size_t bin = 0; bin < 10; ++bin) {
        const float sum = static_cast<float>(bin);
        std::memcpy(&bins[bin * bin_bytes], &sum, sizeof sum); // the rest is the count
    }
    reduce_scatter(me, bins, bin_bytes, lengths, block, add_bins);
    me.allgather(block, all, tutti::Counts(lengths)); // bytes
    bool right = true;
    for (std::size_t bin = 0; bin < 10; ++bin) {
        float sum = 0;
        std::memcpy(&sum, &all[bin * bin_bytes], sizeof sum);
        right = right && sum == 4 * static_cast<float>(bin) && all[bin * bin_bytes + 4] == 6;
    }
    return right;
}

} // namespace

int main() {
    const auto right = tutti::Team(4).run(is_right);
    const bool all_right = std::ranges::count(right, true) == 4;
    std::printf("10 bins of 5 bytes are added up: %s\n", all_right ? "right" : "wrong");
    return all_right ? 0 : 1;
}
