#include "execute/setting.hpp"

#include "machine/pinning.hpp"
#include "machine/placement.hpp"
#include "tuning/fingerprint.hpp"
#include "tuning/load.hpp"

#include <cstdint>
#include <utility>

namespace tutti::execute {

namespace {

mailbox::Patience patience_of(Wait wait, int members, int cpus) {
    constexpr std::int64_t for_good_ns = mailbox::Patience::for_good_ns;
    switch (wait) {
    case Wait::spin:
        return {.spin_ns = for_good_ns, .yield_ns = 0};
    case Wait::yield:
        return {.spin_ns = 0, .yield_ns = for_good_ns};
    case Wait::sleep:
        return {.spin_ns = 0, .yield_ns = 0};
    case Wait::automatic:
        break;
    }
    return mailbox::patience_for(members, cpus);
}

} // namespace

Setting setting_for(int members, const GroupOptions& options, int l3_groups) {
    const int cpus = machine::allowed_pus();
    tuning::Source source = tuning::source_of(options.tuning);
    return {.patience = patience_of(options.wait, members, cpus),
            .cpus = cpus,
            .options = options,
            .l3_groups = l3_groups,
            .choices = tuning::Choices(std::move(source.table), {members, cpus, l3_groups}),
            .tuning = std::move(source.text)};
}

Setting setting_for(const GroupOptions& options, std::span<const int> cpus) {
    return setting_for(static_cast<int>(cpus.size()), options,
                       tuning::l3_groups(tuning::this_machine(), cpus));
}

Setting setting_for(int members, const GroupOptions& options) {
    return setting_for(options, machine::place(tuning::this_machine(), members, machine::Placement::compact));
}

mailbox::Patience patience_between_runs(const Setting& setting, int members, bool caller_is_member) {
    const bool has_room =
        members <= setting.cpus && members + (caller_is_member ? 0 : 1) <= machine::allowed_pus();
    const mailbox::Patience patience = mailbox::patience_for(members, has_room ? members : members - 1);
    switch (setting.options.wait) {
    case Wait::sleep:
        return {};
    case Wait::yield:
        return {.spin_ns = 0, .yield_ns = patience.spin_ns + patience.yield_ns};
    case Wait::spin:
    case Wait::automatic:
        break;
    }
    return patience;
}

} // namespace tutti::execute
