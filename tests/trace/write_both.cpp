// Writes one timeline as JSON lines and as Perfetto's protobuf: write_both JSON PROTOBUF.

#include "record/timeline.hpp"

#include <fstream>
#include <vector>

using tutti::trace::SpanKind;

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const std::string operation = "allreduce (algorithm direct)";
    std::vector<tutti::trace::Timeline> timelines{
        {.name = "group 1 of 2 members",
         .lanes =
             {{.rank = 0,
               .thread = 4711,
               .spans = {{.begin_ns = 0,
                          .end_ns = 3'000'000'000,
                          .name = operation,
                          .bytes = 1U << 30U,
                          .number = 1},
                         {.begin_ns = 0, .end_ns = 200, .kind = SpanKind::step, .name = "enter", .number = 1},
                         {.begin_ns = 200,
                          .end_ns = 3'000'000'000,
                          .kind = SpanKind::step,
                          .name = "copy",
                          .peer = 1,
                          .bytes = 300,
                          .number = 1},
                         {.begin_ns = 210,
                          .end_ns = 215,
                          .kind = SpanKind::wait,
                          .name = "wait",
                          .peer = 1,
                          .number = 1},
                         {.begin_ns = 215,
                          .end_ns = 3'000'000'000,
                          .kind = SpanKind::wait,
                          .name = "wait",
                          .peer = 1,
                          .number = 1},
                         {.begin_ns = 3'000'000'000,
                          .end_ns = 3'000'000'001,
                          .name = operation,
                          .bytes = 8,
                          .number = 2}}},
              {.rank = 1,
               .spans =
                   {{.begin_ns = 77, .end_ns = 78, .name = operation, .bytes = 8, .number = 128},
                    // A clock may not have gone on between two looks.
                    {.begin_ns = 80, .end_ns = 80, .name = operation, .bytes = 8, .number = 129},
                    {.begin_ns = 80, .end_ns = 80, .kind = SpanKind::step, .name = "await", .number = 129},
                    {.begin_ns = 80,
                     .end_ns = 80,
                     .kind = SpanKind::wait,
                     .name = "wait",
                     .peer = 0,
                     .number = 129}}}}},
        {.name = "group 3 of 1 members",
         .lanes =
             {{.rank = 0,
               .spans = {{.begin_ns = 5,
                          .end_ns = 20,
                          .kind = SpanKind::wait,
                          .name = std::string(tutti::trace::request_wait),
                          .number = 1}},
               // The first and the third fit in one row, the others overlap both.
               .flights =
                   {{.begin_ns = 1, .end_ns = 10, .kind = SpanKind::started, .name = operation, .number = 1},
                    {.begin_ns = 2, .end_ns = 30, .kind = SpanKind::prepared, .name = operation, .number = 1},
                    {.begin_ns = 10, .end_ns = 40, .kind = SpanKind::started, .name = operation, .number = 2},
                    {.begin_ns = 12,
                     .end_ns = 13,
                     .kind = SpanKind::started,
                     .name = operation,
                     .number = 3}}}}},
        {.name = "group 2 of 70000 members", .lanes = {{.rank = 65534}}}};
    std::ofstream json(argv[1]);
    json << tutti::trace::json_lines(timelines);
    std::ofstream(argv[2], std::ios::binary) << tutti::trace::perfetto(timelines);
    return 0;
}
