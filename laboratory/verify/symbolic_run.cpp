#include "verify/symbolic_run.hpp"

#include <tutti/detail/association.hpp>

#include <algorithm>
#include <utility>

namespace tutti::verify {

using schedule::Blocks;
using schedule::Carried;
using schedule::every;
using schedule::Move;
using schedule::Place;
using schedule::Protocol;
using schedule::Round;
using schedule::Space;
using schedule::Translation;
using schedule::Wait;
using schedule::wrap;

std::string describe(const Place& place, int blocks) {
    std::string text(to_string(place.space));
    text += " block " + std::to_string(place.blocks.first);
    if (place.blocks.count > 1) {
        text += ".." + std::to_string(wrap(place.blocks.first + place.blocks.count - 1, blocks));
    }
    if (schedule::is_several(place.member)) {
        const std::string first =
            "the first " + std::to_string(schedule::count_of(place.member, 0)) + " members";
        return text + " of " + (place.member == every ? "every member" : first);
    }
    return text + " of member " + std::to_string(place.member);
}

SymbolicRun::SymbolicRun(const schedule::Synchronised& plan, int begin, int end, Report& report)
    : plan_(plan), schedule_(plan.schedule), begin_(begin), end_(end), report_(report),
      terms_(plan.schedule.symmetry(), plan.schedule.ranks(), plan.schedule.blocks()),
      spaces_(plan.schedule.vectors()),
      cells_(plan.schedule.programs().size() * spaces_ * static_cast<std::size_t>(end - begin)),
      sent_(plan.eager.size()) {
    for (std::size_t stored = 0; stored < sent_.size(); ++stored) {
        sent_[stored].resize(plan.eager[stored].size());
    }
    if (plan.protocol == Protocol::eager) {
        waits_by_member_ = plan.waits;
        for (auto& waits : waits_by_member_) {
            schedule::sort_by_member(waits);
        }
    }
    fill_inputs();
    for (int round = 0; round < schedule_.rounds(); ++round) {
        publish(round);
        run_round(round);
    }
    publish(schedule_.rounds());
}

std::size_t SymbolicRun::first_cell(std::size_t stored, Space space) const {
    const Space vector =
        plan_.protocol == Protocol::in_place && space == Space::output ? Space::input : space;
    return (stored * spaces_ + static_cast<std::size_t>(vector)) * static_cast<std::size_t>(end_ - begin_);
}

std::span<SymbolicRun::Cell> SymbolicRun::cells(std::size_t stored, Space space) {
    return std::span(cells_).subspan(first_cell(stored, space), static_cast<std::size_t>(end_ - begin_));
}

std::span<const SymbolicRun::Cell> SymbolicRun::cells(std::size_t stored, Space space) const {
    return std::span(cells_).subspan(first_cell(stored, space), static_cast<std::size_t>(end_ - begin_));
}

void SymbolicRun::fill_inputs() {
    for (int stored = 0; stored < static_cast<int>(schedule_.programs().size()); ++stored) {
        const std::span<Cell> vector = cells(static_cast<std::size_t>(stored), Space::input);
        for (int block = begin_; block < end_; ++block) {
            if (schedule_.has_input_block(stored, block)) {
                vector[static_cast<std::size_t>(block - begin_)].now = terms_.input(stored, block);
            }
        }
    }
}

void SymbolicRun::publish(int point) {
    for (std::size_t stored = 0; stored < sent_.size(); ++stored) {
        const auto& list = plan_.eager[stored];
        for (std::size_t entry = 0; entry < list.size(); ++entry) {
            if (list[entry].point != point) {
                continue;
            }
            const Blocks range = list[entry].blocks;
            auto& sent = sent_[stored][entry];
            sent.assign(static_cast<std::size_t>(range.count), {});
            const std::span<const Cell> vector = cells(stored, list[entry].space);
            bool defined = true;
            for_each_within(range, schedule_.blocks(), begin_, end_, [&](int i, int block) {
                sent[static_cast<std::size_t>(i)] = vector[static_cast<std::size_t>(block - begin_)].now;
                defined = defined && sent[static_cast<std::size_t>(i)].defined();
            });
            if (!defined) {
                report_.add(
                    ViolationKind::payload,
                    "point " + std::to_string(point) + " carries " +
                        describe({static_cast<int>(stored), list[entry].space, range}, schedule_.blocks()) +
                        ", which nobody wrote before");
            }
        }
    }
}

void SymbolicRun::run_round(int round) {
    first_change_ += static_cast<std::uint32_t>(before_.size());
    before_.clear();
    constexpr std::size_t ahead = 16;
    const auto& programs = schedule_.programs();
    for (std::size_t stored = 0; stored < programs.size(); ++stored) {
        if (stored + ahead < programs.size()) {
            programs[stored + ahead].prefetch(static_cast<std::size_t>(round));
        }
        schedule::for_each_pass(programs[stored][static_cast<std::size_t>(round)], [&](Round pass) {
            if (meets(pass.front().to.blocks, schedule_.blocks(), begin_, end_)) {
                run_pass(static_cast<int>(stored), round, pass);
            }
        });
    }
    for (const Store& store : stores_) {
        set(*store.cell, store.value);
    }
    stores_.clear();
}

void SymbolicRun::run_pass(int actor, int round, Round pass) {
    if (pass.size() == 1) {
        return run_move(actor, round, pass.front());
    }
    std::vector<std::vector<Term>> operands;
    for_each_operand(pass, [&](const Place& operand) {
        read(actor, round, operand, left_);
        operands.push_back(left_);
    });
    write(actor, round, pass.front().to, in_tree(operands));
}

/// The reduction of operands in a tree.
std::vector<Term> SymbolicRun::in_tree(std::span<const std::vector<Term>> operands) {
    if (operands.size() == 1) {
        return operands.front();
    }
    const auto cut = static_cast<std::size_t>(detail::left_part(static_cast<int>(operands.size())));
    std::vector<Term> left = in_tree(operands.first(cut));
    const std::vector<Term> right = in_tree(operands.subspan(cut));
    std::ranges::transform(left, right, left.begin(),
                           [this](const Term& a, const Term& b) { return terms_.combine(a, b); });
    return left;
}

void SymbolicRun::run_move(int actor, int round, const Move& move) {
    if (move.prefix != schedule::Prefix::none) {
        return run_prefixes(actor, round, move);
    }
    if (schedule::is_several(move.left.member)) {
        combine_several(actor, round, move.left, left_);
    } else {
        read(actor, round, move.left, left_);
        if (move.reduces) {
            read(actor, round, move.right, right_);
            for (std::size_t i = 0; i < left_.size(); ++i) {
                left_[i] = terms_.combine(left_[i], right_[i]);
            }
        }
    }
    write(actor, round, move.to, left_);
}

void SymbolicRun::run_prefixes(int actor, int round, const Move& move) {
    const bool exclusive = move.prefix == schedule::Prefix::exclusive;
    for (int member = 0; member < schedule_.ranks(); ++member) {
        const Place target{member, move.to.space, move.to.blocks};
        read_input(actor, round, {member, move.left.space, move.left.blocks}, right_);
        if (exclusive && member > 0) {
            write(actor, round, target, left_);
        }
        left_ = right_;
        for (Term& term : left_) {
            term = term.defined() ? terms_.first_in_rank_order(member + 1, term.block) : Term{};
        }
        if (!exclusive) {
            write(actor, round, target, left_);
        }
    }
}

void SymbolicRun::read(int actor, int round, const Place& place, std::vector<Term>& into) {
    if (plan_.protocol == Protocol::eager && place.member != actor) {
        read_payload(actor, round, place, into);
        return;
    }
    into.clear();
    const Translation back = schedule_.to_representative(place.member);
    const int by = schedule_.translation(place.member).by();
    const std::span<const Cell> vector = cells(schedule_.representative(place.member), place.space);
    bool defined = true;
    for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
        const Cell& source = vector[static_cast<std::size_t>(back.block(block) - begin_)];
        into.push_back(terms_.shifted(place.member == actor ? source.now : before_round(source), by));
        defined = defined && into.back().defined();
    });
    if (!defined) {
        report_.add(ViolationKind::content,
                    "member " + std::to_string(actor) + " in round " + std::to_string(round) + " reads " +
                        describe(place, schedule_.blocks()) + ", where nobody wrote before");
    }
}

/// The content of the slot at the point that the actor waited for before this very round.
void SymbolicRun::read_payload(int actor, int round, const Place& place, std::vector<Term>& into) {
    const std::size_t owner = schedule_.representative(place.member);
    const Blocks wanted = schedule_.to_representative(place.member).range(place.blocks);
    const int by = schedule_.translation(place.member).by();
    const auto& waits = waits_by_member_[static_cast<std::size_t>(actor)];
    const auto key = [](const Wait& wait) { return std::pair(wait.member, wait.before_round); };
    const auto wanted_key = std::pair(place.member, round);
    into.clear();
    for_each_within(wanted, schedule_.blocks(), begin_, end_,
                    [&](int /*i*/, int /*block*/) { into.emplace_back(); });
    int served = 0;
    for (auto next = std::ranges::lower_bound(waits, wanted_key, {}, key);
         next != waits.end() && key(*next) == wanted_key; ++next) {
        const Wait& wait = *next;
        if (wait.point > round) {
            continue;
        }
        for (std::size_t entry = 0; entry < plan_.eager[owner].size(); ++entry) {
            const Carried& eager = plan_.eager[owner][entry];
            const int offset = wrap(wanted.first - eager.blocks.first, schedule_.blocks());
            if (eager.point != wait.point || eager.space != place.space ||
                offset + wanted.count > eager.blocks.count) {
                continue;
            }
            ++served;
            into.clear();
            for_each_within(wanted, schedule_.blocks(), begin_, end_, [&](int i, int /*block*/) {
                const Term value = sent_[owner][entry][static_cast<std::size_t>(offset + i)];
                into.push_back(terms_.shifted(value, by));
            });
        }
    }
    if (served != 1) {
        report_.add(ViolationKind::payload, "member " + std::to_string(actor) + " in round " +
                                                std::to_string(round) + " reads " +
                                                describe(place, schedule_.blocks()) + ", which " +
                                                (served == 0 ? "no slot" : "more than one slot") +
                                                " that it waits for before this round carries");
    }
}

/// As read(), but only inputs are accepted: operands that are combined as the call requires must be the same
/// for all.
void SymbolicRun::read_input(int actor, int round, const Place& place, std::vector<Term>& into) {
    read(actor, round, place, into);
    for (Term& term : into) {
        if (term.defined() && !Terms::same_tree(term, terms_.input(place.member, 0))) {
            term = {};
            report_.add(ViolationKind::content,
                        "member " + std::to_string(actor) + " in round " + std::to_string(round) +
                            " combines " + describe(place, schedule_.blocks()) +
                            " with those of others in rank order, but it is not the input");
        }
    }
}

/// Under a symmetry the rank order of all members' inputs is the same for everybody.
void SymbolicRun::combine_several(int actor, int round, const Place& place, std::vector<Term>& into) {
    const int count = schedule::count_of(place.member, schedule_.ranks());
    std::vector<Term> one;
    for (int member = 0; member < count; ++member) {
        read_input(actor, round, {member, place.space, place.blocks}, one);
        if (member == 0) {
            into = one;
        }
        for (std::size_t i = 0; i < into.size(); ++i) {
            into[i] = one[i].defined() ? into[i] : Term{};
        }
    }
    for (Term& term : into) {
        if (term.defined()) {
            term = schedule_.symmetry().translates() ? terms_.rank_order(term.block)
                                                     : terms_.first_in_rank_order(count, term.block);
        }
    }
}

/// A member's output has all blocks or only its own one, so that the first and the last suffice.
bool SymbolicRun::may_write(const Place& place) const {
    const auto has = [&](int block) {
        return schedule_.has_output_block(place.member, wrap(block, schedule_.blocks()));
    };
    const Blocks range = place.blocks;
    return place.space != Space::input &&
           (place.space != Space::output || (has(range.first) && has(range.first + range.count - 1)));
}

void SymbolicRun::write(int actor, int round, const Place& place, const std::vector<Term>& values) {
    schedule::for_each_member(place.member, schedule_.ranks(), [&](int member) {
        const Place target{member, place.space, place.blocks};
        const bool own = member == actor;
        if (!may_write(target) || (!own && plan_.protocol == Protocol::eager)) {
            report_.add(ViolationKind::bounds, "member " + std::to_string(actor) + " in round " +
                                                   std::to_string(round) + " writes " +
                                                   describe(target, schedule_.blocks()) +
                                                   (own || plan_.protocol != Protocol::eager
                                                        ? ", which is not there to be written"
                                                        : ", which a carried schedule cannot reach"));
        }
        const Translation back = schedule_.to_representative(member);
        const std::span<Cell> vector = cells(schedule_.representative(member), place.space);
        auto next = values.begin();
        for_each_within(place.blocks, schedule_.blocks(), begin_, end_, [&](int /*i*/, int block) {
            const Term value = terms_.shifted(*next++, back.by());
            Cell& written = vector[static_cast<std::size_t>(back.block(block) - begin_)];
            if (own) {
                set(written, value);
            } else {
                stores_.push_back({&written, value});
            }
        });
    });
}

} // namespace tutti::verify
