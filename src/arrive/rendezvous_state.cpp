#include "arrive/rendezvous_state.hpp"

#include "execute/setting.hpp"
#include "machine/pinning.hpp"

#include <tutti/error.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace tutti::detail {

using arrive::Operation;

RendezvousState::RendezvousState(int ranks, RendezvousOptions options)
    : options_(std::move(options)), cpus_(machine::allowed_pus()),
      patience_(execute::patience_for(ranks, cpus_)), places_(static_cast<std::size_t>(ranks)) {}

void RendezvousState::begin() {
    // Stands for the time before the first one. Has no requests, and is over.
    Operation& none = unused();
    none.open(shared_from_this(), 0, places_.size());
    for (Place& place : places_) {
        place.at = &none;
    }
}

Pending& RendezvousState::arrive(int rank, const Call& call) {
    Place& place = places_[static_cast<std::size_t>(rank)];
    Operation& operation = after(*place.at);
    arrive::Contribution& contribution = operation.contribution(rank);
    contribution.take(call, rank, ranks());
    contribution.keep_operator();
    // From here on nothing fails.
    Operation& before = *std::exchange(place.at, &operation);
    operation.arrive();
    before.drop(1);
    return operation.arrival(rank);
}

Operation& RendezvousState::after(Operation& operation) {
    if (Operation* const next = operation.next()) {
        return *next;
    }
    const std::lock_guard lock(opening_);
    if (Operation* const next = operation.next()) {
        return *next;
    }
    Operation& opened = unused();
    // Of each rank one for its place and one for its request, and its own until it is over.
    opened.open(shared_from_this(), operation.number() + 1, 2 * places_.size() + 1);
    operation.set_next(opened);
    return opened;
}

Operation& RendezvousState::unused() {
    if (unused_.empty()) {
        unused_.reserve(operations_.size() + 1); // so that what is given back has room
        unused_.push_back(operations_.emplace_back(std::make_unique<Operation>(places_.size())).get());
    }
    Operation& operation = *unused_.back();
    unused_.pop_back();
    return operation;
}

void RendezvousState::give_back(Operation& operation) noexcept {
    const std::lock_guard lock(opening_);
    unused_.push_back(&operation);
}

void RendezvousState::close() noexcept {
    const auto behind =
        std::ranges::min_element(places_, {}, [](const Place& place) { return place.at->number(); });
    const auto rank = behind - places_.begin();
    for (Operation* open = behind->at->next(); open != nullptr; open = open->next()) {
        open->finished(std::make_exception_ptr(
            Error("the rendezvous has been destroyed before all ranks have arrived at operation " +
                  std::to_string(open->number()) + ": rank " + std::to_string(rank) + " has not")));
    }
    for (const Place& place : places_) {
        Operation* open = place.at->next();
        place.at->drop(1);
        while (open != nullptr) {
            Operation* const next = open->next();
            open->drop(2);
            open = next;
        }
    }
}

} // namespace tutti::detail
