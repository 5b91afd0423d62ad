#include "../../test.hpp"
#include "measure/problem.hpp"

using namespace tutti::bench;
using tutti::Collective;
using tutti::Operator;
using tutti::Type;

TEST_CASE("problems have whole elements and, where there are blocks, whole blocks") {
    const Problem tiny = make_problem(Collective::allreduce, Type::f64, Operator::sum, 8, 1, false);
    CHECK(tiny.bytes() == 8);
    const Problem scattered = make_problem(Collective::reduce_scatter, Type::f64, Operator::sum, 8, 8, false);
    CHECK(scattered.bytes() == 64);
    CHECK(scattered.input_elements(3) == 8);
    CHECK(scattered.output_elements(3) == 1);
    const Problem gathered = make_problem(Collective::allgather, Type::i32, Operator::sum, 3, 100, false);
    CHECK(gathered.bytes() == 96);
    CHECK(gathered.input_elements(1) == 8);
    CHECK(gathered.output_elements(1) == 24);
    CHECK(make_problem(Collective::barrier, Type::f64, Operator::sum, 3, 100, false).bytes() == 0);
}

TEST_CASE("names are taken as others write them") {
    for (const char* name : {"reduce_scatter", "reduce-scatter", "ReduceScatter", "Reduce_Scatter"}) {
        CHECK(parse_collective(name) == Collective::reduce_scatter);
    }
    CHECK(parse_collective("all_reduce") == Collective::allreduce);
    CHECK(parse_collective("all-to-all") == Collective::alltoall);
    CHECK(parse_collective("bcast") == Collective::broadcast);
    CHECK(parse_type("double") == Type::f64);
    CHECK(parse_type("float") == Type::f32);
    CHECK(parse_type("int") == Type::i32);
    CHECK(parse_type("uint8") == Type::u8);
    CHECK(parse_operator("SUM") == Operator::sum);
}

TEST_CASE("names are read back, and unknown ones are answered with those there are") {
    CHECK(parse_type("complex64") == Type::complex64);
    CHECK(parse_operator("bxor") == Operator::bxor);
    CHECK(parse_collective("allgather") == Collective::allgather);
    CHECK_THROWS_WITH_AS(
        parse_collective("gossip"),
        "\"gossip\" is no collective; there are: barrier, broadcast, reduce, allreduce, reduce_scatter, "
        "allgather, gather, scatter, alltoall, scan, exscan, shift",
        std::invalid_argument);
    CHECK_THROWS_AS(parse_type("other"), std::invalid_argument);
    CHECK_THROWS_AS(parse_operator("callable"), std::invalid_argument);
    CHECK_NOTHROW(check_operator(Type::u8, Operator::band));
    CHECK_THROWS_AS(check_operator(Type::complex128, Operator::min), std::invalid_argument);
    CHECK_THROWS_AS(check_operator(Type::f64, Operator::band), std::invalid_argument);
}
