#pragma once

#include <string>

namespace berth::controller {

/// "<hostname>_<uuid>": the name of this process among all, as client-go's programs make theirs.
std::string MakeIdentity();

}  // namespace berth::controller
