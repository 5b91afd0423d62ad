// Writes one timeline as JSON lines and as Perfetto's protobuf: write_both JSON PROTOBUF.

#include "record/timeline.hpp"

#include <fstream>
#include <vector>

using tutti::trace::Span;
using tutti::trace::SpanKind;

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const std::string operation = "allreduce (algorithm direct)";
    constexpr std::int64_t late = 3'000'000'000;
    const auto whole = [&](std::int64_t begin, std::int64_t end, std::size_t bytes, std::uint64_t number) {
        return Span{begin, end, SpanKind::operation, operation, -1, bytes, number};
    };
    const std::vector<Span> first{whole(0, late, 1U << 30U, 1),
                                  {0, 200, SpanKind::step, "enter", -1, 0, 1},
                                  {200, late, SpanKind::step, "copy", 1, 300, 1},
                                  {210, 215, SpanKind::wait, "wait", 1, 0, 1},
                                  {215, late, SpanKind::wait, "wait", 1, 0, 1},
                                  whole(late, late + 1, 8, 2)};
    const std::vector<Span> second{whole(77, 78, 8, 128),
                                   // A clock may not have gone on between two looks.
                                   whole(80, 80, 8, 129),
                                   {80, 80, SpanKind::step, "await", -1, 0, 129},
                                   {80, 80, SpanKind::wait, "wait", 0, 0, 129}};
    // The first and the third fit in one row, the others overlap both.
    const std::vector<Span> flights{{1, 10, SpanKind::started, operation, -1, 0, 1},
                                    {2, 30, SpanKind::prepared, operation, -1, 0, 1},
                                    {10, 40, SpanKind::started, operation, -1, 0, 2},
                                    {12, 13, SpanKind::started, operation, -1, 0, 3}};
    const Span wait{5, 20, SpanKind::wait, std::string(tutti::trace::request_wait), -1, 0, 1};
    const std::vector<tutti::trace::Timeline> timelines{
        {.name = "group 1 of 2 members",
         .lanes = {{.rank = 0, .thread = 4711, .spans = first}, {.rank = 1, .spans = second}}},
        {.name = "group 3 of 1 members", .lanes = {{.rank = 0, .spans = {wait}, .flights = flights}}},
        {.name = "group 2 of 70000 members", .lanes = {{.rank = 65534}}}};
    std::ofstream json(argv[1]);
    json << tutti::trace::json_lines(timelines);
    std::ofstream(argv[2], std::ios::binary) << tutti::trace::perfetto(timelines);
    return 0;
}
