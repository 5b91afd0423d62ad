#pragma once

#include <tutti/counts.hpp>
#include <tutti/dynamic.hpp>
#include <tutti/error.hpp>
#include <tutti/executor.hpp>
#include <tutti/group.hpp>
#include <tutti/member.hpp>
#include <tutti/one_caller.hpp>
#include <tutti/operators.hpp>
#include <tutti/options.hpp>
#include <tutti/placement.hpp>
#include <tutti/reduce_local.hpp>
#include <tutti/rendezvous.hpp>
#include <tutti/request.hpp>
#include <tutti/start.hpp>
#include <tutti/team.hpp>
#include <tutti/version.hpp>
