#include "../test.hpp"

#include <tutti/collective.hpp>
#include <tutti/counts.hpp>
#include <tutti/detail/call.hpp>
#include <tutti/options.hpp>

namespace {

// The interfaces for C and Fortran and the pages are written by hand, so that they can be read and searched.
// Their collectives must be those of the table: a test that fails shows the lines to write.

using namespace tutti;
using detail::CollectiveTraits;

std::string text_of(const char* file) {
    std::ifstream in(std::string(TUTTI_SOURCE) + "/" + file);
    std::ostringstream text;
    text << in.rdbuf();
    REQUIRE(!text.str().empty());
    return text.str();
}

/// With one blank for each run of blanks and line ends.
std::string on_one_line(const std::string& text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

bool has_vectors(const CollectiveTraits& traits) {
    return traits.result != detail::Result::nothing;
}

bool has_one_vector(const CollectiveTraits& traits) {
    return traits.in_place == detail::OneVector::always;
}

/// The names of the functions of tutti.h that are collectives, regular and irregular, or make a group.
std::vector<std::string> c_calls(const std::string& header) {
    std::vector<std::string> names;
    for (const CollectiveTraits& traits : detail::collective_table) {
        names.push_back("tutti_" + std::string(traits.name));
        if (traits.irregular != detail::Irregular::no) {
            names.push_back(names.back() + "v");
        }
    }
    const std::string function = "TUTTI_API tutti_status ";
    for (auto at = header.find(function); at != std::string::npos; at = header.find(function, at + 1)) {
        const std::string prototype = header.substr(at, header.find(';', at) - at);
        const auto arguments = prototype.find("(tutti_member me,");
        if (arguments != std::string::npos && prototype.find("tutti_member* ") != std::string::npos) {
            names.push_back(prototype.substr(function.size(), arguments - function.size()));
        }
    }
    return names;
}

std::string c_prototype(const CollectiveTraits& traits) {
    std::string text = "TUTTI_API tutti_status tutti_" + std::string(traits.name) + "(tutti_member me";
    if (has_vectors(traits)) {
        text += has_one_vector(traits) ? "" : std::string(", const void* ") + traits.input_name();
        text += std::string(", void* ") + traits.output_name() + ", size_t n, tutti_type type";
    }
    text += traits.reduces() ? ", tutti_op op" : "";
    text += traits.takes_number() ? ", int " + std::string(traits.number_name()) : "";
    return text + ");";
}

/// The dummy arguments of the procedure in Fortran, without the last.
std::string fortran_arguments(const CollectiveTraits& traits) {
    std::string text = "me";
    if (has_vectors(traits)) {
        text += has_one_vector(traits) ? "" : std::string(", ") + traits.input_name();
        text += std::string(", ") + traits.output_name();
    }
    text += traits.reduces() ? ", op" : "";
    return text + (traits.takes_number() ? ", " + std::string(traits.number_name()) : "");
}

std::string words_of(const detail::Parts& parts) {
    constexpr const char* names[] = {"nothing", "its block", "whole"};
    const std::string others = names[static_cast<int>(parts.others)];
    return parts.root == parts.others ? others : "root: " + std::string(names[static_cast<int>(parts.root)]);
}

std::string row_of_page(const CollectiveTraits& traits) {
    constexpr const char* results[] = {"",
                                       "the root's",
                                       "from the rank of the same number",
                                       "from the rank of the same number, for the receiver",
                                       "from the rank `distance` before the receiver, modulo p",
                                       "the operands of all ranks, combined",
                                       "the operands of rank 0 to the receiver, combined",
                                       "the operands of the ranks before the receiver, combined"};
    constexpr const char* in_place[] = {"", "possible", "always"};
    constexpr const char* irregular[] = {"", "counts", "counts, displacements"};
    return "| `" + std::string(traits.name) + "` | " + std::string(traits.number_name()) + " | " +
           words_of(traits.input) + " | " + words_of(traits.output) + " | " +
           results[static_cast<int>(traits.result)] + " | " + in_place[static_cast<int>(traits.in_place)] +
           " | " + irregular[static_cast<int>(traits.irregular)] + " |\n";
}

/// Whether `text` has what is written of every collective, once.
template <class Write>
void check_all(const std::string& text, Write write) {
    for (const CollectiveTraits& traits : detail::collective_table) {
        const std::string written = write(traits);
        INFO("missing, or there more than once:\n", written);
        const std::size_t first = text.find(written);
        CHECK(first != std::string::npos);
        CHECK(text.find(written, first + 1) == std::string::npos);
    }
}

TEST_CASE("functions of C take what the table says") {
    check_all(on_one_line(text_of("components/c/include/tutti/tutti.h")), c_prototype);
}

TEST_CASE("functions of C that members call together have a macro that passes the line") {
    const std::string header = on_one_line(text_of("components/c/include/tutti/tutti.h"));
    const std::vector<std::string> names = c_calls(header);
    CHECK(names.size() > detail::collective_count + 4);
    for (const std::string& name : names) {
        const bool alone = name == "tutti_barrier"; // which has no other argument
        const std::string macro =
            alone ? "#define tutti_barrier(...) tutti_barrier(tutti_at(__VA_ARGS__, __FILE__, __LINE__)) "
                  : "#define " + name + "(me, ...) " + name +
                        "(tutti_at(me, __FILE__, __LINE__), __VA_ARGS__) ";
        INFO("missing: ", macro);
        CHECK(header.find("TUTTI_API tutti_status " + name + "(tutti_member me") != std::string::npos);
        CHECK(header.find(macro) != std::string::npos);
    }
}

TEST_CASE("procedures of Fortran take what the table says") {
    const std::string types =
        text_of("components/fortran/src/module.cmake"); // which makes them from the page
    for (const char* const type : {"\"me: type(tutti_member), value\"",
                                   "\"in: type(*), dimension(..), intent(in), asynchronous, target\"",
                                   "\"out inout block: type(*), dimension(..), asynchronous, target\"",
                                   "\"op: integer(c_int64_t), value\"", " root distance "}) {
        CAPTURE(type);
        CHECK(types.find(type) != std::string::npos);
    }
    check_all(text_of("docs/fortran.md"), [](const CollectiveTraits& traits) {
        return "| `tutti_" + std::string(traits.name) + "(" + fortran_arguments(traits) + " [, ierr])` |";
    });
}

TEST_CASE("the page of the collectives says what the table says") {
    check_all(text_of("docs/collectives.md"), row_of_page);
}

TEST_CASE("results that need all members depend on all inputs") {
    constexpr int members = 5;
    for (const CollectiveTraits& traits : detail::collective_table) {
        CAPTURE(traits.name);
        for (int rank = 0; has_vectors(traits) && rank < members; ++rank) {
            unsigned seen = 0;
            for (int block = 0; block < static_cast<int>(traits.blocks(members)); ++block) {
                const detail::Origin origin = traits.origin(rank, block, members, 1);
                for (int member = origin.first; member < origin.first + origin.count; ++member) {
                    seen |= 1U << static_cast<unsigned>(member);
                }
            }
            const bool has_result = traits.output.of(rank == 1) != detail::Part::none;
            CHECK((!traits.needs_all || (has_result && seen == (1U << members) - 1)));
        }
    }
}

TEST_CASE("the fast path of docs/collectives.md: which calls are recognised by one comparison of 64 bits") {
    using detail::Call;
    const std::array<std::size_t, 2> numbers{4, 4};
    const Counts::View counts = Counts(std::span(numbers));
    const detail::Kernels own_operator{};
    const Call allreduce{.collective = Collective::allreduce,
                         .type = Type::f64,
                         .op = Operator::sum,
                         .input_count = 8,
                         .output_count = 8};
    constexpr std::size_t too_long = std::size_t{1} << 21;
    const std::function<void(Call&)> recognised[] = {
        [](Call&) {}, [&](Call& call) { call.input_count = call.output_count = too_long - 1; },
        [](Call& call) { call.collective = Collective::broadcast, call.in_place = true, call.root = 255; }};
    const std::function<void(Call&)> others[] = {
        [&](Call& call) { call.input_count = call.output_count = too_long; },
        [](Call& call) { call.collective = Collective::broadcast, call.in_place = true, call.root = 256; },
        [](Call& call) { call.type = Type::other; },
        [&](Call& call) { call.kernels = &own_operator; },
        [](Call& call) { call.algorithm = "circulant"; },
        [](Call& call) { call.order = Order::serial; },
        [](Call& call) { call.timeout = std::chrono::milliseconds(1); },
        [](Call& call) { call.shared_output = true; },
        [&](Call& call) { call.counts = &counts; }};
    const auto has_key = [&](const auto& change) {
        Call call = allreduce;
        change(call);
        return detail::key_of(call) != 0;
    };
    CHECK(std::ranges::all_of(recognised, has_key));
    for (std::size_t i = 0; i < std::size(others); ++i) {
        CAPTURE(i);
        CHECK(!has_key(others[i]));
    }
}

} // namespace
