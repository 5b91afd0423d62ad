#pragma once

#include "arrive/operation.hpp"
#include "cache_line.hpp"
#include "mailbox/wait.hpp"

#include <tutti/detail/call.hpp>
#include <tutti/rendezvous.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tutti::detail {

/// What is behind a Rendezvous. Lasts until its last operation is over as well.
///
/// Operations are a list, along which each rank goes from one arrival to the next.
class RendezvousState : public std::enable_shared_from_this<RendezvousState> {
public:
    RendezvousState(int ranks, RendezvousOptions options);
    /// What cannot be done before somebody owns it.
    void begin();

    int ranks() const { return static_cast<int>(places_.size()); }
    const RendezvousOptions& options() const { return options_; }
    /// That the executor may have.
    int cpus() const { return cpus_; }
    /// Of threads that wait, of which there may be one for each rank.
    const mailbox::Patience& patience() const { return patience_; }

    Pending& arrive(int rank, const Call& call);
    /// No rank will arrive any more: operations that wait for some fail.
    void close() noexcept;
    /// Of an operation that nobody refers to.
    void give_back(arrive::Operation& operation) noexcept;

private:
    /// The last operation at which a rank has arrived.
    struct alignas(paired_lines_bytes) Place {
        arrive::Operation* at = nullptr;
    };

    arrive::Operation& after(arrive::Operation& operation);
    arrive::Operation& unused();

    RendezvousOptions options_;
    int cpus_;
    mailbox::Patience patience_;
    std::vector<Place> places_;

    /// For who opens an operation or gives one back, which is done once for all ranks.
    std::mutex opening_;
    std::vector<std::unique_ptr<arrive::Operation>> operations_;
    std::vector<arrive::Operation*> unused_;
};

} // namespace tutti::detail
