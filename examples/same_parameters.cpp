// Do all members use the same parameters? One allreduce of a hash tells, before a difference makes their
// calls differ later, where it is hard to find.

#include <tutti/tutti.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// FNV-1a: the same on every member, unlike std::hash, which may differ between two builds.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char character : text) {
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
    }
    return hash;
}

/// Whether all members pass the same text. The largest hash and the largest complement are of one hash only
/// if all are equal.
bool is_same_on_all(tutti::Member& me, std::string_view text) {
    std::array<std::uint64_t, 2> largest{hash_of(text), ~hash_of(text)};
    me.allreduce(std::span(largest), tutti::max);
    return largest[0] == ~largest[1];
}

struct Parameters {
    double tolerance = 1e-8;
    int steps = 100;

    std::string text() const { return std::to_string(tolerance * 1e12) + " " + std::to_string(steps); }
};

} // namespace

int main() {
    tutti::Team team(4);
    bool is_right = true;
    team.run([&](tutti::Member& me) {
        Parameters parameters;
        const bool same = is_same_on_all(me, parameters.text());
        parameters.steps += me.rank() == 2 ? 1 : 0;
        const bool still_same = is_same_on_all(me, parameters.text());
        if (me.rank() == 0) {
            std::printf("the same: %s, then %s\n", same ? "yes" : "no", still_same ? "yes" : "no");
            is_right = same && !still_same;
        }
    });
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
