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
    explicit Memory(const Shape& shape) : is_shared_(shape.shared) {
        const auto members = static_cast<std::size_t>(shape.members);
        const tutti::test::Reference<Element> reference(shape.members, contribution, Fold());
        const bool is_divided = tutti::detail::traits_of(shape.collective).is_divided();
        const tutti::test::Shape made{.collective = shape.collective,
                                      .count = is_divided ? shape.elements / members : shape.elements,
                                      .in_place = shape.in_place,
                                      .root = shape.root};
        for (std::size_t rank = 0; rank < members; ++rank) {
            calls_.push_back(reference.vectors(rank, made, tutti::detail::Association::left));
        }
        for (auto& call : calls_) {
            vectors_.inputs.push_back(bytes_of(shape.in_place ? call.out : call.in));
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

/// Calls visit(shape) for every collective that has passes, among 1 to 5 members, in place and not, with a
/// shared result where there can be one, and every root or distance.
template <class Visit>
void for_shapes(Visit visit) {
    for (const Collective collective : tutti::detail::all_collectives) {
        for (const int members : {1, 2, 3, 5}) {
            for (const bool in_place : {false, true}) {
                const bool has_root = tutti::detail::traits_of(collective).takes_number();
                const bool can_share =
                    collective == Collective::allreduce || collective == Collective::allgather;
                Shape shape{.collective = collective,
                            .members = members,
                            .elements = 30 * 7,
                            .element_bytes = sizeof(Element),
                            .in_place = in_place || collective == Collective::broadcast};
                CAPTURE(to_string(collective));
                CAPTURE(members);
                CAPTURE(in_place);
                for (shape.root = 0; shape.root < (has_root ? members : 1) && has_passes(shape);
                     ++shape.root) {
                    visit(shape);
                }
                shape.root = 0;
                shape.shared = true;
                if (can_share && !in_place) {
                    visit(shape);
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

void carry_out_all(const Shape& shape, const Vectors& vectors, Direction direction) {
    const Fold fold;
    for (int rank = 0; rank < shape.members; ++rank) {
        for (const Pass& pass : passes_of(shape, rank, vectors, direction)) {
            execute(pass, folded(fold));
        }
    }
}

} // namespace

TEST_CASE("the passes of all members together are the collective, whoever copies") {
    int shapes = 0;
    for_shapes([&](const Shape& shape) {
        for (const Direction direction : {Direction::push, Direction::pull}) {
            const Memory memory(shape);
            carry_out_all(shape, memory.vectors(), direction);
            CHECK(memory.wrong() == 0);
        }
        ++shapes;
    });
    // Five collectives without a root and four with one in both ways of calling, alltoall and shift in one,
    // and two with a shared result. There are 4 numbers of members, together 11.
    CHECK(shapes == 5 * 2 * 4 + 4 * 2 * 11 + 4 + 11 + 2 * 4);
}

TEST_CASE("every member has a share of the work where it can be divided") {
    for_shapes([](const Shape& shape) {
        const Memory memory(shape);
        const bool is_moved =
            shape.collective == Collective::gather || shape.collective == Collective::scatter;
        for (int rank = 0; rank < shape.members && shape.members > 1; ++rank) {
            const auto passes = passes_of(shape, rank, memory.vectors(), Direction::push);
            CHECK(passes.empty() == (is_moved && shape.in_place && rank == shape.root));
        }
    });
}

TEST_CASE("blocks that do not come out even are shorter at the end, or empty") {
    for (const std::size_t elements : {1U, 3U, 7U, 8U}) {
        CAPTURE(elements);
        const Shape shape{.collective = Collective::allreduce,
                          .members = 5,
                          .elements = elements,
                          .element_bytes = sizeof(Element)};
        const Memory memory(shape);
        carry_out_all(shape, memory.vectors(), Direction::push);
        CHECK(memory.wrong() == 0);
    }
}

TEST_CASE("the whole call comes out in more slices than it has elements, the last one first") {
    for_shapes([&](const Shape& shape) {
        const Memory memory(shape);
        const Fold fold;
        const Work work{.passes = passes_of_all(shape, memory.vectors()), .elements = folded(fold)};
        for (std::size_t index = 1000; index-- > 0;) {
            carry_out_slice(work, index, 1000);
        }
        CHECK(memory.wrong() == 0);
    });
}
