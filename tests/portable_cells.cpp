// The main() of tests whose mailbox stores a word and its tag one after the other, as on a processor that
// does not promise more.
#define DOCTEST_CONFIG_IMPLEMENT
#include "mailbox/slot.hpp"

#include <doctest/doctest.h>

int main(int argc, char** argv) {
    tutti::mailbox::stores_are_wide = false;
    return doctest::Context(argc, argv).run();
}
