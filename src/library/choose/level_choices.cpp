// Written by `tutti model --level-choices`, whose output a test compares with this file.

#include "choose/select.hpp"

namespace tutti::library {

using enum Collective;

std::span<const LevelChoice> level_choices() {
    static constexpr LevelChoice choices[] = {
        {barrier, 0, "levels-exchange"},
        {broadcast, 131072, "levels-near"},
        {broadcast, 2097152, "levels-direct"},
        {broadcast, 8388608, ""},
        {reduce, 0, "levels-leaders"},
        {reduce, 2048, "levels-shares"},
        {reduce, 2097152, ""},
        {allreduce, 0, "levels-exchange"},
        {allreduce, 128, ""},
        {allreduce, 512, "levels-near"},
        {allreduce, 32768, "levels-direct"},
        {allreduce, 8388608, ""},
        {reduce_scatter, 8192, "levels-near"},
        {reduce_scatter, 524288, "levels-direct"},
        {reduce_scatter, 2097152, ""},
        {allgather, 8192, "levels-near"},
        {allgather, 2097152, "levels-direct"},
        {allgather, 8388608, ""},
        {gather, 0, "levels-leaders"},
        {gather, 128, ""},
        {scan, 0, "levels-leaders"},
        {scan, 128, ""},
        {scan, 512, "levels-leaders"},
        {scan, 2048, ""},
        {exscan, 0, "levels-leaders"},
        {exscan, 128, ""},
        {exscan, 512, "levels-leaders"},
        {exscan, 2048, ""},
    };
    return choices;
}

} // namespace tutti::library
