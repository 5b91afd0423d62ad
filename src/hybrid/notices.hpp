#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::hybrid {

/// How the processes of a cluster tell each other that they have failed: on a communicator that carries
/// nothing else.
class Notices {
public:
    /// The communicator must outlive it.
    explicit Notices(MPI_Comm communicator);
    ~Notices();
    Notices(const Notices&) = delete;
    Notices& operator=(const Notices&) = delete;
    Notices(Notices&&) = delete;
    Notices& operator=(Notices&&) = delete;

    /// Tells all other processes. Once. Allocates nothing.
    void tell(std::string_view text) noexcept;

    /// What another process has told, or an empty text. By any threads that may call MPI.
    std::string heard() const;

private:
    static constexpr std::size_t most_text = 512;

    /// Nobody waits for the messages to arrive, so they may outlive the cluster.
    struct Sent {
        std::array<char, most_text> text{};
        std::vector<MPI_Request> requests;
    };

    MPI_Comm communicator_;
    std::shared_ptr<Sent> sent_ = std::make_shared<Sent>();
    bool told_ = false;
};

} // namespace tutti::hybrid
