#include "../test.hpp"
#include "algorithm/registry.hpp"
#include "call/call_signature.hpp"

#include <typeinfo>

using namespace tutti;
using engine::CallSignature;
using schedule::Protocol;

namespace {

std::size_t row_of(Collective collective, std::string_view name) {
    return algorithm::index_of(*algorithm::find(collective, name));
}

/// A small allreduce, as members make it all the time.
CallSignature small() {
    return {.row = row_of(Collective::allreduce, "flat"),
            .protocol = Protocol::eager,
            .type = Type::f64,
            .op = Operator::sum,
            .bytes = 8,
            .element_bytes = 8};
}

/// The same with one field changed, for each of them.
std::vector<CallSignature> variations() {
    std::vector<CallSignature> signatures(14, small());
    signatures[0].row = row_of(Collective::allreduce, "ring");
    signatures[1].protocol = Protocol::in_place;
    signatures[2].type = Type::i64;
    signatures[3].op = Operator::max;
    signatures[4].in_place = true;
    signatures[5].serial = true;
    signatures[6].shared_output = true;
    signatures[7].has_private_counts = true;
    signatures[8].element_bytes = 4;
    signatures[9].counts = 1;
    signatures[10].function = 1;
    signatures[11].types = CallSignature::Types::of(&typeid(int));
    signatures[12].splits = true;
    signatures[13].counts_at_root = true;
    return signatures;
}

} // namespace

TEST_CASE("a call signature survives being packed") {
    for (std::size_t row = 0; row < algorithm::registry().size(); ++row) {
        for (const Protocol protocol : {Protocol::zero_copy, Protocol::in_place, Protocol::eager}) {
            for (unsigned bits = 0; bits < 64; ++bits) {
                const CallSignature signature{.row = row,
                                              .protocol = protocol,
                                              .type = Type::other,
                                              .op = Operator::callable,
                                              .in_place = (bits & 1U) != 0,
                                              .serial = (bits & 2U) != 0,
                                              .shared_output = (bits & 4U) != 0,
                                              .has_private_counts = (bits & 8U) != 0,
                                              .counts_at_root = (bits & 32U) != 0,
                                              .splits = (bits & 16U) != 0,
                                              .root = 65'534,
                                              .bytes = ~std::uint64_t{0},
                                              .element_bytes = std::uint64_t{1} << 40U,
                                              .counts = 3,
                                              .function = 5,
                                              .types = CallSignature::Types::of(&typeid(CallSignature))};
                CHECK(CallSignature::unpacked(signature.packed()) == signature);
                CHECK(CallSignature::unpacked(signature.packed()).digests(8).digest ==
                      signature.digests(8).digest);
            }
        }
    }
}

TEST_CASE("signatures that differ in any field differ, and show it") {
    for (const CallSignature& signature : variations()) {
        CHECK_FALSE(signature == small());
        CHECK(signature.digests(8).digest != small().digests(8).digest);
        CHECK(signature.digests(8).fingerprint != small().digests(8).fingerprint);
    }
}

TEST_CASE("no two sizes of a message and no two roots have one print") {
    constexpr std::size_t longest_message = 4096;
    std::set<std::uint64_t> fingerprints;
    std::size_t made = 0;
    for (std::uint32_t root = 0; root < 64; ++root) {
        for (std::size_t bytes = 0; bytes <= longest_message; bytes += 1 + 31 * (root % 2)) {
            CallSignature signature = small();
            signature.root = root;
            signature.bytes = bytes;
            fingerprints.insert(signature.digests(bytes).fingerprint);
            ++made;
        }
    }
    CHECK(fingerprints.size() == made);
}

TEST_CASE("a call signature says what differs") {
    CallSignature signature{.row = row_of(Collective::broadcast, "flat"),
                            .protocol = Protocol::eager,
                            .type = Type::other,
                            .root = 2,
                            .bytes = 24,
                            .element_bytes = 12};
    CHECK(signature.describe() == "broadcast (algorithm flat) of 24 bytes of 12-byte elements, root 2");
    signature = small();
    signature.serial = signature.in_place = true;
    CHECK(signature.describe() ==
          "allreduce (algorithm flat) of 8 bytes of f64 with sum in order serial, in place or by value");
    signature.bytes = 16;
    CHECK(signature.describe() ==
          "allreduce (algorithm flat) of 16 bytes of f64 with sum in order serial, in place");
    signature.in_place = signature.serial = false;
    signature.op = Operator::callable;
    signature.types = CallSignature::Types::of(&typeid(std::vector<int>*));
    CHECK(signature.describe().find("with callable <int") != std::string::npos);
}
