#pragma once

#include "network.hpp"

#include <barrier>
#include <cstddef>
#include <mutex>
#include <vector>

/// The sums of all members' gradients by hand: for each layer a lock and one sum, to which all add.
class LockedSums {
public:
    explicit LockedSums(int members) : members_(members), all_(members), layers_(Network::layers) {}

    void add(std::size_t layer, const Network::Matrix& gradient) {
        Layer& sum = layers_[layer];
        const std::lock_guard lock(sum.mutex);
        if (sum.arrivals++ % members_ == 0) {
            sum.matrix = gradient;
        } else {
            for (std::size_t i = 0; i < gradient.size(); ++i) {
                sum.matrix[i] += gradient[i];
            }
        }
    }

    /// Waits for all members, and brings the sums.
    void fetch(std::vector<Network::Matrix>& gradients) {
        all_.arrive_and_wait();
        for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
            gradients[layer] = layers_[layer].matrix;
        }
        all_.arrive_and_wait(); // before the next sums
    }

private:
    struct Layer {
        std::mutex mutex;
        Network::Matrix matrix;
        int arrivals = 0;
    };

    int members_;
    std::barrier<> all_;
    std::vector<Layer> layers_;
};
