// The ways of calling from Fortran: those of C, with the calls of fortran.f90.

#include "c.hpp"

#include <ISO_Fortran_binding.h>

namespace tutti::test {

namespace {

extern "C" {
tutti_status fortran_call(const char* name, tutti_member me, const CFI_cdesc_t* in, const CFI_cdesc_t* out,
                          tutti_op op, int number, const std::size_t* sent, const std::size_t* sent_places,
                          const std::size_t* received, const std::size_t* received_places);
tutti_status fortran_ask(Ask what, tutti_request* requests, std::size_t n, std::int64_t milliseconds,
                         std::size_t* index, int* done);
void fortran_error_text(char* text, std::size_t n);
extern int tutti_f_in_place; // TUTTI_IN_PLACE
}

/// A table, of two rows if the elements can be divided so.
class Table {
public:
    Table(const ElementType& elements, const void* data, std::size_t count) {
        const auto n = static_cast<CFI_index_t>(count);
        const CFI_index_t rows = 2 - n % 2;
        const std::array<CFI_index_t, 2> extents{rows, n / rows};
        static int present = 0; // without an address, there would be no extents
        CFI_establish(get(), &present, CFI_attribute_other, code_of(elements.type), elements.bytes, 2,
                      extents.data());
        get()->base_addr = const_cast<void*>(data);
    }
    CFI_cdesc_t* get() { return reinterpret_cast<CFI_cdesc_t*>(&descriptor_); }

private:
    static CFI_type_t code_of(Type type) {
        return type == Type::i32          ? CFI_type_int32_t
               : type == Type::i64        ? CFI_type_int64_t
               : type == Type::f32        ? CFI_type_float
               : type == Type::f64        ? CFI_type_double
               : type == Type::complex128 ? CFI_type_double_Complex
                                          : CFI_type_struct;
    }

    CFI_CDESC_T(2) descriptor_;
};

tutti_status make_call_f(tutti_member me, const WayCall& call, const Elements& elements) {
    const Shape& shape = call.shape;
    const bool is_irregular = shape.is_irregular();
    const bool has_counts = is_irregular && (!shape.counts_at_root || shape.is_root(call.vectors.rank));
    const auto [sent, received] = std::tie(call.vectors.sent, call.vectors.received);
    const auto if_given = [](bool is_given, const auto& list) { return is_given ? list.data() : nullptr; };
    const bool has_places = has_counts && shape.displaced;
    std::string name(shape.traits().name);
    name += is_irregular ? "v" : "";
    name.resize(16, ' ');
    Table in(call.elements, shape.in_place ? &tutti_f_in_place : call.in, call.in_count);
    Table out(call.elements, call.out, call.out_count);
    const bool is_counted = is_irregular && shape.traits().is_rooted() && !shape.counts_at_root;
    return fortran_call(name.data(), is_counted ? tutti_counts_on_all(me) : me, in.get(), out.get(),
                        elements.op, shape.root, if_given(has_counts, sent.counts),
                        if_given(has_places, sent.starts), if_given(has_counts, received.counts),
                        if_given(has_places, received.starts));
}

const char* error_text_f() {
    thread_local std::array<char, 2000> text;
    fortran_error_text(text.data(), text.size() - 1);
    return text.data();
}

const LanguageC in_fortran{make_call_f, fortran_ask, error_text_f};

constexpr Abilities most{.has_16_bits = false};

template <KindC kind>
std::unique_ptr<Ranks> of_team(const Setting& setting) {
    return team_c(kind, in_fortran, setting);
}

} // namespace

const Way fortran_blocking_way{
    "Fortran, blocking", {.has_requests = false, .has_16_bits = false}, of_team<KindC::blocking>};
const Way fortran_nonblocking_way{"Fortran, nonblocking", most, of_team<KindC::nonblocking>, test_all_c,
                                  any_c};
const Way fortran_persistent_way{"Fortran, persistent", most, of_team<KindC::persistent>, test_all_c};
const Way fortran_async_way{"Fortran, async",
                            {.names_algorithms = false, .has_16_bits = false},
                            of_team<KindC::async>,
                            test_all_c,
                            any_c};

} // namespace tutti::test
