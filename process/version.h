#pragma once

#include <string>

namespace berth::process {

/// "0.1.0".
std::string Version();

/// The commit that was built, with "-dirty" where files differed from it; "unknown" if it was built
/// without git.
std::string Revision();

/// "g++ 12.2.0".
std::string Compiler();

}  // namespace berth::process
