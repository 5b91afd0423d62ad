#pragma once

namespace tutti::bench {

/// `tutti info`: this machine, this build, and what members could be pinned to; with `algorithms`, the
/// registry.
int run_info(bool algorithms);

} // namespace tutti::bench
