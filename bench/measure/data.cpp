#include "measure/data.hpp"

#include "cache_line.hpp"
#include "measure/types.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::bench {

namespace {

std::uint64_t hash(std::uint64_t member, std::uint64_t index) {
    std::uint64_t mixed = (member + 1) * 0x9E3779B97F4A7C15U ^ (index + 1) * 0xC2B2AE3D27D4EB4FU;
    mixed = (mixed ^ mixed >> 31) * 0xD6E8FEB86659FD93U;
    return mixed ^ mixed >> 32;
}

/// One value of a member's contribution: such that any order of combining is exact.
template <class T>
T value_for(Operator op, std::uint64_t bits) {
    constexpr std::uint64_t small = 11;
    if constexpr (std::integral<T>) {
        const bool rarely = bits % 8 == 0;
        switch (op) {
        case Operator::land:
            return static_cast<T>(!rarely);
        case Operator::lor:
        case Operator::lxor:
            return static_cast<T>(rarely);
        case Operator::prod:
        case Operator::band:
        case Operator::bor:
        case Operator::bxor:
            return static_cast<T>(bits);
        default:
            return static_cast<T>(bits % small + 1);
        }
    } else if constexpr (std::floating_point<T> || detail::Half<T>) {
        constexpr float powers[] = {1, -1, 2, 0.5F};
        return static_cast<T>(op == Operator::prod ? powers[bits % 4] : static_cast<float>(bits % small + 1));
    } else {
        using Component = typename T::value_type;
        constexpr T roots[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        return op == Operator::prod ? roots[bits % 4]
                                    : T(static_cast<Component>(bits % small + 1),
                                        static_cast<Component>(bits / small % small + 1));
    }
}

template <class T>
std::vector<std::byte> to_bytes(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> values_of(int member, Operator op, std::size_t period) {
    std::vector<T> values(period);
    for (std::size_t i = 0; i < period; ++i) {
        values[i] = value_for<T>(op, hash(static_cast<std::uint64_t>(member), i));
    }
    return values;
}

/// The plain reference: the first `members` members in rank order, one element after the other. Numbers of 16
/// bits are rounded once.
template <class T>
std::vector<T> expected_of(const Problem& problem, int members, std::size_t period) {
    using Exact = std::conditional_t<detail::Half<T>, float, T>;
    return with_operator<Exact>(problem.op, [&](const auto& op) {
        std::vector<Exact> result = values_of<Exact>(0, problem.op, period);
        for (int member = 1; member < members; ++member) {
            const std::vector<Exact> values = values_of<Exact>(member, problem.op, period);
            for (std::size_t i = 0; i < period; ++i) {
                result[i] = op(result[i], values[i]);
            }
        }
        return std::vector<T>(result.begin(), result.end());
    });
}

/// A prime that does not divide the length of a block, so that exchanged blocks differ.
std::size_t period_for(std::size_t block_elements) {
    return block_elements % 251 == 0 && block_elements > 0 ? 241 : 251;
}

} // namespace

Tile::Tile(const std::vector<std::byte>& period, std::size_t element_bytes)
    : element_bytes_(element_bytes), period_(period.size() / element_bytes) {
    constexpr std::size_t stride_bytes = 8192;
    const std::size_t repetitions = std::max<std::size_t>(stride_bytes / period.size(), 1);
    stride_ = repetitions * period_;
    for (std::size_t i = 0; i <= repetitions; ++i) {
        repeated_.insert(repeated_.end(), period.begin(), period.end());
    }
}

void Tile::fill(std::byte* to, std::size_t count, std::size_t phase) const {
    const std::byte* const from = repeated_.data() + phase % period_ * element_bytes_;
    for (std::size_t done = 0; done < count; done += stride_) {
        std::memcpy(to + done * element_bytes_, from, std::min(stride_, count - done) * element_bytes_);
    }
}

std::size_t Tile::mismatches(const std::byte* from, std::size_t count, std::size_t phase, Type type) const {
    const std::byte* const expected = repeated_.data() + phase % period_ * element_bytes_;
    std::size_t wrong = 0;
    for (std::size_t done = 0; done < count; done += stride_) {
        const std::size_t length = std::min(stride_, count - done);
        const std::byte* const found = from + done * element_bytes_;
        if (std::memcmp(found, expected, length * element_bytes_) == 0) {
            continue;
        }
        wrong += with_type(type, [&]<class T>(std::type_identity<T>) {
            std::size_t different = 0;
            for (std::size_t i = 0; i < length; ++i) {
                T left;
                T right;
                std::memcpy(&left, found + i * sizeof(T), sizeof(T));
                std::memcpy(&right, expected + i * sizeof(T), sizeof(T));
                different += left == right ? 0U : 1U;
            }
            return different;
        });
    }
    return wrong;
}

template <class T>
void Data::expect_reduction() {
    const bool is_prefix = problem_.collective == Collective::scan;
    const bool is_prefix_before = problem_.collective == Collective::exscan;
    const int members = is_prefix ? rank_ + 1 : is_prefix_before ? rank_ : problem_.members;
    const bool scatters = problem_.collective == Collective::reduce_scatter;
    if (const std::size_t elements = problem_.output_elements(rank_); elements > 0) {
        tiles_.emplace_back(to_bytes(expected_of<T>(problem_, members, period_)), sizeof(T));
        expected_ = {{1, scatters ? problem_.block_offset(rank_) : 0, elements}};
    }
}

/// Everything that combines nothing: from whom the result's parts come, and where they lie in the source.
template <class T>
void Data::expect_blocks_of_others() {
    const auto expect = [&](int member, std::size_t offset, std::size_t elements) {
        tiles_.emplace_back(to_bytes(values_of<T>(member, Operator::bor, period_)), sizeof(T));
        expected_.push_back({tiles_.size() - 1, offset, elements});
    };
    const std::size_t block = problem_.block_elements();
    const std::size_t own_offset = problem_.block_offset(rank_);
    const std::size_t elements = problem_.output_elements(rank_);
    const detail::CollectiveTraits& traits = detail::traits_of(problem_.collective);
    if (traits.result == detail::Result::of_root) {
        return expect(Problem::root, traits.scatters() ? own_offset : 0, elements);
    }
    if (traits.result == detail::Result::of_neighbour) {
        return expect((rank_ + problem_.members - Problem::distance % problem_.members) % problem_.members, 0,
                      elements);
    }
    for (int member = 0; elements > 0 && member < problem_.members; ++member) {
        expect(member, traits.result == detail::Result::of_pair ? own_offset : 0, block);
    }
}

Data::Data(const Problem& problem, int rank)
    : problem_(problem), rank_(rank), period_(period_for(problem.block_elements())) {
    if (problem.elements == 0) {
        return;
    }
    with_type(problem.type, [&]<class T>(std::type_identity<T>) {
        const Operator op = problem.reduces() ? problem.op : Operator::bor;
        tiles_.emplace_back(to_bytes(values_of<T>(rank, op, period_)), sizeof(T));
        if (problem.reduces()) {
            expect_reduction<T>();
        } else {
            expect_blocks_of_others<T>();
        }
    });
}

std::size_t Data::phase(std::uint64_t salt, std::size_t offset) const {
    return (static_cast<std::size_t>(salt % period_) + offset) % period_;
}

std::byte* Data::own_part(std::byte* input) const {
    const bool amidst = problem_.collective == Collective::allgather && problem_.in_place;
    return input + (amidst ? problem_.block_offset(rank_) * problem_.element_bytes() : 0);
}

void Data::write_input(std::byte* input, std::uint64_t salt) const {
    if (problem_.elements != 0) {
        tiles_[0].fill(own_part(input), problem_.input_elements(rank_), phase(salt, 0));
    }
}

void Data::use(std::byte* input, const std::byte* output) const {
    read_output(output);
    // On little-endian processors the lowest byte of an element, which is 0 in small floating-point integers.
    volatile std::byte* const own = own_part(input);
    const std::size_t bytes = problem_.input_elements(rank_) * problem_.element_bytes();
    for (std::size_t at = 0; at < bytes; at += line_bytes) {
        own[at] = std::byte{0};
    }
}

void Data::spoil_output(std::byte* output) const {
    const bool is_others = problem_.shared && rank_ != 0;
    const bool is_input = problem_.in_place && problem_.input_elements(rank_) != 0;
    if (!is_input && !is_others) {
        std::memset(output, 0x7E, problem_.output_elements(rank_) * problem_.element_bytes());
    }
}

void Data::read_output(const std::byte* output) const {
    const std::size_t bytes = problem_.output_elements(rank_) * problem_.element_bytes();
    unsigned sum = 0;
    for (std::size_t at = 0; at < bytes; at += line_bytes) {
        sum += static_cast<unsigned>(output[at]);
    }
    [[maybe_unused]] volatile unsigned used = sum; // or the compiler would leave out the loop
}

std::size_t Data::wrong(const std::byte* result, std::uint64_t salt) const {
    std::size_t wrong = 0;
    for (const Piece& piece : expected_) {
        wrong +=
            tiles_[piece.tile].mismatches(result, piece.elements, phase(salt, piece.offset), problem_.type);
        result += piece.elements * problem_.element_bytes();
    }
    return wrong;
}

} // namespace tutti::bench
