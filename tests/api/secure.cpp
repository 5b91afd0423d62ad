// Prints what the library reports of a variable with a wrong value, if it believes the variable. Exits with
// 77 where the system gives this program no more rights than its user has.

#include <tutti/tutti.hpp>

#include <sys/auxv.h>

#include <cstring>

int main(int count, char** arguments) {
    const bool must_have_rights = count > 1 && std::strcmp(arguments[1], "secure") == 0;
    if (must_have_rights && getauxval(AT_SECURE) == 0) {
        return 77;
    }
    tutti::Team(2, {.placement = tutti::Placement::none}).run([](tutti::Member& me) { me.barrier(); });
    return 0;
}
