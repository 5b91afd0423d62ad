// The ways of calling of one process. A program whose ways are others has a file of its own for this one.

#include "way.hpp"

namespace tutti::test {

const std::vector<Way>& all_ways() {
    static const std::vector<Way> all = [] {
        std::vector<Way> ways{blocking_way,      nonblocking_way,  persistent_way,
                              async_way,         all_buffers_way,  c_blocking_way,
                              c_nonblocking_way, c_persistent_way, c_async_way};
#ifdef TUTTI_TESTS_FORTRAN
        ways.insert(ways.end(), {fortran_blocking_way, fortran_nonblocking_way, fortran_persistent_way,
                                 fortran_async_way});
#endif
        return ways;
    }();
    return all;
}

} // namespace tutti::test
