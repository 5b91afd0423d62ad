// The rest of the program, in C++11.
#include "collectives.h"

#if __cplusplus != 201103L
#error "this file is compiled with another standard than that of the project"
#endif

int main() {
    return sum_of_ranks(3) == 3.0 ? 0 : 1;
}
