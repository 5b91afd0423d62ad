#include "../test.hpp"
#include "machine/thresholds.hpp"

using namespace tutti::machine;

namespace {

Machine machine_of(const char* vendor, int family, const char* model, std::size_t l2_mib) {
    Machine machine;
    machine.vendor = vendor;
    machine.family = family;
    machine.model = model;
    machine.l2_bytes = l2_mib << 20U;
    machine.l3_bytes = std::size_t{32} << 20U;
    return machine;
}

std::string source_of(const Machine& machine) {
    return source_text(family_thresholds(machine));
}

} // namespace

TEST_CASE("a profile is that of the processor's family, or a guess") {
    CHECK(source_of(machine_of("AuthenticAMD", 26, "AMD EPYC", 1)) == "family AMD Zen 5");
    CHECK(source_of(machine_of("AuthenticAMD", 25, "AMD EPYC 9R14", 1)) == "family AMD Zen");
    CHECK(source_of(machine_of("GenuineIntel", 6, "Intel(R) Xeon(R) Platinum 8488C", 2)) ==
          "family Intel Xeon with a large L2");
    CHECK(source_of(machine_of("GenuineIntel", 6, "Intel(R) Xeon(R) E5-2680", 0)) == "guess");
    CHECK(source_of(machine_of("GenuineIntel", 6, "Intel(R) Core(TM) i7", 2)) == "guess");
    CHECK(source_of(Machine{}) == "guess");
}

TEST_CASE("caches are full by the L2 caches or by the L3 caches, whichever is first") {
    CHECK(Reach{.l2_bytes = 3, .l3_bytes = 100}.bytes(8, 1) == 24);
    CHECK(Reach{.l2_bytes = 3, .l3_bytes = 10}.bytes(8, 2) == 20);
    CHECK(Reach{.l3_bytes = 10}.bytes(8, 2) == 20); // the L2 caches do not matter
}

TEST_CASE("readers see a line for each threshold") {
    Thresholds profile;
    profile.moved_line_ns = 1.5;
    profile.stream_to_own.l3_bytes = 7;
    CHECK(describe(profile).find("  moved-line                     1.5 ns\n") != std::string::npos);
    CHECK(describe(profile).find("  stream-to-own-per-l3           7 B\n") != std::string::npos);
    CHECK(describe(profile).starts_with("profile: guess\n"));
}
