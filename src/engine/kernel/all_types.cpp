#include <tutti/detail/kernels.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace tutti::v0_1::detail {

Builtin builtin_of(Type type) {
    static constexpr auto functions = []<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::array<Builtin, sizeof...(Index) + 1>{
            (TUTTI_TYPES >> Index & 1U) != 0 ? &builtin<static_cast<Type>(Index)> : nullptr...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(Type::other)>{});
    return functions[static_cast<std::size_t>(type)];
}

} // namespace tutti::v0_1::detail
