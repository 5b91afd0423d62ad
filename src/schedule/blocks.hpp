#pragma once

namespace tutti::schedule {

/// A cyclic range of blocks: first, first + 1, ..., first + count - 1, each modulo the number of blocks.
struct Blocks {
    int first = 0;
    int count = 0;

    friend bool operator==(const Blocks&, const Blocks&) = default;
};

/// How the members of a schedule resemble each other.
///
/// With `rotation`, the program of member r is the program of member 0 with r added to every member (mod
/// ranks) and, where there are as many blocks as ranks, to every block. One stored program then stands for
/// all, and whatever is derived or proved for member 0 holds for every member by renaming. With `none`, every
/// member has a program of its own.
enum class Symmetry { none, rotation };

/// value mod modulus, in 0..modulus-1 for negative values too.
constexpr int wrap(int value, int modulus) {
    const int rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

/// The renaming that takes the stored program of a representative to a member's own program.
struct Rotation {
    int ranks = 1;
    int blocks = 1;
    int by = 0;

    int member(int rank) const { return wrap(rank + by, ranks); }
    int block(int index) const { return blocks == ranks ? wrap(index + by, blocks) : index; }
    Blocks range(Blocks range) const { return {block(range.first), range.count}; }
};

} // namespace tutti::schedule
