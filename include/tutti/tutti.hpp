// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/counts.hpp>
#include <tutti/error.hpp>
#include <tutti/group.hpp>
#include <tutti/member.hpp>
#include <tutti/neighbors.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/reduce_local.hpp>
#include <tutti/request.hpp>
#include <tutti/source_line.hpp>
#include <tutti/start.hpp>
#include <tutti/team.hpp>
#include <tutti/version.hpp>
