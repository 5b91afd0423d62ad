#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

/// A network of layers x += x W, which learns to move all elements by one place. Only some samples of a batch
/// pass a layer (stochastic depth): one member has more to do in this layer, another in the next.
class Network {
public:
    static constexpr std::size_t width = 128, layers = 20, batch = 2;
    using Matrix = std::vector<float>;
    std::vector<Matrix> weights, gradients; // of each layer

    Network() : weights(layers, Matrix(width * width)), gradients(weights) {}

    /// Finds the gradients on a batch made from the seed, calls ready(layer) after each, returns the loss.
    double learn(unsigned seed, const std::function<void(std::size_t layer)>& ready) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> number(-1, 1);
        for (auto& sample : inputs_[0]) {
            std::ranges::generate(sample, [&] { return number(random); });
        }
        std::array<std::size_t, layers> passing{};
        for (std::size_t layer = 0; layer < layers; ++layer) {
            passing[layer] = std::uniform_int_distribution<std::size_t>(0, batch)(random);
            forward(layer, passing[layer]);
        }
        double loss = 0;
        Samples errors = inputs_[layers];
        for (std::size_t i = 0; i < batch * width; ++i) {
            float& error = errors[i / width][i % width];
            error -= inputs_[0][i / width][(i + 1) % width];
            loss += error * error;
        }
        for (std::size_t layer = layers; layer-- > 0;) {
            backward(layer, passing[layer], errors);
            ready(layer);
        }
        return loss;
    }

    void descend(float rate) {
        for (std::size_t i = 0; i < layers * width * width; ++i) {
            const std::size_t layer = i / width / width, at = i % (width * width);
            weights[layer][at] -= rate * gradients[layer][at];
        }
    }

private:
    using Samples = std::array<std::array<float, width>, batch>;

    void forward(std::size_t layer, std::size_t passing) {
        inputs_[layer + 1] = inputs_[layer];
        for (std::size_t i = 0; i < passing * width; ++i) {
            const std::size_t sample = i / width, row = i % width * width;
            for (std::size_t k = 0; k < width; ++k) {
                inputs_[layer + 1][sample][k] += inputs_[layer][sample][i % width] * weights[layer][row + k];
            }
        }
    }

    void backward(std::size_t layer, std::size_t passing, Samples& errors) {
        const Samples behind = errors; // those behind the layer become those before it
        std::ranges::fill(gradients[layer], 0.0F);
        for (std::size_t i = 0; i < passing * width; ++i) {
            const std::size_t sample = i / width, row = i % width * width;
            for (std::size_t k = 0; k < width; ++k) {
                gradients[layer][row + k] += inputs_[layer][sample][i % width] * behind[sample][k];
                errors[sample][i % width] += weights[layer][row + k] * behind[sample][k];
            }
        }
    }

    std::array<Samples, layers + 1> inputs_{}; // of each layer, and what comes out of the last
};
