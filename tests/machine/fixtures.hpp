#pragma once

#include "../directory.hpp"
#include "../test.hpp"
#include "machine/machine.hpp"

namespace tutti::machine::test {

inline std::string fixture_path(const std::string& name) {
    return TUTTI_FIXTURES + name;
}

inline Machine synthetic_fixture(const std::string& name) {
    std::ifstream file(fixture_path(name));
    std::string description;
    if (!std::getline(file, description)) {
        throw std::runtime_error("cannot read fixture " + name);
    }
    return from_synthetic(description);
}

inline Machine two_sockets_smt() {
    return from_xml(fixture_path("two-sockets-smt.xml"));
}

inline Machine restricted_cpuset() {
    return from_xml(fixture_path("restricted-cpuset.xml"));
}

inline Machine two_kinds() {
    return from_xml(fixture_path("two-kinds.xml"));
}

inline Machine several_l3() {
    return synthetic_fixture("several-l3.synthetic");
}

inline Machine one_cpu() {
    return synthetic_fixture("one-cpu.synthetic");
}

using tutti::test::Directory;
using tutti::test::mentions;
using tutti::test::message_of;
using Indices = std::vector<int>;

/// The call throws a std::invalid_argument whose text has these parts.
inline void check_refused(const std::function<void()>& call, const std::vector<std::string>& parts) {
    const std::string error = message_of<std::invalid_argument>(call);
    for (const std::string& part : parts) {
        CHECK_MESSAGE((error != "" && mentions(error, part)), part, ": ", error);
    }
}

} // namespace tutti::machine::test
