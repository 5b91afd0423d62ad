// Whether the library believes a variable that names nonsense: exits with 0 if it does not, with 1 if it
// does, and with 77 where the system gives this program no more rights than its user has.

#include <tutti/tutti.hpp>

#include <sys/auxv.h>

#include <cstdio>
#include <cstring>

int main(int count, char** arguments) {
    const bool must_have_rights = count > 1 && std::strcmp(arguments[1], "secure") == 0;
    if (must_have_rights && getauxval(AT_SECURE) == 0) {
        return 77;
    }
    try {
        tutti::Team({.members = 2, .placement = "none"}).run([](tutti::Member& me) { me.barrier(); });
    } catch (const tutti::Error& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
