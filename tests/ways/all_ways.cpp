// The ways of calling of one process. A program whose ways are others has a file of its own for this one.

#include "way.hpp"

namespace tutti::test {

const std::vector<Way>& all_ways() {
    static const std::vector<Way> all{blocking_way,      nonblocking_way,   persistent_way,
                                      async_way,         single_caller_way, c_blocking_way,
                                      c_nonblocking_way, c_persistent_way,  c_async_way};
    return all;
}

} // namespace tutti::test
