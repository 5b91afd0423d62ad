#include "algorithm/registry.hpp"
#include "call/claim.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <typeinfo>
#include <vector>

using namespace tutti;
using execute::CallTypes;
using execute::Claim;
using schedule::Form;

namespace {

std::size_t row_of(Collective collective, std::string_view name) {
    return algorithm::index_of(*algorithm::find(collective, name));
}

/// A small allreduce, as members make it all the time.
Claim small() {
    return {.row = row_of(Collective::allreduce, "flat"),
            .form = Form::carried,
            .type = Type::f64,
            .op = Operator::sum,
            .bytes = 8,
            .element_bytes = 8};
}

/// The same with one field changed, for each of them.
std::vector<Claim> variations() {
    std::vector<Claim> claims(16, small());
    claims[0].row = row_of(Collective::allreduce, "ring");
    claims[1].form = Form::in_place;
    claims[2].type = Type::i64;
    claims[3].op = Operator::max;
    claims[4].in_place = true;
    claims[5].serial = true;
    claims[6].shared_output = true;
    claims[7].by_counts = true;
    claims[8].element_bytes = 4;
    claims[9].counts = 1;
    claims[10].function = 1;
    claims[11].types = CallTypes::of(&typeid(int));
    claims[12].splits = true;
    claims[13].counts_at_root = true;
    claims[14].by_library = true;
    claims[15].in_segments = true;
    return claims;
}

} // namespace

TEST_CASE("a claim survives being packed") {
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        for (const Form form : {Form::separate, Form::in_place, Form::carried}) {
            for (unsigned bits = 0; bits < 256; ++bits) {
                const Claim claim{.row = row,
                                  .form = form,
                                  .type = Type::other,
                                  .op = Operator::callable,
                                  .in_place = (bits & 1U) != 0,
                                  .serial = (bits & 2U) != 0,
                                  .shared_output = (bits & 4U) != 0,
                                  .by_counts = (bits & 8U) != 0,
                                  .counts_at_root = (bits & 32U) != 0,
                                  .splits = (bits & 16U) != 0,
                                  .by_library = (bits & 64U) != 0,
                                  .in_segments = (bits & 128U) != 0,
                                  .root = 65'534,
                                  .bytes = ~std::uint64_t{0},
                                  .element_bytes = std::uint64_t{1} << 40U,
                                  .counts = 3,
                                  .function = 5,
                                  .types = CallTypes::of(&typeid(Claim))};
                CHECK(Claim::unpacked(claim.packed()) == claim);
                CHECK(Claim::unpacked(claim.packed()).marks(8).digest == claim.marks(8).digest);
            }
        }
    }
}

TEST_CASE("claims that differ in any field differ, and show it") {
    for (const Claim& claim : variations()) {
        CHECK_FALSE(claim == small());
        CHECK(claim.marks(8).digest != small().marks(8).digest);
        CHECK(claim.marks(8).print != small().marks(8).print);
    }
}

TEST_CASE("no two sizes of a message and no two roots have one print") {
    constexpr std::size_t longest_message = 4096;
    std::set<std::uint64_t> prints;
    std::size_t made = 0;
    for (std::uint32_t root = 0; root < 64; ++root) {
        for (std::size_t bytes = 0; bytes <= longest_message; bytes += 1 + 31 * (root % 2)) {
            Claim claim = small();
            claim.root = root;
            claim.bytes = bytes;
            prints.insert(claim.marks(bytes).print);
            ++made;
        }
    }
    CHECK(prints.size() == made);
}

TEST_CASE("a claim says what differs") {
    Claim claim{.row = row_of(Collective::broadcast, "flat"),
                .form = Form::carried,
                .type = Type::other,
                .root = 2,
                .bytes = 24,
                .element_bytes = 12};
    CHECK(claim.describe() == "broadcast (algorithm flat) of 24 bytes of 12-byte elements, root 2");
    claim = small();
    claim.serial = claim.in_place = true;
    CHECK(claim.describe() ==
          "allreduce (algorithm flat) of 8 bytes of f64 with sum in order serial, in place or by value");
    claim.bytes = 16;
    CHECK(claim.describe() ==
          "allreduce (algorithm flat) of 16 bytes of f64 with sum in order serial, in place");
    claim.in_place = claim.serial = false;
    claim.by_library = claim.in_segments = true;
    CHECK(claim.describe() == "allreduce (algorithm library, in segments) of 16 bytes of f64 with sum");
    claim.op = Operator::callable;
    claim.types = CallTypes::of(&typeid(std::vector<int>*));
    CHECK(claim.describe().find("with callable <int") != std::string::npos);
}
