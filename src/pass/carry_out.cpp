#include "pass/carry_out.hpp"

namespace tutti::pass {

void carry_out(const Pass& pass, std::size_t element_bytes, const detail::Kernels* kernels, const void* state,
               detail::Stores stores) {
    const auto outs = static_cast<int>(pass.outs.size());
    const auto ins = static_cast<int>(pass.ins.size());
    switch (pass.kind) {
    case Pass::Kind::copy:
        detail::copy_many(pass.outs.data(), outs, pass.ins.front(), pass.elements * element_bytes, stores);
        return;
    case Pass::Kind::reduce:
        kernels->reduce_many(state, pass.outs.data(), outs, pass.ins.data(), ins, pass.elements, stores);
        return;
    case Pass::Kind::scan:
    case Pass::Kind::exscan:
        kernels->scan_many(state, pass.outs.data(), pass.ins.data(), ins, pass.elements,
                           pass.kind == Pass::Kind::exscan, stores);
        return;
    }
}

} // namespace tutti::pass
