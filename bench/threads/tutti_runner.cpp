#include "threads/tutti_runner.hpp"

#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "threads/tutti_calls.hpp"

#include <exception>
#include <mutex>

namespace tutti::bench {

TuttiRunner::TuttiRunner(const RunnerOptions& options)
    : options_(options), harness_memory_(HarnessMemory::bytes(options.members, stamps())) {
    const std::vector<int> cpus =
        machine::place(machine::detect(), options.members, machine::parse_placement(options.placement));
    // The teams must not avoid each other's CPUs.
    const Placement placement = cpus.front() == machine::unpinned ? Placement::none : Placement::cpus(cpus);
    for (const std::string& name : options.peers) {
        PeerModule& module = peer_module(name);
        peers_.push_back({name, module.peer(name, options.members)});
        if (!crew_) {
            crew_ = module.crew(options.members);
        }
    }
    if (crew_) {
        group_ = std::make_unique<Group>(options.members, GroupOptions{.levels = options.levels});
        config_ = library::config_for(options.members, {.levels = options.levels});
        pinning_.resize(cpus.size());
        crew_->run([&](int rank) {
            const auto own = static_cast<std::size_t>(rank);
            const machine::PinResult result = machine::pin_this_thread(cpus[own]);
            pinning_[own] =
                "member " + std::to_string(rank) +
                (result.pinned ? ": CPU " + std::to_string(cpus[own]) : ": not pinned " + result.reason);
        });
    } else {
        team_ = std::make_unique<Team>(
            options.members, TeamOptions{.placement = placement, .group = {.levels = options.levels}});
        pinning_ = team_->pinning();
        config_ = library::config_for({.levels = options.levels}, cpus);
    }
    of_loops_ = std::make_unique<Group>(options.members, GroupOptions{.levels = options.levels});
    if (has_way(options.callings, Calling::Way::arriving)) {
        // Waiting members run the slices that nobody has begun: they need no other threads.
        const AsyncGroupOptions by_those_that_wait{.executor = [](std::size_t, const auto&) {}};
        meeting_ = std::make_unique<AsyncGroup>(options.members, by_those_that_wait);
    }
    if (has_way(options.callings, Calling::Way::all_buffers)) {
        helpers_ = std::make_unique<Team>(std::min(options.members, machine::allowed_pus()),
                                          TeamOptions{.placement = placement, .caller_is_member = true});
    }
    const std::size_t bytes = most_in_flight(options.callings) * spaced(options.most_bytes);
    for (int member = 0; member < options.members; ++member) {
        inputs_.emplace_back(bytes);
        outputs_.emplace_back(bytes);
    }
}

std::string TuttiRunner::chosen(const Problem& problem) const {
    SelectionInput input = selection_input_of(problem);
    input.size.cpus = config_.cpus;
    input.size.l3_groups = config_.l3_groups;
    const library::Selection selection = library::select(input.call, input.size, config_.choices);
    return std::string(algorithm::registry()[selection.row].name);
}

std::size_t TuttiRunner::stamps() const {
    return stamps_needed(options_.method, options_.callings.size() + options_.peers.size());
}

void TuttiRunner::run(const std::function<void(Member&)>& body) {
    if (team_) {
        team_->run(body);
    } else {
        run_on_crew(body);
    }
}

void TuttiRunner::run_on_crew(const std::function<void(Member&)>& body) {
    std::mutex mutex;
    std::exception_ptr first;
    crew_->run([&](int rank) {
        try {
            Member me = group_->join(rank);
            body(me);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            first = first ? first : std::current_exception();
        }
    });
    if (first) {
        std::rethrow_exception(first);
    }
}

Vectors TuttiRunner::vectors(const Problem& problem) const {
    Vectors vectors;
    for (std::size_t member = 0; member < inputs_.size(); ++member) {
        vectors.inputs.push_back(inputs_[member].data());
        vectors.outputs.push_back(problem.in_place ? inputs_[member].data()
                                  : problem.shared ? outputs_.front().data()
                                                   : outputs_[member].data());
    }
    return vectors;
}

std::vector<Contender> TuttiRunner::own_contenders(Member& me, Member& in_loops, const Problem& problem,
                                                   const std::string& algorithm, const Vectors& all) {
    std::vector<Contender> contenders;
    const auto own = static_cast<std::size_t>(me.rank());
    std::byte* const input = all.inputs[own];
    std::byte* const output = all.outputs[own];
    for (const Calling& calling : options_.callings) {
        Contender contender{.provider = name_of(calling),
                            .algorithm = algorithm.empty() ? "auto" : algorithm,
                            .collective = {},
                            .calls = calling.in_flight};
        if (calling.way == Calling::Way::all_buffers) {
            contender.collective = all_buffers_calls(problem, all, executor_of(*helpers_));
            contender.leader_alone = true;
        } else if (calling.way == Calling::Way::arriving) {
            contender.collective = arriving_calls(*meeting_, me.rank(), problem, input, output);
        } else {
            contender.collective = tutti_calls(me, problem, algorithm, input, output, calling);
            contender.back_to_back = tutti_calls(in_loops, problem, algorithm, input, output, calling);
        }
        if (contender.collective) {
            contenders.push_back(std::move(contender));
        }
    }
    return contenders;
}

Subject TuttiRunner::subject_of(Member& me, Member& in_loops, const Problem& problem,
                                const std::optional<std::string>& algorithm) {
    const Vectors all = vectors(problem);
    const auto own = static_cast<std::size_t>(me.rank());
    Subject subject{.input = all.inputs[own],
                    .output = all.outputs[own],
                    .result = all.outputs[own],
                    .contenders = algorithm ? own_contenders(me, in_loops, problem, *algorithm, all)
                                            : std::vector<Contender>{},
                    .floors = floors(problem, me.rank(), all)};
    for (const NamedPeer& entry : peers_) {
        if (Calls calls = entry.peer->calls(problem, me.rank(), all)) {
            subject.contenders.push_back({.provider = entry.name, .collective = std::move(calls)});
        }
    }
    if (problem.in_place && problem.collective == Collective::reduce_scatter) {
        subject.result += problem.block_offset(me.rank()) * problem.element_bytes();
    }
    const bool tiny = problem.collective == Collective::allreduce && !problem.shared &&
                      problem.bytes() <= sizeof(std::uint64_t);
    if ((tiny || problem.collective == Collective::barrier) && me.size() == 2 && !options_.crowded &&
        algorithm) {
        subject.exchange = [this, rank = me.rank()](std::size_t calls) { exchange_.run(rank, calls); };
    }
    return subject;
}

std::vector<Point> TuttiRunner::measure(const Problem& problem, const std::optional<std::string>& algorithm) {
    std::vector<Point> points;
    run_measured([&](Harness& harness, Member& me) {
        Member in_loops = of_loops_->join(me.rank());
        const Subject subject = subject_of(me, in_loops, problem, algorithm);
        if (subject.contenders.empty()) {
            return; // on all members alike
        }
        std::vector<Point> measured = bench::measure(harness, problem, subject, options_.method);
        if (harness.leads()) {
            points = std::move(measured);
        }
    });
    if (algorithm == "" && !points.empty()) {
        points.front().chosen = chosen(problem); // calls that block come first
    }
    return points;
}

void TuttiRunner::run_measured(const std::function<void(Harness&, Member&)>& body) {
    HarnessMemory::create(harness_memory_.data(), options_.members, options_.crowded);
    const HarnessMemory memory(harness_memory_.data(), options_.members, stamps());
    run([&](Member& me) {
        try {
            Harness harness(memory, me.rank());
            body(harness, me);
        } catch (const GateClosed&) {
            return; // the thread that closed it reports why
        } catch (...) {
            memory.gate().fail();
            throw;
        }
    });
}

} // namespace tutti::bench
