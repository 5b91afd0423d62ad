#include "measure/data.hpp"
#include "measure/types.hpp"
#include "tests/test.hpp"

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

namespace {

using Vectors = std::vector<std::vector<std::byte>>;

Vectors inputs_of(const Problem& problem, std::uint64_t salt) {
    Vectors inputs;
    for (int rank = 0; rank < problem.members; ++rank) {
        inputs.emplace_back(problem.input_elements(rank) * problem.element_bytes());
        Data(problem, rank).write_input(inputs.back().data(), salt);
    }
    return inputs;
}

/// The results of a reduction that combines the ranks in the given order.
template <class T>
Vectors reduce(const Problem& problem, const Vectors& inputs, bool backwards) {
    std::vector<T> sum(problem.elements);
    std::vector<T> next(problem.elements);
    for (int i = 0; i < problem.members; ++i) {
        const int rank = backwards ? problem.members - 1 - i : i;
        std::memcpy(next.data(), inputs[static_cast<std::size_t>(rank)].data(), problem.bytes());
        with_operator<T>(problem.op, [&](const auto& op) {
            for (std::size_t at = 0; at < next.size(); ++at) {
                sum[at] = i == 0 ? next[at] : op(sum[at], next[at]);
            }
        });
    }
    Vectors outputs;
    for (int rank = 0; rank < problem.members; ++rank) {
        const bool scatters = problem.collective == Collective::reduce_scatter;
        const std::size_t first = scatters ? static_cast<std::size_t>(rank) * problem.block_elements() : 0;
        outputs.emplace_back(problem.output_elements(rank) * sizeof(T));
        std::memcpy(outputs.back().data(), sum.data() + first, outputs.back().size());
    }
    return outputs;
}

std::size_t wrong(const Problem& problem, const Vectors& outputs, std::uint64_t salt) {
    std::size_t count = 0;
    for (int rank = 0; rank < problem.members; ++rank) {
        count += Data(problem, rank).wrong(outputs[static_cast<std::size_t>(rank)].data(), salt);
    }
    return count;
}

} // namespace

TEST_CASE("right results are right in whatever order they are combined, for every type and operator") {
    int pairs = 0;
    for (int type_code = 0; type_code < static_cast<int>(Type::other); ++type_code) {
        for (int op_code = 0; op_code < static_cast<int>(Operator::callable); ++op_code) {
            const auto type = static_cast<Type>(type_code);
            const auto op = static_cast<Operator>(op_code);
            if (!tutti::test::message_of([&] { check_operator(type, op); }).empty()) {
                continue;
            }
            ++pairs;
            CAPTURE(to_string(type));
            CAPTURE(to_string(op));
            for (const Collective collective : {Collective::allreduce, Collective::reduce_scatter}) {
                const Problem problem = make_problem(collective, type, op, 7, 7 * 16 * 83, false);
                const Vectors inputs = inputs_of(problem, 5);
                with_type(type, [&]<class T>(std::type_identity<T>) {
                    CHECK(wrong(problem, reduce<T>(problem, inputs, false), 5) == 0);
                    CHECK(wrong(problem, reduce<T>(problem, inputs, true), 5) == 0);
                    CHECK(wrong(problem, reduce<T>(problem, inputs, false), 6) >
                          0); // left over from another repetition
                });
            }
        }
    }
    CHECK(pairs == 8 * 10 + 4 * 4 + 2 * 2);
}

TEST_CASE("each wrong element is counted, and a member that came in twice shows") {
    const Problem problem = make_problem(Collective::allreduce, Type::i32, Operator::sum, 4, 100'000, false);
    Vectors inputs = inputs_of(problem, 9);
    Vectors outputs = reduce<std::int32_t>(problem, inputs, false);
    CHECK(wrong(problem, outputs, 9) == 0);
    outputs[1][4 * 17] ^= std::byte{1};
    outputs[3].back() ^= std::byte{1};
    CHECK(wrong(problem, outputs, 9) == 2);
    inputs[2] = inputs[1];
    CHECK(wrong(problem, reduce<std::int32_t>(problem, inputs, false), 9) > 0);
}

TEST_CASE("exchanged blocks show, whatever their length") {
    for (const std::size_t block : {1U, 8U, 64U, 241U, 251U, 502U, 4096U}) {
        CAPTURE(block);
        const Problem problem =
            make_problem(Collective::allgather, Type::f32, Operator::sum, 3, 3 * 4 * block, false);
        const Vectors inputs = inputs_of(problem, 2);
        const auto gathered = [&](std::size_t first, std::size_t second) {
            std::vector<std::byte> whole = inputs[first];
            whole.insert(whole.end(), inputs[second].begin(), inputs[second].end());
            whole.insert(whole.end(), inputs[2].begin(), inputs[2].end());
            return whole;
        };
        CHECK(Data(problem, 0).wrong(gathered(0, 1).data(), 2) == 0);
        const Problem reduction =
            make_problem(Collective::allreduce, Type::f32, Operator::max, 2, 2 * 4 * block, false);
        Vectors outputs = reduce<float>(reduction, inputs_of(reduction, 2), false);
        CHECK(wrong(reduction, outputs, 2) == 0);
        if (block > 8) {
            CHECK(Data(problem, 0).wrong(gathered(1, 0).data(), 2) > 0);
            std::rotate(outputs[0].begin(), outputs[0].begin() + static_cast<std::ptrdiff_t>(4 * block),
                        outputs[0].end());
            CHECK(wrong(reduction, outputs, 2) > 0);
        }
    }
}

TEST_CASE("an output that nobody writes is wrong") {
    const Problem problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, 4096, false);
    const Data data(problem, 0);
    std::vector<std::byte> output(problem.bytes());
    data.spoil_output(output.data());
    CHECK(data.wrong(output.data(), 3) == problem.elements);
}

TEST_CASE("to use a buffer is to write each line of a member's own contribution, which it hardly changes") {
    const Problem problem = make_problem(Collective::allreduce, Type::f64, Operator::sum, 2, 4096, false);
    Vectors inputs = inputs_of(problem, 3);
    const Vectors before = inputs;
    Data(problem, 0).use(inputs[0].data(), inputs[0].data());
    CHECK(inputs == before); // small integers have no bits where it writes
    inputs[0].assign(4096, std::byte{1});
    Data(problem, 0).use(inputs[0].data(), inputs[0].data());
    CHECK(std::ranges::count(inputs[0], std::byte{0}) == 64);
    const Problem gather = make_problem(Collective::allgather, Type::f64, Operator::sum, 2, 4096, true);
    std::vector<std::byte> whole(4096, std::byte{1});
    Data(gather, 1).use(whole.data(), whole.data());
    CHECK(std::ranges::find(whole, std::byte{0}) == whole.begin() + 2048);
}

TEST_CASE("in place, an allgather's contribution lies where it will be gathered") {
    const Problem problem = make_problem(Collective::allgather, Type::u16, Operator::sum, 3, 600, true);
    std::vector<std::byte> whole(problem.bytes());
    for (int rank = 0; rank < 3; ++rank) {
        Data(problem, rank).write_input(whole.data(), 4);
    }
    CHECK(Data(problem, 1).wrong(whole.data(), 4) == 0);
}
