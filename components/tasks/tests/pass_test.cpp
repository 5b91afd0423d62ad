#include "tasks/src/pass/pass.hpp"
#include "tests/reference/reference.hpp"
#include "tests/test.hpp"

#include <tutti/detail/template_loops.hpp>

using namespace tutti::pass;
using tutti::Collective;

namespace {

using Element = std::int64_t;

/// Neither commutative nor associative: only in rank order and from the left does the right result come out.
struct Fold {
    Element operator()(Element left, Element right) const { return left * 31 + right; }
};

Element contribution(std::size_t member, std::size_t index) {
    return static_cast<Element>(1000 * (member + 1) + index);
}

std::byte* bytes_of(std::vector<Element>& elements) {
    return reinterpret_cast<std::byte*>(elements.data());
}

/// The vectors of all members, and what the collective must leave in them.
class Memory {
public:
    explicit Memory(const Layout& layout) : is_shared_(layout.call.shared_output) {
        const auto members = static_cast<std::size_t>(layout.members);
        const tutti::test::Reference<Element> reference(layout.members, contribution, Fold());
        const bool is_divided = tutti::detail::traits_of(layout.call.collective).is_divided();
        const tutti::test::Shape made{.collective = layout.call.collective,
                                      .count = is_divided ? layout.elements / members : layout.elements,
                                      .in_place = layout.call.in_place,
                                      .root = layout.root};
        for (std::size_t rank = 0; rank < members; ++rank) {
            calls_.push_back(reference.vectors(rank, made, tutti::detail::Association::left));
        }
        for (auto& call : calls_) {
            vectors_.inputs.push_back(bytes_of(layout.call.in_place ? call.out : call.in));
            vectors_.outputs.push_back(bytes_of(calls_[is_shared_ ? 0 : call.rank].out));
        }
    }

    const Vectors& vectors() const { return vectors_; }

    /// Elements of all outputs that are not what the collective says.
    std::size_t wrong() const {
        std::size_t wrong = 0;
        for (const auto& call : calls_) {
            const std::vector<Element>& out = calls_[is_shared_ ? 0 : call.rank].out;
            for (std::size_t i = 0; i < out.size(); ++i) {
                wrong += out[i] == call.expected[i] ? 0U : 1U;
            }
        }
        return wrong;
    }

private:
    bool is_shared_;
    std::vector<tutti::test::Vectors<Element>> calls_;
    Vectors vectors_;
};

/// Calls visit(layout) for every collective that has passes, among 1 to 5 members, in place and not, with a
/// shared result where there can be one, and every root or distance.
template <class Visit>
void for_layouts(Visit visit) {
    for (const Collective collective : tutti::detail::all_collectives) {
        for (const int members : {1, 2, 3, 5}) {
            for (const bool in_place : {false, true}) {
                const bool has_root = tutti::detail::traits_of(collective).takes_number();
                const bool can_share =
                    collective == Collective::allreduce || collective == Collective::allgather;
                Layout layout{.call = {.collective = collective,
                                       .in_place = in_place || collective == Collective::broadcast,
                                       .element_bytes = sizeof(Element)},
                              .members = members,
                              .elements = 30 * 7};
                CAPTURE(to_string(collective));
                CAPTURE(members);
                CAPTURE(in_place);
                for (layout.root = 0; layout.root < (has_root ? members : 1) && has_passes(layout);
                     ++layout.root) {
                    visit(layout);
                }
                layout.root = 0;
                layout.call.shared_output = true;
                if (can_share && !in_place) {
                    visit(layout);
                }
            }
        }
    }
}

tutti::pass::Elements folded(const Fold& fold) {
    return {.bytes = sizeof(Element),
            .kernels = &tutti::detail::TemplateLoops<Element, Fold>::kernels,
            .state = &fold,
            .association = tutti::detail::Association::left};
}

void carry_out_all(const Layout& layout, const Vectors& vectors, Direction direction) {
    const Fold fold;
    for (int rank = 0; rank < layout.members; ++rank) {
        for (const Pass& pass : passes_of(layout, rank, vectors, direction)) {
            execute(pass, folded(fold));
        }
    }
}

} // namespace

TEST_CASE("the passes of all members together are the collective, whoever copies") {
    int layouts = 0;
    for_layouts([&](const Layout& layout) {
        for (const Direction direction : {Direction::push, Direction::pull}) {
            const Memory memory(layout);
            carry_out_all(layout, memory.vectors(), direction);
            CHECK(memory.wrong() == 0);
        }
        ++layouts;
    });
    // Five collectives without a root and four with one in both ways of calling, alltoall and shift in one,
    // and two with a shared result. There are 4 numbers of members, together 11.
    CHECK(layouts == 5 * 2 * 4 + 4 * 2 * 11 + 4 + 11 + 2 * 4);
}

TEST_CASE("every member has a share of the work where it can be divided") {
    for_layouts([](const Layout& layout) {
        const Memory memory(layout);
        const bool is_moved =
            layout.call.collective == Collective::gather || layout.call.collective == Collective::scatter;
        for (int rank = 0; rank < layout.members && layout.members > 1; ++rank) {
            const auto passes = passes_of(layout, rank, memory.vectors(), Direction::push);
            CHECK(passes.empty() == (is_moved && layout.call.in_place && rank == layout.root));
        }
    });
}

TEST_CASE("blocks that do not come out even are shorter at the end, or empty") {
    for (const std::size_t elements : {1U, 3U, 7U, 8U}) {
        CAPTURE(elements);
        const Layout layout{.call = {.collective = Collective::allreduce, .element_bytes = sizeof(Element)},
                            .members = 5,
                            .elements = elements};
        const Memory memory(layout);
        carry_out_all(layout, memory.vectors(), Direction::push);
        CHECK(memory.wrong() == 0);
    }
}

TEST_CASE("the whole call comes out in more slices than it has elements, the last one first") {
    for_layouts([&](const Layout& layout) {
        const Memory memory(layout);
        const Fold fold;
        const Work work{.passes = passes_of_all(layout, memory.vectors()), .elements = folded(fold)};
        for (std::size_t index = 1000; index-- > 0;) {
            carry_out_slice(work, index, 1000);
        }
        CHECK(memory.wrong() == 0);
    });
}
