#include "process/version.h"

// Written by every build; see write_revision.cmake.
#include "berth_revision.h"

namespace berth::process {

std::string Version() { return BERTH_VERSION; }

std::string Revision() { return BERTH_REVISION; }

std::string Compiler() {
#ifdef __clang__
  return "clang++ " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace berth::process
