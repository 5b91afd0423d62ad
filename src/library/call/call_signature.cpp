#include "call/call_signature.hpp"

#include "algorithm/registry.hpp"
#include "atomic.hpp"
#include "call/plans.hpp"
#include "machine/process.hpp"
#include "mixed.hpp"
#include "plan/plan.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <functional>

namespace tutti::library {

namespace {

using detail::BitField;

/// The fields of the first packed word.
constexpr BitField op_field{0, 4};
constexpr BitField type_field{op_field.end(), 4};
constexpr BitField protocol_field{type_field.end(), 2};
constexpr BitField in_place_field{protocol_field.end(), 1};
constexpr BitField serial_field{in_place_field.end(), 1};
constexpr BitField shared_output_field{serial_field.end(), 1};
constexpr BitField by_counts_field{shared_output_field.end(), 1};
constexpr BitField splits_field{by_counts_field.end(), 1};
constexpr BitField counts_at_root_field{splits_field.end(), 1};
constexpr BitField in_passes_field{counts_at_root_field.end(), 1};
constexpr BitField row_field{in_passes_field.end(), 12};
constexpr BitField root_field{row_field.end(), 32};
static_assert(op_field.holds(static_cast<std::uint64_t>(Operator::callable)));
static_assert(type_field.holds(static_cast<std::uint64_t>(Type::other)));
static_assert(protocol_field.holds(static_cast<std::uint64_t>(schedule::Protocol::eager)));
static_assert(row_field.holds(algorithm::most_rows - 1));
static_assert(root_field.holds(plan::most_members - 1));
static_assert(root_field.end() <= 64);

/// A row of each collective, to name it by.
std::size_t row_of(Collective collective) {
    static const auto rows = [] {
        std::array<std::size_t, detail::collective_count> first{};
        for (std::size_t row = algorithm::registry().size(); row-- > 0;) {
            first[static_cast<std::size_t>(algorithm::registry()[row].collective)] = row;
        }
        return first;
    }();
    return rows[static_cast<std::size_t>(collective)];
}

/// Everything except the root and the bytes. Most calls have none of the last fields.
std::uint64_t digest_of_kind(const CallSignature& signature) {
    const std::uint64_t fields = signature.packed()[0] & ~root_field.in_word(root_field.largest());
    const std::uint64_t value = mixed(fields, std::rotl(signature.element_bytes, 48));
    if (signature.counts == 0 && signature.types == nullptr && signature.function == 0) {
        return value;
    }
    const std::uint64_t types = signature.types == nullptr ? 0 : signature.types->hash();
    return mixed(mixed(mixed(value, signature.counts), signature.function), types);
}

/// Types that only one source file knows are equal only if their names have one address, which libstdc++
/// marks by an asterisk before the name. Null for all other types.
const char* own_name(const std::type_info& type) {
#if defined(__GLIBCXX__)
    struct Marked : std::type_info {
        static const char* of(const std::type_info& type) { return type.*(&Marked::__name); }
    };
    const char* const name = Marked::of(type);
    return *name == '*' ? name : nullptr;
#else
    static_cast<void>(type);
    return nullptr;
#endif
}

/// The last one made. No type is ever taken out of the list.
Atomic<const CallSignature::Types*> last_made{nullptr};

} // namespace

CallSignature signature_of(const detail::Call& call, const Shape& shape, std::size_t row, int root) {
    const bool has_private_counts = exchanges(call);
    return {.row = row,
            .type = call.type,
            .op = call.op,
            // If counts are at the root, each member decides for itself.
            .in_place = call.in_place && !call.counts_at_root,
            .serial = call.order != Order::canonical,
            .shared_output = call.shared_output,
            .has_private_counts = has_private_counts,
            .counts_at_root = call.counts_at_root,
            .splits = call.splits,
            .root = static_cast<std::uint32_t>(root),
            .bytes = has_private_counts ? 0 : shape.total * call.element_bytes,
            .element_bytes = call.element_bytes,
            .counts = has_private_counts       ? digest_of_graph(call)
                      : call.counts != nullptr ? digest(call.counts->span())
                                               : 0,
            .function = call.function,
            .types = CallSignature::Types::of(call.types)};
}

CallSignature signature_of(const detail::Call& call, const Shape& shape) {
    const Collective collective = call.collective;
    const bool has_root = detail::traits_of(collective).takes_number();
    CallSignature signature = signature_of(call, shape, row_of(collective), has_root ? call.root : 0);
    signature.in_passes = true;
    return signature;
}

bool operator==(const CallSignature& a, const CallSignature& b) {
    return a.packed()[0] == b.packed()[0] && a.bytes == b.bytes && a.element_bytes == b.element_bytes &&
           a.counts == b.counts && a.function == b.function && a.types == b.types;
}

run::Digests CallSignature::digests(std::size_t message_bytes) const {
    const std::uint64_t kind = digest_of_kind(*this);
    // Odd, so that no two roots yield the same product. It is the golden section of the fingerprint's range,
    // so that the products of up to 89 neighbouring roots differ by more than the length of a staging
    // buffer.
    constexpr std::uint64_t root_step = 648055;
    return {.digest = mixed(kind, bytes ^ std::rotl(std::uint64_t{root}, 40)),
            .fingerprint = ((kind >> 40U) + message_bytes + root * root_step) & mailbox::fingerprint_mask};
}

std::array<std::uint64_t, CallSignature::words> CallSignature::packed() const {
    const auto flag = [](const BitField& field, bool is_set) { return field.in_word(is_set ? 1 : 0); };
    const std::uint64_t fields =
        op_field.in_word(static_cast<std::uint64_t>(op)) |
        type_field.in_word(static_cast<std::uint64_t>(type)) |
        protocol_field.in_word(static_cast<std::uint64_t>(protocol)) | flag(in_place_field, in_place) |
        flag(serial_field, serial) | flag(shared_output_field, shared_output) |
        flag(by_counts_field, has_private_counts) | flag(splits_field, splits) |
        flag(counts_at_root_field, counts_at_root) | flag(in_passes_field, in_passes) |
        row_field.in_word(row) | root_field.in_word(root);
    return {fields, bytes, element_bytes, counts, function, reinterpret_cast<std::uintptr_t>(types)};
}

CallSignature CallSignature::unpacked(const std::array<std::uint64_t, words>& packed) {
    const std::uint64_t fields = packed[0];
    return {.row = row_field.of(fields),
            .protocol = static_cast<schedule::Protocol>(protocol_field.of(fields)),
            .type = static_cast<Type>(type_field.of(fields)),
            .op = static_cast<Operator>(op_field.of(fields)),
            .in_place = in_place_field.of(fields) != 0,
            .serial = serial_field.of(fields) != 0,
            .shared_output = shared_output_field.of(fields) != 0,
            .has_private_counts = by_counts_field.of(fields) != 0,
            .counts_at_root = counts_at_root_field.of(fields) != 0,
            .splits = splits_field.of(fields) != 0,
            .in_passes = in_passes_field.of(fields) != 0,
            .root = static_cast<std::uint32_t>(root_field.of(fields)),
            .bytes = packed[1],
            .element_bytes = packed[2],
            .counts = packed[3],
            .function = packed[4],
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            .types = reinterpret_cast<const CallSignature::Types*>(packed[5])};
}

std::optional<Collective> CallSignature::collective() const {
    return splits ? std::nullopt : std::optional(algorithm::registry()[row].collective);
}

std::string_view CallSignature::name() const {
    return is_among_neighbors() ? "neighbor_alltoall" : to_string(algorithm::registry()[row].collective);
}

std::string CallSignature::describe() const {
    if (splits) {
        return "split, subset or dup";
    }
    const algorithm::Algorithm& algorithm = algorithm::registry()[row];
    std::string text(name());
    if (!in_passes && !is_among_neighbors()) {
        text += " (algorithm " + std::string(algorithm.name) + ")";
    }
    const detail::CollectiveTraits& traits = detail::traits_of(algorithm.collective);
    if (traits.result == detail::Result::nothing) {
        return text;
    }
    const bool has_displacements =
        has_private_counts && !counts_at_root && traits.result != detail::Result::of_pair;
    text += is_among_neighbors() ? ""
            : counts_at_root     ? " by counts at the root"
            : has_displacements  ? " by counts with displacements"
            : has_private_counts ? " by counts"
                                 : " of " + std::to_string(bytes) + " bytes";
    text += type == Type::other ? " of " + std::to_string(element_bytes) + "-byte elements"
                                : " of " + std::string(to_string(type));
    if (counts != 0 && !has_private_counts) {
        text += " in irregular blocks";
    }
    const bool reduces = algorithm.order != algorithm::Order::none;
    text += reduces ? " with " + std::string(to_string(op)) : "";
    text += types != nullptr ? " " + types->text() : "";
    text += reduces && serial ? " in order serial" : "";
    if (traits.takes_number()) {
        text += ", " + std::string(traits.number_name()) + " " + std::to_string(root);
    }
    const bool is_choice = traits.in_place == detail::OneVector::by_choice;
    if (shared_output) {
        return text + ", into one vector for all";
    }
    const bool may_be_a_value = bytes == element_bytes;
    return text + (!in_place || !is_choice ? "" : may_be_a_value ? ", in place or by value" : ", in place");
}

std::uint64_t digest(std::span<const std::size_t> counts) {
    std::uint64_t value = counts.size();
    for (const std::size_t count : counts) {
        value = mixed(value, count);
    }
    return value | 1U;
}

bool CallSignature::Types::is(std::size_t hash, const char* name, const char* own) const {
    return hash_ == hash && own_ == own && name_ == name;
}

const CallSignature::Types* CallSignature::Types::found(const CallSignature::Types* first, std::size_t hash,
                                                        const char* name, const char* own) {
    while (first != nullptr && !first->is(hash, name, own)) {
        first = first->next_;
    }
    return first;
}

const CallSignature::Types* CallSignature::Types::of(const std::type_info* types) {
    return types == nullptr ? nullptr : named(types->name(), own_name(*types));
}

const CallSignature::Types* CallSignature::Types::of_text(const std::string& text) {
    return named(text.c_str(), nullptr);
}

const CallSignature::Types* CallSignature::Types::named(const char* name, const char* own) {
    const std::size_t hash = std::hash<std::string_view>{}(name);
    // Acquire: pairs with the release below. A call takes no lock and no memory unless its type is new.
    if (const auto* known = found(last_made.load(std::memory_order_acquire), hash, name, own)) {
        return known;
    }
    static machine::ProcessMutex mutex;
    const std::scoped_lock lock(mutex);
    const CallSignature::Types* const last = last_made.load(std::memory_order_acquire);
    if (const auto* known = found(last, hash, name, own)) {
        return known;
    }
    const auto* const made = new CallSignature::Types(hash, name, own, last);
    last_made.store(made, std::memory_order_release);
    return made;
}

/// The text between the brackets of "TemplateLoops<...>".
std::string CallSignature::Types::text() const {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(name_.c_str(), nullptr, nullptr, &status), &std::free);
    const std::string text = name != nullptr ? name.get() : name_;
    const std::size_t first = text.find('<');
    const std::size_t last = text.rfind('>');
    return first < last && last != std::string::npos ? text.substr(first, last + 1 - first) : text;
}

CallRecord::CallRecord(std::uint64_t number, std::uint64_t epoch, std::uint64_t points,
                       const CallSignature& signature)
    : words_{number, epoch, points} {
    std::ranges::copy(signature.packed(), words_.end() - CallSignature::words);
}

CallSignature CallRecord::signature() const {
    std::array<std::uint64_t, CallSignature::words> packed{};
    std::copy(words_.end() - CallSignature::words, words_.end(), packed.begin());
    return CallSignature::unpacked(packed);
}

CallRecord CallRecord::with_types(const CallSignature::Types* types) const {
    CallSignature moved = signature();
    moved.types = types;
    return {words_[0], words_[1], words_[2], moved};
}

void CallHistory::reach(std::uint64_t epoch) {
    last_ = empty() ? 0 : records_[size_ - 1].number_at(epoch);
}

CallSignature CallHistory::signature(std::uint64_t number) const {
    std::size_t index = size_ - 1;
    while (index > 0 && records_[index].number() > number) {
        --index;
    }
    return records_[index].signature();
}

CallRecord CallHistory::last_call() const {
    return empty() ? CallRecord{} : CallRecord(last_, 0, 1, signature(last_));
}

std::uint64_t CallHistory::next_change(std::uint64_t number) const {
    for (std::size_t index = 0; index < size_; ++index) {
        if (records_[index].number() > number) {
            return records_[index].number();
        }
    }
    return last_ + 1;
}

template <std::size_t records>
void BasicCallLog<records>::add(const CallRecord& record) {
    const std::uint64_t version = version_.get();
    version_.publish(version + 1); // release, as is every store that follows: pairs with read()
    auto& shown = records_[version / 2 % records_.size()];
    for (std::size_t word = 0; word < CallRecord::words; ++word) {
        shown[word].publish(record[word]);
    }
    version_.publish(version + 2);
}

template <std::size_t records>
void BasicCallLog<records>::clear() {
    version_.publish(0);
}

template <std::size_t records>
std::optional<CallHistory> BasicCallLog<records>::read(std::uint64_t epoch) const {
    // Acquire, as is every load that follows: a reader that sees a word of a later record sees below that the
    // version has gone on.
    const std::uint64_t version = version_.observe();
    std::optional<CallHistory> history;
    if (version % 2 != 0) {
        return history;
    }
    history.emplace();
    const std::uint64_t written = version / 2;
    for (std::uint64_t index = written - std::min<std::uint64_t>(written, records_.size()); index < written;
         ++index) {
        CallRecord record;
        for (std::size_t word = 0; word < CallRecord::words; ++word) {
            record[word] = records_[index % records_.size()][word].observe();
        }
        history->add(record);
    }
    history->reach(epoch);
    if (version_.get() != version) {
        history.reset();
    }
    return history;
}

template class BasicCallLog<CallLog::most_records>;
template class BasicCallLog<ArrivalLog::most_records>;
template class BasicCallLog<StartLog::most_records>;

std::optional<std::uint64_t> first_difference(const CallHistory& one, const CallHistory& other) {
    if (one.empty() || other.empty()) {
        return std::nullopt;
    }
    const std::uint64_t last = std::min(one.last(), other.last());
    std::uint64_t number = std::max(one.first(), other.first());
    while (number <= last && one.signature(number) == other.signature(number)) {
        number = std::min(one.next_change(number), other.next_change(number));
    }
    return number <= last ? std::optional(number) : std::nullopt;
}

} // namespace tutti::library
