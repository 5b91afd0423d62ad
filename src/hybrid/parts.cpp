// Several members of each process carry a part each: the ways "leaders", where all members share in putting
// every part, and "lane", where each carrier puts its own.

#include "hybrid/call_part.hpp"
#include "hybrid/crossing.hpp"

namespace tutti::mpi::detail {

using tutti::detail::Kind;

namespace {

/// A longer vector that is broadcast is carried from where the root has it, which must then wait until the
/// others of its process have read it. 2 processes of 2 threads, microseconds: 1 KiB 11.5 and by the depot
/// 10.0, 32 KiB 14.9 and 17.8, 1 MiB 117 and 270.
constexpr std::size_t most_copied_bytes = std::size_t{16} << 10U;

class Parts final : public Crossing {
public:
    explicit Parts(ClusterCall& call) : Crossing(call), part_(call) {}

    void prepare() override {
        const bool is_here = call().kind() == Kind::broadcast && call().root_is_here();
        copies_root_ = is_here && call().total_bytes() <= most_copied_bytes;
        reads_root_ = is_here && !copies_root_;
    }

    void put() override {
        call().show();
        call().make_room(call().total_bytes(), call().total_bytes());
        if (copies_root_ && call().is_root()) {
            copy_bytes(call().depot().input, call().in(), call().total_bytes());
        }
        call().meet_to_put();
        call().compare_signatures();
        if (call().kind() == Kind::broadcast) {
            return;
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
            std::byte* const source = reads_root_ ? part_.root_vector(nullptr) : call().depot().input;
            call().perform(part_.process_call(source + start, call().depot().output + start));
        });
    }

    void take() override {
        call().meet_to_take();
        const std::byte* const result = reads_root_    ? part_.root_vector(nullptr)
                                        : copies_root_ ? call().depot().input
                                                       : call().depot().output;
        for (std::size_t index = 0; index < count(); ++index) {
            part_.cut(index, count());
            part_.store(call().rank(), result + part_.start_bytes());
        }
        if (reads_root_) {
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
    /// What becomes of the vector of a root in this process.
    bool copies_root_ = false;
    bool reads_root_ = false;
};

} // namespace

std::unique_ptr<Crossing> make_parts(ClusterCall& call) {
    return std::make_unique<Parts>(call);
}

} // namespace tutti::mpi::detail
