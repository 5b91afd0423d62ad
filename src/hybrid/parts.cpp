// Several members of each process carry a part each: the ways "leaders", where all members share in putting
// every part, and "lane", where each carrier puts its own.

#include "hybrid/call_part.hpp"
#include "hybrid/crossing.hpp"

namespace tutti::mpi::detail {

using tutti::detail::Kind;

namespace {

class Parts final : public Crossing {
public:
    explicit Parts(ClusterCall& call) : Crossing(call), part_(call) {}

    void put() override {
        call().show();
        call().make_room(call().total_bytes(), call().total_bytes());
        call().meet_to_put();
        call().compare_signatures();
        if (call().kind() == Kind::broadcast) {
            return; // the root's vector is carried
        }
        const auto own = static_cast<std::size_t>(call().rank());
        if (call().signature().way == hybrid::Way::lane) {
            if (call().carries()) {
                put_part(own, 0, 1);
            }
            return;
        }
        for (std::size_t index = 0; index < count(); ++index) {
            put_part(index, own, static_cast<std::size_t>(call().members()));
        }
        call().meet_to_put();
    }

    void carry() override {
        if (!call().carries()) {
            return;
        }
        call().speak([this] {
            part_.cut(call().carriers() == 1 ? 0 : static_cast<std::size_t>(call().rank()), count());
            const std::size_t start = part_.start_bytes();
            call().perform(part_.process_call(part_.root_vector(call().depot().input) + start,
                                              call().depot().output + start));
        });
    }

    void take() override {
        call().meet_to_take();
        for (std::size_t index = 0; index < count(); ++index) {
            part_.cut(index, count());
            part_.store(call().rank(), part_.root_vector(call().depot().output) + part_.start_bytes());
        }
        if (call().kind() == Kind::broadcast && call().root_is_here()) {
            call().meet_to_take(); // the root has its vector back
        }
    }

private:
    std::size_t count() const { return static_cast<std::size_t>(call().carriers()); }

    void put_part(std::size_t index, std::size_t share, std::size_t shares) {
        part_.cut(index, count());
        part_.put(call().depot().input + part_.start_bytes(), share, shares);
    }

    CallPart part_;
};

} // namespace

std::unique_ptr<Crossing> make_parts(ClusterCall& call) {
    return std::make_unique<Parts>(call);
}

} // namespace tutti::mpi::detail
