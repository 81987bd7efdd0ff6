#pragma once

#include <string>

// What this binary was built from. The values are compiled in.

namespace berth::process {

/// Version of this build: "0.1.0".
std::string Version();

/// The commit of this build, with "-dirty" if files differed from it. "unknown" if it was built
/// without git.
std::string Revision();

/// The compiler of this build: "g++ 12.2.0".
std::string Compiler();

}  // namespace berth::process
