#include "api/placement.hpp"
#include "choose/tuning_file.hpp"
#include "diagnose/group_diagnosis.hpp"
#include "group/group_state.hpp"
#include "group/seat.hpp"

#include <tutti/error.hpp>
#include <tutti/group.hpp>

#include <exception>
#include <stdexcept>

namespace tutti::v0_1 {

namespace {

std::shared_ptr<detail::GroupState> make_state(int members, const GroupOptions& options) {
    detail::require_number("Group", "members", members);
    try {
        auto state = std::make_shared<detail::GroupState>(members, library::config_for(members, options),
                                                          library::diagnosis_of);
        state->seats().expect_joins();
        state->diagnosis().list_for_roll_calls();
        return state;
    } catch (const std::invalid_argument& error) { // the description of the machine is contradictory
        throw Error(std::string("Group: ") + error.what());
    }
}

} // namespace

Group::Group(int members, const GroupOptions& options) : state_(make_state(members, options)) {}

int Group::size() const noexcept {
    return state_->size();
}

std::string Group::tuning() const {
    return state_->config().tuning;
}

std::string Group::waits() const {
    return state_->text_of_waits();
}

void Group::set_timeout(Timeout timeout) {
    state_->set_timeout(timeout);
}

std::string Group::roll_call(RollCallFormat format) const {
    return state_->diagnosis().roll_call(format);
}

std::string Group::trace(TraceFormat format) const {
    return state_->trace(format);
}

Statistics Group::statistics() const {
    return state_->statistics();
}

Member Group::join(int rank) {
    if (rank < 0 || rank >= size()) {
        throw ArgumentError("join: rank is " + std::to_string(rank) + ", must be in 0.." +
                            std::to_string(size() - 1));
    }
    state_->take_seat(rank);
    Member member(state_, state_->seat(rank));
    state_->note_binding(rank);
    return member;
}

void Group::run_member(int rank, const detail::MemberFunction& function) {
    if (!function) {
        throw ArgumentError("Group::run: `function` is empty: pass one that takes a Member&");
    }
    Member member = join(rank);
    const detail::Seat& seat = state_->seat(rank);
    try {
        function(member);
    } catch (...) {
        const std::exception_ptr thrown = std::current_exception();
        state_->fail(rank, thrown);
        if (thrown != nullptr) { // nobody may stop the end of a thread
            seat.throw_if_aborted();
        }
        throw;
    }
    seat.throw_if_aborted();
}

void save_tuning(const std::string& path) {
    try {
        tuning::save(path);
    } catch (const std::invalid_argument& error) {
        throw ArgumentError("save_tuning: `path` \"" + path + "\" is not written: " + error.what());
    }
}

int version() noexcept {
    return TUTTI_VERSION;
}

} // namespace tutti::v0_1
